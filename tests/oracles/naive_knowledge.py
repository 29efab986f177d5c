"""Structures that agree with what is known of pairs, one by one, and their score by definition."""

import math
from itertools import combinations, product


def allowed_graphs(n, required, forbidden):
    """List the edge sets that hold every required pair and no forbidden one."""
    pairs = list(combinations(range(n), 2))
    found = []
    for bits in product((False, True), repeat=len(pairs)):
        edges = {pair for pair, bit in zip(pairs, bits, strict=True) if bit}
        if required <= edges and not forbidden & edges:
            found.append(frozenset(edges))
    return found


def score(n, edges, settled, both):
    """Sum the log posteriors of all assertions about pairs that are not settled."""
    logs = []
    for x in range(n):
        blanket = tuple(y for y in range(n) if (min(x, y), max(x, y)) in edges)
        for y in range(n):
            if y == x or (min(x, y), max(x, y)) in settled:
                continue
            independent, dependent = both(x, y, tuple(z for z in blanket if z != y), blanket)
            logs.append(dependent if y in blanket else independent)
    return math.fsum(logs)


def posterior(n, required, forbidden, both):
    """Give {edges: score}, the log of their sum and the probability of each pair."""
    settled = required | forbidden
    scores = {edges: score(n, edges, settled, both) for edges in allowed_graphs(n, required, forbidden)}
    top = max(scores.values())
    whole = math.fsum(math.exp(each - top) for each in scores.values())
    shares = {
        pair: math.fsum(math.exp(s - top) for edges, s in scores.items() if pair in edges) / whole
        for pair in combinations(range(n), 2)
    }
    return scores, top + math.log(whole), shares
