"""Huge and large slices: every test of X against Y given B + W, for all pairs W, Y outside the blanket B.

The joint count of (W, Y) in a group of rows is the number of common bits of
two words; with the counts of W and of Y alone it gives all four cells. One
sweep over a pair serves two tests: Y given B + W, and W given B + Y. In a slice,

    log(e) = R(slice, w) + q(cells of y = 0) + q(cells of y = 1),
    q(a, b) = cell[a] + cell[b] - side[a + b]   for a data points with X = 0, b with X = 1,

where R has everything that does not depend on Y. In large slices no exponential is needed: exp(q)
is a product of tabulated factors, which are scaled by powers that cancel so that all stay finite. Slice after
slice, a variable is paired with all later ones, one step at a time for all of them, so that their
words and logarithms overlap.
"""

import math

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import bare, inlined, kernel
from ibmap.kernels.exponential import fast_exp

BIG = 100.0  # adding 1 to exp(BIG) changes nothing, and products of it stay finite
SPILL = 1e6  # products are moved to a logarithm beyond this; times 2**1000, of a large slice, they are finite


@bare
def part_slice(ones, size, log_odds, side, total, counts, terms):
    """Tabulate R of one slice for every W.

    ones: IN, (variables, 2) data points with state 1 by state of X. size: IN, all data points. log_odds:
    IN, prior log-odds of dependence in a slice. counts: OUT, `ones` again. terms: OUT, for W = 0
    and W = 1; minus infinity where a part has no two data points.
    """
    for v in range(counts.shape[0]):
        counts[v, 0], counts[v, 1] = ones[v, 0], ones[v, 1]
        for w in range(2):
            low, high = counts[v, 0], counts[v, 1]
            if w == 0:
                low, high = size[0] - low, size[1] - high
            terms[v, w] = -np.inf
            if low + high >= 2:
                terms[v, w] = log_odds + total[low + high] - side[low] - side[high]


@bare
def take_off_unseen(terms, unseen, sums):
    """Take off what unseen slices add for each part of a slice with two data points. sums: IN and OUT."""
    for v in range(terms.shape[0]):
        n_parts = int(terms[v, 0] > -np.inf) + int(terms[v, 1] > -np.inf)
        sums[v] -= (terms.shape[0] - 1) * unseen * n_parts


@inlined
def add_run(words, v, common):
    """Count the common bits of one variable and each later one, four words at a time.

    words: IN, (words, variables). common: IN and OUT.
    """
    w = 0
    while w + 4 <= words.shape[0]:
        word0, word1, word2, word3 = words[w, v], words[w + 1, v], words[w + 2, v], words[w + 3, v]
        row0, row1 = words[w, v + 1 :], words[w + 1, v + 1 :]
        row2, row3 = words[w + 2, v + 1 :], words[w + 3, v + 1 :]
        for u in range(common.shape[0]):
            two = popcount(word0 & row0[u]) + popcount(word1 & row1[u])
            common[u] += two + popcount(word2 & row2[u]) + popcount(word3 & row3[u])
        w += 4
    while w < words.shape[0]:
        word, row = words[w, v], words[w, v + 1 :]
        for u in range(common.shape[0]):
            common[u] += popcount(word & row[u])
        w += 1


@inlined
def count_common(words, v, runs, common):
    """Count the data points of a group that are 1 in one variable and in each later one.

    words: IN, (words, variables). runs: IN, where the words of each binary digit of the weights start, and
    where the last end. common: OUT.
    """
    for u in range(common.shape[0]):
        common[u] = 0
    for plane in range(runs.shape[0] - 2, -1, -1):
        for u in range(common.shape[0]):
            common[u] *= 2
        add_run(words[runs[plane] : runs[plane + 1]], v, common)


@inlined
def q(a, b, cell, side):
    """Log of a column's share of the Bayes factor."""
    a, b = np.uint64(a), np.uint64(b)
    return cell[a] + cell[b] - side[a + b]


@inlined
def list_exponents(common0, common1, counts, size, terms, cell, side, exponents):
    """List log e of one slice: the tests of later variables given the first, and the other way round.

    common0, common1: IN, data points of X = 0 and X = 1 that the later variables have in common with
    the first. counts, terms: IN, from `part_slice`, of the first variable and the later ones.
    exponents: OUT, four for each later one.
    """
    a0, a1, zero, one = counts[0, 0], counts[0, 1], terms[0, 0], terms[0, 1]
    rest0, rest1 = size[0] - a0, size[1] - a1
    counts, terms = counts[1:], terms[1:]
    for u in range(counts.shape[0]):
        both0, both1 = common0[u], common1[u]
        u0, u1 = counts[u, 0] - both0, counts[u, 1] - both1
        q11, q10 = q(both0, both1, cell, side), q(a0 - both0, a1 - both1, cell, side)
        q01, q00 = q(u0, u1, cell, side), q(rest0 - u0, rest1 - u1, cell, side)
        exponents[u, 0] = zero + (q01 + q00)
        exponents[u, 1] = one + (q11 + q10)
        exponents[u, 2] = terms[u, 0] + (q10 + q00)
        exponents[u, 3] = terms[u, 1] + (q11 + q01)


@inlined
def exp_q(a, b, scaled):
    """Give a column's share of the Bayes factor from scaled factors."""
    a, b = np.uint64(a), np.uint64(b)
    return scaled[0][a] * scaled[1][a + b] * scaled[0][b]


