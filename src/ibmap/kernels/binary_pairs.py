"""Large slices: every test of X against Y given B + W, for all pairs W, Y outside the blanket B.

The joint count of (W, Y) in a group of rows is the number of common bits of
two words; with the counts of W and of Y alone it gives all four cells. One
sweep over a pair serves two tests: Y given B + W, and W given B + Y. In a slice,

    log(e) = R(slice, w) + q(cells of y = 0) + q(cells of y = 1),
    q(a, b) = cell[a] + cell[b] - side[a + b]   for a data points with X = 0, b with X = 1,

where R has everything that does not depend on Y.
"""

import math

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import inlined, inner, kernel
from ibmap.kernels.exponential import fast_exp

BIG = 100.0  # adding 1 to exp(BIG) changes nothing, and products of it stay finite
SPILL = 1e140  # products are moved to a logarithm beyond this


@kernel
def slice_terms(ones, sizes, log_odds, side, total, log_terms):
    """Tabulate R for the large slices of B + W, every W.

    ones, sizes: IN, data points by slice and state of X. log_odds: IN, prior log-odds of
    dependence in a slice. log_terms: OUT, (variables, slices, states of W); minus
    infinity where a slice has no two data points. Returns how many have.
    """
    n_informative = np.zeros(ones.shape[0], np.int64)
    for v in range(ones.shape[0]):
        for z in range(log_terms.shape[1]):
            for w in range(2):
                low, high = ones[v, z, 0], ones[v, z, 1]
                if w == 0:
                    low, high = sizes[z, 0] - low, sizes[z, 1] - high
                log_terms[v, z, w] = -np.inf
                if low + high >= 2:
                    log_terms[v, z, w] = log_odds + total[low + high] - side[low] - side[high]
                    n_informative[v] += 1
    return n_informative


@inlined
def q(a, b, cell, side):
    """Log of a column's share of the Bayes factor."""
    return cell[np.uint32(a)] + cell[np.uint32(b)] - side[np.uint32(a + b)]


@inner
def multiply_all(exponents):
    """Multiply 1 + exp(t) over an even number of t, as a factor and the log of another.

    exponents: IN, changed. One step at a time for all of them, so that the exponentials of many overlap.
    """
    product, log_product = 1.0, 0.0
    for k in range(exponents.shape[0]):
        if exponents[k] > BIG:
            log_product += exponents[k] - BIG
            exponents[k] = BIG
    for k in range(exponents.shape[0]):
        exponents[k] = 1.0 + fast_exp(exponents[k])
    for k in range(0, exponents.shape[0], 2):
        product *= exponents[k] * exponents[k + 1]
        if product > SPILL:
            log_product += math.log(product)
            product = 1.0
    return product, log_product


@inlined
def common(bits, v, u, run_words, first_run, n_planes):
    """Count the data points of a group that are 1 in both of two packed columns."""
    total = 0
    for plane in range(n_planes):
        count = 0
        for w in range(run_words[first_run + plane], run_words[first_run + plane + 1]):
            count += popcount(bits[v, w] & bits[u, w])
        total += count << plane
    return total


@inlined
def large_slices(v, u, bits, run_words, n_planes, ones, sizes, log_terms, cell, side, exponents):
    """List log e of the large slices: the tests of U given V and of V given U.

    exponents: OUT, (2, twice the slices): those of U given V, those of V given U.
    """
    given_v, given_u = exponents[0], exponents[1]
    for z in range(log_terms.shape[1]):
        both0 = common(bits, v, u, run_words, 2 * z * n_planes, n_planes)
        both1 = common(bits, v, u, run_words, (2 * z + 1) * n_planes, n_planes)
        v0, v1 = ones[v, z, 0] - both0, ones[v, z, 1] - both1
        u0, u1 = ones[u, z, 0] - both0, ones[u, z, 1] - both1
        q11 = q(both0, both1, cell, side)
        q10 = q(v0, v1, cell, side)
        q01 = q(u0, u1, cell, side)
        q00 = q(sizes[z, 0] - v0 - u0 - both0, sizes[z, 1] - v1 - u1 - both1, cell, side)
        given_v[2 * z] = log_terms[v, z, 0] + q01 + q00
        given_v[2 * z + 1] = log_terms[v, z, 1] + q11 + q10
        given_u[2 * z] = log_terms[u, z, 0] + q10 + q00
        given_u[2 * z + 1] = log_terms[u, z, 1] + q11 + q01


@inlined
def spill(product, factor, log_sum):
    """Multiply a factor into a product; move what gets large into the sum of logs."""
    if factor > 1e100:
        return product, log_sum + math.log(factor)
    product *= factor
    if product > 1e100:
        return 1.0, log_sum + math.log(product)
    return product, log_sum


@kernel
def pair_sums(bits, run_words, n_planes, counts, tables, sums):
    """Sum log(1 + e) of X against Y given B + W over the large slices and all Y, for every W.

    bits, run_words, n_planes: IN, the words of large slices, (variables, words). counts: IN, (ones,
    sizes, log_terms). tables: IN, (cell, side). sums: OUT, one entry for each variable outside the
    blanket.
    """
    ones, sizes, log_terms = counts
    cell, side = tables
    n = ones.shape[0]
    products = np.ones(n)
    exponents = np.empty((2, 2 * log_terms.shape[1]))
    sums[:] = 0.0
    for v in range(n):
        for u in range(v + 1, n):
            large_slices(v, u, bits, run_words, n_planes, ones, sizes, log_terms, cell, side, exponents)
            product_v, log_v = multiply_all(exponents[0])
            product_u, log_u = multiply_all(exponents[1])
            products[v], sums[v] = spill(products[v], product_v, sums[v] + log_v)
            products[u], sums[u] = spill(products[u], product_u, sums[u] + log_u)
    for v in range(n):
        sums[v] += math.log(products[v])
