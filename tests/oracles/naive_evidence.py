"""The evidence for a pair and the thinness of a variable, by loops: the oracle of `ibmap.evidence`.

Nothing is shared with the package. Data are `rows`, `cards` and `weights` as in `naive`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from oracles import naive


def expected_counts(rows, cards, x, y, given, weights):
    """Every expected count, row sum times column sum by total, of the states that occur in a slice."""
    found = []
    for cells in naive.contingency(rows, cards, x, y, given, weights):
        total = sum(map(sum, cells))
        row_sums = [each for each in naive.row_margins(cells) if each > 0]
        column_sums = [each for each in naive.column_margins(cells) if each > 0]
        found += [Fraction(r * c, total) for r in row_sums for c in column_sums]
    return found


def slice_counts(rows, cards, x, y, given, weights):
    """The counts behind a triplet, as the fields of `SliceCounts`."""
    slices = naive.contingency(rows, cards, x, y, given, weights)
    totals = [sum(map(sum, cells)) for cells in slices]
    expected = expected_counts(rows, cards, x, y, given, weights)
    under_one = [value for value in expected if value < 1]
    under_five = [value for value in expected if value < 5]
    return {
        "n_rows": sum(weights),
        "n_configurations": math.prod(cards[z] for z in given),
        "n_seen": len(slices),
        "n_single": sum(total == 1 for total in totals),
        "smallest_expected": float(min(expected)),
        "share_under_five": len(under_five) / len(expected),
        "meets_cochran": not under_one and 5 * len(under_five) <= len(expected),
    }


def statement(rows, cards, weights, edges, x, y):
    """What the blanket closure says of x and y given the blanket of x: (given, independent)."""
    blanket = naive.blanket(edges, len(cards), x)
    return tuple(z for z in blanket if z != y), frozenset((x, y)) not in edges


def loss(rows, cards, weights, edges, x, y, **options):
    """How much the whole score falls if the pair is flipped."""
    repeated = [row for row, weight in zip(rows, weights, strict=True) for _ in range(weight)]
    before = naive.ib_score(repeated, cards, edges, **options)
    return before - naive.ib_score(repeated, cards, naive.flip(edges, x, y), **options)


def description(rows, cards, weights, edges, x):
    """A variable's states and its slices, as the fields of `VariableDescription` but for missing values."""
    blanket = naive.blanket(edges, len(cards), x)
    sizes, totals = {}, dict.fromkeys(range(cards[x]), 0)
    for row, weight in zip(rows, weights, strict=True):
        configuration = tuple(row[z] for z in blanket)
        sizes[configuration] = sizes.get(configuration, 0) + weight
        totals[row[x]] += weight
    n = sum(weights)
    shares = [total / n for total in totals.values() if total]
    return {
        "n_states": cards[x],
        "n_used": len(shares),
        "entropy": -sum(share * math.log(share) for share in shares),
        "n_configurations": math.prod(cards[z] for z in blanket),
        "n_seen": len(sizes),
        "n_single": sum(size == 1 for size in sizes.values()),
        "rows_per_slice": n / len(sizes),
        "share_in_small_slices": sum(s for s in sizes.values() if s < 5 * cards[x]) / n,
    }
