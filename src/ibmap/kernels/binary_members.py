"""Every test that needs no pass over the data: the counts of single variables do.

Dropping a member b from the blanket B merges slices two by two, so X against
any W given B - b, X against b given B - b + W, and X against another member
given B - b - b' all read the counts of (X, B) and of (X, B, W). A slice that
has no partner to merge with stays as it is, and so does its Bayes factor: it
is computed once for all members.
"""

import math

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner, part
from ibmap.kernels.two_by_two import (
    log_dependent,
    log_ratio,
    multiply,
    multiply_small,
    small_ratio,
    times,
)

NONE = np.int64(0)  # data points; counts are of one type, so that what takes them is compiled once


@inner
def index_keys(keys, n_members):
    """Make a table to find a slice by its key: one past the last slice where there is none."""
    table = np.full(1 << n_members, keys.shape[0], np.int64)
    for z in range(keys.shape[0]):
        table[keys[z]] = z
    return table


@inner
def find_partners(keys, table, n_members):
    """Find for each member and slice the slice that differs in that member alone."""
    partners = np.empty((n_members, keys.shape[0]), np.int64)
    for i in range(n_members):
        bit = np.uint64(1) << np.uint64(i)
        for z in range(keys.shape[0]):
            partners[i, z] = table[keys[z] ^ bit]
    return partners


@inlined
def bayes_factor(a0, a1, b0, b1, is_large, logs, smalls):
    """Give h / g of a slice: its log for large slices of the blanket, itself for small ones."""
    if is_large:
        return log_ratio(a0, a1, b0, b1, logs)
    return small_ratio(a0, a1, b0, b1, smalls)


@inlined
def times_known(excess, log_big, prior, factor, is_large):
    """Multiply 1 + e into a product, from what `bayes_factor` gave."""
    if is_large:
        return multiply(excess, log_big, prior[0] + factor)
    return multiply_small(excess, log_big, prior[1] * factor)


@bare
def split_slices(partner, n_live, alone, pairs):
    """Part the slices into those alone and those that merge when a member is dropped.

    partner: IN, of each slice. alone, pairs: OUT. Returns how many of each; slices with one
    data point and no partner are neither.
    """
    n_alone, n_pairs, n = 0, 0, partner.shape[0]
    for z in range(n):
        if partner[z] == n:
            if z < n_live:
                alone[n_alone] = z
                n_alone += 1
        elif z < partner[z]:
            pairs[n_pairs, 0], pairs[n_pairs, 1] = z, partner[z]
            n_pairs += 1
    return n_alone, n_pairs


@bare
def member_test(prior, sizes, alone, pairs, logs, smalls):
    """-log Pr(I(X, b | B - b)) over the slices left without b that matter."""
    excess, log_big = 0.0, 0.0
    for z in alone:
        a0, a1 = np.int64(sizes[z, 0]), np.int64(sizes[z, 1])
        excess, log_big = times(excess, log_big, prior, a0, a1, NONE, NONE, logs, smalls)
    for k in range(pairs.shape[0]):
        y, z = pairs[k]
        a0, a1 = np.int64(sizes[y, 0]), np.int64(sizes[y, 1])
        b0, b1 = np.int64(sizes[z, 0]), np.int64(sizes[z, 1])
        excess, log_big = times(excess, log_big, prior, a0, a1, b0, b1, logs, smalls)
    return log_big + math.log1p(excess)


@bare
def two_member_tests(i, j, prior, keys, table, partners, sizes, n_large, single, logs, smalls):
    """-log Pr(I(X, b | B - b - b')), the same for b', and the number of slices that matter.

    table, partners: IN, to find slices. single: IN, Bayes factors of the live slices alone.
    """
    n = keys.shape[0]
    both = (np.uint64(1) << np.uint64(i)) | (np.uint64(1) << np.uint64(j))
    excess, log_big, excess_i, log_big_i, excess_j, log_big_j = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    n_informative = 0
    for z in range(n):
        y_i, y_j, y_ij = partners[i, z], partners[j, z], table[keys[z] ^ both]
        if y_i == n and y_j == n and y_ij == n:
            if z < single.shape[0]:
                excess, log_big = times_known(excess, log_big, prior, single[z], z < n_large)
                n_informative += 1
            continue
        if y_i < z or y_j < z or y_ij < z:
            continue
        n_informative += 1
        s0, s1 = sizes[z, 0], sizes[z, 1]
        a0, a1 = s0 + sizes[y_j, 0], s1 + sizes[y_j, 1]
        b0, b1 = sizes[y_i, 0] + sizes[y_ij, 0], sizes[y_i, 1] + sizes[y_ij, 1]
        excess_i, log_big_i = times(excess_i, log_big_i, prior, a0, a1, b0, b1, logs, smalls)
        a0, a1 = s0 + sizes[y_i, 0], s1 + sizes[y_i, 1]
        b0, b1 = sizes[y_j, 0] + sizes[y_ij, 0], sizes[y_j, 1] + sizes[y_ij, 1]
        excess_j, log_big_j = times(excess_j, log_big_j, prior, a0, a1, b0, b1, logs, smalls)
    alone = log_big + math.log1p(excess)
    return alone + log_big_i + math.log1p(excess_i), alone + log_big_j + math.log1p(excess_j), n_informative


@inner
def split_all(keys, n_live, n_members):
    """Find how the slices merge when any member is dropped.

    Returns where each key's slice is, each slice's partners, and what `split_slices` gives for each
    member: (alone, how many, pairs, how many).
    """
    n = keys.shape[0]
    table = index_keys(keys, n_members)
    partners = find_partners(keys, table, n_members)
    alone, n_alone = np.empty((n_members, n), np.int64), np.empty(n_members, np.int64)
    pairs, n_pairs = np.empty((n_members, n // 2 + 1, 2), np.int64), np.empty(n_members, np.int64)
    for i in range(n_members):
        n_alone[i], n_pairs[i] = split_slices(partners[i], n_live, alone[i], pairs[i])
    return table, partners, (alone, n_alone, pairs, n_pairs)


@part
def inside_terms(keys, sizes, n_large, n_live, priors, logs, smalls, own, drops):
    """Do all tests of members that need no variable outside the blanket.

    keys, sizes: IN, the slices of the blanket. priors, logs, smalls: IN, as for `binary_outside`. own:
    OUT, one entry, the sum of log Pr(not I(X, b | B - b)). drops: OUT, for each member what they add to the
    term of the blanket without it.
    """
    table, partners, (alone, n_alone, pairs, n_pairs) = split_all(keys, n_live, drops.shape[0])
    single = np.empty(n_live)
    for z in range(n_live):
        s0, s1 = np.int64(sizes[z, 0]), np.int64(sizes[z, 1])
        single[z] = bayes_factor(s0, s1, NONE, NONE, z < n_large, logs, smalls)
    total = 0.0
    few, less = priors[0], priors[1]
    drops[:] = 0.0
    for i in range(drops.shape[0]):
        s = member_test(less, sizes, alone[i, : n_alone[i]], pairs[i, : n_pairs[i]], logs, smalls)
        s += less[3] - less[2] * (n_alone[i] + n_pairs[i])
        total += log_dependent(s)
        drops[i] -= s
        for j in range(i):
            s_i, s_j, n_informative = two_member_tests(
                i, j, few, keys, table, partners, sizes, n_large, single, logs, smalls
            )
            rest = few[3] - few[2] * n_informative
            drops[j] += log_dependent(s_i + rest)
            drops[i] += log_dependent(s_j + rest)
    own[0] = total
