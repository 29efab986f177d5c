"""The Bayesian test of one binary variable against many others, by bits."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.posterior import Prior
from ibmap.independence.slice_tables import SliceTables
from ibmap.kernels import binary_packing
from ibmap.kernels import binary_rows as kernels
from ibmap.table import EncodedTable

Floats = NDArray[np.float64]
MAX_MASKED = 5  # with more variables given, there are so many masks that numbering the rows is cheaper
MAX_MASKED_ONCE = 7  # the same where masks are used for one variable at most


class BinaryColumns:
    """Binary columns packed by column and by row, with what all tests of them share.

    Parameters
    ----------
    table : EncodedTable
        The data.
    prior : Prior
        With integer hyperparameters, split over all slices.
    columns : ndarray of int, optional
        The columns with two states to take; all by default.
    """

    def __init__(self, table: EncodedTable, prior: Prior, columns: NDArray[np.int64] | None = None) -> None:
        codes = table.codes if columns is None else table.codes[:, columns]
        n_rows, n_variables = codes.shape
        self.states = np.ascontiguousarray(codes.T.astype(np.uint8))
        self.row_bits = np.zeros((n_variables // 64 + 1, n_rows), np.uint64)
        binary_packing.pack_rows(self.states, self.row_bits)
        self.words = np.zeros((n_variables, (n_rows + 63) // 64), np.uint64)
        kernels.pack_columns(self.states, self.words)
        self.everything = np.full(self.words.shape[1], ~np.uint64(0))
        if n_rows % 64:
            self.everything[-1] = np.uint64((1 << n_rows % 64) - 1)
        self.weights = np.require(table.weights, np.int64, ["C", "W"])  # as kernels are compiled for them
        self.is_weighted = table.is_weighted
        self.prior = prior
        self.factors = SliceTables(table.n_samples, prior)
        self.tables = self.factors.logs

    @cached_property
    def n_ones(self) -> NDArray[np.int64]:
        """Rows in which each variable is 1."""
        return np.asarray(self.states.sum(axis=1, dtype=np.int64))


def binary_row(columns: BinaryColumns, x: int, given: tuple[int, ...], most: int = MAX_MASKED) -> BinaryRow:
    """Slice binary data by X and a set, in the way that suits the set's size.

    Parameters
    ----------
    columns : BinaryColumns
        The data.
    x : int
        The variable.
    given : tuple of int
        The conditioning set.
    most : int
        As for `is_masked`.

    Returns
    -------
    BinaryRow
        Ready to test candidates.
    """
    if is_masked(columns, given, most):
        return BitRow(columns, x, given)
    return GroupRow(columns, x, given)


def is_masked(columns: BinaryColumns, given: tuple[int, ...], most: int = MAX_MASKED) -> bool:
    """Tell whether masks of bits suit a set.

    Parameters
    ----------
    columns : BinaryColumns
        The data.
    given : tuple of int
        The conditioning set.
    most : int
        Variables up to which they do: `MAX_MASKED` for many tests, `MAX_MASKED_ONCE` for one.

    Returns
    -------
    bool
        For few variables and data without weights.
    """
    return len(given) <= most and not columns.is_weighted


class Expected(NamedTuple):
    """What the counts that independence would expect are like, where rows and columns are in use.

    Parameters
    ----------
    n_cells : int
        How many there are.
    n_below_one, n_below_five : int
        How many are less than 1, and less than 5.
    smallest : float
        The smallest; infinite if there is none.
    """

    n_cells: int
    n_below_one: int
    n_below_five: int
    smallest: float


class BinaryRow(ABC):
    """Tests of one binary variable given a set.

    Parameters
    ----------
    columns : BinaryColumns
        The data.
    n_given : int
        Variables in the set.
    sizes : ndarray of shape (n_live, 2)
        Data points of its slices with two or more, by X.
    n_single : int
        Its slices with a single data point.
    """

    def __init__(self, columns: BinaryColumns, n_given: int, sizes: NDArray[np.int64], n_single: int) -> None:
        self._columns, self._sizes, self.n_single = columns, sizes, n_single
        self.n_live = n_live = len(sizes)
        self._log_odds = columns.prior.log_slice_odds(1 << n_given)
        self._rest = -columns.prior.log_unseen(1 << n_given, n_live)

    def log_posteriors(self, candidates: Sequence[int]) -> tuple[Floats, Floats]:
        """Test X against each candidate.

        Parameters
        ----------
        candidates : sequence of int
            Variables outside the set.

        Returns
        -------
        independent, dependent : ndarray
            Log posteriors.
        """
        independent = self.log_independent(candidates)
        return independent, log_dependent(independent)

    def log_independent(self, candidates: Sequence[int], least: float = -math.inf) -> Floats:
        """Test X against candidates, up to the first that is dependent.

        Parameters
        ----------
        candidates : sequence of int
            Variables outside the set.
        least : float
            What log Pr(I | D) is at least where they are independent.

        Returns
        -------
        ndarray
            log Pr(I | D) of the candidates tested.
        """
        found = np.empty(len(candidates))
        n = self._minus_log_p(np.asarray(candidates, np.int64), -least - self._rest, found)
        return np.asarray(-(found[:n] + self._rest))

    def slice_sizes(self) -> NDArray[np.int64]:
        """Give the data points of each slice that occurs.

        Returns
        -------
        ndarray
            In no order that means anything.
        """
        return np.concatenate([self._sizes.sum(axis=1), np.ones(self.n_single, np.int64)])

    def expected(self, y: int) -> Expected:
        """Tell what the expected counts of X and another variable are like.

        Parameters
        ----------
        y : int
            A variable outside the set.

        Returns
        -------
        Expected
            Over the slices with two data points or more.
        """
        facts = np.zeros(3, np.int64)
        smallest = self._add_expected(y, facts)
        n_cells, n_below_one, n_below_five = facts.tolist()
        return Expected(n_cells, n_below_one, n_below_five, smallest)

    @abstractmethod
    def _minus_log_p(self, candidates: NDArray[np.int64], most: float, found: Floats) -> int:
        """Find -log p of the slices that matter, up to the first over `most`; return of how many."""

    @abstractmethod
    def _add_expected(self, y: int, facts: NDArray[np.int64]) -> float:
        """Add up what the expected counts are like; return the smallest."""


class BitRow(BinaryRow):
    """Tests of X given a small set by masks of bits.

    Parameters
    ----------
    columns : BinaryColumns
        The data, without weights.
    x : int
        The variable.
    given : tuple of int
        The conditioning set, of few variables.
    """

    def __init__(self, columns: BinaryColumns, x: int, given: tuple[int, ...]) -> None:
        n_slices = 1 << len(given)
        masks = np.empty((n_slices, 2, columns.words.shape[1]), np.uint64)
        sizes = np.empty((n_slices, 2), np.int64)
        n = kernels.split_rows(columns.words, columns.everything, np.array(given, np.int64), x, masks, sizes)
        self._masks = masks[:n]
        super().__init__(columns, len(given), sizes[:n], len(columns.weights) - int(sizes[:n].sum()))

    def _minus_log_p(self, candidates: NDArray[np.int64], most: float, found: Floats) -> int:
        """Find -log p of the slices that matter, up to the first over `most`; return of how many."""
        words, tables = self._columns.words, self._columns.tables
        return int(
            kernels.row_minus_log_p(
                words, self._masks, self._sizes, candidates, self._log_odds, tables, most, found
            )
        )

    def _add_expected(self, y: int, facts: NDArray[np.int64]) -> float:
        """Add up what the expected counts are like; return the smallest."""
        return float(kernels.mask_expected(self._columns.words, self._masks, self._sizes, y, facts))


class GroupRow(BinaryRow):
    """Tests of X given a set by adding up columns over rows numbered by slice and X.

    Parameters
    ----------
    columns : BinaryColumns
        The data.
    x : int
        The variable.
    given : tuple of int
        The conditioning set.
    """

    def __init__(self, columns: BinaryColumns, x: int, given: tuple[int, ...]) -> None:
        n_rows = len(columns.weights)
        rows, groups = np.empty(n_rows, np.int32), np.empty(n_rows, np.int32)
        n, n_seen, sizes = kernels.number_slices(
            columns.states, columns.row_bits, np.array(given, np.int64), x, columns.weights, rows, groups
        )
        self._rows, self._groups = rows[:n], groups[:n]
        super().__init__(columns, len(given), sizes, int(n_seen) - len(sizes))

    def _minus_log_p(self, candidates: NDArray[np.int64], most: float, found: Floats) -> int:
        """Find -log p of the slices that matter, up to the first over `most`; return of how many."""
        data, odds, tables = self._columns, self._log_odds, self._columns.tables
        grouped = data.states, self._rows, self._groups, self._sizes, data.weights
        return int(kernels.group_minus_log_p(*grouped, candidates, odds, tables, most, found))

    def _add_expected(self, y: int, facts: NDArray[np.int64]) -> float:
        """Add up what the expected counts are like; return the smallest."""
        data = self._columns
        grouped = data.states, self._rows, self._groups, self._sizes, data.weights
        return float(kernels.group_expected(*grouped, y, facts))


def log_dependent(independent: Floats) -> Floats:
    """Give the log posteriors of dependence.

    Parameters
    ----------
    independent : ndarray
        Those of independence, not too near to 0.

    Returns
    -------
    ndarray
        log(1 - p) of each.
    """
    return np.asarray(np.log(-np.expm1(independent)))
