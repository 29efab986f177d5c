"""Tests of a member without it and another, over a grid of all slices a blanket can have.

For blankets many of whose slices occur. A cell of the grid has the word and the code of a slice, as in
`shares`.
"""

import math

import numpy as np

from ibmap.kernels.compiling import bare, inlined, kernel
from ibmap.kernels.shares import (
    BYTE,
    MANY,
    NOTHING,
    TWO_BYTES,
    column_factor,
    fill_codes,
    huge_factor,
    row_factor,
    slice_words,
    spill,
)
from ibmap.kernels.two_by_two import log_dependent

ONE = np.uint64(1)


@inlined
def spread(number, bit):
    """Make room in a number for a bit."""
    return number + (number & ~(bit - ONE))


@bare
def fill_pairs(codes, pairs):
    """Put the codes of slices that differ in a member together. pairs: OUT, by member, and cell without it.

    The lower half has the first byte of either, the upper one the counts of both. The sum of two pairs is an
    index of a table of X against the member, if it has no count over 15.
    """
    half = np.uint32(16)
    for i in range(pairs.shape[0]):
        bit = ONE << np.uint64(i)
        for k in range(pairs.shape[1]):
            z = spread(np.uint64(k), bit)
            zero, one = codes[z], codes[z | bit]
            counts = (zero >> half) + (one >> half)
            pairs[i, k] = (zero & BYTE) | (one & BYTE) << np.uint32(8) | counts << half


@bare
def small_groups(of_i, of_j, bit_i, bit_j, table, larger):
    """Sum the shares of X against members i and j < i without both, as far as the table knows them.

    of_i, of_j: IN, from `fill_pairs`. bit_i, bit_j: IN, of i in a cell without j, and the other way round.
    larger: OUT, cells without i of groups of four slices with a count over 15. Which it is cannot be
    foreseen: there is no branch, but an index of slices without data, which have no share. Returns both
    sums and how many such groups there are.
    """
    sum_i, sum_j, n_larger = 0.0, 0.0, np.uint64(0)
    for group in range(of_i.shape[0] >> 1):
        k, m = spread(np.uint64(group), bit_j), spread(np.uint64(group), bit_i)
        both_i, both_j = of_i[k] + of_i[k | bit_j], of_j[m] + of_j[m | bit_i]
        is_larger = both_i & MANY != 0
        larger[n_larger] = k
        n_larger += np.uint64(is_larger)
        sum_i += table[NOTHING if is_larger else both_i & TWO_BYTES]
        sum_j += table[NOTHING if is_larger else both_j & TWO_BYTES]
    return sum_i, sum_j, n_larger


@bare
def larger_groups(i, j, grid, larger, prior, logs, scaled):
    """Sum the shares of X against members i and j < i without both over larger groups.

    grid: IN, words by cell. larger: IN, from `small_groups`.
    """
    bit_i, bit_j = ONE << np.uint64(i), ONE << np.uint64(j)
    of_i, of_j, log_i, log_j = 1.0, 1.0, 0.0, 0.0
    for k in larger:
        z = spread(k, bit_i)
        neither, with_i, with_j, both = grid[z], grid[z | bit_i], grid[z | bit_j], grid[z | bit_i | bit_j]
        rows = row_factor(neither + with_i + with_j + both, prior, scaled)
        if rows > 0.0:
            of_i *= 1.0 + rows * column_factor(neither + with_j, scaled) * column_factor(
                with_i + both, scaled
            )
            of_j *= 1.0 + rows * column_factor(neither + with_i, scaled) * column_factor(
                with_j + both, scaled
            )
        else:
            factor, log_rest = huge_factor(neither + with_j, with_i + both, prior, logs)
            of_i, log_i = of_i * factor, log_i + log_rest
            factor, log_rest = huge_factor(neither + with_i, with_j + both, prior, logs)
            of_j, log_j = of_j * factor, log_j + log_rest
        of_i, log_i = spill(of_i, log_i)
        of_j, log_j = spill(of_j, log_j)
    unseen = larger.shape[0] * prior[2]
    return math.log(of_i) + log_i - unseen, math.log(of_j) + log_j - unseen


@kernel
def grid_terms(keys, sizes, prior, table, logs, scaled, drops):
    """Add log Pr(not I(X, b | B - b - b')) to the term without b', for all b, b'. drops: IN and OUT."""
    d, words = drops.shape[0], slice_words(sizes)
    grid, codes = np.zeros(1 << d, np.uint64), np.empty(1 << d, np.uint32)
    for z in range(keys.shape[0]):
        grid[keys[z]] = words[z]
    fill_codes(grid, codes)
    pairs, larger = np.empty((d, 1 << (d - 1)), np.uint32), np.empty(1 << d, np.uint64)
    fill_pairs(codes, pairs)
    for i in range(d):
        for j in range(i):
            bit_i, bit_j = ONE << np.uint64(i - 1), ONE << np.uint64(j)
            of_i, of_j, n_larger = small_groups(pairs[i], pairs[j], bit_i, bit_j, table, larger)
            more_i, more_j = larger_groups(i, j, grid, larger[:n_larger], prior, logs, scaled)
            drops[j] += log_dependent(of_i + more_i + prior[3])
            drops[i] += log_dependent(of_j + more_j + prior[3])
