"""Split rows into slices, one column after another, and forget rows that are alone.

A *partition* is a list of rows sorted by slice and the places where slices
start. A slice with a single data point says nothing about any pair, and
splitting it further changes nothing: it is only counted. With many columns
hardly any row is left, and splitting on costs next to nothing.
"""

import numpy as np

from ibmap.kernels.compiling import inlined, inner

FEW = 12  # rows of a slice up to which sorting by insertion beats counting


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
