"""What dropping members adds to the terms of a variable, for large blankets.

All sets that are needed are the blanket without one or two members. They are found as
partitions of its slices, by halves of what may still be left out: sets share all that
they have in common. Without two members only groups in which both vary are followed up.
"""

import numpy as np

from ibmap.kernels.blanket_slices import list_slices, slice_table, undivided
from ibmap.kernels.compiling import inner, kernel
from ibmap.kernels.context import Context, narrowed
from ibmap.kernels.dropped_members import add_without_one, all_sides
from ibmap.kernels.group_weights import new_counters
from ibmap.kernels.two_dropped import add_own_test, add_pair_tests, correct_pair, new_between, pair_odds


@inner
def narrowed_by(context, table, first, last):
    """Add some members to a set: `first` to `last` - 1."""
    for k in range(first, last):
        context = narrowed(context, table, k)
    return context


@inner
def varies(rows, codes, first, last):
    """Tell whether any of the members `first` to `last` - 1 varies in a group."""
    for p in range(first, last):
        code = codes[rows[0], p]
        for k in range(1, rows.shape[0]):
            if codes[rows[k], p] != code:
                return True
    return False


@inner
def mixed(partition, codes, ranges):
    """Give the groups in which members of both ranges vary. ranges: IN, first, last, first, last."""
    starts = partition.starts
    rows, new_starts = np.empty_like(partition.rows), np.zeros_like(starts)
    n_kept, n_groups = 0, 0
    for g in range(starts.shape[0] - 1):
        group = partition.rows[starts[g] : starts[g + 1]]
        if varies(group, codes, ranges[0], ranges[1]) and varies(group, codes, ranges[2], ranges[3]):
            for row in group:
                rows[n_kept] = row
                n_kept += 1
            n_groups += 1
            new_starts[n_groups] = n_kept
    return Context(rows[:n_kept], new_starts[: n_groups + 1], 0, 0.0, 1.0)


@inner
def without_each(table):
    """List the partitions without each member, and the beginnings of those without two.

    The latter as ranges of members, one of each of which is left out, and mixed groups.
    """
    context = undivided(table)
    n = table.codes.shape[1]
    found, pairs = [context for _ in range(n)], [((0, 0, 0, 0), context) for _ in range(0)]
    waiting = [(0, n, context)]
    while len(waiting) > 0:
        first, last, context = waiting.pop()
        if last - first == 1:
            found[first] = context
            continue
        middle = (first + last) // 2
        ranges = (first, middle, middle, last)
        pairs.append((ranges, mixed(context, table.codes, ranges)))
        waiting.append((first, middle, narrowed_by(context, table, middle, last)))
        waiting.append((middle, last, narrowed_by(context, table, first, middle)))
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
def split_pair(ranges, groups, table, pairs):
    """Split what may be left out. pairs: IN and OUT, both halves are put behind."""
    one, rest_one, two, rest_two = halves(ranges)
    narrower = narrowed_by(groups, table, rest_one[0], rest_one[1])
    pairs.append((one, mixed(narrower, table.codes, one)))
    narrower = narrowed_by(groups, table, rest_two[0], rest_two[1])
    pairs.append((two, mixed(narrower, table.codes, two)))


@inner
def correct_pairs(slices, pairs, table, known, between, blanket, prior, counters):
    """Find the new groups of every two members. pairs: IN, from `without_each`. between: OUT."""
    while len(pairs) > 0:
        ranges, groups = pairs.pop()
        if groups.starts.shape[0] == 1:
            continue
        a, b, c, d = ranges
        if b - a == 1 and d - c == 1:
            log_odds = pair_odds(a, c, blanket, table, prior)[0]
            correct_pair(slices, groups, a, c, table, known, between, log_odds, counters)
            continue
        split_pair(ranges, groups, table, pairs)


@kernel
def sparse_member_terms(blanket, data, prior, question, is_sparse, terms):
    """Do the tests given B - b and B - b + W, where many configurations of the latter have no data.

    blanket: IN, the context of B. is_sparse: IN, whether that holds for B without any two members; then those
    of members alone are done too. terms: IN and OUT, by variable.
    """
    x, members, _ = question
    n_x, n_most = data.cardinalities[x], data.cardinalities.max()
    slices = list_slices(blanket, data.codes[:, x], data.weights)
    table = slice_table(slices, data, members)
    counters = new_counters(n_x, table.cardinalities.max(), n_most, data.codes.shape[0])
    partitions, pairs = without_each(table)
    known = all_sides(slices, partitions, table, prior, n_x, counters)
    add_without_one(known, blanket, data, prior, question, counters, terms)
    if is_sparse:
        between = new_between(table.codes.shape[0], known, counters)
        correct_pairs(slices, pairs, table, known, between, blanket, prior, counters)
        for p in range(members.shape[0]):
            add_own_test(p, known, blanket, data, prior, question, terms)
            add_pair_tests(p, known, between, blanket, table, prior, members, terms)
