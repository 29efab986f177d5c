"""A table as logistic regressions see it: the states that occur, as columns of indicators or scores.

States that never occur have no column, so they cost no degree of freedom and
change nothing. Rows with equal predictors are one cell.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock
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

N_REMEMBERED = 8  # sets whose cells are kept


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
        self._remembered: OrderedDict[tuple[int, ...], Cells] = OrderedDict()
        self._lock = Lock()

    def log_bayes_factor(self, x: int, y: int, given: tuple[int, ...]) -> float:
        """Ask the fit of one variable on a set what another would add.

        Parameters
        ----------
        x : int
            The response.
        y : int
            The other variable.
        given : tuple of int
            The set.

        Returns
        -------
        float
            The log Bayes factor of a link against none.
        """
        cells, members = self._cells(given), np.array(given, np.int64)
        return float(kernels.link_factor(x, y, members, *cells, self.together, self.setup, self.ridge))

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

    def _cells(self, given: tuple[int, ...]) -> Cells:
        """Group the rows by some variables; the next question often asks for the same ones."""
        known = self._remembered.get(given)
        if known is None:
            known, _ = self.packed(given)
            with self._lock:  # threads may ask; what they are told is the same whoever comes first
                self._remembered[given] = known
                if len(self._remembered) > N_REMEMBERED:
                    self._remembered.popitem(last=False)
        return known

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
