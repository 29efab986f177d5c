"""The Bayesian test of one variable against many others given one set.

Slicing the data by (X, conditioning set) is most of the work of a test, and
all tests of X given that set share it. A `Row` holds the sliced data and tests
any candidate against it. There are three kinds; `row_maker` chooses:

- `ibmap.independence.binary_rows`: bits, for binary data;
- `SlicedRow`: one sweep over the slices, for integer hyperparameters;
- `CellRow`: cell by cell, for everything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.counting import count_cells
from ibmap.independence.binary_rows import BinaryColumns, Expected, binary_row
from ibmap.independence.posterior import Prior, log_posteriors
from ibmap.independence.table_numbers import TableNumbers, is_tabulated, log_gamma_table
from ibmap.kernels import expected_counts
from ibmap.kernels import likelihood as cell_kernels
from ibmap.kernels.context import all_given
from ibmap.kernels.one_against_many import test_all
from ibmap.table import EncodedTable

Floats = NDArray[np.float64]


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

    def log_independent(self, candidates: Sequence[int], least: float = -math.inf) -> Floats:
        """Test X against candidates, up to the first that is dependent.

        Parameters
        ----------
        candidates : sequence of int
            Variables outside the set, at least one.
        least : float
            What log Pr(I | D) is at least where they are independent.

        Returns
        -------
        ndarray
            log Pr(I | D) of the candidates tested: one or more.
        """
        ...


RowMaker = Callable[[int, tuple[int, ...]], Row]


def row_maker(
    table: EncodedTable, prior: Prior, columns: BinaryColumns | None, numbers: TableNumbers | None
) -> RowMaker:
    """Choose the fastest way to slice a table for tests of one variable.

    Parameters
    ----------
    table : EncodedTable
        The data.
    prior : Prior
        The prior.
    columns : BinaryColumns or None
        The data as bits, if all of it is binary.
    numbers : TableNumbers or None
        The data and the prior as kernels take them, if they can.

    Returns
    -------
    callable
        Takes a variable and a sorted conditioning set, returns a `Row`.
    """
    if columns is not None:
        return lambda x, given: binary_row(columns, x, given)
    if numbers is not None:
        return lambda x, given: SlicedRow(numbers, x, given)
    log_gamma = log_gamma_table(table)
    return lambda x, given: CellRow(table, prior, log_gamma, x, given)


class SlicedRow:
    """Tests of X given a set by one sweep over its slices for each candidate.

    Parameters
    ----------
    numbers : TableNumbers
        The data and a prior with integer hyperparameters.
    x : int
        The variable.
    given : tuple of int
        The conditioning set.
    """

    def __init__(self, numbers: TableNumbers, x: int, given: tuple[int, ...]) -> None:
        self._numbers, self._x = numbers, x
        self._context = all_given(numbers.data, x, np.array(given, np.int64))

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
        independent, dependent = np.empty(len(candidates)), np.empty(len(candidates))
        asked = np.asarray(candidates, np.int64)
        test_all(
            self._context, self._numbers.data, self._numbers.prior, self._x, asked, independent, dependent
        )
        return independent, dependent

    def log_independent(self, candidates: Sequence[int], least: float = -math.inf) -> Floats:
        """Test X against candidates, up to the first that is dependent.

        Parameters
        ----------
        candidates : sequence of int
            Variables outside the set, at least one.
        least : float
            What log Pr(I | D) is at least where they are independent.

        Returns
        -------
        ndarray
            log Pr(I | D) of the candidates tested: all if `least` is not given, else the first.
        """
        return self.log_posteriors(candidates if least == -math.inf else candidates[:1])[0]

    @property
    def n_live(self) -> int:
        """Slices with two data points or more."""
        return len(self._context.starts) - 1

    @property
    def n_single(self) -> int:
        """Slices with one data point."""
        return int(self._context.n_single)

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
        data = self._numbers.data
        smallest = float(expected_counts.add_expected(self._context, data, self._x, y, facts))
        n_cells, n_below_one, n_below_five = facts.tolist()
        return Expected(n_cells, n_below_one, n_below_five, smallest)


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

    def log_independent(self, candidates: Sequence[int], least: float = -math.inf) -> Floats:
        """Test X against candidates, up to the first that is dependent.

        Parameters
        ----------
        candidates : sequence of int
            Variables outside the set, at least one.
        least : float
            What log Pr(I | D) is at least where they are independent.

        Returns
        -------
        ndarray
            log Pr(I | D) of the candidates tested: all if `least` is not given, else the first.
        """
        return self.log_posteriors(candidates if least == -math.inf else candidates[:1])[0]

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
    return math.prod(table.cardinalities[list(given)].tolist())


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
