"""What dropping members adds to the terms of a variable, for large blankets.

All sets that are needed are the blanket without one or two members. They are found as
partitions of its slices, by halves of what may still be left out: sets share all that
they have in common. Without two members only groups in which both vary are followed up.
"""

import numpy as np

from ibmap.kernels.blanket_slices import list_slices, slice_table
from ibmap.kernels.compiling import inner, kernel
from ibmap.kernels.dropped_members import add_without_one, all_sides
from ibmap.kernels.group_weights import new_counters
from ibmap.kernels.negligible import least_that_matters
from ibmap.kernels.slice_groups import as_partition, mixed, narrowed_by, new_marks, undivided
from ibmap.kernels.two_dropped import add_own_test, add_pair_tests, correct_pair, new_between, pair_odds


@inner
def without_each(table, marks):
    """List the groups without each member, and the beginnings of those without two.

    The latter as ranges of members, one of each of which is left out, and mixed groups.
    """
    groups = undivided(table)
    n, codes = table.codes.shape[1], np.ascontiguousarray(table.codes)
    found, pairs = [groups for _ in range(n)], [((0, 0, 0, 0), groups) for _ in range(0)]
    waiting = [(0, n, groups)]
    while len(waiting) > 0:
        first, last, groups = waiting.pop()
        if last - first == 1:
            found[first] = groups
            continue
        middle = (first + last) // 2
        ranges = (first, middle, middle, last)
        pairs.append((ranges, mixed(groups, codes, ranges)))
        waiting.append((first, middle, narrowed_by(groups, table, middle, last, marks)))
        waiting.append((middle, last, narrowed_by(groups, table, first, middle, marks)))
    return found, pairs


@inner
def halves(ranges):
    """Split the longer of two ranges; return both halves as ranges, and what is left out in each."""
    a, b, c, d = ranges
    if b - a >= d - c:
        m = (a + b) // 2
        return (a, m, c, d), (m, b), (m, b, c, d), (a, m)
    m = (c + d) // 2
    return (a, b, c, m), (m, d), (a, b, m, d), (c, m)


@inner
def split_pair(ranges, groups, table, codes, marks, pairs):
    """Split what may be left out. pairs: IN and OUT, both halves are put behind."""
    one, rest_one, two, rest_two = halves(ranges)
    narrower = narrowed_by(groups, table, rest_one[0], rest_one[1], marks)
    pairs.append((one, mixed(narrower, codes, one)))
    narrower = narrowed_by(groups, table, rest_two[0], rest_two[1], marks)
    pairs.append((two, mixed(narrower, codes, two)))


@inner
def new_groups_of_two(pairs, table, marks):
    """List the new groups of every two members that have any. pairs: IN, from `without_each`."""
    codes = np.ascontiguousarray(table.codes)
    found = [pairs[0] for _ in range(0)]
    while len(pairs) > 0:
        ranges, groups = pairs.pop()
        if groups.n_labels > 0:
            if ranges[1] - ranges[0] == 1 and ranges[3] - ranges[2] == 1:
                found.append((ranges, groups))
            else:
                split_pair(ranges, groups, table, codes, marks, pairs)
    return found


@inner
def correct_pairs(slices, pairs, table, known, between, blanket, prior, counters):
    """Weigh the new groups of every two members. pairs: IN, these groups. between: OUT."""
    for ranges, groups in pairs:
        p, q = ranges[0], ranges[2]
        log_odds = pair_odds(p, q, blanket, table, prior)[0]
        correct_pair(slices, as_partition(groups), p, q, table, known, between, log_odds, counters)


@kernel
def sparse_member_terms(blanket, data, prior, question, is_sparse, terms):
    """Do the tests given B - b and B - b + W, where many configurations of the latter have no data.

    blanket: IN, the context of B. is_sparse: IN, whether that holds for B without any two members; then those
    of members alone are done too. terms: IN and OUT, by variable.
    """
    x, members, _ = question
    n_x, n_most = data.cardinalities[x], data.cardinalities.max()
    slices = list_slices(blanket, data.codes[:, x], data.weights)
    table = slice_table(slices, data, members, least_that_matters(blanket, data, prior, question))
    counters = new_counters(n_x, table.cardinalities.max(), n_most, data.codes.shape[0])
    marks = new_marks(table)
    groups, pairs = without_each(table, marks)
    partitions = [as_partition(each) for each in groups]
    known = all_sides(slices, partitions, table, prior, n_x, counters)
    add_without_one(known, slices, blanket, data, prior, question, counters, terms)
    if is_sparse:
        between = new_between(table.codes.shape[0], known, counters)
        if members.shape[0] > 1:
            pairs = new_groups_of_two(pairs, table, marks)
        correct_pairs(slices, pairs, table, known, between, blanket, prior, counters)
        for p in range(members.shape[0]):
            add_own_test(p, known, blanket, data, prior, question, terms)
            add_pair_tests(p, known, between, blanket, table, prior, members, terms)
