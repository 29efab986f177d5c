"""Definitions of the family's other scores and searches in loops and dicts, not shared with the package.

`rows` are lists of codes, `cards` the numbers of states, `edges` sets of frozensets, `weights` repeat rows.
`both(x, y, given)` gives log Pr(I) and log Pr(not I).
"""

import math
from collections import Counter
from itertools import combinations

TOLERANCE = 1e-9


def neighbours(edges, n, x):
    return tuple(y for y in range(n) if frozenset((x, y)) in edges)


def pairs(n):
    return list(combinations(range(n), 2))


def flipped(edges, x, y):
    return set(edges) ^ {frozenset((x, y))}


def all_graphs(n):
    every = [frozenset(pair) for pair in pairs(n)]
    return [set(chosen) for size in range(len(every) + 1) for chosen in combinations(every, size)]


# Scores


def counts(rows, weights, x, blanket):
    cells = Counter()
    for row, weight in zip(rows, weights, strict=True):
        cells[tuple(row[b] for b in blanket), row[x]] += weight
    slices = Counter()
    for (config, _), count in cells.items():
        slices[config] += count
    return cells, slices


def marginal_term(rows, cards, weights, x, blanket, parameters="bdeu", size=1.0):
    cells, slices = counts(rows, weights, x, blanket)
    q = math.prod(cards[b] for b in blanket)
    each = {"bdeu": size / (cards[x] * q), "jeffreys": 0.5, "laplace": 1.0}[parameters]
    log = 0.0
    for config, total in slices.items():
        for state in range(cards[x]):
            for k in range(cells[config, state]):  # rising factorials, one data point after the other
                log += math.log(each + k)
        for k in range(total):
            log -= math.log(each * cards[x] + k)
    return log


def penalised_term(rows, cards, weights, x, blanket, factor=0.5):
    cells, slices = counts(rows, weights, x, blanket)
    log = sum(count * math.log(count / slices[config]) for (config, _), count in cells.items() if count)
    q = math.prod(cards[b] for b in blanket)
    return log - factor * (cards[x] - 1) * q * math.log(sum(slices.values()))


def local_total(term, edges, n):
    return math.fsum(term(x, neighbours(edges, n, x)) for x in range(n))


def assertion(both, edges, n, x, y):
    blanket = neighbours(edges, n, x)
    independent, dependent = both(x, y, tuple(z for z in blanket if z != y))
    return dependent if y in blanket else independent


def joint_posterior(both, edges, n, ties="column"):
    """BJP: each pair by the assertion given the smaller blanket."""
    size = {x: len(neighbours(edges, n, x)) for x in range(n)}
    log = 0.0
    for x, y in pairs(n):
        first, second = assertion(both, edges, n, x, y), assertion(both, edges, n, y, x)
        if size[x] == size[y]:
            log += first if ties == "column" else (first + second) / 2
        else:
            log += first if size[x] < size[y] else second
    return log


# Searches


def climb(total, n, edges):
    """Hill climbing by any score of structures."""
    edges, trace = set(edges), []
    while True:
        now = total(edges)
        gains = {pair: total(flipped(edges, *pair)) - now for pair in pairs(n)}
        best = max(gains.values())
        if not best > TOLERANCE:
            return edges, now, trace
        pair = min(pair for pair, gain in gains.items() if gain >= best - TOLERANCE)
        edges = flipped(edges, *pair)
        trace.append(pair)


def heuristic_climb(both, n, edges):
    """IBMAP-HHC on the IB-score."""
    edges, trace = set(edges), []

    def total(graph):
        return math.fsum(assertion(both, graph, n, x, y) for x in range(n) for y in range(n) if x != y)

    while True:
        sums = {
            (x, y): assertion(both, edges, n, x, y) + assertion(both, edges, n, y, x) for x, y in pairs(n)
        }
        worst = min(sums.values())
        pair = min(pair for pair, value in sums.items() if value <= worst + TOLERANCE)
        if not total(flipped(edges, *pair)) - total(edges) > TOLERANCE:
            return edges, total(edges), trace
        edges = flipped(edges, *pair)
        trace.append(pair)