@inlined
def multiply_scaled(common0, common1, counts, size, terms, scaled, product, products, sums):
    """Multiply 1 + e of a large slice into the products of the first variable and of the later ones.

    terms: IN, exp(R). scaled: IN, factors of columns. The rest as for `list_exponents` and `multiply`.
    """
    a0, a1, zero, one = counts[0, 0], counts[0, 1], terms[0, 0], terms[0, 1]
    rest0, rest1, log_sum = size[0] - a0, size[1] - a1, 0.0
    counts, terms = counts[1:], terms[1:]
    for u in range(products.shape[0]):
        both0, both1 = common0[u], common1[u]
        u0, u1 = counts[u, 0] - both0, counts[u, 1] - both1
        r11, r10 = exp_q(both0, both1, scaled), exp_q(a0 - both0, a1 - both1, scaled)
        r01, r00 = exp_q(u0, u1, scaled), exp_q(rest0 - u0, rest1 - u1, scaled)
        product *= (1.0 + zero * (r01 * r00)) * (1.0 + one * (r11 * r10))
        other = products[u] * ((1.0 + terms[u, 0] * (r10 * r00)) * (1.0 + terms[u, 1] * (r11 * r01)))
        if product > SPILL:
            log_sum += math.log(product)
            product = 1.0
        if other > SPILL:
            sums[u] += math.log(other)
            other = 1.0
        products[u] = other
    return product, log_sum


@inlined
def cut(exponents, sums):
    """Move what exponents have beyond `BIG` to the sums of logs; return that of the first variable."""
    total = 0.0
    for u in range(exponents.shape[0]):
        t0, t1, t2, t3 = exponents[u, 0], exponents[u, 1], exponents[u, 2], exponents[u, 3]
        if t0 > BIG or t1 > BIG or t2 > BIG or t3 > BIG:
            total += max(t0 - BIG, 0.0) + max(t1 - BIG, 0.0)
            sums[u] += max(t2 - BIG, 0.0) + max(t3 - BIG, 0.0)
            for k in range(4):
                exponents[u, k] = min(exponents[u, k], BIG)
    return total


@inlined
def replace_exponents(exponents, sums):
    """Replace t by 1 + exp(t), but for what `cut` takes out; return that of the first variable."""
    total = cut(exponents, sums)
    for u in range(exponents.shape[0]):
        for k in range(4):
            exponents[u, k] = 1.0 + fast_exp(exponents[u, k])
    return total


@inlined
def multiply(factors, product, products, sums):
    """Multiply factors into the products of the first variable and of the later ones.

    products, sums: IN and OUT; large products are moved to the sums of logs. Returns the
    product of the first variable, and the log of what was taken out of it.
    """
    log_sum = 0.0
    for u in range(factors.shape[0]):
        product *= factors[u, 0] * factors[u, 1]
        other = products[u] * (factors[u, 2] * factors[u, 3])
        if product > SPILL:
            log_sum += math.log(product)
            product = 1.0
        if other > SPILL:
            sums[u] += math.log(other)
            other = 1.0
        products[u] = other
    return product, log_sum


@kernel
def huge_sums(words, run_words, first, ones, sizes, prior, logs, sums):
    """Add what huge slices add to the tests of X against Y given B + W, summed over Y, for every W.

    words: IN, (words, variables). run_words: IN, from `ibmap.kernels.binary_layout.place_large`, of
    these slices, which are those from `first` on. ones, sizes: IN, data points by slice and state
    of X. prior: IN, (log odds, odds, what an unseen slice adds, ...); the last is taken off. logs:
    IN, (cell, side, total). sums: IN and OUT, one entry for each variable outside the blanket.
    """
    n = words.shape[1]
    counts, terms, products = np.empty((n, 2), np.int64), np.empty((n, 2)), np.ones(n)
    common0, common1, factors = np.empty(n, np.int64), np.empty(n, np.int64), np.empty((n, 4))
    for k in range(run_words.shape[0]):
        z, runs = first + k, run_words[k]
        part_slice(ones[:, z], sizes[z], prior[0], logs[1], logs[2], counts, terms)
        take_off_unseen(terms, prior[2], sums)
        for v in range(n - 1):
            rest0, rest1, rest = common0[v + 1 :], common1[v + 1 :], factors[v + 1 :]
            count_common(words, v, runs[0], rest0)
            count_common(words, v, runs[1], rest1)
            list_exponents(rest0, rest1, counts[v:], sizes[z], terms[v:], logs[0], logs[1], rest)
            sums[v] += replace_exponents(rest, sums[v + 1 :])
            products[v], log_sum = multiply(rest, products[v], products[v + 1 :], sums[v + 1 :])
            sums[v] += log_sum
    for v in range(n):
        sums[v] += math.log(products[v])


@kernel
def large_sums(words, run_words, first, ones, sizes, prior, logs, scaled, sums):
    """Do the same for large slices.

    scaled: IN, exp of cell and of minus side, scaled.
    """
    n = words.shape[1]
    counts, terms, products = np.empty((n, 2), np.int64), np.empty((n, 2)), np.empty(n)
    common0, common1 = np.empty(n, np.int64), np.empty(n, np.int64)
    for v in range(n):
        products[v] = 1.0
    for k in range(run_words.shape[0]):
        z, runs = first + k, run_words[k]
        part_slice(ones[:, z], sizes[z], prior[0], logs[1], logs[2], counts, terms)
        take_off_unseen(terms, prior[2], sums)
        for v in range(n):
            terms[v, 0], terms[v, 1] = math.exp(terms[v, 0]), math.exp(terms[v, 1])
        for v in range(n - 1):
            rest0, rest1 = common0[v + 1 :], common1[v + 1 :]
            count_common(words, v, runs[0], rest0)
            count_common(words, v, runs[1], rest1)
            products[v], log_sum = multiply_scaled(
                rest0,
                rest1,
                counts[v:],
                sizes[z],
                terms[v:],
                scaled,
                products[v],
                products[v + 1 :],
                sums[v + 1 :],
            )
            sums[v] += log_sum
    for v in range(n):
        sums[v] += math.log(products[v])
