"""Tests of the variables outside a small blanket that need no joint counts of two of them.

Dropping a member b from the blanket B merges slices two by two, so X against any W given B - b, and X
against b given B - b + W, read the counts of (X, B, W). In a slice of at most 1000 data points the Bayes
factor is a product of scaled factors (see `ibmap.independence.slice_tables`): those of its columns and
those of its rows. Whatever does not depend on the member is found once for all members: the factors of
the parts of a slice with W = 0 and with W = 1, which are the columns of the tests of b. *Far* pairs of
slices have over 1000 data points; their factors are exponentials.
"""

import math

import numpy as np

from ibmap.kernels.binary_layout import LARGE
from ibmap.kernels.binary_members import NONE, find_partners, index_keys, split_slices
from ibmap.kernels.binary_pairs import exp_q
from ibmap.kernels.compiling import bare, inlined, inner, part
from ibmap.kernels.two_by_two import log_dependent, times

BIG = 1e43  # adding 1 to this changes nothing, and products of it stay finite
MOST_LOG_ODDS = 10.0  # of dependence in a slice up to which its factor is a product of scaled factors
SPILL = 1e200  # products are moved to a logarithm beyond this


@inlined
def of_rows(a, b, scaled):
    """Give the rows' share of the Bayes factor: at most 2**1000 times a few thousand, and so finite.

    scaled: IN, factors by count of cells, sides, totals. `exp_q` gives a column's share.
    """
    a, b = np.uint64(a), np.uint64(b)
    return scaled[1][a] * scaled[2][a + b] * scaled[1][b]


@inlined
def multiply(excess, log_big, e):
    """Multiply 1 + e into exp(log_big) (1 + excess)."""
    if e > BIG:
        return excess, log_big + math.log(e)
    excess += e * (1.0 + excess)
    if excess > SPILL:
        return 0.0, log_big + math.log1p(excess)
    return excess, log_big


@bare
def sort_pairs(pairs, sizes, most, rows, scaled):
    """Put the far pairs last, and find the rows' shares of the others. Returns how many these are.

    pairs: IN and OUT, slices that merge. most: IN, data points that near ones have
    together at most. rows: OUT.
    """
    n = pairs.shape[0]
    k = 0
    while k < n:
        y, z = pairs[k, 0], pairs[k, 1]
        low, high = sizes[y, 0] + sizes[z, 0], sizes[y, 1] + sizes[z, 1]
        if low + high > most:
            n -= 1
            pairs[k, 0], pairs[k, 1], pairs[n, 0], pairs[n, 1] = pairs[n, 0], pairs[n, 1], y, z
        else:
            rows[k] = of_rows(low, high, scaled)
            k += 1
    return n


@bare
def fill_parts(one, sizes, n_huge, scaled, with_zero, with_one):
    """Find the shares of the parts of each slice that is not huge with W = 0 and with W = 1."""
    for z in range(n_huge, with_one.shape[0]):
        b0, b1 = np.int64(one[z, 0]), np.int64(one[z, 1])
        with_one[z] = exp_q(b0, b1, scaled)
        with_zero[z] = exp_q(sizes[z, 0] - b0, sizes[z, 1] - b1, scaled)


@bare
def own_test(one, sizes, n_huge, n_live, prior, logs, smalls, rows, with_zero, with_one):
    """-log Pr(I(X, W | B)) over the live slices. rows: IN, shares of the rows of each slice."""
    excess, log_big = 0.0, 0.0
    for z in range(min(n_huge, n_live)):
        b0, b1 = np.int64(one[z, 0]), np.int64(one[z, 1])
        excess, log_big = times(
            excess, log_big, prior, sizes[z, 0] - b0, sizes[z, 1] - b1, b0, b1, logs, smalls
        )
    for z in range(n_huge, n_live):
        excess, log_big = multiply(excess, log_big, prior[1] * (rows[z] * with_zero[z] * with_one[z]))
    return log_big + math.log1p(excess)


