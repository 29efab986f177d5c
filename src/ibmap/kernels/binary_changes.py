"""The terms of a binary variable for its blanket and every single change of it, from one sort of the rows."""

import numpy as np

from ibmap.kernels import binary_members as members_of
from ibmap.kernels.binary_pairs import sum_over_pairs
from ibmap.kernels.compiling import kernel
from ibmap.kernels.slices import count_ones, pack_slices, place_slices, sort_by_slice
from ibmap.kernels.two_by_two import log_dependent


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
