"""A table as logistic regressions see it: the states that occur, as columns of indicators or scores.

States that never occur have no column, so they cost no degree of freedom and
change nothing. Rows with equal predictors are one cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.counting import number_slices
from ibmap.errors import InvalidOptionError
from ibmap.kernels import cell_bits
from ibmap.kernels import pairwise_terms as kernels
from ibmap.table import EncodedTable, variable_index

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Setup(NamedTuple):
    """What the kernels know of each variable: states that occur, whether they are ordered, first column."""

    n_states: Integers
    ordered: NDArray[np.bool_]
    starts: Integers


class Cells(NamedTuple):
    """The rows grouped by the states of some variables: data points, counts by column, design."""

    totals: Floats
    counts: Floats
    design: Floats


class Regressions:
    """All logistic regressions of one variable of a table on others.

    Parameters
    ----------
    table : EncodedTable
        The data.
    ordered : bool or iterable of int or str
        The variables whose states are in order: all, none, or those listed.
    ridge : float
        Precision of the normal prior on centred effects.
    """

    def __init__(self, table: EncodedTable, ordered: Any, ridge: float) -> None:
        self.table = only_seen(table)
        self.ridge = ridge
        n_states = self.table.cardinalities
        is_ordered = read_ordered(ordered, table.names) & (n_states > 2)  # two states are in order anyway
        self.setup = make_setup(n_states, is_ordered)
        self._codes = np.ascontiguousarray(self.table.codes.T)
        self.together = self._count_together()

    def degrees_of_freedom(self, x: int, y: int) -> int:
        """Count the parameters that link two variables.

        Parameters
        ----------
        x, y : int
            The variables.

        Returns
        -------
        int
            The product of one less than the states of each; an ordered variable counts as 1.
        """
        widths = np.where(self.setup.ordered, 1, self.setup.n_states - 1)
        return int(widths[x] * widths[y])

    def score_statistics(self, x: int, given: Sequence[int], candidates: Sequence[int]) -> Floats:
        """Test one variable against others given a set, by Rao's statistic.

        Parameters
        ----------
        x : int
            The response.
        given : sequence of int
            What it is fitted on.
        candidates : sequence of int
            Variables outside.

        Returns
        -------
        ndarray
            The statistic of each candidate.
        """
        chosen = [x, *given, *candidates]
        result = np.zeros(len(chosen))
        if self.setup.n_states[x] > 1:
            part = make_setup(self.setup.n_states[chosen], self.setup.ordered[chosen])
            cells = self._cells(given, chosen, part)
            members = np.arange(1, len(given) + 1)
            theta = self.start(0, part, cells.design)
            fitted = kernels.fit_members(0, members, *cells, theta, part, self.ridge)
            is_outside = np.arange(len(chosen)) > len(given)
            columns = np.concatenate([self.columns(v) for v in chosen])
            together = np.ascontiguousarray(self.together[np.ix_(columns, columns)])
            kernels.outside_statistics(0, is_outside, *cells[1:], fitted, together, part, self.ridge, result)
        return result[len(given) + 1 :]

    def columns(self, v: int) -> Integers:
        """Number the columns of a variable's states.

        Parameters
        ----------
        v : int
            The variable.

        Returns
        -------
        ndarray of int
            One for each of its states but the first.
        """
        return np.arange(self.setup.starts[v], self.setup.starts[v + 1])

    @staticmethod
    def start(x: int, setup: Setup, design: Floats) -> Floats:
        """Give parameters that tell a fit to begin at the margins of the response.

        Parameters
        ----------
        x : int
            The response.
        setup : Setup
            The variables.
        design : ndarray
            The design.

        Returns
        -------
        ndarray
            As many as the fit has parameters.
        """
        n_intercepts = int(setup.n_states[x]) - 1
        n_slopes = 1 if setup.ordered[x] else n_intercepts
        return np.full(n_intercepts + n_slopes * (design.shape[1] - 1), np.nan)

    def packed(self, given: Sequence[int]) -> tuple[Cells, tuple[NDArray[np.uint64], Integers, Floats]]:
        """Group the rows by some variables and pack them into words.

        Parameters
        ----------
        given : sequence of int
            The variables.

        Returns
        -------
        cells : Cells
            With the counts of all columns.
        words : tuple of ndarray
            Bits of each word and column, cell of each word, and what its bits count for.
        """
        labels, n_cells = number_slices(self.table, given)
        n_entries = int(self._n_digits.sum())
        rows, words, shifts = (np.empty(n_entries, np.int64) for _ in range(3))
        n_groups = n_cells * int(self.table.weights.max(initial=1)).bit_length()  # of a cell and a digit
        n_words = n_entries // 64 + min(n_groups, n_entries)
        word_cells, word_values = np.empty(n_words, np.int64), np.empty(n_words)
        _, n_words = cell_bits.lay_out(
            labels, n_cells, self.table.weights, rows, words, shifts, word_cells, word_values
        )
        n_columns = int(self.setup.starts[-1])
        bits = np.zeros((n_words, n_columns), np.uint64)
        cell_bits.pack(self._codes, self.setup.starts, rows, words, shifts, bits)
        counts = np.zeros((n_cells, n_columns))
        cell_bits.count_columns(bits, word_cells[:n_words], word_values[:n_words], counts)
        cells = Cells(self._totals(labels, n_cells), counts, self._design(labels, n_cells, given))
        return cells, (bits, word_cells[:n_words], word_values[:n_words])

    @property
    def _n_digits(self) -> Integers:
        """Count the binary ones of each weight."""
        return np.bitwise_count(self.table.weights).astype(np.int64)

    def _cells(self, given: Sequence[int], counted: Sequence[int], part: Setup) -> Cells:
        """Group the rows by some variables, with the counts of others."""
        labels, n_cells = number_slices(self.table, given)
        counts = np.zeros((n_cells, int(part.starts[-1])))
        numbers = np.asarray(counted, np.int64)
        cell_bits.count_states(self._codes, numbers, part.starts, labels, self.table.weights, counts)
        return Cells(self._totals(labels, n_cells), counts, self._design(labels, n_cells, given))

    def _totals(self, labels: Integers, n_cells: int) -> Floats:
        """Count the data points of each cell."""
        return np.bincount(labels, self.table.weights, n_cells).astype(np.float64)

    def _design(self, labels: Integers, n_cells: int, given: Sequence[int]) -> Floats:
        """Write a cell's states as columns, after a constant one."""
        example = np.empty(n_cells, np.int64)
        example[labels] = np.arange(len(labels))
        parts = [np.ones((n_cells, 1))]
        for v in given:
            states = self._codes[v][example]
            if self.setup.ordered[v]:
                parts.append(states[:, None].astype(np.float64))
            else:
                parts.append((states[:, None] == np.arange(1, self.setup.n_states[v])).astype(np.float64))
        return np.ascontiguousarray(np.hstack(parts))

    def _count_together(self) -> Floats:
        """Count the data points in each pair of columns."""
        n_columns = int(self.setup.starts[-1])
        self.together = np.zeros((0, 0))
        _, words = self.packed(())
        together = np.zeros((n_columns, n_columns))
        for j in range(n_columns):
            cell_bits.count_with(*words, j, together[j : j + 1])
        return together


