"""One binary variable X against all candidates given a set, for any number of sets.

Sets are words: bit k stands for the k-th candidate. Rows are sorted by slice and X; the
candidates' bits are then turned from rows into columns, 64 x 64 at a time, and a count is
the number of bits in a range of a column. Rows with weights are added up instead.

`data` is (columns, keys, x_column, weights, is_weighted): the states of each candidate and
row, the same as a word for each row, the states of X, and the rows' weights.
"""

import math

import numpy as np
from numba import njit

from ibmap.kernels.binary_layout import transpose
from ibmap.kernels.bits import popcount
from ibmap.kernels.counting import hash_keys
from ibmap.kernels.two_by_two import times

ONE = np.uint64(1)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
WORD = 64


@njit(cache=True, nogil=True, inline="always")
def next_place(members):
    """Give the place after the last member."""
    k = 0
    while members != 0:
        members >>= ONE
        k += 1
    return k


@njit(cache=True, nogil=True)
def label_rows(columns, keys, given, labels):
    """Number the slices of a set. labels: OUT, slice of each row. Returns how many there can be."""
    size = popcount(given)
    n_rows = keys.shape[0]
    labels[:] = 0
    if size < 40 and (1 << size) <= 4 * n_rows + WORD:
        for k in range(columns.shape[0]):
            if (given >> np.uint64(k)) & ONE:
                column = columns[k]
                for i in range(n_rows):
                    labels[i] = labels[i] * 2 + column[i]
        return 1 << size
    masked = np.empty(n_rows, np.uint64)
    found = np.empty(n_rows, np.int64)
    for i in range(n_rows):
        masked[i] = keys[i] & given
    n_labels = hash_keys(masked, found).shape[0]
    for i in range(n_rows):
        labels[i] = found[i]
    return n_labels


@njit(cache=True, nogil=True)
def live_slices(labels, n_labels, x_column, weights, sizes):
    """Renumber the slices with two data points or more, the others -1; labels: IN and OUT.

    sizes: OUT, (slices, 2) data points by state of X. Returns how many are live.
    """
    counts = np.zeros((n_labels, 2), np.int64)
    for i in range(labels.shape[0]):
        counts[labels[i], x_column[i]] += weights[i]
    rank = np.empty(n_labels, np.int32)
    n_live = 0
    for z in range(n_labels):
        if counts[z, 0] + counts[z, 1] >= 2:
            sizes[n_live] = counts[z]
            rank[z] = n_live
            n_live += 1
        else:
            rank[z] = -1
    for i in range(labels.shape[0]):
        labels[i] = rank[labels[i]]
    return n_live


@njit(cache=True, nogil=True)
def sort_columns(keys, labels, x_column, n_live, sizes, words):
    """Sort the rows by slice and X and turn them into columns of bits. words: OUT, (64, words)."""
    fill = np.empty((n_live, 2), np.int64)
    slot = 0
    for z in range(n_live):
        fill[z, 0] = slot
        fill[z, 1] = slot + sizes[z, 0]
        slot += sizes[z, 0] + sizes[z, 1]
    n_words = (slot + WORD - 1) // WORD
    in_order = np.zeros(n_words * WORD, np.uint64)
    for i in range(labels.shape[0]):
        z = labels[i]
        if z >= 0:
            place = fill[z, x_column[i]]
            in_order[place] = keys[i]
            fill[z, x_column[i]] = place + 1
    for w in range(n_words):
        block = in_order[w * WORD : (w + 1) * WORD]
        transpose(block)
        for k in range(words.shape[0]):
            words[k, w] = block[k]


@njit(cache=True, nogil=True, inline="always")
def count_range(column, first, last):
    """Count the bits of a column from one place up to another."""
    if first >= last:
        return 0
    low, high = first // WORD, (last - 1) // WORD
    head = FULL << np.uint64(first % WORD)
    tail = FULL >> np.uint64(WORD - 1 - (last - 1) % WORD)
    if low == high:
        return popcount(column[low] & head & tail)
    total = popcount(column[low] & head) + popcount(column[high] & tail)
    for w in range(low + 1, high):
        total += popcount(column[w])
    return total


