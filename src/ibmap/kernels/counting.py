"""Number the slices of a conditioning set and count the cells of a table.

A *slice* is one observed configuration of the conditioning set. Slices are
numbered densely, one column after another, so there are never more numbers
than rows, however many configurations are possible. Counts are kept as the
list of *cells* that occur: (slice, x, y, count), sorted.
"""

import numpy as np
from numba import njit

# A dense table of counters is used while it is at most this many times the rows
# (plus a constant): beyond that clearing it costs more than sorting the rows.
DENSE_FACTOR = 4
DENSE_EXTRA = 4096


@njit(cache=True, nogil=True)
def renumber(labels, n_labels, column, n_states):
    """Refine slice numbers by one more column, in place; return how many there are.

    labels: IN and OUT, slice number of each row. column: IN, codes of each row.
    New numbers follow the order of (old number, code).
    """
    n_rows = labels.shape[0]
    if n_labels * n_states <= DENSE_FACTOR * n_rows + DENSE_EXTRA:
        number = np.full(n_labels * n_states, -1, np.int64)
        for i in range(n_rows):
            labels[i] = labels[i] * n_states + column[i]
            number[labels[i]] = 0
        found = 0
        for key in range(number.shape[0]):
            if number[key] == 0:
                number[key] = found
                found += 1
        for i in range(n_rows):
            labels[i] = number[labels[i]]
        return found
    for i in range(n_rows):
        labels[i] = labels[i] * n_states + column[i]
    order = np.argsort(labels, kind="mergesort")
    found = 0
    previous = np.int64(-1)
    for k in range(n_rows):
        i = order[k]
        key = labels[i]
        if key != previous:
            found += 1
            previous = key
        labels[i] = found - 1
    return found


@njit(cache=True, nogil=True)
def number_slices(codes, given, cardinalities, labels):
    """Number the slices of the columns `given`; return how many occur.

    codes, given, cardinalities: IN. labels: OUT, slice number of each row.
    """
    labels[:] = 0
    n_labels = 1 if labels.shape[0] > 0 else 0
    for k in range(given.shape[0]):
        n_labels = renumber(labels, n_labels, codes[:, given[k]], cardinalities[given[k]])
    return n_labels


@njit(cache=True, nogil=True)
def count_cells_dense(labels, x, y, weights, n_states, cells):
    """List the cells that occur, by a dense table of counters.

    labels, x, y, weights: IN, of each row. n_states: IN, (slices, states of x, states of y).
    cells: OUT, rows (slice, x, y, count), sorted. Returns their number.
    """
    n_slices, n_x, n_y = n_states
    counts = np.zeros(n_slices * n_x * n_y, np.int64)
    for i in range(labels.shape[0]):
        counts[(labels[i] * n_x + x[i]) * n_y + y[i]] += weights[i]
    n_cells = 0
    for key in range(counts.shape[0]):
        if counts[key] > 0:
            cells[n_cells, 0] = key // (n_x * n_y)
            cells[n_cells, 1] = key // n_y % n_x
            cells[n_cells, 2] = key % n_y
            cells[n_cells, 3] = counts[key]
            n_cells += 1
    return n_cells


@njit(cache=True, nogil=True)
def count_cells_sorted(labels, x, y, weights, n_states, cells):
    """List the cells that occur, by sorting the rows; memory never exceeds the rows.

    Arguments and result as for `count_cells_dense`.
    """
    n_y = n_states[2]
    pairs = np.empty(labels.shape[0], np.int64)
    for i in range(labels.shape[0]):
        pairs[i] = np.int64(x[i]) * n_y + y[i]
    by_pair = np.argsort(pairs, kind="mergesort")
    order = by_pair[np.argsort(labels[by_pair], kind="mergesort")]
    n_cells = 0
    for k in range(order.shape[0]):
        i = order[k]
        fresh = n_cells == 0
        if not fresh:
            last = cells[n_cells - 1]
            fresh = last[0] != labels[i] or last[1] != x[i] or last[2] != y[i]
        if fresh:
            cells[n_cells, 0] = labels[i]
            cells[n_cells, 1] = x[i]
            cells[n_cells, 2] = y[i]
            cells[n_cells, 3] = 0
            n_cells += 1
        cells[n_cells - 1, 3] += weights[i]
    return n_cells
