"""Slices of at most 64 data points: all tests of X against Y given B + W, multiplied out.

As in `ibmap.kernels.binary_pairs`, one pair of variables serves two tests, but exp(R) and exp(q)
are products and entries of tables: no logarithm or exponential is left in the loop.
"""

import math

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import inlined, inner, kernel

WORD = 64
ONE = np.uint64(1)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
SIDE = 65  # there are 0 to 64 data points
SPILL = 1e140  # products are moved to a logarithm beyond this


@inlined
def part_term(low, high, odds, rows, totals):
    """Give what does not depend on Y in a part of a slice: 0 where it has no two data points."""
    if low + high < 2:
        return 0.0
    return odds * rows[low] * rows[high] * totals[low + high]


@inner
def part_slice(words, size, odds, rows, totals, ones, terms):
    """Say for each variable how a slice is parted by it.

    words: IN, the slice's bits of each variable. size: IN, its data points by X. ones: OUT, data
    points with state 1 by X. terms: OUT, of the parts where it is 0, and where it is 1.
    """
    mask = low_bits(size[0])
    for v in range(words.shape[0]):
        b0 = popcount(words[v] & mask)
        b1 = popcount(words[v]) - b0
        ones[v, 0], ones[v, 1] = b0, b1
        terms[v, 0] = part_term(size[0] - b0, size[1] - b1, odds, rows, totals)
        terms[v, 1] = part_term(b0, b1, odds, rows, totals)


@inlined
def low_bits(n_bits):
    """Mark the lowest bits of a word."""
    return FULL if n_bits == WORD else (ONE << np.uint64(n_bits)) - ONE


@inlined
def column(ratios, n_low, n_high):
    """Look up exp(q) of a column."""
    return ratios[np.uint32(n_low * SIDE + n_high)]


@inner
def multiply_pairs(words, size, ones, terms, ratios, products, sums):
    """Multiply 1 + e of one slice into the tests of all pairs.

    products, sums: IN and OUT, for each variable given; large products are moved to the sums of logs.
    """
    n, mask = words.shape[0], low_bits(size[0])
    for v in range(n):
        word, zero_v, one_v, product, log_sum = words[v], terms[v, 0], terms[v, 1], products[v], 0.0
        for u in range(v + 1, n):
            shared = word & words[u]
            both0 = popcount(shared & mask)
            both1 = popcount(shared) - both0
            v0, v1 = ones[v, 0] - both0, ones[v, 1] - both1
            u0, u1 = ones[u, 0] - both0, ones[u, 1] - both1
            r11, r10, r01 = column(ratios, both0, both1), column(ratios, v0, v1), column(ratios, u0, u1)
            r00 = column(ratios, size[0] - v0 - u0 - both0, size[1] - v1 - u1 - both1)
            product *= (1.0 + zero_v * r01 * r00) * (1.0 + one_v * r11 * r10)
            products[u] *= (1.0 + terms[u, 0] * r10 * r00) * (1.0 + terms[u, 1] * r11 * r01)
            if product > SPILL:
                log_sum += math.log(product)
                product = 1.0
            if products[u] > SPILL:
                sums[u] += math.log(products[u])
                products[u] = 1.0
        products[v] = product
        sums[v] += log_sum


@inner
def count_parts(terms, n_parts):
    """Count the parts of a slice with two data points for each variable. n_parts: IN and OUT."""
    for v in range(terms.shape[0]):
        n_parts[v] += int(terms[v, 0] > 0.0) + int(terms[v, 1] > 0.0)


@kernel
def product_sums(words, sizes, odds, unseen, smalls, sums):
    """Add what slices add to the tests of X against Y given B + W, summed over Y, for every W.

    words: IN, the first have one slice each, (words, variables). sizes: IN, of these slices, by X. odds,
    unseen: IN, prior odds of dependence in a slice, and what an unseen slice adds, which is taken
    off. smalls: IN, factors of Bayes factors: of columns, of rows, of slices. sums: IN and OUT, one
    entry for each variable outside the blanket.
    """
    ratios, rows, totals = smalls
    n = words.shape[1]
    ones, terms, products = np.empty((n, 2), np.int64), np.empty((n, 2)), np.ones(n)
    n_parts = np.zeros(n, np.int64)
    for s in range(sizes.shape[0]):
        part_slice(words[s], sizes[s], odds, rows, totals, ones, terms)
        count_parts(terms, n_parts)
        multiply_pairs(words[s], sizes[s], ones, terms, ratios, products, sums)
    for v in range(n):
        sums[v] += math.log(products[v]) - (n - 1) * unseen * n_parts[v]
