"""Single tests of binary variables, many at once, with what each has to go by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ibmap.independence.binary_rows import BinaryColumns, Expected, binary_row, is_masked, log_dependent
from ibmap.independence.protocol import Triplet
from ibmap.kernels.binary_triplets import all_triplets


class Findings(NamedTuple):
    """What a test of a triplet finds.

    Parameters
    ----------
    independent, dependent : float
        Log posteriors.
    expected : Expected
        What the expected counts are like, over the slices with two data points or more.
    n_live, n_single : int
        How many these are, and how many have one.
    """

    independent: float
    dependent: float
    expected: Expected
    n_live: int
    n_single: int


def find(columns: BinaryColumns, triplets: Sequence[Triplet]) -> list[Findings]:
    """Test triplets.

    Parameters
    ----------
    columns : BinaryColumns
        The data.
    triplets : sequence of Triplet
        In canonical form.

    Returns
    -------
    list of Findings
        One for each.
    """
    masked = [k for k, triplet in enumerate(triplets) if is_masked(columns, triplet.given)]
    found = dict(zip(masked, _find_masked(columns, [triplets[k] for k in masked]), strict=True))
    return [found[k] if k in found else _find_one(columns, triplet) for k, triplet in enumerate(triplets)]


def _find_masked(columns: BinaryColumns, triplets: Sequence[Triplet]) -> list[Findings]:
    """Test triplets with small sets by masks of bits, in one call."""
    n, prior = len(triplets), columns.prior
    if not n:
        return []
    minus_log_p, counts, smallest = np.empty(n), np.empty((n, 5), np.int64), np.empty(n)
    all_triplets(
        columns.words,
        columns.everything,
        np.array([(x, y) for x, y, _ in triplets], np.int64),
        np.cumsum([0, *(len(given) for _, _, given in triplets)]),
        np.array([z for _, _, given in triplets for z in given], np.int64),
        np.array([prior.log_slice_odds(1 << len(given)) for _, _, given in triplets]),
        columns.tables,
        minus_log_p,
        counts,
        smallest,
    )
    unseen = [
        prior.log_unseen(1 << len(each.given), n_live)
        for each, n_live in zip(triplets, counts[:, 0].tolist(), strict=True)
    ]
    independent = np.array(unseen) - minus_log_p
    numbers = (each.tolist() for each in (independent, log_dependent(independent), counts, smallest))
    n_rows = len(columns.weights)
    return [
        Findings(one, other, Expected(n_cells, n_below_one, n_below_five, least), n_live, n_rows - n_points)
        for one, other, (n_live, n_points, n_cells, n_below_one, n_below_five), least in zip(
            *numbers, strict=True
        )
    ]


def _find_one(columns: BinaryColumns, triplet: Triplet) -> Findings:
    """Test one triplet."""
    x, y, given = triplet
    row = binary_row(columns, x, given)
    independent, dependent = row.log_posteriors((y,))
    return Findings(float(independent[0]), float(dependent[0]), row.expected(y), row.n_live, row.n_single)
