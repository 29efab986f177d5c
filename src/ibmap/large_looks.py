"""Looks at large blankets of binary data, most of whose slices are small, in parts that threads can share.

See `ibmap.kernels.large_layout`, `large_pairs`, `sparse_outside`, `binary_grid` and `binary_sparse`.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.binary_rows import BinaryColumns
from ibmap.kernels import binary_grid, binary_sparse, large_layout, large_pairs, sparse_outside
from ibmap.kernels.binary_layout import LARGE as LARGE_SLICE
from ibmap.kernels.binary_outside import MOST_LOG_ODDS
from ibmap.kernels.large_layout import Layout
from ibmap.kernels.small_layout import FEW as FEW_SLICES
from ibmap.kernels.small_look import find_parts
from ibmap.kernels.two_by_two import SMALL
from ibmap.sharing import Call, Work
from ibmap.slice_logs import SliceLogs, pattern_starts

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
LARGE = 8  # members from which on a blanket's slices are mostly small
GRID = 4  # keys for each slice up to which it is faster to walk through all keys
WORK_OF_PART, MAX_PARTS = 2e5, 4  # nanoseconds of a part worth handing over, and how many there are at most


class LargeLooks:
    """Gives every change of a large blanket.

    Parameters
    ----------
    columns : BinaryColumns
        The data, of columns that vary.
    slice_logs : SliceLogs
        Tables of tiny slices.
    """

    def __init__(self, columns: BinaryColumns, slice_logs: SliceLogs) -> None:
        self._data, self._tables, self._slice_logs = columns, columns.factors, slice_logs
        self._n_planes = max(int(columns.weights.max(initial=1)).bit_length(), 1)

    def look(self, x: int, members: Integers) -> Work[Floats | None]:
        """Look at a blanket, in parts that threads can share.

        Parameters
        ----------
        x : int
            The variable.
        members : ndarray
            Its blanket, sorted.

        Returns
        -------
        Work
            Its result is the terms by the variable flipped, that of the blanket as it is in place x. None if
            no two data points come together: the prior decides.
        """
        laid = self.lay_out(x, members)
        if laid.is_silent:
            return None
        n_outside, minus_log_p = len(laid.outside), self._tables.given(len(members) + 1).prior[3]
        outside, drops, *sums = yield self._parts(laid, len(members))
        result = np.empty(len(self._data.states))
        result[x], adds, of_single = outside
        result[members] = of_single + drops
        result[laid.outside] = adds - sum(sums, (n_outside - 1) * minus_log_p)
        return result

    def lay_out(self, x: int, members: Integers) -> Layout:
        """Sort the rows by slice and X, and pack the columns outside the blanket.

        Parameters
        ----------
        x : int
            The variable.
        members : ndarray
            Its blanket, sorted.

        Returns
        -------
        Layout
            All that the parts of a look need.
        """
        data, rules = self._data, (GRID, FEW_SLICES, MAX_PARTS, WORK_OF_PART)
        table = data.states, data.row_bits, data.weights, self._n_planes
        laid: Layout = large_layout.lay_out(*table, x, members, *rules)
        return laid

    def _parts(self, laid: Layout, d: int) -> tuple[Call, ...]:
        """Give calls that do the tests, none of which depends on another, the longest first."""
        single = partial(self._outside, laid, d, self._tables.given(d).priors_around)
        return single, partial(self._without_two, laid, d), *self._pair_parts(laid, d)

    def _outside(self, laid: Layout, d: int, priors: Floats) -> tuple[float, Floats, Floats]:
        """Do the tests of single variables outside the blanket, and of single members."""
        tables, n = self._tables, len(laid.outside)
        same, less = tables.given(d), tables.given(d - 1)
        is_finite = max(priors[1, 0], priors[2, 0]) < MOST_LOG_ODDS
        most, n_huge = (LARGE_SLICE, laid.ends[0]) if is_finite else (SMALL, laid.ends[1])
        adds, drops = np.empty(n), np.zeros(d)
        term = sparse_outside.outside_terms(
            (laid.ones, laid.sizes, n_huge, laid.ends[3], laid.lone, laid.outside),
            most,
            laid.edges,
            priors,
            (same.shares, less.shares),
            (same.factors, less.factors, same.placed_factors),
            (tables.logs, tables.smalls, tables.scaled),
            tables.hyperparameters,
            adds,
            drops,
        )
        return term, adds, drops

    def _without_two(self, laid: Layout, d: int) -> Floats:
        """Do the tests of members without two of them."""
        tables, given, drops = self._tables, self._tables.given(d - 2), np.zeros(d)
        logs, smalls, scaled = tables.logs, tables.smalls, tables.scaled
        if laid.is_grid:
            binary_grid.grid_terms(laid.keys, laid.sizes, given.prior, given.shares, logs, scaled, drops)
            return drops
        near, shares = (laid.edges, laid.diagonals), (given.shares, given.changes)
        binary_sparse.pair_terms(laid.sizes, *near, given.prior, *shares, logs, smalls, scaled, drops)
        return drops

    def _pair_parts(self, laid: Layout, d: int) -> list[Call]:
        """Cut the sums of -log Pr(I(X, Y | B + W)) over Y for every W into parts, the longest first."""
        prior, tables = self._tables.given(d + 1).prior, self._tables
        patterns = self._slice_logs.given(prior[1], prior[2])
        factors = prior, (tables.logs, tables.smalls, tables.scaled), patterns, pattern_starts(), find_parts()
        cuts = [cut for cut in pairwise(laid.cuts.tolist()) if cut[0] < cut[1]] or [(0, 0)]
        return [partial(large_pairs.part_sums, laid, *cut, cut == cuts[-1], *factors) for cut in cuts]
