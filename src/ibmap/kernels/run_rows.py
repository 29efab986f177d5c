"""One binary variable X against all candidates given a set, for any number of sets.

Sets are words: bit k stands for the k-th candidate. Rows are sorted by slice and X; the
candidates' bits are then turned from rows into columns, 64 x 64 at a time, and a count is
the number of bits in a range of a column. Rows with weights are added up instead. Sets without
large slices are left to `run_slices`, which gives bounds as well.

`data` is (states, order, keys, x_column, weights, is_weighted, packed): the states of each
variable and row, the variable behind each candidate, the candidates' states as a word for each
row, the states of X, the rows' weights, and the candidates' states times weights as bytes. `prior` is as in
`run_slices`.
"""

import math

import numpy as np
from numba import njit

from ibmap.kernels.binary_packing import transpose
from ibmap.kernels.bits import popcount
from ibmap.kernels.counting import hash_keys
from ibmap.kernels.run_slices import LARGEST, sliced_costs
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
def label_rows(states, order, keys, given, labels):
    """Number the slices of a set. labels: OUT, slice of each row. Returns how many there can be."""
    size = popcount(given)
    n_rows = keys.shape[0]
    labels[:] = 0
    if size < 40 and (1 << size) <= 4 * n_rows + WORD:
        for k in range(order.shape[0]):
            if (given >> np.uint64(k)) & ONE:
                column = states[order[k]]
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

    sizes: OUT, (slices, 2) data points by state of X. Returns how many are live, and the largest
    number of data points.
    """
    counts = np.zeros((n_labels, 2), np.int64)
    for i in range(labels.shape[0]):
        counts[labels[i], x_column[i]] += weights[i]
    rank = np.empty(n_labels, np.int32)
    n_live, largest = 0, np.int64(0)
    for z in range(n_labels):
        total = counts[z, 0] + counts[z, 1]
        if total >= 2:
            largest = max(largest, total)
            sizes[n_live] = counts[z]
            rank[z] = n_live
            n_live += 1
        else:
            rank[z] = -1
    for i in range(labels.shape[0]):
        labels[i] = rank[labels[i]]
    return n_live, largest


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
    scratch = np.empty(WORD, np.uint64)
    for w in range(n_words):
        block = in_order[w * WORD : (w + 1) * WORD]
        transpose(block, scratch)
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
def added_costs(states, order, labels, x_column, weights, sizes, n_live, wanted, odds, tables, out):
    """-log Pr(I) over the live slices for each candidate wanted, by adding up weights."""
    logs, smalls = tables
    ones = np.empty((n_live + 1, 2), np.int64)
    for k in range(out.shape[0]):
        if not (wanted >> np.uint64(k)) & ONE:
            continue
        ones[:] = 0
        column = states[order[k]]
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
def many_costs(data, prior, labels, n_labels, size, wanted, costs, lows):
    """-log Pr(I) over the live slices for each candidate wanted; returns how many are live."""
    states, order, keys, x_column, weights, is_weighted, packed = data
    odds, tables = (prior[0][size, 0], prior[0][size, 1]), prior[2]
    sizes = np.empty((n_labels, 2), np.int64)
    n_live, largest = live_slices(labels, n_labels, x_column, weights, sizes)
    if largest <= LARGEST:
        sliced_costs(labels, x_column, packed, sizes, n_live, size, prior, wanted, costs, lows)
    elif is_weighted:
        added_costs(states, order, labels, x_column, weights, sizes, n_live, wanted, odds, tables, costs)
    else:
        words = np.empty((costs.shape[0], (keys.shape[0] + WORD - 1) // WORD), np.uint64)
        sort_columns(keys, labels, x_column, n_live, sizes, words)
        packed_costs(words, sizes, n_live, wanted, odds, tables, costs)
    return n_live


@njit(cache=True, nogil=True)
def row_costs(data, prior, given, wanted, costs, lows):
    """-log Pr(I(X, Y | Z)) of every candidate Y wanted, none of them in the set Z.

    costs: OUT, the entries of those wanted. lows: OUT, what either answer costs at least, given Z or
    any larger set; 0 unless `run_slices` works it out.
    """
    states, order, keys, x_column, weights, _, _ = data
    slice_odds, minus_log_p, tables, _ = prior
    labels = np.empty(keys.shape[0], np.int32)
    n_labels = label_rows(states, order, keys, given, labels)
    size = popcount(given)
    lows[:] = 0.0
    if popcount(wanted) == 1:
        k = next_place(wanted) - 1
        odds = (slice_odds[size, 0], slice_odds[size, 1])
        costs[k], n_live = single_cost(states[order[k]], labels, n_labels, x_column, weights, odds, tables)
    else:
        n_live = many_costs(data, prior, labels, n_labels, size, wanted, costs, lows)
    n_slices = 2.0**size
    rest = minus_log_p * ((n_slices - n_live) / n_slices)
    for k in range(costs.shape[0]):
        if (wanted >> np.uint64(k)) & ONE:
            costs[k] += rest
