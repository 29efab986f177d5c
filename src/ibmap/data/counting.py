"""Counts of two variables in each slice of a conditioning set."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.merging import BLOCK, blocks, close_gaps, n_dense
from ibmap.data.table import EncodedTable, is_small

Closer = Callable[[NDArray[np.int64], int], tuple[NDArray[np.int64], int]]
LARGEST_KEY = 1 << 62
MOST_ROWS = 1 << 16  # of margins looked at together: bounds memory


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a three-way table that occur in the data."""

    values: NDArray[np.int64]  # (n_cells, 4): rows (slice, state of x, state of y, count), sorted
    n_slices: int  # slices seen
    n_states: tuple[int, int]  # states of x and of y

    def dense(self) -> NDArray[np.int64]:
        """Spread the cells out into an array."""
        counts = np.zeros((self.n_slices, *self.n_states), np.int64)
        s, x, y, count = self.values.T
        counts[s, x, y] = count
        return counts


def label_cells(
    columns: NDArray[Any], n_states: NDArray[np.int64], close: Closer = close_gaps
) -> tuple[NDArray[np.int64], int]:
    """Number the joint states of some columns that occur; give that of each row, and how many there are."""
    keys, span = np.zeros(columns.shape[1], np.int64), 1
    for column, k in zip(columns, n_states.tolist(), strict=True):
        if span * k > LARGEST_KEY:
            keys, span = close(keys, span)
        keys *= k
        keys += column
        span *= k
    return close(keys, span)


def count_joint(
    codes: Sequence[NDArray[Any]],
    n_states: Sequence[int],
    weights: NDArray[Any],
    renumber: Sequence[NDArray[np.int64]] | None = None,
) -> NDArray[np.float64] | None:
    """Count the joint states of some columns, all there could be; None where these are too many.

    Rows are taken in parts, so that next to nothing is held of them. renumber: the state of each code.
    """
    n_rows, span = len(weights), math.prod(n_states)
    if span > n_dense(n_rows):
        return None
    counts = np.zeros(span)
    for part in blocks(n_rows, max(BLOCK, span)):
        keys = np.zeros(len(weights[part]), np.int64)
        for j, (column, k) in enumerate(zip(codes, n_states, strict=True)):
            keys *= k
            keys += column[part] if renumber is None else renumber[j][column[part]]
        counts += np.bincount(keys, weights[part], span)
    return counts


def state_totals(table: EncodedTable, x: int) -> NDArray[np.float64]:
    """Give the data points in each state of a variable."""
    column, n_states = table.codes[:, x], int(table.cardinalities[x])
    counts = count_joint([column], [n_states], table.weights)
    return np.bincount(column, table.weights, n_states).astype(np.float64) if counts is None else counts


def slice_sizes(table: EncodedTable, given: Sequence[int]) -> NDArray[np.float64]:
    """Give the data points of each configuration of a set of variables that occurs."""
    counts = count_joint([table.codes[:, k] for k in given], *_shape(table, given))
    if counts is not None:
        return counts[counts > 0]
    labels, n_seen = number_slices(table, given)
    return np.bincount(labels, table.weights, minlength=n_seen).astype(np.float64)


def _shape(table: EncodedTable, variables: Sequence[int]) -> tuple[list[int], NDArray[Any]]:
    """Give the states of some variables, and the weights of the rows."""
    return table.cardinalities[list(variables)].tolist(), table.weights


def hash_gaps(keys: NDArray[np.int64], span: int) -> tuple[NDArray[np.int64], int]:
    """Do what `close_gaps` does for a large table: keys far apart are hashed, not sorted, in any order."""
    if span <= n_dense(len(keys)):
        return close_gaps(keys, span)
    from ibmap.kernels.slices import hash_keys

    labels = np.empty(len(keys), np.int64)
    return labels, len(hash_keys(keys.view(np.uint64), labels))


