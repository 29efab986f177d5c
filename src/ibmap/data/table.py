"""The encoded table: what every later step reads.

A discrete data set is kept as small integer codes, validated once at the
door, in one dtype and memory order, so that each kernel compiles once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ibmap.data.merging import close_gaps, hardly_repeat, n_dense
from ibmap.data.scratch import room_like
from ibmap.errors import InvalidTableError, UnknownVariableError

Weights: TypeAlias = NDArray[Any]  # int64 if they count rows, float64 if not
CODE_DTYPE = np.uint16
MAX_STATES = 65535  # what a code of 16 bits can tell apart, one value kept free
MIN_ROWS_TO_MERGE = 1000  # below that a pass over the rows costs next to nothing
SMALL = (
    200_000  # rows x columns x states x states: NumPy takes seconds at most, compiling a quarter of a minute
)
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
    notes: tuple[str, ...] = ()  # how it was read, where that needs saying
    weights_column: str | None = None  # where the weights stand
    columns: tuple[str, ...] = ()  # all columns read
    pandas_names: dict[str, Any] | None = field(default=None, compare=False)  # by their text, as they are
    copies: dict[str, str] = field(default_factory=dict)  # columns that another stands for, and which


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
        How often each row occurs: whole numbers, or fractions that sum to the effective number of rows.
    preparation : Preparation
        What happened to the input.
    ordered : ndarray of bool, shape (n_variables,)
        Whose states are in order because the source says so: numbers, ordered categories.
    missing : ndarray of bool, shape (n_rows, n_variables), or None
        Where a cell is a hole; its code is 0. None if there are none.
    numbers : mapping from int to ndarray of shape (n_rows,)
        The values of the columns that are kept as numbers, NaN at holes; their codes are bins.

    Notes
    -----
    Build one with `ibmap.data.encoding.encode` from any table, or with
    `EncodedTable.from_codes` from integers.
    """

    codes: NDArray[np.uint16]
    cardinalities: NDArray[np.int64]
    names: tuple[str, ...]
    labels: tuple[tuple[Any, ...], ...]
    weights: Weights
    preparation: Preparation
    ordered: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    missing: NDArray[np.bool_] | None = None
    numbers: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.ordered) != self.n_variables:
            object.__setattr__(self, "ordered", np.zeros(self.n_variables, bool))

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
        weights : array_like of shape (n_rows,), optional
            How often each row occurs; once by default. Rows of weight 0 are left out. Fractions are taken
            as they are.

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
        counts = np.ones(n_rows, np.int64) if weights is None else _as_weights(weights)
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
        """Number of data points: the sum of the weights, rounded."""
        return round(float(self.weights.sum()))

    @property
    def has_holes(self) -> bool:
        """Whether any cell is missing."""
        return self.missing is not None

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
        if in_order := [
            k for k in np.flatnonzero(self.ordered).tolist() if isinstance(self.labels[k][0], str)
        ]:
            digest.update(repr(in_order).encode())  # of numbers it goes without saying
        if self.missing is not None:
            digest.update(np.ascontiguousarray(self.missing.T).reshape(-1).data)
        for k, values in sorted(self.numbers.items()):
            digest.update(repr(k).encode() + np.ascontiguousarray(values).data)
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
        if at_most < self.n_rows and hardly_repeat(self.codes, self.missing, at_most):
            return None
        keys, span = np.zeros(self.n_rows, np.int64), 1
        for column, n_states in map(self._told_apart, range(self.n_variables)):
            if span * n_states > n_dense(self.n_rows):
                keys, span = close_gaps(keys, span)
                if span > at_most:
                    return None
            keys *= n_states
            keys += column
            span *= n_states
        labels, n_distinct = close_gaps(keys, span)
        if n_distinct > at_most:
            return None
        first, weights = np.empty(n_distinct, np.int64), np.zeros(n_distinct, self.weights.dtype)
        first[labels[::-1]] = np.arange(self.n_rows - 1, -1, -1)  # the last one written is the first row
        np.add.at(weights, labels, self.weights)
        return replace(take_rows(self, first), weights=weights)

    def _told_apart(self, k: int) -> tuple[NDArray[Any], int]:
        """Give a column as codes in which holes and different numbers differ, and their number."""
        column: NDArray[Any] = self.codes[:, k]
        n_states = int(self.cardinalities[k])
        if k in self.numbers:
            distinct, column = np.unique(self.numbers[k], return_inverse=True)
            n_states = len(distinct)
        if self.missing is not None and self.missing[:, k].any():
            return np.where(self.missing[:, k], n_states, column), n_states + 1
        return column, n_states


