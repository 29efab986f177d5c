"""Small slices: all tests of X against Y given B + W, each looked up by its counts.

One pair of variables serves two tests, Y given B + W and W given B + Y, each in the two parts of the
slice. What a part adds is tabulated by its counts; see `ibmap.slice_logs`.
"""

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import inlined, inner, kernel

ONE = np.uint64(1)


@inlined
def low_bits(n_bits):
    """Mark the lowest bits of a word, fewer than 64."""
    return (ONE << np.uint64(n_bits)) - ONE


@inner
def describe(words, low, high, starts, ones, given_one, given_zero):
    """Say for each variable how a slice is parted by it.

    words: IN, the slice's bits of each variable. low, high: IN, data points of the slice by X.
    starts: IN, as for `lookup_sums`. ones: OUT, data points with state 1 by X. given_one,
    given_zero: OUT, (start, step) of the part's entries in the table.
    """
    mask = low_bits(low)
    for v in range(words.shape[0]):
        b0 = popcount(words[v] & mask)
        b1 = popcount(words[v]) - b0
        ones[v, 0], ones[v, 1] = b0, b1
        given_one[v, 0], given_one[v, 1] = starts[b0, b1], b0 + 1
        given_zero[v, 0], given_zero[v, 1] = starts[low - b0, high - b1], low - b0 + 1


@inlined
def entry(table, part, n_low, n_high):
    """Look up what a part of a slice adds, by how many of its data points have Y = 1."""
    return table[np.uint64(part[0] + n_low + n_high * part[1])]


@inner
def add_pairs(words, mask, ones, given_one, given_zero, table, sums):
    """Add what one slice adds to the tests of all pairs. sums: IN and OUT."""
    n = words.shape[0]
    for v in range(n):
        total, word, one_v, zero_v = 0.0, words[v], given_one[v], given_zero[v]
        v0, v1 = ones[v, 0], ones[v, 1]
        for u in range(v + 1, n):
            shared = word & words[u]
            both0 = popcount(shared & mask)
            both1 = popcount(shared) - both0
            total += entry(table, one_v, both0, both1)
            total += entry(table, zero_v, ones[u, 0] - both0, ones[u, 1] - both1)
            sums[u] += entry(table, given_one[u], both0, both1) + entry(
                table, given_zero[u], v0 - both0, v1 - both1
            )
        sums[v] += total


@kernel
def lookup_sums(words, first_word, sizes, table, starts, sums):
    """Add what small slices add to the tests of X against Y given B + W, summed over Y, for every W.

    words: IN, those from `first_word` on have one slice each, (words, variables). sizes: IN, of these
    slices, by X. table, starts: IN, what a slice adds by its counts, and where a shape's
    entries start. sums: IN and OUT, one entry for each variable outside the blanket.
    """
    n = words.shape[1]
    ones, given_one = np.empty((n, 2), np.int64), np.empty((n, 2), np.int64)
    given_zero = np.empty((n, 2), np.int64)
    for s in range(sizes.shape[0]):
        word = words[first_word + s]
        low, high = sizes[s]
        describe(word, low, high, starts, ones, given_one, given_zero)
        add_pairs(word, low_bits(low), ones, given_one, given_zero, table, sums)
