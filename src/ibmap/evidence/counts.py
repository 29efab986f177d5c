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
    """How the data spread over the slices of a conditioning set.

    An expected count is that of a cell under independence in its slice, row sum times column
    sum by total; states that do not occur in a slice have no cells in it.

    Parameters
    ----------
    n_rows : int
        Data points.
    n_configurations : int
        Slices there could be: the product of the cardinalities of the set.
    n_seen : int
        Slices that hold data.
    n_single : int
        Of these, how many hold one data point, which says nothing about the pair.
    smallest_expected : float
        The smallest expected count; 0 if there are no data.
    share_under_five : float
        Share of the expected counts that are under 5.
    meets_cochran : bool
        Cochran's rule: no expected count under 1 and at most one in five under 5.
    """

    n_rows: int
    n_configurations: int
    n_seen: int
    n_single: int
    smallest_expected: float
    share_under_five: float
    meets_cochran: bool

    @property
    def n_unseen(self) -> int:
        """Slices without data."""
        return self.n_configurations - self.n_seen

    @property
    def is_silent(self) -> bool:
        """Whether no slice holds two data points, so that the posterior is the prior."""
        return self.n_seen == self.n_single


def count_slices(table: EncodedTable, triplet: Triplet, sliced: Row | Findings | None = None) -> SliceCounts:
    """Count what a test of a triplet has to go by.

    Parameters
    ----------
    table : EncodedTable
        The data.
    triplet : Triplet
        The question.
    sliced : Row or Findings, optional
        The same data sliced by the lower variable of the pair and the set, or what a test of the triplet has
        found, if it is at hand: faster.

    Returns
    -------
    SliceCounts
        The counts; the same for both orders of the pair.

    Examples
    --------
    >>> table = EncodedTable.from_codes([[0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> found = count_slices(table, Triplet(0, 1, (2,)))
    >>> found.n_seen, found.n_single, found.smallest_expected
    (2, 1, 0.5)
    """
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
