"""The share of a slice in -log Pr(I): what it adds beyond a slice without data.

    -log Pr(I(X, Y | Z)) = -log p + sum over slices of (log(1 + e) - (-log p) / K),

and the bracket, the slice's share, is 0 with fewer than two data points. So only slices
that occur are summed, and none is counted. Most slices of a large blanket have few data points:
the shares of all slices with at most 15 in each cell are tabulated, for one number of slices K. The
index of a table has four bits for each cell, in the order of `two_by_two`, the first lowest.

A slice is written as a word, its data points with X = 0 and with X = 1 in the halves, so that
adding words merges slices. A test of X against Y in a slice takes two words, of Y = 0 and of Y = 1.
"""

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.two_by_two import log_factor

MOST = 15  # data points of a cell that a table knows
BITS = 4  # of a table's index for each cell
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
OVER = np.uint64(0xFFFFFFF0FFFFFFF0)  # bits of a word with a count over 15
PACK = np.uint64(32 - BITS)
BYTE = np.uint64(0xFF)


@inner
def slice_words(sizes):
    """Write the slices as words. sizes: IN, data points by slice and X."""
    words = np.empty(sizes.shape[0], np.uint64)
    for z in range(sizes.shape[0]):
        words[z] = np.uint64(sizes[z, 0]) | np.uint64(sizes[z, 1]) << HALF
    return words


@inlined
def index_of(a, b):
    """Give the place in a table of X against Y, from the words of Y = 0 and of Y = 1."""
    return ((a | a >> PACK) & BYTE) | ((b | b >> PACK) & BYTE) << np.uint64(2 * BITS)


@inlined
def large_share(a, b, prior, logs, smalls):
    """Give a share without a table, from the words of Y = 0 and of Y = 1."""
    a0, a1, b0, b1 = np.int64(a & LOW), np.int64(a >> HALF), np.int64(b & LOW), np.int64(b >> HALF)
    if a0 + a1 + b0 + b1 < 2:
        return 0.0
    return log_factor(prior, a0, a1, b0, b1, logs, smalls) - prior[2]
