"""The share of a slice in -log Pr(I): what it adds beyond a slice without data.

    -log Pr(I(X, Y | Z)) = -log p + sum over slices of (log(1 + e) - (-log p) / K),

and the bracket, the slice's share, is 0 with fewer than two data points. So only slices
that occur are summed, and none is counted. Most slices of a large blanket have few data points:
the shares of all slices with at most 15 in each cell are tabulated, for one number of slices K. The
index of a table has four bits for each cell, in the order of `two_by_two`, the first lowest.

A slice is written as a word, its data points with X = 0 and with X = 1 in the halves, so that
adding words merges slices. A test of X against Y in a slice takes two words, of Y = 0 and of Y = 1.
A code (`fill_codes`) is shorter, for slices that may be small together.

Shares of larger slices need no logarithm each: factors 1 + e are multiplied. Up to 900 data points e is
a product too, of scaled factors of rows and of columns; a *huge* slice takes an exponential.
"""

import math

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.exponential import fast_exp
from ibmap.kernels.two_by_two import BIG, log_factor, log_ratio

MOST = 15  # data points of a cell that a table knows
BITS = 4  # of a table's index for each cell
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
OVER = np.uint64(0xFFFFFFF0FFFFFFF0)  # bits of a word with a count over 15
PACK = np.uint64(32 - BITS)
NIBBLE = np.uint64(MOST)
CLIP = np.uint64(63)
MANY = np.uint32(0xF0F00000)  # bits of a sum of four codes with a count over 15
BYTE = np.uint32(0xFF)
TWO_BYTES = np.uint32(0xFFFF)
NOTHING = np.uint64(0)  # the word of a slice without data
SPILL = 1e20  # products are moved to a logarithm beyond this
LARGEST = np.uint64(900)  # data points up to which e is a product of scaled factors
MOST_ODDS = 1e6  # of dependence in a slice up to which they stay finite


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
    return ((a | a >> PACK) & np.uint64(BYTE)) | ((b | b >> PACK) & np.uint64(BYTE)) << np.uint64(2 * BITS)


@inlined
def share(prior, a0, a1, b0, b1, logs, smalls):
    """Give a share without a table, from counts of Y = 0 and of Y = 1, each for X = 0 and 1."""
    if a0 + a1 + b0 + b1 < 2:
        return 0.0
    return log_factor(prior, a0, a1, b0, b1, logs, smalls) - prior[2]


@inlined
def large_share(a, b, prior, logs, smalls):
    """Give a share without a table, from the words of Y = 0 and of Y = 1."""
    a0, a1, b0, b1 = np.int64(a & LOW), np.int64(a >> HALF), np.int64(b & LOW), np.int64(b >> HALF)
    return share(prior, a0, a1, b0, b1, logs, smalls)


@bare
def fill_codes(words, codes):
    """Write slices in four bytes, so that the sum of four tells whether they are small together. codes: OUT.

    The first byte has four bits for each state of X, as an index of a table has, of use if the slice is
    small. The last two have the counts, those beyond 63 as 63. The second is empty, but for two bits that
    sums of four spill into.
    """
    for z in range(words.shape[0]):
        low, high = words[z] & LOW, words[z] >> HALF
        counts = min(low, CLIP) << np.uint64(16) | min(high, CLIP) << np.uint64(24)
        codes[z] = counts | (low & NIBBLE) | (high & NIBBLE) << np.uint64(BITS)


@inlined
def is_huge(word):
    """Tell whether e of so many data points may not be a product of scaled factors."""
    return (word & LOW) + (word >> HALF) > LARGEST


@inlined
def column(c0, c1, cells, sides):
    """Give what the data points of one state of Y multiply e by, from counts of X = 0 and 1."""
    return cells[c0] * sides[c0 + c1] * cells[c1]  # in this order all products stay in range


@inlined
def column_factor(word, scaled):
    """Give the same from the word of one state of Y, not of a huge slice."""
    return column(np.uint32(word & LOW), np.uint32(word >> HALF), scaled[0], scaled[1])


@inlined
def row_factor(word, prior, scaled):
    """Give what all data points of a slice multiply e by; 0 for a huge one, or huge odds."""
    _, sides, totals = scaled
    if is_huge(word) or prior[1] > MOST_ODDS:
        return 0.0
    low, high = np.uint32(word & LOW), np.uint32(word >> HALF)
    return prior[1] * totals[low + high] * sides[low] * sides[high]


@inlined
def spill(product, log_product):
    """Move a product into its logarithm before it leaves the range of numbers."""
    if product > SPILL:
        return 1.0, log_product + math.log(product)
    return product, log_product


@inlined
def huge_factor(a, b, prior, logs):
    """Give 1 + e of any slice, from the words of Y = 0 and of Y = 1, as a factor and the log of another."""
    a0, a1, b0, b1 = np.int64(a & LOW), np.int64(a >> HALF), np.int64(b & LOW), np.int64(b >> HALF)
    t = prior[0] + log_ratio(a0, a1, b0, b1, logs)
    if t > BIG:
        return 1.0, t
    return 1.0 + fast_exp(t), 0.0
