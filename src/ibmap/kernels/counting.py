"""Number the slices of a conditioning set and count the cells of a table.

A *slice* is one observed configuration of the conditioning set. Slices are
numbered densely, one column after another, so there are never more numbers
than rows, however many configurations are possible. Counts are kept as the
list of *cells* that occur: (slice, x, y, count), sorted.
"""

import numpy as np

from ibmap.kernels.compiling import kernel

# A dense table of counters is used while it is at most this many times the rows
# (plus a constant): beyond that clearing it costs more than hashing or sorting the rows.
DENSE_FACTOR = 4
DENSE_EXTRA = 4096
MANY_SLICES = 8  # with so few rows a slice it pays to leave out those that are alone
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # spreads keys evenly over a hash table


@kernel
def hash_keys(keys, labels):
    """Number the distinct keys in order of appearance, by a hash table.

    keys: IN. labels: OUT, number of each row. Returns the distinct keys.
    """
    n_slots, shift = 16, 60
    while n_slots < 2 * keys.shape[0]:
        n_slots *= 2
        shift -= 1
    slots = np.full(n_slots, -1, np.int32)
    distinct = np.empty(keys.shape[0], np.uint64)
    found, last = 0, np.uint64(n_slots - 1)
    for i in range(keys.shape[0]):
        key = keys[i]
        mixed = key ^ (key >> np.uint64(32))  # high bits reach the low ones, then all the top
        k = (mixed * GOLDEN) >> np.uint64(shift)
        label = slots[k]
        while label >= 0 and distinct[np.uint32(label)] != key:
            k = (k + np.uint64(1)) & last
            label = slots[k]
        if label < 0:
            label = slots[k] = found
            distinct[found] = key
            found += 1
        labels[i] = label
    return distinct[:found]


@kernel
def renumber(labels, n_labels, column, n_states):
    """Refine slice numbers by one more column, in place; return how many there are.

    labels: IN and OUT, slice number of each row. column: IN, codes of each row.
    New numbers follow the order of (old number, code) if there are few, of appearance if many.
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
    keys = np.empty(n_rows, np.uint64)
    for i in range(n_rows):
        keys[i] = np.uint64(labels[i] * n_states + column[i])
    return hash_keys(keys, labels).shape[0]


@kernel
def number_slices(columns, given, cardinalities, labels):
    """Number the slices of the columns `given`; return how many occur.

    columns: IN, codes of each variable and row. given, cardinalities: IN. labels: OUT, slice
    number of each row.
    """
    labels[:] = 0
    n_labels = np.int64(min(labels.shape[0], 1))
    for k in range(given.shape[0]):
        n_labels = renumber(labels, n_labels, columns[given[k]], cardinalities[given[k]])
    return n_labels


@kernel
def number_live_slices(columns, given, cardinalities, weights, rows, labels):
    """Number the slices with two data points or more; leave out rows once they are alone.

    columns: IN, codes of each variable and row. rows, labels: OUT, the rows that remain and their
    slices, first entries only. Returns how many rows and slices remain, and how many slices have
    a single data point.
    """
    n_rows, n_labels, n_single = columns.shape[1], np.int64(1), 0
    for i in range(n_rows):
        rows[i] = i
        labels[i] = 0
    for k in range(given.shape[0]):
        n_states = cardinalities[given[k]]
        column = columns[given[k]]
        if n_rows < columns.shape[1]:
            column = np.empty(n_rows, np.uint16)
            for i in range(n_rows):
                column[i] = columns[given[k], rows[i]]
        n_labels = renumber(labels[:n_rows], n_labels, column, n_states)
        if MANY_SLICES * n_labels > n_rows and k + 1 < given.shape[0]:
            n_rows, n_labels, fresh = drop_single(weights, n_rows, n_labels, rows, labels)
            n_single += fresh
    n_rows, n_labels, fresh = drop_single(weights, n_rows, n_labels, rows, labels)
    return n_rows, n_labels, n_single + fresh


@kernel
def drop_single(weights, n_rows, n_labels, rows, labels):
    """Leave out the rows of slices with a single data point, and close the gaps.

    rows, labels: IN and OUT, first `n_rows` entries. Returns how many rows, slices remain, and
    how many slices were left out.
    """
    totals = np.zeros(n_labels, np.int64)
    for i in range(n_rows):
        totals[labels[i]] += weights[rows[i]]
    n_live, n_single = 0, 0
    for label in range(n_labels):
        if totals[label] >= 2:
            totals[label] = n_live
            n_live += 1
        else:
            n_single += totals[label]
            totals[label] = -1
    kept = 0
    for i in range(n_rows):
        if totals[labels[i]] >= 0:
            rows[kept] = rows[i]
            labels[kept] = totals[labels[i]]
            kept += 1
    return kept, n_live, n_single


@kernel
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


@kernel
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
