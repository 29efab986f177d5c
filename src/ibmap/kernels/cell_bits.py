"""Count states by cell: the rows of each cell packed into words, one bit column for each state.

Every variable has a column for each of its states but the first. A row of weight w
stands in one word for each binary digit of w; a word's bits all count for the same
power of two.
"""

import numpy as np

from ibmap.kernels.bits import ONE, popcount
from ibmap.kernels.compiling import kernel


@kernel
def lay_out(labels, n_cells, weights, rows, words, shifts, word_cells, word_values):
    """Give every row its place: cells one after another, their weights digit by digit.

    labels, weights: IN, of each row. rows, words, shifts: OUT, an entry for each digit of a row.
    word_cells, word_values: OUT, cell of a word and what its bits count for. Returns how many
    entries and words there are.
    """
    starts = np.zeros(n_cells + 1, np.int64)
    for label in labels:
        starts[label + 1] += 1
    for c in range(n_cells):
        starts[c + 1] += starts[c]
    order = np.empty(labels.shape[0], np.int64)
    filled = starts[:-1].copy()
    for i in range(labels.shape[0]):
        order[filled[labels[i]]] = i
        filled[labels[i]] += 1
    n_entries, n_words = 0, 0
    for c in range(n_cells):
        digit, left = 0, True
        while left:
            left = False
            used = 64
            for k in range(starts[c], starts[c + 1]):
                weight = weights[order[k]] >> digit
                left |= weight > 1
                if weight & 1:
                    if used == 64:
                        word_cells[n_words] = c
                        word_values[n_words] = 2.0**digit
                        n_words += 1
                        used = 0
                    rows[n_entries] = order[k]
                    words[n_entries] = n_words - 1
                    shifts[n_entries] = used
                    used += 1
                    n_entries += 1
            digit += 1
    return n_entries, n_words


@kernel
def pack(codes, starts, rows, words, shifts, bits):
    """Set the bit of every entry's state.

    codes: IN, a variable a row. starts: IN, first column of each variable. rows, words, shifts:
    IN, of each entry, words ascending. bits: OUT, a row a word, zero before.
    """
    for v in range(codes.shape[0]):
        column, first = codes[v], starts[v]
        if starts[v + 1] - first == 1:
            pack_binary(column, first, rows, words, shifts, bits)
            continue
        for e in range(rows.shape[0]):
            state = column[rows[e]]
            if state > 0:
                bits[words[e], first + state - 1] |= ONE << np.uint64(shifts[e])


@kernel
def pack_binary(column, j, rows, words, shifts, bits):
    """Set the bits of one binary variable, a word at a time."""
    word, at = np.uint64(0), 0
    for e in range(rows.shape[0]):
        if words[e] != at:
            bits[at, j] = word
            word, at = np.uint64(0), words[e]
        word |= np.uint64(column[rows[e]]) << np.uint64(shifts[e])
    if rows.shape[0] > 0:
        bits[at, j] = word


@kernel
def count_columns(bits, word_cells, word_values, counts):
    """Count the data points of each cell in each column.

    bits, word_cells, word_values: IN. counts: OUT, cells by columns, zero before.
    """
    for w in range(bits.shape[0]):
        cell, value = word_cells[w], word_values[w]
        for j in range(bits.shape[1]):
            counts[cell, j] += value * popcount(bits[w, j])


@kernel
def count_with(bits, word_cells, word_values, column, counts):
    """Count the data points of each cell in one column and each column at once.

    bits, word_cells, word_values: IN. counts: OUT, cells by columns, zero before.
    """
    for w in range(bits.shape[0]):
        mask = bits[w, column]
        if mask != 0:
            cell, value = word_cells[w], word_values[w]
            for j in range(bits.shape[1]):
                counts[cell, j] += value * popcount(mask & bits[w, j])