@inlined
def multiply_part(excess, log_big, n, a, b, most, prior, logs, smalls, scaled):
    """Multiply 1 + e of a part of a slice where nothing but X varies, if it has two data points; count it."""
    if a + b < 2:
        return excess, log_big, n
    if a + b > most:
        excess, log_big = times(excess, log_big, prior, a, b, NONE, NONE, logs, smalls)
    else:
        e = prior[1] * (of_rows(a, b, scaled) * exp_q(a, b, scaled))
        excess, log_big = multiply(excess, log_big, e)
    return excess, log_big, n + 1


@bare
def alone_tests(alone, one, sizes, n_huge, most, less, same, logs, smalls, scaled, rows, with_zero, with_one):
    """Do both tests in slices without a partner. Returns two products, and how many parts matter.

    The first is of X against W, the second of X against b, which does not vary.
    """
    excess, log_big, other, other_big, n = 0.0, 0.0, 0.0, 0.0, 0
    for k in range(alone.shape[0]):
        z = alone[k]
        b0, b1 = np.int64(one[z, 0]), np.int64(one[z, 1])
        a0, a1 = sizes[z, 0] - b0, sizes[z, 1] - b1
        if z < n_huge:
            excess, log_big = times(excess, log_big, less, a0, a1, b0, b1, logs, smalls)
        else:
            excess, log_big = multiply(excess, log_big, less[1] * (rows[z] * with_zero[z] * with_one[z]))
        other, other_big, n = multiply_part(other, other_big, n, b0, b1, most, same, logs, smalls, scaled)
        other, other_big, n = multiply_part(other, other_big, n, a0, a1, most, same, logs, smalls, scaled)
    return excess, log_big, other, other_big, n


@bare
def near_tests(pairs, rows, one, sizes, less, same, scaled, with_zero, with_one, state):
    """Do both tests in slices that merge, up to 1000 data points together. state: IN and OUT products."""
    excess, log_big, other, other_big, n = state
    for k in range(pairs.shape[0]):
        y, z = pairs[k, 0], pairs[k, 1]
        b0, b1 = np.uint64(one[y, 0] + one[z, 0]), np.uint64(one[y, 1] + one[z, 1])
        a0, a1 = np.uint64(sizes[y, 0] + sizes[z, 0]) - b0, np.uint64(sizes[y, 1] + sizes[z, 1]) - b1
        merged = rows[k] * (exp_q(a0, a1, scaled) * exp_q(b0, b1, scaled))
        excess, log_big = multiply(excess, log_big, less[1] * merged)
        if b0 + b1 >= np.uint64(2):
            e = same[1] * (of_rows(b0, b1, scaled) * (with_one[y] * with_one[z]))
            other, other_big = multiply(other, other_big, e)
            n += 1
        if a0 + a1 >= np.uint64(2):
            e = same[1] * (of_rows(a0, a1, scaled) * (with_zero[y] * with_zero[z]))
            other, other_big = multiply(other, other_big, e)
            n += 1
    return excess, log_big, other, other_big, n


@bare
def far_tests(pairs, one, sizes, less, same, logs, smalls, state):
    """Do the same in far pairs."""
    excess, log_big, other, other_big, n = state
    for k in range(pairs.shape[0]):
        y, z = pairs[k, 0], pairs[k, 1]
        y0, y1 = np.int64(one[y, 0]), np.int64(one[y, 1])
        z0, z1 = np.int64(one[z, 0]), np.int64(one[z, 1])
        b0, b1 = y0 + z0, y1 + z1
        a0, a1 = sizes[y, 0] + sizes[z, 0] - b0, sizes[y, 1] + sizes[z, 1] - b1
        excess, log_big = times(excess, log_big, less, a0, a1, b0, b1, logs, smalls)
        if b0 + b1 >= 2:
            other, other_big = times(other, other_big, same, y0, y1, z0, z1, logs, smalls)
            n += 1
        if a0 + a1 >= 2:
            y0, y1, z0, z1 = sizes[y, 0] - y0, sizes[y, 1] - y1, sizes[z, 0] - z0, sizes[z, 1] - z1
            other, other_big = times(other, other_big, same, y0, y1, z0, z1, logs, smalls)
            n += 1
    return excess, log_big, other, other_big, n


