"""PFMN's posterior over all structures of few variables, by enumeration, not shared with the package."""

import math

from oracles.naive_family import all_graphs, neighbours


def separated(edges, n, x, y, given):
    reached, waiting = {x}, [x]
    while waiting:
        for z in neighbours(edges, n, waiting.pop()):
            if z not in given and z not in reached:
                reached.add(z)
                waiting.append(z)
    return y not in reached


def log_posterior(edges, n, tests, prior="structures"):
    """`tests` are (x, y, given, log Pr(I), log Pr(not I))."""
    log = 0.0
    for x, y, given, independent, dependent in tests:
        log += independent if separated(edges, n, x, y, given) else dependent
    n_pairs = n * (n - 1) // 2
    return log if prior == "structures" else log - math.log((n_pairs + 1) * math.comb(n_pairs, len(edges)))


def edge_probabilities(n, tests, prior="structures"):
    logs = [(edges, log_posterior(edges, n, tests, prior)) for edges in all_graphs(n)]
    top = max(log for _, log in logs)
    total = sum(math.exp(log - top) for _, log in logs)
    found = {}
    for edges, log in logs:
        for edge in edges:
            found[edge] = found.get(edge, 0.0) + math.exp(log - top) / total
    return found


def entropy(graphs, weights, n, triplet):
    share = sum(w for edges, w in zip(graphs, weights, strict=True) if separated(edges, n, *triplet))
    return -sum(p * math.log2(p) for p in (share, 1 - share) if p > 1e-12)
