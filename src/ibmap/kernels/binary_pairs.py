"""X against each variable outside its blanket, given the blanket and one more of them.

In a slice of the blanket the common bits of U and V, with their own, give all four cells of the pair, each
for X = 0 and X = 1: (1,1), (0,1), (1,0) and (0,0). The tests of U given V = 1 and V = 0, and of V given U =
1 and U = 0, have these cells as their columns: each factor is found once and used twice. Only the sum of
-log Pr(I) over U is wanted for each V, so the products run over all U.
"""

import math

import numpy as np

from ibmap.kernels.compiling import kernel
from ibmap.kernels.slices import popcount
from ibmap.kernels.two_by_two import (
    BIG,
    COLUMNS,
    LIMIT,
    LOG_ODDS,
    MINUS_LOG_P,
    MOST_ODDS,
    ODDS,
    ROWS,
    SIDE,
    SMALL,
    TOTALS,
    UNSEEN,
    column_factor,
    fast_exp,
    log_column,
)

SPILL = 1e200  # products are moved to a logarithm beyond this
MOST = 1e100  # factors beyond this are not multiplied in: products stay finite
NOTHING = -40.0  # adding exp(NOTHING) to 1 changes nothing


@kernel
def sum_over_pairs(packed, words, masks, sizes, n_live, ones, table, logs):
    """Give the sum over U of -log Pr(X and U are independent given B + V), for each V.

    packed, words, masks, ones: IN, by `slices`. sizes: IN, rows of each slice by X. n_live: IN, slices to go
    through. table: IN, by `two_by_two`, given B and one more.
    """
    n_outside = packed.shape[1]
    products, sums = np.ones(n_outside), np.zeros(n_outside)
    for s in range(n_live):
        if sizes[s, 0] + sizes[s, 1] <= SMALL and table[ODDS] < MOST_ODDS:
            multiply_word(packed[words[s, 1]], masks[s], sizes[s], ones[s], table, products, sums)
        else:
            multiply_words(packed, words[s], masks[s], sizes[s], ones[s], table, logs, products, sums)
    others = max(n_outside - 1, 0)
    for v in range(n_outside):
        sums[v] += math.log(products[v]) + others * (table[MINUS_LOG_P] - 2 * n_live * table[UNSEEN])
    return sums


@kernel
def multiply_word(bits, masks, size, ones, table, products, sums):
    """Multiply in all pairs of a slice that lies in one word. products, sums: IN and OUT."""
    n_outside, of_all = bits.shape[0], size[0] * SIDE + size[1]
    mask0, mask1 = masks[0], masks[1]
    places = np.empty(n_outside, np.uint64)  # of a column's two counts in the table of factors
    upper, lower = np.empty(n_outside), np.empty(n_outside)
    for v in range(n_outside):
        one0, one1 = np.uint64(ones[v, 0]), np.uint64(ones[v, 1])
        zero0, zero1 = size[0] - one0, size[1] - one1
        places[v] = one0 * SIDE + one1
        upper[v] = table[ROWS + one0] * table[TOTALS + one0 + one1] * table[ROWS + one1] * table[ODDS]
        lower[v] = table[ROWS + zero0] * table[TOTALS + zero0 + zero1] * table[ROWS + zero1] * table[ODDS]
    for u in range(n_outside):
        u_bits, u_place, u_upper, u_lower = bits[u], places[u], upper[u], lower[u]
        product, rest = products[u], of_all - u_place
        for v in range(u):
            both = u_bits & bits[v]
            place = popcount(both & mask0) * SIDE + popcount(both & mask1)
            f11, f01 = table[COLUMNS + place], table[COLUMNS + places[v] - place]
            f10, f00 = table[COLUMNS + u_place - place], table[COLUMNS + rest - places[v] + place]
            product *= (1.0 + f11 * f10 * u_upper) * (1.0 + f01 * f00 * u_lower)
            products[v] *= (1.0 + f11 * f01 * upper[v]) * (1.0 + f10 * f00 * lower[v])
            if max(product, products[v]) > SPILL:
                sums[u] += math.log(product)
                sums[v] += math.log(products[v])
                product, products[v] = 1.0, 1.0
        products[u] = product