def take_columns(table: EncodedTable, order: Sequence[int]) -> EncodedTable:
    """Take some columns of a table, in any order."""
    if [*order] == [*range(table.n_variables)]:
        return table
    return replace(
        table,
        codes=gathered(table.codes, order),
        cardinalities=table.cardinalities[order],
        names=tuple(table.names[k] for k in order),
        labels=tuple(table.labels[k] for k in order),
        ordered=table.ordered[list(order)],
        missing=None if table.missing is None else _holes(gathered(table.missing, order)),
        numbers={new: table.numbers[old] for new, old in enumerate(order) if old in table.numbers},
    )


def take_rows(table: EncodedTable, rows: NDArray[Any]) -> EncodedTable:
    """Take some rows of a table, by number or by a mask; it keeps all states."""
    every = range(table.n_variables)
    return replace(
        table,
        codes=gathered(table.codes, every, rows),
        weights=table.weights[rows],
        missing=None if table.missing is None else _holes(gathered(table.missing, every, rows)),
        numbers={k: values[rows] for k, values in table.numbers.items()},
    )


def gathered(cells: NDArray[Any], columns: Sequence[int], rows: NDArray[Any] | None = None) -> NDArray[Any]:
    """Copy cells, column by column: all at once would take them through another order."""
    if rows is None and [*columns] == [*range(cells.shape[1])]:
        return cells
    n_rows = len(cells) if rows is None else int(rows.sum()) if rows.dtype == bool else len(rows)
    found = room_like(cells, (n_rows, len(columns)), cells.dtype)
    for new, old in enumerate(columns):
        found[:, new] = cells[:, old] if rows is None else cells[rows, old]
    return found


def where_seen(table: EncodedTable, variables: Sequence[int]) -> EncodedTable:
    """Take some columns, and of the rows those in which none of their cells is missing."""
    part = take_columns(table, list(variables))
    return part if part.missing is None else take_rows(part, np.asarray(~part.missing.any(axis=1)))


def without_empty_rows(table: EncodedTable) -> EncodedTable:
    """Leave out the rows in which every cell is missing."""
    if table.missing is None:
        return table
    shown: NDArray[np.bool_] = np.asarray(~table.missing.all(axis=1))
    return table if shown.all() else take_rows(table, shown)


def with_weights(table: EncodedTable, weights: Weights) -> EncodedTable:
    """Give the rows other weights; rows of weight 0 are left out."""
    occurs = weights > 0
    table = table if weights is table.weights else replace(table, weights=weights)
    return table if occurs.all() else take_rows(table, occurs)


def repeated(table: EncodedTable, counts: NDArray[np.int64]) -> EncodedTable:
    """Repeat rows: distinct ones with weights where the long table would be merged, else the long table."""
    n_samples = int(counts.sum())
    if n_samples >= MIN_ROWS_TO_MERGE:
        merged = with_weights(table, counts)._merged(n_samples // MIN_REPETITION)
        if merged is not None:
            return merged
    return take_rows(table, np.repeat(np.arange(table.n_rows), counts))


def _holes(missing: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Keep a mask of holes if there are any."""
    return missing if missing.any() else None


def is_small(table: EncodedTable) -> bool:
    """Tell whether a table is small enough to be answered by NumPy, without compiling."""
    # The size of the table alone decides, so that results do not depend on what was compiled before.
    # The product bounds the largest array of counts, and with it the time that a fit takes.
    table = table.distinct or table
    n_states = int(table.cardinalities.max(initial=1))
    return table.n_rows * table.n_variables * n_states**2 <= SMALL


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


def _as_weights(weights: ArrayLike) -> Weights:
    """Read weights: whole numbers, or fractions."""
    values = np.asarray(weights)
    if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
        msg = "weights must be numbers: how often each row occurs"
        raise InvalidTableError(msg)
    return values.astype(np.int64 if (values == np.floor(values)).all() else np.float64)


def _check_codes(
    values: NDArray[Any], cards: NDArray[np.int64], names: tuple[str, ...], weights: Weights
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
