"""The Bayesian test of one binary variable against many others, by bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable
from ibmap.independence.posterior import Prior
from ibmap.independence.slice_tables import SliceTables
from ibmap.kernels import binary_members as kernels
from ibmap.kernels import slices

Floats = NDArray[np.float64]
MOST_MEMBERS = 63  # variables given whose states fit into a key
MOST_MASKED = 4  # variables given whose slices have masks of their own: sorting the rows takes longer


class BinaryColumns:
    """Binary columns of rows without weights packed by row, with what all tests of them share."""

    def __init__(self, table: EncodedTable, prior: Prior, columns: NDArray[np.int64] | None = None) -> None:
        codes = table.codes if columns is None else table.codes[:, columns]
        n_rows, n_variables = codes.shape
        self.states = np.ascontiguousarray(codes.T.astype(np.uint8))
        self.row_bits = np.zeros((n_variables // slices.WORD + 1, n_rows), np.uint64)
        slices.pack_rows(self.states, self.row_bits)
        packed = np.packbits(self.states, axis=1, bitorder="little")
        self.bits = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)  # by variable
        self.prior = prior
        self.tables = SliceTables(table.n_samples, prior)


class Expected(NamedTuple):
    """What the counts that independence would expect are like, where rows and columns are in use."""

    n_cells: int
    n_below_one: int
    n_below_five: int
    smallest: float  # infinite if there is none


class BinaryRow:
    """Tests of one binary variable given up to 63 others, in rows without weights."""

    def __init__(self, columns: BinaryColumns, x: int, given: tuple[int, ...]) -> None:
        self._columns, members = columns, np.array(given, np.int64)
        self._masks: NDArray[np.uint64] | None = None
        if len(given) <= MOST_MASKED:
            found = slices.mask_slices(columns.bits, x, members, columns.states.shape[1])
            self._masks, self._sizes, self.n_single = found
        else:
            _, sizes, n_live, rows = slices.sort_by_slice(columns.states, x, members)
            self._sizes, self.n_single = sizes[:n_live], len(sizes) - int(n_live)
            self._sorted = (rows, self._sizes, *slices.place_slices(self._sizes))
        self.n_live = len(self._sizes)
        self._table = columns.tables.given(len(given))
        self._counted: tuple[bytes, NDArray[np.uint32]] | None = None  # the candidates of last time

    def log_posteriors(self, candidates: Sequence[int]) -> tuple[Floats, Floats]:
        """Test X against each candidate."""
        independent = self.log_independent(candidates)
        return independent, log_dependent(independent)

    def log_independent(self, candidates: Sequence[int], least: float = -math.inf) -> Floats:
        """Test X against candidates, up to the first with a log Pr(I | D) below `least`."""
        found, asked, order = (
            np.empty(len(candidates)),
            np.array(candidates, np.int64),
            np.arange(len(candidates)),
        )
        if (asked[1:] <= asked[:-1]).any():
            asked, order = np.unique(asked, return_inverse=True)
        ones, logs = self._ones(asked), self._columns.tables.logs
        n = kernels.test_row(self._sizes, ones, order, self._table, logs, -least, found)
        return np.asarray(-found[:n])

    def sum_independent(self, candidates: Sequence[int], least: float = -math.inf) -> float:
        """Sum log Pr(I | D) of candidates."""
        return float(self.log_independent(candidates).sum())

    def slice_sizes(self) -> NDArray[np.int64]:
        """Give the data points of each slice that occurs, in no order that means anything."""
        return np.concatenate([self._sizes.sum(axis=1).astype(np.int64), np.ones(self.n_single, np.int64)])

    def expected(self, y: int) -> Expected:
        """Tell what the expected counts of X and Y are like in slices with two rows or more."""
        ones = self._ones(np.array([y], np.int64))[:, 0].astype(np.float64)
        rows = self._sizes.astype(np.float64)
        totals, high = rows.sum(axis=1), ones.sum(axis=1)
        columns = np.stack([totals - high, high], axis=1)
        products = rows[:, :, None] * columns[:, None, :] / totals[:, None, None]
        used = products[products > 0]
        n_below = int((used < 1).sum()), int((used < 5).sum())
        return Expected(used.size, *n_below, float(used.min(initial=math.inf)))

    def _ones(self, candidates: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Count the rows in which candidates are 1, by slice, candidate and X."""
        asked = candidates.tobytes()
        if self._counted is not None and self._counted[0] == asked:
            return self._counted[1]
        self._counted = asked, self._count(candidates)
        return self._counted[1]

    def _count(self, candidates: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Count by the masks of the slices, or by the rows sorted by slice."""
        if self._masks is not None:
            return np.asarray(slices.count_masked(self._columns.bits, self._masks, candidates))
        rows, sizes, words, masks, starts = self._sorted
        packed = slices.pack_slices(self._columns.row_bits, rows, sizes, starts, candidates)
        return np.asarray(slices.count_ones(packed, words, masks))


def log_dependent(independent: Floats) -> Floats:
    """Give the log posteriors of dependence from those of independence, not too near to 0."""
    return np.asarray(np.log(-np.expm1(independent)))