@kernel
def multiply_words(packed, words, masks, size, ones, table, logs, products, sums):
    """Multiply in all pairs of a slice of several words. products, sums: IN and OUT."""
    n_outside, first, n_words = packed.shape[1], words[0], words[2] - words[0] + 1
    middle, mask0, mask1 = words[1] - first, masks[0], masks[1]
    bits = np.empty((n_outside, n_words), np.uint64)
    for k in range(n_words):
        for v in range(n_outside):
            bits[v, k] = packed[first + k, v]
    common, is_large = np.empty((n_outside, 2), np.uint64), size[0] + size[1] > table[LIMIT]
    bases = np.empty((n_outside, 2))
    for v in range(n_outside):
        one0, one1 = np.uint64(ones[v, 0]), np.uint64(ones[v, 1])
        zero0, zero1 = size[0] - one0, size[1] - one1
        if is_large:
            bases[v, 1] = table[LOG_ODDS] - logs[1, one0] - logs[1, one1] + logs[2, one0 + one1]
            bases[v, 0] = table[LOG_ODDS] - logs[1, zero0] - logs[1, zero1] + logs[2, zero0 + zero1]
        else:
            bases[v, 1] = table[ROWS + one0] * table[TOTALS + one0 + one1] * table[ROWS + one1] * table[ODDS]
            zeros = table[ROWS + zero0] * table[TOTALS + zero0 + zero1] * table[ROWS + zero1]
            bases[v, 0] = zeros * table[ODDS]
    for u in range(n_outside):
        u_bits = bits[u]
        for v in range(u):
            v_bits = bits[v]
            both = u_bits[middle] & v_bits[middle]
            n0, n1 = popcount(both & mask0), popcount(both & mask1)
            for k in range(middle):
                n0 += popcount(u_bits[k] & v_bits[k])
            for k in range(middle + 1, n_words):
                n1 += popcount(u_bits[k] & v_bits[k])
            common[v, 0], common[v, 1] = n0, n1
        if is_large:
            multiply_logs(u, common, size, ones, bases, logs, products, sums)
        else:
            multiply_factors(u, common, size, ones, bases, table, products, sums)


@kernel
def multiply_factors(u, common, size, ones, bases, table, products, sums):
    """Multiply in U and each V before it in a slice up to the limit. common: IN, rows where both are 1."""
    u0, u1, upper, lower = np.uint64(ones[u, 0]), np.uint64(ones[u, 1]), bases[u, 1], bases[u, 0]
    z0, z1, product = size[0] - u0, size[1] - u1, products[u]
    for v in range(u):
        n0, n1, v0, v1 = common[v, 0], common[v, 1], np.uint64(ones[v, 0]), np.uint64(ones[v, 1])
        f11, f01 = column_factor(n0, n1, table), column_factor(v0 - n0, v1 - n1, table)
        f10, f00 = column_factor(u0 - n0, u1 - n1, table), column_factor(z0 - v0 + n0, z1 - v1 + n1, table)
        e1, e0 = f11 * upper * f10, f01 * lower * f00
        factor = (1.0 + e1) * (1.0 + e0)
        if factor > MOST:
            sums[u] += math.log1p(e1) + math.log1p(e0)
        else:
            product *= factor
        e1, e0 = f11 * bases[v, 1] * f01, f10 * bases[v, 0] * f00
        factor = (1.0 + e1) * (1.0 + e0)
        if factor > MOST:
            sums[v] += math.log1p(e1) + math.log1p(e0)
        else:
            products[v] *= factor
        if max(product, products[v]) > SPILL:
            sums[u] += math.log(product)
            sums[v] += math.log(products[v])
            product, products[v] = 1.0, 1.0
    products[u] = product


@kernel
def multiply_logs(u, common, size, ones, bases, logs, products, sums):
    """Multiply in U and each V before it in a slice of any size. common: IN, rows where both are 1."""
    u0, u1, upper, lower = np.uint64(ones[u, 0]), np.uint64(ones[u, 1]), bases[u, 1], bases[u, 0]
    z0, z1 = size[0] - u0, size[1] - u1
    for v in range(u):
        n0, n1, v0, v1 = common[v, 0], common[v, 1], np.uint64(ones[v, 0]), np.uint64(ones[v, 1])
        f11, f01 = log_column(n0, n1, logs), log_column(v0 - n0, v1 - n1, logs)
        f10, f00 = log_column(u0 - n0, u1 - n1, logs), log_column(z0 - v0 + n0, z1 - v1 + n1, logs)
        multiply(u, f11 + f10 + upper, products, sums)
        multiply(u, f01 + f00 + lower, products, sums)
        multiply(v, f11 + f01 + bases[v, 1], products, sums)
        multiply(v, f10 + f00 + bases[v, 0], products, sums)


@kernel
def multiply(v, t, products, sums):
    """Multiply 1 + exp(t) into a variable's product. products, sums: IN and OUT."""
    if t > BIG:
        sums[v] += t
    elif t > NOTHING:
        products[v] *= 1.0 + fast_exp(t)
        if products[v] > SPILL:
            sums[v] += math.log(products[v])
            products[v] = 1.0
