"""Pearson's statistic of pairs as a normal deviate, and the others most associated, by loops."""

import math


def deviate(rows, weights, x, y):
    """Wilson and Hilferty's deviate of Pearson's statistic, over the states that occur."""
    counts = {}
    for row, weight in zip(rows, weights, strict=True):
        counts[row[x], row[y]] = counts.get((row[x], row[y]), 0) + weight
    first, second = sorted({a for a, _ in counts}), sorted({b for _, b in counts})
    df = (len(first) - 1) * (len(second) - 1)
    if df == 0:
        return -math.inf
    total, statistic = sum(counts.values()), 0.0
    for a in first:
        for b in second:
            own = sum(counts.get((a, t), 0) for t in second)
            other = sum(counts.get((s, b), 0) for s in first)
            expected = own * other / total
            statistic += (counts.get((a, b), 0) - expected) ** 2 / expected
    return ((statistic / df) ** (1 / 3) - (1 - 2 / (9 * df))) / math.sqrt(2 / (9 * df))
