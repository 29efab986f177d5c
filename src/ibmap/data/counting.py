"""Counts of two variables in each slice of a conditioning set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable, close_gaps, is_small

LARGEST_KEY = 1 << 62


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


def label_cells(columns: NDArray[Any], n_states: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Number the joint states of some columns that occur; give that of each row, and how many there are."""
    keys, span = np.zeros(columns.shape[1], np.int64), 1
    for column, k in zip(columns, n_states.tolist(), strict=True):
        if span * k > LARGEST_KEY:
            keys, span = close_gaps(keys, span)
        keys = keys * k + column
        span *= k
    return close_gaps(keys, span)


def number_slices(table: EncodedTable, given: Sequence[int]) -> tuple[NDArray[np.int64], int]:
    """Number the configurations of a set of variables that occur."""
    columns = np.asarray(given, np.int64)
    if is_small(table):
        return label_cells(table.codes.T[columns], table.cardinalities[columns])
    from ibmap.kernels import counting as kernels

    labels = np.empty(table.n_rows, np.int64)
    n_slices = kernels.number_slices(table.codes.T, columns, table.cardinalities, labels)
    return labels, int(n_slices)


def number_live_slices(
    table: EncodedTable, given: Sequence[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, int]:
    """Number the slices with two data points or more: those that say anything about a pair."""
    if is_small(table):
        labels, n_seen = number_slices(table, given)
        totals = np.bincount(labels, table.weights, n_seen)
        is_live = totals >= 2
        rows = np.flatnonzero(is_live[labels])
        labels = (np.cumsum(is_live) - 1)[labels[rows]]
        return rows, labels, int(is_live.sum()), int((totals == 1).sum())
    from ibmap.kernels import counting as kernels

    rows, labels = np.empty(table.n_rows, np.int64), np.empty(table.n_rows, np.int64)
    n_rows, n_slices, n_single = kernels.number_live_slices(
        table.codes.T, np.asarray(given, np.int64), table.cardinalities, table.weights, rows, labels
    )
    return rows[:n_rows], labels[:n_rows], int(n_slices), int(n_single)


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
    if is_small(table):
        x, y, weights = columns
        keys = (labels * n_states[0] + x) * n_states[1] + y
        counts = np.bincount(keys, weights, n_possible).astype(np.int64)
        seen = np.flatnonzero(counts)
        places = np.unravel_index(seen, (max(n_slices, 1), *n_states))
        return Cells(np.column_stack([*places, counts[seen]]), n_slices, n_states)
    from ibmap.kernels import counting as kernels

    is_dense = n_possible <= kernels.DENSE_FACTOR * len(labels) + kernels.DENSE_EXTRA
    count = kernels.count_cells_dense if is_dense else kernels.count_cells_sorted
    cells = np.empty((min(len(labels), n_possible), 4), np.int64)
    n_cells = count(labels, *columns, (n_slices, *n_states), cells)
    return Cells(cells[:n_cells], n_slices, n_states)


def count_live_cells(table: EncodedTable, x: int, y: int, given: Sequence[int] = ()) -> tuple[Cells, int]:
    """Count like `count_cells`, but only in slices with two data points or more."""
    rows, labels, n_slices, n_single = number_live_slices(table, given)
    columns = table.codes[:, x], table.codes[:, y], table.weights
    if len(rows) < table.n_rows:
        columns = columns[0][rows], columns[1][rows], columns[2][rows]
    return _list_cells(table, (x, y), labels, n_slices, columns), n_single


def contingency(table: EncodedTable, x: int, y: int, given: Sequence[int] = ()) -> NDArray[np.int64]:
    """Count the joint states of two variables in each state of a third set."""
    return count_cells(table, x, y, given).dense()


def meets_cochran(n_cells: int, n_below_one: int, n_below_five: int) -> bool:
    """Tell whether expected counts keep Cochran's rule: none under 1, at most one in five under 5."""
    return n_cells > 0 and n_below_one == 0 and 5 * n_below_five <= n_cells
