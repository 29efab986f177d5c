"""One binary variable X against all candidates given a set, for any number of sets.

Sets are words: bit k stands for the k-th candidate. Rows are sorted by slice and X; the
candidates' bits are then turned from rows into columns, 64 x 64 at a time, and a count is
the number of bits in a range of a column. Sets without large slices are left to `run_slices`, which gives
bounds as well.

`data` is (states, order, keys, x_column, packed): the states of each variable and row, the variable behind
each candidate, the candidates' states as a word for each row, the states of X, and the candidates' states as
bytes. `prior` is as in `run_slices`.
"""

import numpy as np

from ibmap.kernels.compiling import kernel
from ibmap.kernels.run_slices import LARGEST, sliced_costs
from ibmap.kernels.slices import hash_keys, n_bits, transpose
from ibmap.kernels.two_by_two import MINUS_LOG_P, share

ONE = np.uint64(1)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
WORD = 64


@kernel
def next_place(members):
    """Give the place after the last member."""
    k = 0
    while members != 0:
        members >>= ONE
        k += 1
    return k


@kernel
def label_rows(states, order, keys, given, labels):
    """Number the slices of a set. labels: OUT, slice of each row. Returns how many there can be."""
    size = n_bits(given)
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


@kernel
def live_slices(labels, n_labels, x_column, sizes):
    """Renumber the slices with two data points or more, the others -1; labels: IN and OUT.

    sizes: OUT, (slices, 2) data points by state of X. Returns how many are live, and the largest
    number of data points.
    """
    counts = np.zeros((n_labels, 2), np.int64)
    for i in range(labels.shape[0]):
        counts[labels[i], x_column[i]] += 1
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


@kernel
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


@kernel
def count_range(column, first, last):
    """Count the bits of a column from one place up to another."""
    if first >= last:
        return 0
    low, high = first // WORD, (last - 1) // WORD
    head = FULL << np.uint64(first % WORD)
    tail = FULL >> np.uint64(WORD - 1 - (last - 1) % WORD)
    if low == high:
        return n_bits(column[low] & head & tail)
    total = n_bits(column[low] & head) + n_bits(column[high] & tail)
    for w in range(low + 1, high):
        total += n_bits(column[w])
    return total


@kernel
def packed_costs(words, sizes, n_live, wanted, table, logs, out):
    """-log Pr(I) for each candidate wanted, from sorted columns."""
    for k in range(out.shape[0]):
        if not (wanted >> np.uint64(k)) & ONE:
            continue
        out[k], first = table[MINUS_LOG_P], 0
        for z in range(n_live):
            middle = first + sizes[z, 0]
            last = middle + sizes[z, 1]
            b0, b1 = count_range(words[k], first, middle), count_range(words[k], middle, last)
            a0, a1 = sizes[z, 0] - b0, sizes[z, 1] - b1
            out[k] += share(np.uint64(a0), np.uint64(a1), np.uint64(b0), np.uint64(b1), table, logs)
            first = last


@kernel
def single_cost(column, labels, n_labels, x_column, table, logs):
    """-log Pr(I) for one candidate."""
    cells = np.zeros((n_labels, 4), np.uint64)
    for i in range(labels.shape[0]):
        cells[labels[i], 2 * column[i] + x_column[i]] += ONE
    total = table[MINUS_LOG_P]
    for z in range(n_labels):
        total += share(cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3], table, logs)
    return total


@kernel
def row_costs(data, prior, given, wanted, costs, lows):
    """-log Pr(I(X, Y | Z)) of every candidate Y wanted, none of them in the set Z.

    costs: OUT, the entries of those wanted. lows: OUT, what either answer costs at least, given Z or
    any larger set; 0 unless `run_slices` works it out.
    """
    states, order, keys, x_column, packed = data
    size, logs = n_bits(given), prior[1]
    table, labels = prior[0][size], np.empty(keys.shape[0], np.int32)
    n_labels = label_rows(states, order, keys, given, labels)
    lows[:] = 0.0
    if n_bits(wanted) == 1:
        k = next_place(wanted) - 1
        costs[k] = single_cost(states[order[k]], labels, n_labels, x_column, table, logs)
        return
    sizes = np.empty((n_labels, 2), np.int64)
    n_live, largest = live_slices(labels, n_labels, x_column, sizes)
    if largest <= LARGEST:
        sliced_costs(labels, x_column, packed, sizes, n_live, size, prior, wanted, costs, lows)
    else:
        words = np.empty((costs.shape[0], (keys.shape[0] + WORD - 1) // WORD), np.uint64)
        sort_columns(keys, labels, x_column, n_live, sizes, words)
        packed_costs(words, sizes, n_live, wanted, table, logs, costs)
