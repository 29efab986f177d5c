"""Slices of at most 64 data points: all tests of X against Y given B + W, multiplied out.

As in `ibmap.kernels.binary_pairs`, one pair of variables serves two tests, but exp(R) and exp(q)
are products and entries of tables: no logarithm or exponential is left in the loop. Counts
(for X = 0, for X = 1) are held as their place in the table of exp(q), so that sums and differences of
places are those of counts.
"""

import math

import numpy as np

from ibmap.kernels.bits import ONE, popcount
from ibmap.kernels.compiling import bare, inlined, kernel

WORD = 64
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
SIDE = 65  # there are 0 to 64 data points
SPILL = 1e140  # products are moved to a logarithm beyond this


@inlined
def low_bits(n_bits):
    """Mark the lowest bits of a word."""
    return FULL if n_bits == WORD else (ONE << np.uint64(n_bits)) - ONE


@inlined
def place_of(word, mask):
    """Count the bits of a word in the mask and outside it, as a place in the table of exp(q)."""
    return np.uint64(popcount(word)) + np.uint64(SIDE - 1) * np.uint64(popcount(word & mask))


@inlined
def part_term(low, high, odds, rows, totals):
    """Give exp(R) of a part of a slice: 0 where it has no two data points."""
    if low + high < 2:
        return 0.0
    return odds * rows[low] * rows[high] * totals[low + high]


@bare
def part_slice(words, size, odds, rows, totals, places, terms):
    """Say for each variable how a slice is parted by it; terms: OUT, where it is 0 and where it is 1.

    words: IN, the slice's bits of each variable. size: IN, its data points by X. places: OUT, of
    the counts of the ones.
    """
    mask = low_bits(size[0])
    for v in range(words.shape[0]):
        b0 = popcount(words[v] & mask)
        b1 = popcount(words[v]) - b0
        places[v] = place_of(words[v], mask)
        terms[0, v] = part_term(size[0] - b0, size[1] - b1, odds, rows, totals)
        terms[1, v] = part_term(b0, b1, odds, rows, totals)


@inlined
def multiply_one(word, place, zero, one, rest, mask, product, ratios, others):
    """Multiply 1 + e of one slice into the tests of one variable and all later ones.

    word, place, zero, one: IN, of this variable. rest: IN, place of its zeros. others: (words,
    places, terms given 0, given 1: IN; products, sums: IN and OUT) of the later ones. Returns
    the variable's product and the log of what was taken out of it.
    """
    words, places, zeros, ones, products, sums = others
    log_sum = 0.0
    for u in range(words.shape[0]):
        both = place_of(word & words[u], mask)
        r11, r10, r01 = ratios[both], ratios[place - both], ratios[places[u] - both]
        r00 = ratios[rest - places[u] + both]
        product *= (1.0 + zero * (r01 * r00)) * (1.0 + one * (r11 * r10))
        other = products[u] * ((1.0 + zeros[u] * (r10 * r00)) * (1.0 + ones[u] * (r11 * r01)))
        if product > SPILL:
            log_sum += math.log(product)
            product = 1.0
        if other > SPILL:
            sums[u] += math.log(other)
            other = 1.0
        products[u] = other
    return product, log_sum


@bare
def multiply_pairs(words, size, places, terms, ratios, products, sums):
    """Multiply 1 + e of one slice into the tests of all pairs.

    products, sums: IN and OUT, for each variable given; large products are moved to the sums of logs.
    """
    mask, whole = low_bits(size[0]), np.uint64(size[0] * SIDE + size[1])
    zeros, ones = terms[0], terms[1]
    for v in range(words.shape[0]):
        after = v + 1
        others = (words[after:], places[after:], zeros[after:], ones[after:], products[after:], sums[after:])
        products[v], log_sum = multiply_one(
            words[v], places[v], zeros[v], ones[v], whole - places[v], mask, products[v], ratios, others
        )
        sums[v] += log_sum


@bare
def count_parts(terms, n_parts):
    """Count the parts of a slice with two data points for each variable. n_parts: IN and OUT."""
    for v in range(n_parts.shape[0]):
        n_parts[v] += int(terms[0, v] > 0.0) + int(terms[1, v] > 0.0)


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
    places, terms, products = np.empty(n, np.uint64), np.empty((2, n)), np.empty(n)
    n_parts = np.empty(n, np.int64)
    for v in range(n):
        products[v], n_parts[v] = 1.0, 0
    for s in range(sizes.shape[0]):
        part_slice(words[s], sizes[s], odds, rows, totals, places, terms)
        count_parts(terms, n_parts)
        multiply_pairs(words[s], sizes[s], places, terms, ratios, products, sums)
    for v in range(n):
        sums[v] += math.log(products[v]) - (n - 1) * unseen * n_parts[v]
