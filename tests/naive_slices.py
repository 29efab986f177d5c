"""Slices of a blanket and what they add to the tests of pairs, point by point from the definition."""

from collections import Counter, defaultdict
from math import exp, lgamma, log, log1p


def log_dirichlet(counts, parameter):
    """Log-probability of a sequence with these counts when all parameters are equal."""
    whole = len(counts) * parameter
    value = lgamma(whole) - lgamma(whole + sum(counts))
    return value + sum(lgamma(parameter + count) - lgamma(parameter) for count in counts)


def log_bayes_factor(points, margin):
    """Log of h / g of data points (x, y); margins have the parameter `margin`, cells 1."""
    cells, of_x, of_y = Counter(points), Counter(x for x, _ in points), Counter(y for _, y in points)
    together = log_dirichlet([cells[x, y] for x in range(2) for y in range(2)], 1)
    return together - sum(log_dirichlet([of[k] for k in range(2)], margin) for of in (of_x, of_y))


def added_by_part(points, odds, margin):
    """log(1 + e) less what an unseen slice adds."""
    if len(points) < 2:
        return 0.0
    log_e = log(odds) + log_bayes_factor(points, margin)
    return (log1p(exp(log_e)) if log_e < 40 else log_e) - log1p(odds)


def added_by_slice(x, w, y, odds, margin):
    """What a slice adds to X against Y given W; each is a list of states, point by point."""
    points = list(zip(x, w, y, strict=True))
    return sum(added_by_part([(a, c) for a, b, c in points if b == k], odds, margin) for k in range(2))


def added_to_sums(slices, odds, margin):
    """What slices (x, [states of each variable]) add for each W, summed over all other Y."""
    n = len(slices[0][1])
    return [
        sum(
            added_by_slice(x, states[w], states[y], odds, margin)
            for x, states in slices
            for y in range(n)
            if y != w
        )
        for w in range(n)
    ]


def slices_of(rows, weights, x, members):
    """Data points of each slice: rows, each as often as its weight, those with X = 0 first."""
    found = defaultdict(list)
    for row, weight in zip(rows, weights, strict=True):
        found[tuple(row[b] for b in members)] += [row] * weight
    return {key: sorted(points, key=lambda row: row[x]) for key, points in found.items()}
