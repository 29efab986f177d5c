"""The Bayesian test of one binary variable against many others, by bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ibmap.counting import Cells
from ibmap.independence.posterior import Prior
from ibmap.kernels import binary_packing
from ibmap.kernels import binary_rows as kernels
from ibmap.kernels.likelihood import log_gamma_values
from ibmap.table import EncodedTable

Floats = NDArray[np.float64]
MAX_MASKED = 5  # with more variables given, there are so many masks that numbering the rows is cheaper


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
        self.weights = table.weights
        self.is_weighted = table.is_weighted
        self.prior = prior
        self.tables = log_tables(table.n_samples, prior)


def binary_row(columns: BinaryColumns, x: int, given: tuple[int, ...]) -> BitRow | GroupRow:
    """Slice binary data by X and a set, in the way that suits the set's size.

    Parameters
    ----------
    columns : BinaryColumns
        The data.
    x : int
        The variable.
    given : tuple of int
        The conditioning set.

    Returns
    -------
    BitRow or GroupRow
        Ready to test candidates.
    """
    if is_masked(columns, given):
        return BitRow(columns, x, given)
    return GroupRow(columns, x, given)


def is_masked(columns: BinaryColumns, given: tuple[int, ...]) -> bool:
    """Tell whether masks of bits suit a set.

    Parameters
    ----------
    columns : BinaryColumns
        The data.
    given : tuple of int
        The conditioning set.

    Returns
    -------
    bool
        For few variables and data without weights.
    """
    return len(given) <= MAX_MASKED and not columns.is_weighted


class BitRow:
    """Tests of X given a small set by masks of bits.

    Parameters
    ----------
    columns : BinaryColumns
        The data.
    x : int
        The variable.
    given : tuple of int
        The conditioning set, of at most `MAX_MASKED` variables.
    """

    def __init__(self, columns: BinaryColumns, x: int, given: tuple[int, ...]) -> None:
        n_slices = 1 << len(given)
        masks = np.empty((n_slices, 2, columns.words.shape[1]), np.uint64)
        sizes = np.empty((n_slices, 2), np.int64)
        n = kernels.split_rows(columns.words, columns.everything, np.array(given, np.int64), x, masks, sizes)
        self._columns, self._masks, self._sizes = columns, masks[:n], sizes[:n]
        self._log_odds = columns.prior.log_slice_odds(n_slices)
        self._rest = -columns.prior.log_unseen(n_slices, n)

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
        found = np.empty(len(candidates))
        kernels.row_minus_log_p(
            self._columns.words,
            self._masks,
            self._sizes,
            np.asarray(candidates, np.int64),
            self._log_odds,
            self._columns.tables,
            found,
        )
        return _posteriors(found, self._rest)


def count_live_cells(columns: BinaryColumns, x: int, y: int, given: tuple[int, ...]) -> tuple[Cells, int]:
    """Count as `ibmap.counting.count_live_cells` does, by masks of bits.

    Parameters
    ----------
    columns : BinaryColumns
        The data, without weights.
    x, y : int
        Two variables.
    given : tuple of int
        The conditioning set, of at most `MAX_MASKED` variables.

    Returns
    -------
    cells : Cells
        Those of the slices with two rows or more.
    n_single : int
        How many slices hold a single row.
    """
    values = np.empty((4 << len(given), 4), np.int64)
    members = np.array(given, np.int64)
    n_cells, n_slices, n_rows = kernels.live_cells(columns.words, columns.everything, members, x, y, values)
    return Cells(values[:n_cells], int(n_slices), (2, 2)), len(columns.weights) - int(n_rows)


def bit_rows(columns: BinaryColumns, questions: Sequence[tuple[int, tuple[int, ...]]]) -> Floats:
    """Test variables against all others, each given a small set, by masks of bits.

    Parameters
    ----------
    columns : BinaryColumns
        The data, without weights.
    questions : sequence of (int, tuple of int)
        Variables, each with its set of at most `MAX_MASKED` others.

    Returns
    -------
    ndarray of shape (n_questions, n_variables)
        log Pr(I | D); NaN for the variable itself and its set.
    """
    minus_log_p = np.full((len(questions), len(columns.words)), np.nan)
    starts = np.cumsum([0, *(len(given) for _, given in questions)])
    kernels.all_rows(
        columns.words,
        columns.everything,
        np.array([x for x, _ in questions], np.int64),
        starts,
        np.array([z for _, given in questions for z in given], np.int64),
        np.array([columns.prior.log_slice_odds(1 << len(given)) for _, given in questions]),
        -columns.prior.log_unseen(1, 0),
        columns.tables,
        minus_log_p,
    )
    return -minus_log_p


class GroupRow:
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
        n_slices = 1 << len(given)
        n_rows = len(columns.weights)
        groups, sizes = np.empty(n_rows, np.int64), np.empty((n_rows, 2), np.int64)
        members = np.array(given, np.int64)
        n_live = kernels.number_slices(columns.states, members, x, columns.weights, groups, sizes)
        self._columns, self._groups, self._sizes = columns, groups, sizes[: groups.max(initial=0) // 2 + 1]
        self._n_live = int(n_live)
        self._log_odds = columns.prior.log_slice_odds(n_slices)
        self._rest = -columns.prior.log_unseen(n_slices, self._n_live)

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
        found = np.empty(len(candidates))
        kernels.group_minus_log_p(
            self._columns.states,
            self._groups,
            self._sizes,
            self._n_live,
            self._columns.weights,
            np.asarray(candidates, np.int64),
            self._log_odds,
            self._columns.tables,
            found,
        )
        return _posteriors(found, self._rest)


def _posteriors(minus_log_p: Floats, rest: float) -> tuple[Floats, Floats]:
    """Add what the slices left out give, and turn -log p into both log posteriors."""
    independent = -(minus_log_p + rest)
    return independent, log_dependent(independent)


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


def log_tables(n_samples: int, prior: Prior) -> tuple[Floats, Floats, Floats]:
    """Tabulate the log-rising factorials of two-by-two slices by count.

    Parameters
    ----------
    n_samples : int
        The largest count.
    prior : Prior
        With integer hyperparameters.

    Returns
    -------
    cell, side, total : ndarray
        Of a cell, of a row or column, and of a whole slice.
    """
    log_gamma = np.empty(n_samples + 5)
    log_gamma_values(log_gamma)
    gamma, alpha, beta = map(int, prior.dirichlet(2, 2, 1))

    def rising(start: int) -> Floats:
        values = log_gamma[start : start + n_samples + 1]
        return values if log_gamma[start] == 0.0 else np.asarray(values - log_gamma[start])

    total = np.array(rising(2 * alpha))
    total += rising(2 * beta)
    total -= rising(4 * gamma)
    return rising(gamma), rising(alpha), total
