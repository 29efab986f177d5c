"""The counts behind one statement: how much data there is to judge a triplet by."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ibmap.data.counting import Margins, count_live_cells, meets_cochran
from ibmap.data.table import EncodedTable, where_seen
from ibmap.independence.protocol import Triplet

if TYPE_CHECKING:  # their kernels are loaded by tests that need them
    from ibmap.independence.binary_triplets import Findings
    from ibmap.independence.rows import Row


@dataclass(frozen=True)
class SliceCounts:
    """How the data spread over the slices of a set; cells are those of the states a slice holds."""

    n_rows: int  # data points that show both variables
    n_configurations: int  # slices there could be: the product of the cardinalities of the set
    n_seen: int  # slices that hold data
    n_single: int  # of these, how many hold one data point, which says nothing about the pair
    smallest_expected: float  # the smallest expected count; 0 if there are no data
    share_under_five: float  # share of the expected counts that are under 5
    meets_cochran: bool  # no expected count under 1 and at most one in five under 5

    @property
    def n_unseen(self) -> int:
        """Slices without data."""
        return self.n_configurations - self.n_seen

    @property
    def is_silent(self) -> bool:
        """Whether no slice holds two data points, so that the posterior is the prior."""
        return self.n_seen == self.n_single


def count_slices(table: EncodedTable, triplet: Triplet, sliced: Row | Findings | None = None) -> SliceCounts:
    """Count what a test of a triplet has to go by; faster with the data sliced, or tested, already."""
    if table.missing is not None:
        return _count_seen(table, triplet)
    (n_cells, n_below_one, n_below_five, smallest), n_live, n_single = _expected(table, triplet, sliced)
    if n_single:  # a slice with one data point has one cell, and expects it
        n_cells, n_below_five, smallest = n_cells + n_single, n_below_five + n_single, min(smallest, 1.0)
    return SliceCounts(
        n_rows=table.n_samples,
        n_configurations=math.prod(table.cardinalities[list(triplet.given)].tolist()),
        n_seen=n_live + n_single,
        n_single=n_single,
        smallest_expected=smallest if n_cells else 0.0,
        share_under_five=n_below_five / n_cells if n_cells else 0.0,
        meets_cochran=meets_cochran(n_cells, n_below_one, n_below_five),
    )


def _count_seen(table: EncodedTable, triplet: Triplet) -> SliceCounts:
    """Count the rows that show both variables, and their slices where they show the set too."""
    x, y, given = triplet.canonical()
    part = where_seen(table, [x, y, *given])
    own = count_slices(part, Triplet(0, 1, tuple(range(2, 2 + len(given)))))
    return replace(own, n_rows=where_seen(table, [x, y]).n_samples)


def _expected(
    table: EncodedTable, triplet: Triplet, sliced: Row | Findings | None
) -> tuple[tuple[int, int, int, float], int, int]:
    """Give what the expected counts are like, and how many slices have more than one, or one data point."""
    # Of the expected counts: how many there are, how many below 1, below 5, and the smallest.
    if sliced is not None:
        from ibmap.independence.binary_rows import BinaryRow
        from ibmap.independence.binary_triplets import Findings

        if isinstance(sliced, Findings):
            return sliced.expected, sliced.n_live, sliced.n_single
        if isinstance(sliced, BinaryRow):
            return sliced.expected(max(triplet.x, triplet.y)), sliced.n_live, sliced.n_single
    cells, n_single = count_live_cells(table, *triplet.canonical())
    return Margins(cells).expected(), cells.n_slices, n_single
