"""Single tests of binary variables, many at once, with what each has to go by."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ibmap.independence.binary_rows import (
    MAX_MASKED_ONCE,
    BinaryColumns,
    Expected,
    binary_row,
    is_masked,
    log_dependent,
)
from ibmap.independence.protocol import Triplet
from ibmap.kernels.binary_triplets import all_triplets
from ibmap.sharing import Team

N_BLOCKS = 8  # of triplets with larger sets, for threads to take


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


def find(columns: BinaryColumns, triplets: Sequence[Triplet], n_threads: int = 1) -> list[Findings]:
    """Test triplets.

    Parameters
    ----------
    columns : BinaryColumns
        The data.
    triplets : sequence of Triplet
        In canonical form.
    n_threads : int
        Threads; what they find is the same for any number.

    Returns
    -------
    list of Findings
        One for each.
    """
    masked = [k for k, triplet in enumerate(triplets) if is_masked(columns, triplet.given, MAX_MASKED_ONCE)]
    others = sorted({*range(len(triplets))}.difference(masked))
    masked = [k for first in range(n_threads) for k in masked[first::n_threads]]  # the same for each thread
    with Team(min(n_threads, max(len(triplets), 1))) as team:
        found = _find_masked(columns, [triplets[k] for k in masked], team)
        blocks = [others[k::N_BLOCKS] for k in range(N_BLOCKS)]
        more = team.map(lambda block: [_find_one(columns, triplets[k]) for k in block], blocks)
    by_place = dict(
        zip((*masked, *chain.from_iterable(blocks)), (*found, *chain.from_iterable(more)), strict=True)
    )
    return [by_place[k] for k in range(len(triplets))]


def _find_masked(columns: BinaryColumns, triplets: Sequence[Triplet], team: Team) -> list[Findings]:
    """Test triplets with small sets by masks of bits, in a call for each thread."""
    n, prior = len(triplets), columns.prior
    if not n:
        return []
    odds = [prior.log_slice_odds(1 << size) for size in range(MAX_MASKED_ONCE + 1)]
    pairs = np.array([(x, y) for x, y, _ in triplets], np.int64).reshape(n, 2)
    starts = np.cumsum([0, *(len(given) for _, _, given in triplets)])
    members = np.array([z for _, _, given in triplets for z in given], np.int64)
    log_odds = np.array([odds[len(given)] for _, _, given in triplets])
    minus_log_p, counts, smallest = np.empty(n), np.empty((n, 5), np.int64), np.empty(n)

    def test_some(first: int, last: int) -> None:
        asked = pairs[first:last], starts[first : last + 1], members, log_odds[first:last]
        found = minus_log_p[first:last], counts[first:last], smallest[first:last]
        all_triplets(columns.words, columns.everything, *asked, columns.tables, *found)

    cuts = [n * k // team.n_threads for k in range(team.n_threads + 1)]
    team.map(test_some, cuts[:-1], cuts[1:])
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
