"""The Bayesian test of one variable against many others given one set.

Slicing the data by (X, conditioning set) is most of the work of a test, and
all tests of X given that set share it. A `Row` holds the sliced data and tests
any candidate against it. There are two kinds: by bits for binary data
(`ibmap.independence.binary_rows`), and `SlicedRow` for everything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.counting import number_live_slices
from ibmap.independence.binary_rows import BinaryColumns, binary_row
from ibmap.independence.log_gamma import is_tabulated, log_gamma_table
from ibmap.independence.posterior import HYPERPARAMETERS, Prior
from ibmap.kernels import table_tests as kernels
from ibmap.table import CODE_DTYPE, EncodedTable

Floats = NDArray[np.float64]
MAX_TABULATED = 1 << 15  # counts up to which Bayes factors are looked up
Slices = tuple[
    NDArray[np.int64], NDArray[np.int64], int, int
]  # rows, their slices, how many, how many single


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


class TableData:
    """A table and a prior as the kernels take them."""

    def __init__(self, table: EncodedTable, prior: Prior) -> None:
        cards = table.cardinalities.astype(np.int64)
        seen_states = [np.unique(column, return_inverse=True) for column in table.codes.T]
        codes = np.asfortranarray(np.array([numbers for _, numbers in seen_states], CODE_DTYPE).T)
        sizes = np.array([max(len(states), 1) for states, _ in seen_states], np.int64)
        self.table = table
        self.rows = (codes, sizes, table.weights, cards, np.log(cards), log_gamma_table(table))
        log_p = math.log(prior.probability)
        kind = HYPERPARAMETERS.index(prior.hyperparameters)
        seen = prior.slices == "seen"
        self._numbers, self._kinds = np.unique(cards, return_inverse=True)
        self._tables: dict[int, Floats] = {}
        self.prior = np.array([log_p, math.log(-log_p), kind, prior.equivalent_sample_size, seen])

    def tables(self, x: int) -> tuple[Floats, NDArray[np.int64]]:
        """Tabulate Bayes factors of X with variables of each number of states, up to some count."""
        n_x = int(self.rows[3][x])
        if n_x not in self._tables:
            is_fixed = self.prior[2] < 2  # BDeu's parameters depend on the number of slices
            n_counts = min(self.table.n_samples, MAX_TABULATED) + 1 if is_fixed else 0
            logs = np.zeros((len(self._numbers), 4, n_counts))
            for k, n_y in enumerate(self._numbers.tolist()):
                kernels.tabulate(self.prior, n_x, n_y, self.rows[5], logs[k])
            self._tables[n_x] = logs
        return self._tables[n_x], self._kinds

    def slices(self, given: tuple[int, ...]) -> tuple[Slices, float]:
        """Number the slices of a set; give them, and the log of the number of its configurations."""
        return number_live_slices(self.table, given), float(self.rows[4][list(given)].sum())


def row_maker(table: EncodedTable, prior: Prior, columns: BinaryColumns | None) -> RowMaker:
    """Choose how to slice a table for tests of one variable: by bits if all of it is binary."""
    if columns is not None:
        return lambda x, given: binary_row(columns, x, given)
    data = TableData(table, prior)
    return lambda x, given: SlicedRow(data, x, given)


class SlicedRow:
    """Tests of X given a set by one sweep over its slices for each candidate, for any prior."""

    def __init__(self, data: TableData, x: int, given: tuple[int, ...]) -> None:
        (rows, labels, n_live, self._n_single), self._log_size = data.slices(given)
        self._data, self._x = data, x
        self._starts = np.empty(n_live + 1, np.int64)
        self._rows = kernels.sort_by_slice(rows, labels, n_live, self._starts)

    def log_posteriors(self, candidates: Sequence[int]) -> tuple[Floats, Floats]:
        """Test X against each candidate."""
        independent, dependent = np.empty(len(candidates)), np.empty(len(candidates))
        sliced = (self._rows, self._starts, self._n_single, self._data.prior, self._log_size)
        asked = np.asarray(candidates, np.int64)
        kernels.test_many(self._x, asked, self._data.rows, *sliced, independent, dependent)
        return independent, dependent

    def log_independent(self, candidates: Sequence[int], least: float = -math.inf) -> Floats:
        """Test X against all candidates if `least` is not given, else against the first."""
        return self.log_posteriors(candidates if least == -math.inf else candidates[:1])[0]


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