@inner
def merge_slices(keys, sizes, n_live, n_members, partners, most, scaled):
    """Find for each member which slices stay alone and which merge, when it is dropped.

    Returns (alone, how many), and (pairs, rows' shares, how many are near, how many there are).
    """
    n = keys.shape[0]
    alone, n_alone = np.empty((n_members, n), np.int64), np.empty(n_members, np.int64)
    pairs, rows = np.empty((n_members, n // 2 + 1, 2), np.int64), np.empty((n_members, n // 2 + 1))
    n_near, n_pairs = np.empty(n_members, np.int64), np.empty(n_members, np.int64)
    for i in range(n_members):
        n_alone[i], n_pairs[i] = split_slices(partners[i], n_live, alone[i], pairs[i])
        n_near[i] = sort_pairs(pairs[i, : n_pairs[i]], sizes, most, rows[i], scaled)
    return (alone, n_alone), (pairs, rows, n_near, n_pairs)


@part
def outside_terms(keys, sizes, ones, n_huge, n_live, priors, logs, smalls, scaled, own, adds, drops):
    """Do all tests of the variables outside the blanket that need no joint counts.

    keys, sizes, ones: IN, the slices of the blanket, their data points by X, and those with the states 1 of
    the variables. priors: IN, rows (log odds, odds, -log p / K, -log p) for conditioning sets of two
    members less than the blanket, one less, as many. logs, smalls, scaled: IN, tables of Bayes
    factors. own: OUT, -log Pr(I(X, W | B)). adds: OUT, sums of log Pr(not I) for B + W. drops: OUT,
    sums of log Pr(I) for B - b.
    """
    n, n_members, less, same = keys.shape[0], drops.shape[0], priors[1], priors[2]
    most = LARGE
    if max(less[0], same[0]) >= MOST_LOG_ODDS:
        most, n_huge = 0, n  # products would not stay finite
    partners = find_partners(keys, index_keys(keys, n_members), n_members)
    (alone, n_alone), (pairs, merged_rows, n_near, n_pairs) = merge_slices(
        keys, sizes, n_live, n_members, partners, most, scaled
    )
    rows, with_zero, with_one = np.empty(n), np.empty(n), np.empty(n)
    for z in range(n_huge, n_live):
        rows[z] = of_rows(np.int64(sizes[z, 0]), np.int64(sizes[z, 1]), scaled)
    drops[:] = 0.0
    for v in range(ones.shape[0]):
        one = ones[v]
        fill_parts(one, sizes, n_huge, scaled, with_zero, with_one)
        s = own_test(one, sizes, n_huge, n_live, same, logs, smalls, rows, with_zero, with_one)
        own[v] = s + same[3] - same[2] * n_live
        adds[v] = log_dependent(own[v])
        for i in range(n_members):
            at, near, far = alone[i, : n_alone[i]], pairs[i, : n_near[i]], pairs[i, n_near[i] : n_pairs[i]]
            products = alone_tests(
                at, one, sizes, n_huge, most, less, same, logs, smalls, scaled, rows, with_zero, with_one
            )
            products = near_tests(
                near, merged_rows[i], one, sizes, less, same, scaled, with_zero, with_one, products
            )
            excess, log_big, other, other_big, n_informative = far_tests(
                far, one, sizes, less, same, logs, smalls, products
            )
            drops[i] -= log_big + math.log1p(excess) + less[3] - less[2] * (n_alone[i] + n_pairs[i])
            adds[v] += log_dependent(other_big + math.log1p(other) + same[3] - same[2] * n_informative)
