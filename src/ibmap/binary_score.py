"""The local IB-score of binary data: every change of a blanket from one pass.

The rows are sorted by slice of the blanket and by X and packed into machine
words; see `ibmap.kernels.binary_layout`, `binary_pairs` and `binary_members`.
Columns with a single state are left out of the kernels: given anything, they
are independent of everything with the prior probability, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.binary_rows import BinaryColumns, log_tables
from ibmap.independence.posterior import Prior, log_complement
from ibmap.kernels import binary_layout, binary_members, binary_pairs, binary_sparse, two_points
from ibmap.kernels.two_by_two import SMALL
from ibmap.row_score import RowScore

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
DENSE_SLICES = 1 << 11  # up to here slices are found by a table of all keys, beyond by likeness
MAX_BLANKET = 63  # a slice's key is one machine word


class BinaryScore:
    """The blanket closure's score of a table with at most two states a column.

    Parameters
    ----------
    test : BayesianTest
        The test, with integer hyperparameters and the prior split over all slices.
    """

    def __init__(self, test: BayesianTest) -> None:
        self.names = test.names
        self._by_sweeps = RowScore(test)
        self._prior = test.prior
        table = test.table
        self._is_constant = table.cardinalities == 1
        self._position = np.cumsum(~self._is_constant) - 1  # among the columns that vary
        self._varying = np.flatnonzero(~self._is_constant)
        packed = test.columns or BinaryColumns(table, test.prior, self._varying)
        self._columns, self._row_bits = packed.states, packed.row_bits
        self._weights, self._tables = packed.weights, packed.tables
        self._n_planes = max(int(table.weights.max(initial=1)).bit_length(), 1)
        self._small_tables = small_tables(test.prior)
        self._two_point_ratios = two_point_ratios(*self._small_tables)

    def term(self, x: int, blanket: tuple[int, ...]) -> float:
        """Give the term of a variable for a blanket.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        float
            Natural log.
        """
        return self._by_sweeps.term(x, blanket)

    def changes(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable for its blanket and every single change of it.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        ndarray of shape (n_variables,)
            Entry y for the blanket with y flipped, entry x for the blanket as it is.
        """
        constants = [v for v in blanket if self._is_constant[v]]
        n_constants = int(self._is_constant.sum()) - bool(self._is_constant[x])
        log_p = math.log(self._prior.probability)
        log_not_p = log_complement(log_p)
        base = (n_constants - len(constants)) * log_p + len(constants) * log_not_p
        result = np.full(len(self.names), base)
        result[self._is_constant] += log_not_p - log_p
        result[constants] -= 2 * (log_not_p - log_p)
        if self._is_constant[x]:
            result[x] = base
            return result + self._constant_changes(x, blanket, log_p, log_not_p)
        varying = [int(self._position[v]) for v in blanket if not self._is_constant[v]]
        if len(varying) > MAX_BLANKET:
            return self._by_sweeps.changes(x, blanket)
        inner = self._changes(int(self._position[x]), np.array(varying, np.int64))
        result[self._varying] += inner
        result[self._is_constant] += inner[self._position[x]]
        return result

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give the terms of `changes`: one pass gives them all, unless the blanket is huge.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        upper, is_exact : ndarray
            The terms, all exact up to 63 members; beyond that as in `RowScore`.
        """
        if len(blanket) - int(self._is_constant[list(blanket)].sum()) > MAX_BLANKET:
            return self._by_sweeps.bounds(x, blanket)
        return self.changes(x, blanket), np.ones(len(self.names), bool)

    def _constant_changes(self, x: int, blanket: Sequence[int], log_p: float, log_not_p: float) -> Floats:
        """Give what the varying columns add to the terms of a constant one."""
        inside = [v for v in blanket if not self._is_constant[v]]
        n_outside = len(self._varying) - len(inside)
        result = np.full(len(self.names), n_outside * log_p + len(inside) * log_not_p)
        result[self._varying] += log_not_p - log_p
        result[inside] -= 2 * (log_not_p - log_p)
        return result

    def _changes(self, x: int, members: Integers) -> Floats:
        """Do the same for a varying column among the varying ones."""
        n, d = len(self._columns), len(members)
        is_outside = np.ones(n, bool)
        is_outside[members] = is_outside[x] = False
        outside = np.flatnonzero(is_outside)
        slices = self._slice(x, members, outside)
        priors = np.array([self._slice_prior(size) for size in range(d - 2, d + 2)])
        own, adds, drops = np.empty(len(outside)), np.empty(len(outside)), np.empty(d)
        kernel = binary_members if (1 << d) <= DENSE_SLICES else binary_sparse
        members_term = kernel.member_terms(
            slices.keys,
            slices.sizes,
            slices.ones,
            slices.n_large,
            slices.n_live,
            priors,
            self._tables,
            self._small_tables,
            own,
            adds,
            drops,
        )
        result = np.empty(n)
        result[x] = members_term - own.sum()
        result[outside] = adds - self._pair_sums(slices, priors[3])
        result[members] = drops
        return result

    def _slice_prior(self, n_given: int) -> tuple[float, float, float, float]:
        """Give log-odds and odds of dependence in a slice, -log p / K and -log p."""
        n_slices = 1 << max(n_given, 0)
        log_odds = self._prior.log_slice_odds(n_slices)
        minus_log_p = -math.log(self._prior.probability)
        return log_odds, math.exp(log_odds), minus_log_p / n_slices, minus_log_p

    def _slice(self, x: int, members: Integers, outside: Integers) -> _Slices:
        """Sort the rows by slice and X, and pack the columns outside the blanket."""
        column, weights = self._columns[x], self._weights
        labels = np.empty(len(column), np.int64)
        keys, sizes, n_large, n_live = binary_layout.slice_rows(self._columns, weights, x, members, labels)
        large = binary_layout.place_large(labels, column, weights, n_large, self._n_planes)
        small = binary_layout.place_small(labels, column, weights, sizes, n_large, n_live)
        slices = _Slices(
            keys=keys,
            sizes=sizes,
            n_large=n_large,
            n_live=n_live,
            n_two=int(np.count_nonzero(sizes[n_large:n_live].sum(axis=1) == 2)),
            ones=np.empty((len(outside), len(sizes), 2), np.int32),
            bits_large=np.empty((len(outside), len(large[1]) - 1), np.uint64),
            bits_small=np.empty((len(outside), n_live - n_large), np.uint64),
            run_words=large[2],
            masks=small[2],
        )
        where = (labels, n_live, large, small, self._n_planes)
        out = (slices.bits_large, slices.bits_small, slices.ones)
        binary_layout.pack(self._columns, self._row_bits, outside, x, where, out)
        return slices

    def _pair_sums(self, slices: _Slices, prior: Floats) -> Floats:
        """Sum -log Pr(I(X, Y | B + W)) over Y for every W."""
        n, cell, side, total = len(slices.ones), *self._tables
        n_more = slices.n_live - slices.n_two  # slices of three data points and more
        log_terms = np.empty((n, slices.n_large, 2))
        terms = np.empty((n, n_more - slices.n_large, 2))
        n_informative = binary_pairs.slice_terms(
            slices.ones,
            slices.sizes,
            slices.n_large,
            n_more,
            prior[0],
            side,
            total,
            log_terms,
            terms,
        )
        sums = np.empty(n)
        binary_pairs.pair_sums(
            slices.bits_large,
            slices.bits_small,
            slices.run_words,
            self._n_planes,
            slices.masks[: n_more - slices.n_large],
            (slices.ones, slices.sizes, log_terms, terms),
            (cell, side, self._small_tables[0]),
            sums,
        )
        n_informative += self._add_two_points(slices, prior, sums)
        sums += (n - 1) * (prior[3] - prior[2] * n_informative)
        return sums

    def _add_two_points(self, slices: _Slices, prior: Floats, sums: Floats) -> Integers:
        """Add what the slices of two data points give; return how many matter given each W."""
        first = slices.n_live - slices.n_two
        return np.asarray(
            two_points.two_point_sums(
                slices.bits_small,
                first - slices.n_large,
                slices.sizes[first : slices.n_live],
                np.log1p(prior[1] * self._two_point_ratios),
                sums,
            )
        )


@dataclass(frozen=True, eq=False)
class _Slices:
    """The data sorted by slice of a blanket and X; see `ibmap.kernels.binary_layout`."""

    keys: NDArray[np.uint64]
    sizes: NDArray[np.int32]
    n_large: int
    n_live: int
    n_two: int
    ones: NDArray[np.int32]
    bits_large: NDArray[np.uint64]
    bits_small: NDArray[np.uint64]
    run_words: Integers
    masks: NDArray[np.uint64]


def small_tables(prior: Prior) -> tuple[Floats, Floats, Floats]:
    """Tabulate the factors of the Bayes factor of slices of at most 64 data points.

    Parameters
    ----------
    prior : Prior
        With integer hyperparameters.

    Returns
    -------
    columns, rows, totals : ndarray
        Of the two cells of a column (flat, 65 x 65), of a row, and of a whole slice.
    """
    cell, side, total = log_tables(2 * SMALL, prior)
    counts = np.arange(SMALL + 1)
    columns = np.exp(cell[counts[:, None]] + cell[counts] - side[counts[:, None] + counts])
    return columns.ravel(), np.exp(-side[counts]), np.exp(total[counts])


def two_point_ratios(columns: Floats, rows: Floats, totals: Floats) -> Floats:
    """Tabulate the Bayes factor of a slice of two data points.

    Parameters
    ----------
    columns, rows, totals : ndarray
        What `small_tables` gives.

    Returns
    -------
    ndarray of shape (2, 2)
        By whether X is the same (row) and whether Y is (column).
    """
    in_one, in_both, with_other = columns[2 * (SMALL + 1)], columns[SMALL + 1] ** 2, columns[SMALL + 2]
    same_x, other_x = rows[2] * rows[0], rows[1] ** 2
    ratios = [[in_both * other_x, with_other * other_x], [in_both * same_x, in_one * same_x]]
    return np.array(ratios) * float(totals[2])
