"""One binary variable: tests against many others given a set, and the terms of all changes of its blanket."""

import numpy as np

from ibmap.kernels import binary_members as members_of
from ibmap.kernels.binary_pairs import sum_over_pairs
from ibmap.kernels.compiling import kernel
from ibmap.kernels.slices import count_ones, pack_slices, place_slices, sort_by_slice
from ibmap.kernels.two_by_two import MINUS_LOG_P, log_dependent, share


@kernel
def count_row(row_bits, rows, sizes, words, masks, starts, candidates):
    """Count the rows of each slice in which each candidate is 1, by slice, candidate and X.

    rows, sizes: IN, by `slices.sort_by_slice`, of the slices with two rows or more. words, masks, starts:
    IN, by `slices.place_slices`. candidates: IN, sorted.
    """
    return count_ones(pack_slices(row_bits, rows, sizes, starts, candidates), words, masks)


@kernel
def test_row(sizes, ones, order, table, logs, most, found):
    """-log Pr(I(X, Y | Z)) of candidates in a given order, up to the first over `most`; return of how many.

    ones: IN, by `count_row`. order: IN, places of the candidates. found: OUT.
    """
    for k in range(order.shape[0]):
        total = table[MINUS_LOG_P]
        for s in range(sizes.shape[0]):
            one0, one1 = np.uint64(ones[s, order[k], 0]), np.uint64(ones[s, order[k], 1])
            total += share(sizes[s, 0] - one0, sizes[s, 1] - one1, one0, one1, table, logs)
        found[k] = total
        if total > most:
            return k + 1
    return order.shape[0]


@kernel
def blanket_changes(states, row_bits, x, members, outside, tables, logs, terms):
    """Work out the terms of all changes of a blanket.

    states: IN, by variable and row. row_bits: IN, by `slices.pack_rows`. members, outside: IN, sorted.
    tables: IN, by `two_by_two`, given two members less up to one more. logs: IN, by count. terms: OUT, by
    the variable flipped; entry x for the blanket as it is.
    """
    keys, sizes, n_live, rows = sort_by_slice(states, x, members)
    words, masks, starts = place_slices(sizes)
    packed = pack_slices(row_bits, rows, sizes, starts, outside)
    ones = count_ones(packed, words, masks)
    n_members, n_outside = members.shape[0], outside.shape[0]
    own, dropped, added = np.empty(n_outside), np.empty(n_outside), np.empty(n_outside)
    shares = np.empty((n_live, n_outside, 2))
    members_of.own_tests(sizes, n_live, ones, tables, logs, own, dropped, added, shares)
    sums = sum_over_pairs(packed, words, masks, sizes, n_live, ones, tables[3], logs)
    terms[x] = 0.0
    for v in range(n_outside):
        terms[x] -= own[v]
        terms[outside[v]] = log_dependent(own[v]) - sums[v]
    if n_members == 0:
        return
    slots, taken = members_of.index_keys(keys)
    partners = members_of.find_partners(keys, n_members, slots, taken)
    tests = members_of.member_tests(keys, sizes, n_live, partners, tables[1], logs)
    fewer = members_of.two_members_less(keys, sizes, n_live, partners, tables[0], logs)
    without, given_one = np.empty(n_members), np.empty((n_members, n_outside))
    for b in range(n_members):
        without[b] = 0.0
        for v in range(n_outside):
            without[b] += dropped[v]
            given_one[b, v] = added[v]
    members_of.merge_partners(keys, sizes, n_live, ones, partners, tables, logs, shares, without, given_one)
    for b in range(n_members):
        terms[x] += log_dependent(tests[b])
        terms[members[b]] = -tests[b] - without[b]
        for c in range(n_members):
            if c != b:
                terms[members[b]] += log_dependent(fewer[b, c])
        for v in range(n_outside):
            terms[outside[v]] += log_dependent(given_one[b, v])
