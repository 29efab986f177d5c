"""The counts behind one statement: how much data there is to judge a triplet by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibmap.counting import count_live_cells
from ibmap.independence.binary_rows import BinaryRow, Expected
from ibmap.independence.binary_triplets import Findings
from ibmap.independence.classical import meets_cochran
from ibmap.independence.protocol import Triplet
from ibmap.independence.rows import Row, n_configurations
from ibmap.kernels import contingency as kernels
from ibmap.table import EncodedTable


@dataclass(frozen=True)
class SliceCounts:
    """How the data spread over the slices of a set; cells are those of the states a slice holds."""

    n_rows: int  # data points
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
    """Count what a test of a triplet has to go by."""
    if isinstance(sliced, Findings):
        expected, n_live, n_single = sliced.expected, sliced.n_live, sliced.n_single
    elif isinstance(sliced, BinaryRow):
        y = max(triplet.x, triplet.y)
        expected, n_live, n_single = sliced.expected(y), sliced.n_live, sliced.n_single
    else:
        expected, n_live, n_single = _expected(table, *triplet.canonical())
    n_cells, n_below_one, n_below_five, smallest = expected
    if n_single:  # a slice with one data point has one cell, and expects it
        n_cells, n_below_five, smallest = n_cells + n_single, n_below_five + n_single, min(smallest, 1.0)
    return SliceCounts(
        n_rows=table.n_samples,
        n_configurations=n_configurations(table, triplet.given),
        n_seen=n_live + n_single,
        n_single=n_single,
        smallest_expected=smallest if n_cells else 0.0,
        share_under_five=n_below_five / n_cells if n_cells else 0.0,
        meets_cochran=meets_cochran(n_cells, n_below_one, n_below_five),
    )


def _expected(table: EncodedTable, x: int, y: int, given: tuple[int, ...]) -> tuple[Expected, int, int]:
    """Give what the expected counts are like, and how many slices have more than one, or one data point."""
    cells, n_single = count_live_cells(table, x, y, given)
    facts = np.zeros(4, np.int64)
    smallest = float(kernels.slice_facts(cells.values, *cells.n_states, facts))
    _, n_cells, n_below_one, n_below_five = facts.tolist()
    return Expected(n_cells, n_below_one, n_below_five, smallest), cells.n_slices, n_single