def make_setup(n_states: Integers, ordered: NDArray[np.bool_]) -> Setup:
    """Number the columns of some variables.

    Parameters
    ----------
    n_states : ndarray of int
        States that occur.
    ordered : ndarray of bool
        Whether they are in order.

    Returns
    -------
    Setup
        With one column for each state but the first.
    """
    starts = np.zeros(len(n_states) + 1, np.int64)
    np.cumsum(n_states - 1, out=starts[1:])
    return Setup(np.ascontiguousarray(n_states), np.ascontiguousarray(ordered), starts)


def only_seen(table: EncodedTable) -> EncodedTable:
    """Number the states that occur, in order, and forget the others.

    Parameters
    ----------
    table : EncodedTable
        The data.

    Returns
    -------
    EncodedTable
        With at least one state a variable.

    Examples
    --------
    >>> only_seen(EncodedTable.from_codes([[3, 1], [0, 1]])).codes.tolist()
    [[1, 0], [0, 0]]
    """
    seen = [np.unique(column) for column in table.codes.T]
    codes = np.column_stack(
        [np.searchsorted(s, column) for s, column in zip(seen, table.codes.T, strict=True)]
    )
    cards = [max(len(states), 1) for states in seen]
    return EncodedTable.from_codes(codes, cards, table.names, table.weights)


def read_ordered(ordered: bool | Iterable[int | str], names: Sequence[str]) -> NDArray[np.bool_]:
    """Read which variables have ordered states.

    Parameters
    ----------
    ordered : bool or iterable of int or str
        All, none, or those listed by name or number.
    names : sequence of str
        Names of all variables.

    Returns
    -------
    ndarray of bool
        One for each variable.

    Examples
    --------
    >>> read_ordered(["b"], ("a", "b")).tolist(), read_ordered(True, ("a", "b")).tolist()
    ([False, True], [True, True])
    """
    if isinstance(ordered, (bool, np.bool_)):
        return np.full(len(names), bool(ordered))
    if isinstance(ordered, (str, int)) or not isinstance(ordered, Iterable):
        msg = f"ordered must be True, False or a list of columns; got {ordered!r}"
        raise InvalidOptionError(msg)
    chosen = [variable_index(names, each) for each in ordered]
    return np.isin(np.arange(len(names)), chosen)