def number_slices(table: EncodedTable, given: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    """Number the configurations of a set of variables that occur."""
    columns = np.asarray(given, np.int64)
    close = close_gaps if is_small(table) else hash_gaps
    return label_cells(table.codes.T[columns], table.cardinalities[columns], close)


def number_live_slices(
    table: EncodedTable, given: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, int]:
    """Number the slices with two data points or more: those that say anything about a pair."""
    labels, n_seen = number_slices(table, given)
    totals = np.bincount(labels, table.weights, n_seen)
    is_live = totals >= 2
    rows = np.flatnonzero(is_live[labels])
    labels = (np.cumsum(is_live) - 1)[labels[rows]]
    return rows, labels, int(is_live.sum()), int((totals == 1).sum())


def count_cells(table: EncodedTable, x: int, y: int, given: Sequence[int] = ()) -> Cells:
    """Count the joint states of two variables in each slice, as a list of cells."""
    labels, n_slices = number_slices(table, given)
    columns = table.codes[:, x], table.codes[:, y], table.weights
    return _list_cells(table, (x, y), labels, n_slices, columns)


def _list_cells(
    table: EncodedTable,
    pair: tuple[int, int],
    labels: NDArray[np.int64],
    n_slices: int,
    columns: tuple[NDArray[np.uint16], NDArray[np.uint16], NDArray[np.int64]],
) -> Cells:
    """List the cells of some rows, given their slices and their states of the pair."""
    n_states = (int(table.cardinalities[pair[0]]), int(table.cardinalities[pair[1]]))
    n_possible = n_slices * n_states[0] * n_states[1]
    x, y, weights = columns
    keys = (labels * n_states[0] + x) * n_states[1] + y
    if n_possible <= n_dense(len(labels)):
        counts = np.bincount(keys, weights, n_possible).astype(np.int64)
        seen = np.flatnonzero(counts)
        counts = counts[seen]
    else:
        seen, places = np.unique(keys, return_inverse=True)
        counts = np.bincount(places, weights, len(seen)).astype(np.int64)
    states = np.unravel_index(seen, (max(n_slices, 1), *n_states))
    return Cells(np.column_stack([*states, counts]), n_slices, n_states)


def count_live_cells(table: EncodedTable, x: int, y: int, given: Sequence[int] = ()) -> tuple[Cells, int]:
    """Count like `count_cells`, but only in slices with two data points or more."""
    every = (*given, x, y)
    counts = count_joint([table.codes[:, k] for k in every], *_shape(table, every))
    if counts is not None:
        n_states = (int(table.cardinalities[x]), int(table.cardinalities[y]))
        counts = counts.reshape(-1, *n_states)
        totals = counts.sum(axis=(1, 2))
        live = counts[totals >= 2].astype(np.int64)
        seen = np.nonzero(live)
        return Cells(np.column_stack([*seen, live[seen]]), len(live), n_states), int((totals == 1).sum())
    rows, labels, n_slices, n_single = number_live_slices(table, given)
    columns = table.codes[:, x], table.codes[:, y], table.weights
    if len(rows) < table.n_rows:
        columns = columns[0][rows], columns[1][rows], columns[2][rows]
    return _list_cells(table, (x, y), labels, n_slices, columns), n_single


def contingency(table: EncodedTable, x: int, y: int, given: Sequence[int] = ()) -> NDArray[np.int64]:
    """Count the joint states of two variables in each state of a third set."""
    return count_cells(table, x, y, given).dense()


class Margins:
    """Sums of the cells of each slice over the states of X, of Y, and of both."""

    def __init__(self, cells: Cells) -> None:
        self.slices, x, y, self.counts = cells.values.T
        row_keys, self._row = np.unique(self.slices * cells.n_states[0] + x, return_inverse=True)
        column_keys, self._column = np.unique(self.slices * cells.n_states[1] + y, return_inverse=True)
        self.rows, self._slice_of_row = self._sums(self._row, row_keys), row_keys // cells.n_states[0]
        self.columns, in_slice = self._sums(self._column, column_keys), column_keys // cells.n_states[1]
        self.totals = np.bincount(self.slices, self.counts, cells.n_slices)
        self.n_rows = np.bincount(self._slice_of_row, minlength=cells.n_slices)  # in use, in each slice
        self.n_columns = np.bincount(in_slice, minlength=cells.n_slices)

    def _sums(self, places: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.float64]:
        """Sum the counts of the cells of each margin."""
        return np.bincount(places, self.counts, len(keys)).astype(np.float64)

    @property
    def products(self) -> NDArray[np.float64]:
        """The product of row sum and column sum of each cell."""
        found: NDArray[np.float64] = self.rows[self._row] * self.columns[self._column]
        return found

    @property
    def degrees_of_freedom(self) -> int:
        """The sum over slices of (rows in use - 1) (columns in use - 1)."""
        is_seen = self.totals > 0
        return int(((self.n_rows - 1) * (self.n_columns - 1))[is_seen].sum())

    def expected(self) -> tuple[int, int, int, float]:
        """Say of the expected counts how many there are, below 1, below 5, and the smallest."""
        n_cells, n_below_one, n_below_five, smallest = 0, 0, 0, np.inf
        firsts = np.cumsum(self.n_columns) - self.n_columns
        for begin in range(0, len(self.rows), MOST_ROWS):
            sums, slices = (each[begin : begin + MOST_ROWS] for each in (self.rows, self._slice_of_row))
            repeats = self.n_columns[slices]
            within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
            found = np.repeat(sums, repeats) * self.columns[np.repeat(firsts[slices], repeats) + within]
            totals = np.repeat(self.totals[slices], repeats)
            n_cells += len(found)
            n_below_one += int((found < totals).sum())
            n_below_five += int((found < 5 * totals).sum())
            smallest = min(smallest, float((found / totals).min(initial=np.inf)))
        return n_cells, n_below_one, n_below_five, float(smallest)


def meets_cochran(n_cells: int, n_below_one: int, n_below_five: int) -> bool:
    """Tell whether expected counts keep Cochran's rule: none under 1, at most one in five under 5."""
    return n_cells > 0 and n_below_one == 0 and 5 * n_below_five <= n_cells
