"""Split rows into slices, one column after another, and forget rows that are alone.

A *partition* is a list of rows sorted by slice and the places where slices
start. A slice with a single data point says nothing about any pair, and
splitting it further changes nothing: it is only counted. With many columns
hardly any row is left, and splitting on costs next to nothing.
"""

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.counting import hash_keys

WORD = 2.0**62  # configurations whose numbers fit a word
FEW = 12  # rows of a slice up to which sorting by insertion beats counting
DENSE = 4  # configurations for each row up to which each has a counter


@inner
def sorted_by(column, n_states):
    """Give the partition of all rows into one slice, the rows sorted by a column.

    Splitting keeps the order of rows, so every slice of every finer partition is sorted by it too.
    """
    n_rows = column.shape[0]
    places = np.zeros(n_states + 1, np.int64)
    for i in range(n_rows):
        places[column[i] + 1] += 1
    for state in range(n_states):
        places[state + 1] += places[state]
    rows = np.empty(n_rows, np.int32)
    for i in range(n_rows):
        rows[places[column[i]]] = i
        places[column[i]] += 1
    return rows, np.array([0, n_rows], np.int32)


@inlined
def insert_sorted(rows, keys, n_done, row, key):
    """Insert one row into the first `n_done`, after those of the same key. rows, keys: IN and OUT."""
    k = n_done
    while k > 0 and keys[k - 1] > key:
        keys[k], rows[k] = keys[k - 1], rows[k - 1]
        k -= 1
    keys[k], rows[k] = key, row


@inner
def sort_slice(rows, column, counts, sorted_rows, keys):
    """Sort the rows of one slice by their codes, keeping the order of equal ones.

    rows, column: IN. counts: scratch, zero before and after, one entry a state and one more.
    sorted_rows, keys: OUT, the rows and their codes.
    """
    n = rows.shape[0]
    if n <= FEW:
        for k in range(n):
            insert_sorted(sorted_rows, keys, k, rows[k], np.int32(column[np.uint32(rows[k])]))
        return
    for k in range(n):
        counts[column[np.uint32(rows[k])] + np.uint32(1)] += 1
    for state in range(1, counts.shape[0]):
        counts[state] += counts[state - 1]
    for k in range(n):
        code = column[np.uint32(rows[k])]
        place = np.uint32(counts[code])
        counts[code] += 1
        sorted_rows[place] = rows[k]
        keys[place] = code
    counts[:] = 0


@inlined
def is_uniform(rows, first, last, column):
    """Tell whether a column has one code in all rows of a slice."""
    code = column[np.uint32(rows[first])]
    for k in range(first + 1, last):
        if column[np.uint32(rows[k])] != code:
            return False
    return True


@inner
def refine(rows, starts, column, n_states, weights):
    """Split every slice by one more column.

    rows, starts: IN, a partition. column, weights: IN, of every row of the table; no weights at
    all if each is 1. Returns the finer partition without the slices of a single data point, and
    how many those are.
    """
    n_rows = rows.shape[0]
    kept, kept_starts = np.empty(n_rows, np.int32), np.empty(n_rows + 1, np.int32)
    keys = np.empty(n_rows, np.int32)
    counts = np.zeros(n_states + 1, np.int32)
    n_kept, n_slices, n_single = 0, 0, 0
    kept_starts[0] = 0
    for s in range(starts.shape[0] - 1):
        first, last = starts[s], starts[s + 1]
        if is_uniform(rows, first, last, column):
            for k in range(first, last):
                kept[n_kept] = rows[k]
                n_kept += 1
            n_slices += 1
            kept_starts[n_slices] = n_kept
            continue
        ordered = kept[n_kept : n_kept + last - first]
        sort_slice(rows[first:last], column, counts, ordered, keys)
        begin = 0
        for k in range(1, last - first + 1):
            if k < last - first and keys[k] == keys[begin]:
                continue
            if k - begin == 1 and (weights.shape[0] == 0 or weights[ordered[begin]] == 1):
                n_single += 1
            else:
                for i in range(begin, k):
                    kept[n_kept] = ordered[i]
                    n_kept += 1
                n_slices += 1
                kept_starts[n_slices] = n_kept
            begin = k
    return kept[:n_kept], kept_starts[: n_slices + 1], n_single


@inner
def is_dense(n_rows, cardinalities, given, n_dropped):
    """Tell whether each configuration of a set without any so many variables may have a counter."""
    size, sizes = 1.0, np.sort(cardinalities[given])
    for n_states in sizes[min(n_dropped, sizes.shape[0]) :]:
        size *= n_states
    return size <= DENSE * n_rows


@inner
def configurations(rows, codes, given, cardinalities):
    """Number the configurations of a set; return that of each row, and how many there are."""
    numbers, n = np.zeros(rows.shape[0], np.int32), 1
    for z in given:
        column, n_states = codes[:, z], np.int32(cardinalities[z])
        for i in range(rows.shape[0]):
            numbers[i] = numbers[i] * n_states + np.int32(column[np.uint32(rows[i])])
        n *= cardinalities[z]
    return numbers, n


