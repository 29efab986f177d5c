"""Tests of a member without it and another, over a grid of all slices a blanket can have.

For blankets many of whose slices occur. A cell of the grid has the word of a slice, as in `shares`.
"""

import numpy as np

from ibmap.kernels.compiling import bare, inlined, kernel
from ibmap.kernels.shares import OVER, index_of, large_share, slice_words
from ibmap.kernels.two_by_two import log_dependent

ONE = np.uint64(1)


@inlined
def spread(group, low, middle):
    """Make room in a number for two bits, above `low` and above `middle`."""
    return (group & low) | (group & middle) << ONE | (group & ~(low | middle)) << np.uint64(2)


@bare
def small_groups(i, j, grid, table, large):
    """Sum the shares of X against members i and j < i without both, as far as the table knows them.

    large: OUT, first cells of groups of four slices with a count over 15. Returns both sums and
    how many such groups there are.
    """
    low = (ONE << np.uint64(j)) - ONE
    middle = ((ONE << np.uint64(i - 1)) - ONE) ^ low
    bit_i, bit_j = ONE << np.uint64(i), ONE << np.uint64(j)
    of_i, of_j, n_large = 0.0, 0.0, 0
    for group in range(grid.shape[0] >> 2):
        z = spread(np.uint64(group), low, middle)
        neither, with_i, with_j, both = grid[z], grid[z | bit_i], grid[z | bit_j], grid[z | bit_i | bit_j]
        if (neither + with_i + with_j + both) & OVER:
            large[n_large] = z
            n_large += 1
            continue
        of_i += table[index_of(neither + with_j, with_i + both)]
        of_j += table[index_of(neither + with_i, with_j + both)]
    return of_i, of_j, n_large


@bare
def large_groups(i, j, grid, large, prior, logs, smalls):
    """Do the same for the groups that are left."""
    bit_i, bit_j = ONE << np.uint64(i), ONE << np.uint64(j)
    of_i, of_j = 0.0, 0.0
    for z in large:
        neither, with_i, with_j, both = grid[z], grid[z | bit_i], grid[z | bit_j], grid[z | bit_i | bit_j]
        of_i += large_share(neither + with_j, with_i + both, prior, logs, smalls)
        of_j += large_share(neither + with_i, with_j + both, prior, logs, smalls)
    return of_i, of_j


@kernel
def grid_terms(keys, sizes, prior, table, logs, smalls, drops):
    """Add log Pr(not I(X, b | B - b - b')) to the term without b', for all b, b'. drops: IN and OUT."""
    grid, words = np.zeros(1 << drops.shape[0], np.uint64), slice_words(sizes)
    for z in range(keys.shape[0]):
        grid[keys[z]] = words[z]
    large = np.empty(grid.shape[0] >> 2, np.uint64)
    for i in range(drops.shape[0]):
        for j in range(i):
            of_i, of_j, n_large = small_groups(i, j, grid, table, large)
            more_i, more_j = large_groups(i, j, grid, large[:n_large], prior, logs, smalls)
            drops[j] += log_dependent(of_i + more_i + prior[3])
            drops[i] += log_dependent(of_j + more_j + prior[3])