@njit(cache=True, nogil=True)
def packed_costs(words, sizes, n_live, wanted, odds, tables, out):
    """-log Pr(I) over the live slices for each candidate wanted, from sorted columns."""
    logs, smalls = tables
    for k in range(out.shape[0]):
        if not (wanted >> np.uint64(k)) & ONE:
            continue
        excess, log_big = 0.0, 0.0
        first = 0
        for z in range(n_live):
            middle = first + sizes[z, 0]
            last = middle + sizes[z, 1]
            b0, b1 = count_range(words[k], first, middle), count_range(words[k], middle, last)
            a0, a1 = sizes[z, 0] - b0, sizes[z, 1] - b1
            excess, log_big = times(excess, log_big, odds, a0, a1, b0, b1, logs, smalls)
            first = last
        out[k] = log_big + math.log1p(excess)


@njit(cache=True, nogil=True)
def added_costs(columns, labels, x_column, weights, sizes, n_live, wanted, odds, tables, out):
    """-log Pr(I) over the live slices for each candidate wanted, by adding up weights."""
    logs, smalls = tables
    ones = np.empty((n_live + 1, 2), np.int64)
    for k in range(out.shape[0]):
        if not (wanted >> np.uint64(k)) & ONE:
            continue
        ones[:] = 0
        column = columns[k]
        for i in range(labels.shape[0]):
            ones[labels[i], x_column[i]] += weights[i] * column[i]  # -1: the last, which nobody reads
        excess, log_big = 0.0, 0.0
        for z in range(n_live):
            b0, b1 = ones[z, 0], ones[z, 1]
            a0, a1 = sizes[z, 0] - b0, sizes[z, 1] - b1
            excess, log_big = times(excess, log_big, odds, a0, a1, b0, b1, logs, smalls)
        out[k] = log_big + math.log1p(excess)


@njit(cache=True, nogil=True)
def single_cost(column, labels, n_labels, x_column, weights, odds, tables):
    """-log Pr(I) over the live slices for one candidate, and how many slices are live."""
    logs, smalls = tables
    cells = np.zeros((n_labels, 4), np.int64)
    for i in range(labels.shape[0]):
        cells[labels[i], 2 * column[i] + x_column[i]] += weights[i]
    excess, log_big = 0.0, 0.0
    n_live = 0
    for z in range(n_labels):
        a0, a1, b0, b1 = cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3]
        if a0 + a1 + b0 + b1 >= 2:
            n_live += 1
            excess, log_big = times(excess, log_big, odds, a0, a1, b0, b1, logs, smalls)
    return log_big + math.log1p(excess), n_live


@njit(cache=True, nogil=True)
def many_costs(data, labels, n_labels, wanted, odds, tables, out):
    """-log Pr(I) over the live slices for each candidate wanted; returns how many are live."""
    columns, keys, x_column, weights, is_weighted = data
    sizes = np.empty((n_labels, 2), np.int64)
    n_live = live_slices(labels, n_labels, x_column, weights, sizes)
    if is_weighted:
        added_costs(columns, labels, x_column, weights, sizes, n_live, wanted, odds, tables, out)
    else:
        words = np.empty((out.shape[0], (keys.shape[0] + WORD - 1) // WORD), np.uint64)
        sort_columns(keys, labels, x_column, n_live, sizes, words)
        packed_costs(words, sizes, n_live, wanted, odds, tables, out)
    return n_live


@njit(cache=True, nogil=True)
def row_costs(data, prior, given, wanted, out):
    """-log Pr(I(X, Y | Z)) of every candidate Y wanted, none of them in the set Z.

    prior: IN, (log odds and odds of a slice by the size of Z, -log p, the tables of
    `two_by_two`). out: OUT, the entries of those wanted.
    """
    columns, keys, x_column, weights, _ = data
    slice_odds, minus_log_p, tables = prior
    labels = np.empty(keys.shape[0], np.int32)
    n_labels = label_rows(columns, keys, given, labels)
    size = popcount(given)
    odds = (slice_odds[size, 0], slice_odds[size, 1])
    if popcount(wanted) == 1:
        k = next_place(wanted) - 1
        out[k], n_live = single_cost(columns[k], labels, n_labels, x_column, weights, odds, tables)
    else:
        n_live = many_costs(data, labels, n_labels, wanted, odds, tables, out)
    n_slices = 2.0**size
    rest = minus_log_p * ((n_slices - n_live) / n_slices)
    for k in range(out.shape[0]):
        if (wanted >> np.uint64(k)) & ONE:
            out[k] += rest
