"""Slices of two data points: all tests of pairs outside the blanket, 64 slices at once.

Given B + W such a slice matters only if W is the same in both, and then it has four
outcomes: whether X is the same, and whether Y is. A word has a bit for each slice
where a variable is the same, so the outcomes are numbers of common bits.
"""

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import inner, kernel

WORD = 64
ONE = np.uint64(1)


@inner
def pack_same(bits, first, sizes, same, same_x):
    """Mark the slices of two data points where a variable, or X, is the same.

    same, same_x: IN and OUT, words of each variable and of X, zero before; the rest as for
    `two_point_sums`.
    """
    for k in range(sizes.shape[0]):
        word, shift = k // WORD, np.uint64(k % WORD)
        same_x[word] |= np.uint64(sizes[k, 0] != 1) << shift
        for v in range(bits.shape[0]):
            points = bits[v, first + k]
            same[v, word] |= (ONE & ~(points ^ (points >> ONE))) << shift


@inner
def count_common(one, other, same_x):
    """Count the slices where two variables are the same: those where X is not, and where it is."""
    common, common_x = np.int64(0), np.int64(0)
    for w in range(same_x.shape[0]):
        both = one[w] & other[w]
        common += popcount(both)
        common_x += popcount(both & same_x[w])
    return common - common_x, common_x


@kernel
def two_point_sums(bits, first, sizes, outcomes, sums):
    """Add log(1 + e) of X against Y given B + W over all slices and Y, for every W.

    bits: IN, the words of small slices; those from `first` on have two data points. sizes: IN,
    of the latter, by X. outcomes: IN, log(1 + e) by whether X is the same (row) and whether Y is
    (column). sums: IN and OUT, one entry for each variable outside the blanket. Returns for
    each W how many slices matter.
    """
    n, n_words = bits.shape[0], (sizes.shape[0] + WORD - 1) // WORD
    same, same_x = np.zeros((n, n_words), np.uint64), np.zeros(n_words, np.uint64)
    pack_same(bits, first, sizes, same, same_x)
    n_informative, alone = np.empty(n, np.int64), np.empty(n)
    for v in range(n):
        n_differ, n_same = count_common(same[v], same[v], same_x)
        n_informative[v] = n_differ + n_same
        alone[v] = n_differ * outcomes[0, 0] + n_same * outcomes[1, 0]
    for v in range(n):
        for u in range(v + 1, n):
            n_differ, n_same = count_common(same[v], same[u], same_x)
            value = n_differ * (outcomes[0, 1] - outcomes[0, 0]) + n_same * (outcomes[1, 1] - outcomes[1, 0])
            sums[v] += alone[v] + value
            sums[u] += alone[u] + value
    return n_informative
