"""The encoded table: what every later step reads.

A discrete data set is kept as small integer codes, validated once at the
door, in one dtype and memory order, so that each kernel compiles once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ibmap.errors import InvalidTableError, UnknownVariableError

CODE_DTYPE = np.uint16
MAX_STATES = 65535  # what a code of 16 bits can tell apart, one value kept free
MIN_ROWS_TO_MERGE = 1000  # below that a pass over the rows costs next to nothing
SMALL = (
    200_000  # rows x columns x states x states: NumPy takes seconds at most, compiling a quarter of a minute
)
DENSE_FACTOR, DENSE_EXTRA = 4, 4096  # times the rows, and more: keys up to there are marked, others sorted
MIN_REPETITION = 4  # rows with weights are handled a little slower than rows without


@dataclass(frozen=True)
class Preparation:
    """What happened to a table on its way in."""

    n_rows_read: int  # rows of the input
    n_rows_dropped: int = 0  # rows left out because of missing values
    missing: dict[str, int] = field(default_factory=dict)  # missing values of each column that has any
    bin_edges: dict[str, tuple[float, ...]] = field(default_factory=dict)  # where each binned column was cut
    dropped_columns: tuple[str, ...] = ()  # columns left out on request
    warnings: tuple[str, ...] = ()  # what deserves a second look


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """A discrete data set as small integer codes.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_variables)
        State of each variable in each row, unsigned 16 bit, column after column
        in memory.
    cardinalities : ndarray of shape (n_variables,)
        Number of states of each variable, observed or not.
    names : tuple of str
        Column names.
    labels : tuple of tuple
        The original value behind each code, per variable.
    weights : ndarray of shape (n_rows,)
        How often each row occurs.
    preparation : Preparation
        What happened to the input.

    Notes
    -----
    Build one with `ibmap.data.encoding.encode` from any table, or with
    `EncodedTable.from_codes` from integers.
    """

    codes: NDArray[np.uint16]
    cardinalities: NDArray[np.int64]
    names: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    weights: NDArray[np.int64]
    preparation: Preparation

    @classmethod
    def from_codes(
        cls,
        codes: ArrayLike,
        cardinalities: Sequence[int] | None = None,
        names: Sequence[str] | None = None,
        weights: ArrayLike | None = None,
    ) -> EncodedTable:
        """Take a table that is already made of codes 0, 1, 2, ...

        Parameters
        ----------
        codes : array_like of int, shape (n_rows, n_variables)
            The codes.
        cardinalities : sequence of int, optional
            States of each variable; one more than the largest code by default.
        names : sequence of str, optional
            Column names; ``x0, x1, ...`` by default.
        weights : array_like of int, optional
            How often each row occurs; once by default. Rows of weight 0 are left out.

        Returns
        -------
        EncodedTable
            The validated table.

        Examples
        --------
        >>> EncodedTable.from_codes([[0, 1], [1, 0], [1, 2]]).cardinalities
        array([2, 3])
        """
        values = np.asarray(codes)
        if values.ndim != 2 or not np.issubdtype(values.dtype, np.integer):
            msg = "codes must be a two-dimensional array of integers"
            raise InvalidTableError(msg)
        n_rows, n_variables = values.shape
        names = tuple(names) if names is not None else tuple(f"x{k}" for k in range(n_variables))
        tops = values.max(axis=0, initial=0).astype(np.int64)
        cards = np.maximum(tops + 1, 1) if cardinalities is None else np.asarray(cardinalities, np.int64)
        counts = np.ones(n_rows, np.int64) if weights is None else _whole_numbers(weights)
        _check_codes(values, cards, names, counts)
        labels = tuple(tuple(range(int(c))) for c in cards)
        occurs = counts > 0
        fixed = np.asfortranarray(values[occurs].astype(CODE_DTYPE))
        cards = np.ascontiguousarray(cards, np.int64)
        return cls(fixed, cards, names, labels, counts[occurs], Preparation(n_rows))

    @property
    def n_rows(self) -> int:
        """Rows held, each counted once whatever its weight."""
        return int(self.codes.shape[0])

    @property
    def n_variables(self) -> int:
        """Number of columns."""
        return int(self.codes.shape[1])

    @cached_property
    def n_samples(self) -> int:
        """Number of data points: the sum of the weights."""
        return int(self.weights.sum())

    @cached_property
    def is_weighted(self) -> bool:
        """Whether any row stands for more or less than one data point."""
        return bool((self.weights != 1).any())

    def index(self, variable: int | str) -> int:
        """Find a variable by its name or number.

        Parameters
        ----------
        variable : int or str
            A column name, or a column number from 0.

        Returns
        -------
        int
            The column number.
        """
        return variable_index(self.names, variable)

    @cached_property
    def fingerprint(self) -> str:
        """A short digest of names, states and rows; the same data gives the same one."""
        digest = hashlib.sha256()
        digest.update(repr((self.names, self.labels, self.codes.shape)).encode())
        digest.update(np.ascontiguousarray(self.codes.T).reshape(-1).data)
        digest.update(np.ascontiguousarray(self.weights).data)
        return digest.hexdigest()[:16]

    def compressed(self) -> EncodedTable:
        """Merge equal rows into one row with a weight.

        Returns
        -------
        EncodedTable
            The distinct rows, with how often each occurs.

        Examples
        --------
        >>> table = EncodedTable.from_codes([[1, 0], [0, 1], [1, 0]]).compressed()
        >>> table.codes.tolist(), table.weights.tolist()
        ([[0, 1], [1, 0]], [1, 2])
        """
        return self._merged(self.n_rows) or self

    @cached_property
    def distinct(self) -> EncodedTable | None:
        """The distinct rows with how often each occurs, or None where that would save little."""
        if self.n_rows < MIN_ROWS_TO_MERGE:
            return None
        return self._merged(self.n_rows // MIN_REPETITION)

    def _merged(self, at_most: int) -> EncodedTable | None:
        """Merge equal rows; give up as soon as more differ than are wanted."""
        keys, span = np.zeros(self.n_rows, np.int64), 1
        for column, n_states in zip(self.codes.T, self.cardinalities.tolist(), strict=True):
            if span * n_states > DENSE_FACTOR * self.n_rows + DENSE_EXTRA:
                keys, span = close_gaps(keys, span)
                if span > at_most:
                    return None
            keys *= n_states
            keys += column
            span *= n_states
        labels, n_distinct = close_gaps(keys, span)
        if n_distinct > at_most:
            return None
        first, weights = np.empty(n_distinct, np.int64), np.zeros(n_distinct, np.int64)
        first[labels[::-1]] = np.arange(self.n_rows)[::-1]  # the last one written is the first row
        np.add.at(weights, labels, self.weights)
        codes = np.empty((n_distinct, self.n_variables), CODE_DTYPE, order="F")
        for k in range(self.n_variables):  # all at once would copy the table to another order
            codes[:, k] = self.codes[first, k]
        return EncodedTable(codes, self.cardinalities, self.names, self.labels, weights, self.preparation)


def take_columns(table: EncodedTable, order: Sequence[int]) -> EncodedTable:
    """Take some columns of a table, in any order."""
    return replace(
        table,
        codes=np.asfortranarray(table.codes[:, order]),
        cardinalities=table.cardinalities[order],
        names=tuple(table.names[k] for k in order),
        labels=tuple(table.labels[k] for k in order),
    )


def take_rows(table: EncodedTable, rows: NDArray[Any]) -> EncodedTable:
    """Take some rows of a table, by number or by a mask; it keeps all states."""
    return replace(table, codes=np.asfortranarray(table.codes[rows]), weights=table.weights[rows])


def is_small(table: EncodedTable) -> bool:
    """Tell whether a table is small enough to be answered by NumPy, without compiling."""
    # The size of the table alone decides, so that results do not depend on what was compiled before.
    # The product bounds the largest array of counts, and with it the time that a fit takes.
    table = table.distinct or table
    n_states = int(table.cardinalities.max(initial=1))
    return table.n_rows * table.n_variables * n_states**2 <= SMALL


def close_gaps(keys: NDArray[np.int64], span: int) -> tuple[NDArray[np.int64], int]:
    """Renumber keys below `span` from 0 in their order; give the new ones and how many there are."""
    if span > DENSE_FACTOR * len(keys) + DENSE_EXTRA:
        distinct, labels = np.unique(keys, return_inverse=True)
        return labels.reshape(-1), len(distinct)
    numbers = np.cumsum(np.bincount(keys, minlength=span) > 0)
    return numbers[keys] - 1, int(numbers.max(initial=0))


def variable_index(names: Sequence[str], variable: int | str) -> int:
    """Find a variable among names, by its name or number."""
    if isinstance(variable, str):
        if variable in names:
            return list(names).index(variable)
        known = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
        msg = f"there is no variable {variable!r}; the variables are {known}"
        raise UnknownVariableError(msg)
    if isinstance(variable, bool) or not isinstance(variable, (int, np.integer)):
        msg = f"a variable is given by its name or number, not by {variable!r}"
        raise UnknownVariableError(msg)
    number = int(variable)
    if not 0 <= number < len(names):
        msg = f"there is no variable number {number}; the numbers go from 0 to {len(names) - 1}"
        raise UnknownVariableError(msg)
    return number


def _whole_numbers(weights: ArrayLike) -> NDArray[np.int64]:
    """Read weights, refusing fractions."""
    values = np.asarray(weights)
    if not np.array_equal(values, values.astype(np.int64)):
        msg = "weights count rows: they must be whole numbers"
        raise InvalidTableError(msg)
    return values.astype(np.int64)


def _check_codes(
    values: NDArray[Any], cards: NDArray[np.int64], names: tuple[str, ...], weights: NDArray[np.int64]
) -> None:
    """Refuse codes that do not fit their cardinalities, and ill-formed companions."""
    n_rows, n_variables = values.shape
    if len(names) != n_variables or len(cards) != n_variables or weights.shape != (n_rows,):
        msg = f"names, cardinalities and weights must match the {n_rows} x {n_variables} codes"
        raise InvalidTableError(msg)
    if len(set(names)) != len(names):
        msg = "column names must be different"
        raise InvalidTableError(msg)
    if (weights < 0).any():
        msg = "weights count rows: they must not be negative"
        raise InvalidTableError(msg)
    for name, column, n_states in zip(names, values.T, cards, strict=True):
        if not 1 <= n_states <= MAX_STATES:
            msg = f"variable {name!r} has {n_states} states; 1 to {MAX_STATES} are possible"
            raise InvalidTableError(msg)
        if column.size and (column.min() < 0 or column.max() >= n_states):
            msg = (
                f"variable {name!r} has codes {column.min()} to {column.max()} "
                f"but {n_states} states; codes must lie in [0, {n_states})"
            )
            raise InvalidTableError(msg)