@inner
def split_by_counting(rows, codes, given, cardinalities, weights):
    """Split rows by a set that is dense. rows: IN, in the order they are to keep.

    Returns the partition without the slices of a single data point, and how many those are; it is the one
    that `refine` by one column after the other gives.
    """
    n_rows = rows.shape[0]
    numbers, n = configurations(rows, codes, given, cardinalities)
    counts, places, n_single = np.zeros(n, np.int32), np.empty(n, np.int32), 0
    for i in range(n_rows):
        counts[np.uint32(numbers[i])] += 1
    if weights.shape[0] > 0:  # a single row of several data points is a slice; as many as it would never be
        for i in range(n_rows):
            if weights[rows[i]] > 1 and counts[numbers[i]] == 1:
                counts[numbers[i]] = -1
    kept, starts = np.empty(n_rows + 1, np.int32), np.empty(n_rows + 1, np.int32)
    n_kept, n_slices = 0, 0
    starts[0] = 0
    for key in range(n):
        is_live = counts[key] > 1 or counts[key] < 0
        places[key] = n_kept if is_live else n_rows  # behind all others
        n_single += counts[key] == 1
        n_kept += abs(counts[key]) * is_live
        n_slices += is_live
        starts[min(n_slices, n_rows)] = n_kept
    for i in range(n_rows):
        number = np.uint32(numbers[i])
        kept[places[number]] = rows[i]
        places[number] += 1
    return kept[:n_kept], starts[: n_slices + 1], n_single


@inner
def forget_few(rows, labels, n_labels, weights, least):
    """Leave out the rows of slices with fewer data points than `least`, and number the others anew.

    rows, labels: IN and OUT. weights: IN, of every row of the table, or empty. Returns how many rows and
    slices are left.
    """
    totals = np.zeros(n_labels, np.int64)
    for i in range(rows.shape[0]):
        totals[labels[i]] += weights[rows[i]] if weights.shape[0] > 0 else 1
    n_live, n_kept = 0, 0
    for label in range(n_labels):
        is_live = totals[label] >= least
        totals[label] = n_live if is_live else -1
        n_live += is_live
    for i in range(rows.shape[0]):
        rows[n_kept], label = rows[i], totals[labels[i]]
        labels[n_kept] = label
        n_kept += label >= 0
    return n_kept, n_live


@inner
def by_label(rows, labels, n_labels):
    """Give the partition of rows with numbered slices; those of a slice keep their order."""
    starts, sorted_rows = np.zeros(n_labels + 1, np.int32), np.empty_like(rows)
    for i in range(rows.shape[0]):
        starts[labels[i] + 1] += 1
    for label in range(n_labels):
        starts[label + 1] += starts[label]
    places = starts.copy()
    for i in range(rows.shape[0]):
        sorted_rows[places[labels[i]]] = rows[i]
        places[labels[i]] += 1
    return sorted_rows, starts


@inner
def split_labels(rows, labels, n_labels, codes, given, cardinalities, weights, least):
    """Split numbered slices by many columns: as many at once as a word numbers the configurations of.

    rows, labels: IN, rows in the order they are to keep, and their slices. Returns those that are left
    without the slices of fewer data points than `least`, how many slices they are, and how many are left
    out.
    """
    rows, labels, k, n_single = rows.copy(), labels.copy(), 0, 0
    while k < given.shape[0] and rows.shape[0] > 0:
        keys, size = labels.astype(np.uint64), float(n_labels)
        while k < given.shape[0] and size * cardinalities[given[k]] < WORD:
            column, n_states = codes[:, given[k]], np.uint64(cardinalities[given[k]])
            for i in range(rows.shape[0]):
                keys[i] = keys[i] * n_states + np.uint64(column[np.uint32(rows[i])])
            size *= cardinalities[given[k]]
            k += 1
        n_labels = hash_keys(keys, labels).shape[0]
        n_kept, n_live = forget_few(rows, labels, n_labels, weights, least)
        n_single += n_labels - n_live
        rows, labels, n_labels = rows[:n_kept], labels[:n_kept], n_live
    return rows, labels, n_labels, n_single


@inner
def split_by_all(rows, codes, given, cardinalities, weights):
    """Split rows by many columns. rows: IN, in the order they are to keep.

    Returns the partition without the slices of a single data point, and how many those are.
    """
    labels = np.zeros(rows.shape[0], np.int64)
    rows, labels, n_labels, n_single = split_labels(
        rows, labels, 1, codes, given, cardinalities, weights, np.int64(2)
    )
    rows, starts = by_label(rows, labels, n_labels if rows.shape[0] > 0 else 0)
    return rows, starts, n_single
