"""The Bayesian test of one variable against many others given one set.

Slicing the data by (X, conditioning set) is most of the work of a test, and
all tests of X given that set share it. A `Row` holds the sliced data and tests
any candidate against it. There are three kinds; `row_maker` chooses:

- `ibmap.independence.binary_rows`: bits, for binary data;
- `SortedRow`: one sweep over the sorted rows, for integer hyperparameters;
- `CellRow`: cell by cell, for everything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.counting import count_cells, number_live_slices
from ibmap.independence.binary_rows import BinaryColumns, binary_row
from ibmap.independence.posterior import Prior, log_posteriors
from ibmap.kernels import likelihood as cell_kernels
from ibmap.kernels import rows as kernels
from ibmap.table import EncodedTable

Floats = NDArray[np.float64]
MAX_TABLE = 1 << 24  # entries of a log-gamma table that is still worth its memory
SHORT_TABLE = 1 << 20  # entries kept where a complete table would be too large


class Row(Protocol):
    """The data sliced by X and a conditioning set, ready to test candidates."""

    def log_posteriors(self, candidates: Sequence[int]) -> tuple[Floats, Floats]:
        """Test X against each candidate.

        Parameters
        ----------
        candidates : sequence of int
            Variables outside the set.

        Returns
        -------
        independent, dependent : ndarray
            log Pr(I | D) and log Pr(not I | D).
        """
        ...


RowMaker = Callable[[int, tuple[int, ...]], Row]


def row_maker(table: EncodedTable, prior: Prior, columns: BinaryColumns | None) -> RowMaker:
    """Choose the fastest way to slice a table for tests of one variable.

    Parameters
    ----------
    table : EncodedTable
        The data.
    prior : Prior
        The prior.
    columns : BinaryColumns or None
        The data as bits, if all of it is binary.

    Returns
    -------
    callable
        Takes a variable and a sorted conditioning set, returns a `Row`.
    """
    if columns is not None:
        return lambda x, given: binary_row(columns, x, given)
    log_gamma = log_gamma_table(table)
    if is_tabulated(table, prior):
        return lambda x, given: SortedRow(table, prior, log_gamma, x, given)
    return lambda x, given: CellRow(table, prior, log_gamma, x, given)


class SortedRow:
    """Tests of X given a set by one sweep over the rows for each candidate.

    Parameters
    ----------
    table : EncodedTable
        The data.
    prior : Prior
        With integer hyperparameters.
    log_gamma : ndarray
        The log-gamma function at 0, 1, 2, ..., complete.
    x : int
        The variable.
    given : tuple of int
        The conditioning set.
    """

    def __init__(
        self, table: EncodedTable, prior: Prior, log_gamma: Floats, x: int, given: tuple[int, ...]
    ) -> None:
        self._table, self._prior, self._log_gamma = table, prior, log_gamma
        rows, labels, n_live, n_single = number_live_slices(table, given)
        n_slices = prior.n_slices(n_configurations(table, given), n_live + n_single)
        self._n_x = int(table.cardinalities[x])
        self._arranged = kernels.arrange(rows, labels, n_live, table.codes[:, x], self._n_x, table.weights)
        self._log_odds = prior.log_slice_odds(n_slices)
        self._log_unseen = prior.log_unseen(n_slices, n_live)

    def log_posteriors(self, candidates: Sequence[int]) -> tuple[Floats, Floats]:
        """Test X against each candidate.

        Parameters
        ----------
        candidates : sequence of int
            Best in an order that keeps equal cardinalities together.

        Returns
        -------
        independent, dependent : ndarray
            Log posteriors.
        """
        log_odds = np.empty(len(candidates))
        kernels.row_log_odds(
            self._table.codes,
            self._table.weights,
            self._arranged,
            np.asarray(candidates, np.int64),
            self._table.cardinalities,
            self._dirichlet(candidates),
            self._log_odds,
            self._log_gamma,
            log_odds,
        )
        return combine(log_odds, self._log_unseen)

    def _dirichlet(self, candidates: Sequence[int]) -> NDArray[np.int64]:
        """Give for each candidate the parameters of cells, rows, columns and their sums."""
        found = np.empty((len(candidates), 6), np.int64)
        for k, y in enumerate(candidates):
            n_x, n_y = self._n_x, int(self._table.cardinalities[y])
            cell, row, column = self._prior.dirichlet(n_x, n_y, 1)
            found[k] = cell, row, column, cell * n_x * n_y, row * n_x, column * n_y
        return found


class CellRow:
    """Tests of X given a set from the list of cells that occur, for any prior and size.

    Parameters
    ----------
    table : EncodedTable
        The data.
    prior : Prior
        The prior.
    log_gamma : ndarray
        The log-gamma function at 0, 1, 2, ..., as far as it goes.
    x : int
        The variable.
    given : tuple of int
        The conditioning set.
    """

    def __init__(
        self, table: EncodedTable, prior: Prior, log_gamma: Floats, x: int, given: tuple[int, ...]
    ) -> None:
        self._table, self._prior, self._log_gamma = table, prior, log_gamma
        self._x, self._given = x, given
        self._n_configurations = n_configurations(table, given)

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
        pairs = np.array([self._test(y) for y in candidates]).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def _test(self, y: int) -> tuple[float, float]:
        """Test X against one candidate."""
        cells = count_cells(self._table, self._x, y, self._given)
        n_slices = self._prior.n_slices(self._n_configurations, cells.n_slices)
        factors = np.empty(cells.n_slices)
        dirichlet = self._prior.dirichlet(*cells.n_states, n_slices)
        cell_kernels.log_bayes_factors(cells.values, cells.n_states, dirichlet, self._log_gamma, factors)
        return log_posteriors(factors, n_slices, self._prior)


def n_configurations(table: EncodedTable, given: Sequence[int]) -> int:
    """Count the possible configurations of a set, seen or not.

    Parameters
    ----------
    table : EncodedTable
        The data.
    given : sequence of int
        The set.

    Returns
    -------
    int
        Exact, of any size.
    """
    return math.prod(int(table.cardinalities[z]) for z in given)


def is_tabulated(table: EncodedTable, prior: Prior) -> bool:
    """Tell whether the log-gamma function is only needed at moderate integers.

    Parameters
    ----------
    table : EncodedTable
        The data.
    prior : Prior
        The prior.

    Returns
    -------
    bool
        True if all tests can be done from a table of the function.
    """
    return prior.hyperparameters in ("sums", "ones") and n_table_entries(table) <= MAX_TABLE


def binary_columns(table: EncodedTable, prior: Prior) -> BinaryColumns | None:
    """Pack a table into bits if its tests can be done on them.

    Parameters
    ----------
    table : EncodedTable
        The data.
    prior : Prior
        The prior.

    Returns
    -------
    BinaryColumns or None
        For two states a column and a prior split over all slices.
    """
    two_states = bool((table.cardinalities == 2).all())
    if two_states and prior.slices == "all" and is_tabulated(table, prior):
        return BinaryColumns(table, prior)
    return None


def n_table_entries(table: EncodedTable) -> int:
    """Give the number of integers the log-gamma function is needed at.

    Parameters
    ----------
    table : EncodedTable
        The data; counts and cardinalities bound the arguments.

    Returns
    -------
    int
        One more than the largest.
    """
    return table.n_samples + int(table.cardinalities.max(initial=1)) ** 2 + 2


def log_gamma_table(table: EncodedTable) -> Floats:
    """Tabulate the log-gamma function at the integers the test will need.

    Parameters
    ----------
    table : EncodedTable
        The data.

    Returns
    -------
    ndarray
        Entry k is log-gamma of k; entry 0 is never read.
    """
    n_entries = n_table_entries(table)
    values = np.empty(n_entries if n_entries <= MAX_TABLE else SHORT_TABLE)
    cell_kernels.log_gamma_values(values)
    return values


def combine(log_odds: Floats, log_unseen: float) -> tuple[Floats, Floats]:
    """Turn log-odds over the slices that matter into both log posteriors.

    Parameters
    ----------
    log_odds : ndarray
        Log-odds of dependence, for each test.
    log_unseen : float
        Log of the factors of all other slices.

    Returns
    -------
    independent, dependent : ndarray
        Log posteriors.
    """
    independent = log_unseen - np.logaddexp(0.0, log_odds)
    if log_unseen == 0.0:
        return independent, -np.logaddexp(0.0, -log_odds)
    return independent, np.log(-np.expm1(independent))
