"""X against members that are dropped from a large blanket, one alone or two together.

Without b and c, groups are those without b, those without c, and few *new* ones, in
which both members vary. So a test is the slices as they are, changed by the groups
of b and those of c, and corrected for the new ones.
"""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.context import log_slice_odds
from ibmap.kernels.dropped_members import log_dependent
from ibmap.kernels.group_weights import against_constant, of_total, rising, times_factor

# For each member and slice its group without that member, or -1; for each member and kind of member logs
# of h / g of X against what is constant in a group; for two members, corrections of sums and of numbers
# of slices.
Between = namedtuple("Between", "group_of constants logs n_live")


@inlined
def merged_log(weighing, slices, members, codes, n_states, counters):
    """Give log(h / g) of X against a member in a group, from the runs of its slices.

    members: IN, the slices. codes, n_states: IN, of the member, by slice.
    """
    run_starts, run_states, run_counts = slices.run_starts, slices.run_states, slices.run_counts
    cells, x_counts, y_counts, log_gamma = counters.cells, counters.rows, counters.columns, weighing.log_gamma
    value, total = 0.0, 0
    for s in members:
        y = np.int64(codes[s])
        for r in range(run_starts[s], run_starts[s + 1]):
            x, count = np.int64(run_states[r]), run_counts[r]
            place = x * n_states + y
            value += rising(log_gamma, 1 + cells[place], count)
            value -= rising(log_gamma, weighing.row + x_counts[x], count)
            value -= rising(log_gamma, weighing.column + y_counts[y], count)
            cells[place] += count
            x_counts[x] += count
            y_counts[y] += count
            total += count
    for s in members:
        y_counts[codes[s]] = 0
        for r in range(run_starts[s], run_starts[s + 1]):
            x = np.int64(run_states[r])
            cells[x * n_states + np.int64(codes[s])] = x_counts[x] = 0
    return value + of_total(weighing, total)


@inner
def new_between(n_slices, known, counters):
    """Find the group of each slice without each member. known: IN, from `all_sides`."""
    sides, _, kinds = known
    n = kinds.shape[0]
    group_of, constants = np.full((n, n_slices), -1, np.int32), [[np.empty(0)] for _ in range(0)]
    for p in range(n):
        groups, of_kind = sides[p].groups, [np.empty(sides[p].members.shape[0]) for _ in range(n)]
        for i in range(n):
            if kinds[i] == i:
                against_constant(groups, sides[i].weighing, counters, of_kind[i])
        constants.append(of_kind)
        for g in range(of_kind[0].shape[0]):
            for k in range(groups.part_starts[g], groups.part_starts[g + 1]):
                group_of[p, groups.parts[k]] = g
    return Between(group_of, constants, np.zeros((n, n)), np.zeros((n, n), np.int64))


@inlined
def is_first(groups, g, s):
    """Tell whether a slice is the first of its group."""
    return groups.parts[groups.part_starts[g]] == s


@inner
def change_of(side, values, live_values, log_odds):
    """Give what groups change of a sum of log(1 + e), and of the number of slices.

    values, live_values: IN, logs of h / g in groups, and in the slices as they are.
    """
    plus, log_plus, minus, log_minus = 1.0, 0.0, 1.0, 0.0
    n = values.shape[0]
    for value in values:
        plus, log_plus = times_factor(plus, log_plus, log_odds + value)
    for s in side.groups.parts:
        if s < live_values.shape[0]:
            minus, log_minus = times_factor(minus, log_minus, log_odds + live_values[s])
            n -= 1
    return log_plus - log_minus + math.log(plus / minus), n


@inlined
def correction(slices, members, weighed, codes, own, other, constants, log_odds, counters):
    """Give what a new group changes of the sum for one member, beyond what the groups of either change.

    members: IN, its slices. weighed: IN, sides of the groups of the member and of the other, and of the
    slices as they are. codes: IN, of the member, by slice. own, other: IN, groups of a slice. constants:
    IN, logs of h / g of X against what is constant in groups of the other.
    """
    side, across, live = weighed
    value = merged_log(side.weighing, slices, members, codes, side.n_states, counters)
    plus, log_plus = times_factor(1.0, 0.0, log_odds + value)
    minus, log_minus = 1.0, 0.0
    for s in members:
        g, h = own[s], other[s]
        if s < live.members.shape[0]:
            if g < 0 and h < 0:
                minus, log_minus = times_factor(minus, log_minus, log_odds + live.members[s])
            if g >= 0 and h >= 0:
                plus, log_plus = times_factor(plus, log_plus, log_odds + live.members[s])
        if g >= 0 and is_first(side.groups, g, s):
            minus, log_minus = times_factor(minus, log_minus, log_odds + side.members[g])
        if h >= 0 and is_first(across.groups, h, s):
            minus, log_minus = times_factor(minus, log_minus, log_odds + constants[h])
    return log_plus - log_minus + math.log(plus / minus)


@inlined
def n_changed(slices, members, own, other, side, across):
    """Give what a new group changes of the number of slices, beyond what the groups of either change."""
    n = 1
    for s in members:
        g, h = own[s], other[s]
        if s < slices.n_live:
            n += int(g >= 0) + int(h >= 0) - 1
        if g >= 0 and is_first(side.groups, g, s):
            n -= 1
        if h >= 0 and is_first(across.groups, h, s):
            n -= 1
    return n


@inlined
def is_plain(slices, members):
    """Tell whether a new group is two data points: none is in a group without one member alone."""
    return members.shape[0] == 2 and min(members[0], members[1]) >= slices.n_live


@inner
def count_plain(slices, partition):
    """Count the new groups of two data points with X the same, and with X different."""
    n_same, n = 0, 0
    for g in range(partition.starts.shape[0] - 1):
        members = partition.rows[partition.starts[g] : partition.starts[g + 1]]
        if is_plain(slices, members):
            one, two = slices.run_starts[members[0]], slices.run_starts[members[1]]
            n_same += slices.run_states[one] == slices.run_states[two]
            n += 1
    return n_same, n - n_same


@inner
def log_of_two(weighing, same_x, log_odds):
    """Give log(1 + e) of two data points that differ in the member."""
    value = of_total(weighing, 2) - 2.0 * rising(weighing.log_gamma, weighing.column, 1)
    if same_x:
        value -= rising(weighing.log_gamma, weighing.row, 2)
    else:
        value -= 2.0 * rising(weighing.log_gamma, weighing.row, 1)
    product, log = times_factor(1.0, 0.0, log_odds + value)
    return log + math.log(product)


@inner
def correct_pair(slices, partition, p, q, table, known, between, log_odds, counters):
    """Add the corrections of all new groups of two members. partition: IN, these groups. between: OUT."""
    sides, lives, kinds = known
    starts = partition.starts
    n_same, n_different = count_plain(slices, partition)
    for a, b in ((p, q), (q, p)):
        weighed, codes = (sides[a], sides[b], lives[a]), table.codes[:, a]
        own, other, constants = between.group_of[a], between.group_of[b], between.constants[b][kinds[a]]
        between.logs[a, b] += n_same * log_of_two(sides[a].weighing, True, log_odds)
        between.logs[a, b] += n_different * log_of_two(sides[a].weighing, False, log_odds)
        between.n_live[a, b] += n_same + n_different
        for g in range(starts.shape[0] - 1):
            members = partition.rows[starts[g] : starts[g + 1]]
            if not is_plain(slices, members):
                between.logs[a, b] += correction(
                    slices, members, weighed, codes, own, other, constants, log_odds, counters
                )
                between.n_live[a, b] += n_changed(slices, members, own, other, weighed[0], weighed[1])


@inner
def sum_of_factors(values, log_odds):
    """Sum log(1 + exp(log_odds + value))."""
    product, log = 1.0, 0.0
    for value in values:
        product, log = times_factor(product, log, log_odds + value)
    return log + math.log(product)


@inner
def add_own_test(p, known, blanket, data, prior, question, terms):
    """Do the test of a member given the others. terms: IN and OUT, by variable."""
    side, live, b = known[0][p], known[1][p], question.members[p]
    log_odds = log_slice_odds(prior, blanket.log_size - data.log_cardinalities[b])
    change, n_more = change_of(side, side.members, live.members, log_odds)
    value = sum_of_factors(live.members, log_odds) + change
    n_live = live.members.shape[0] + n_more
    independent = prior.log_p * (1.0 - n_live * data.cardinalities[b] / blanket.size) - value
    terms[question.x] += log_dependent(independent)
    terms[b] += independent


@inner
def pair_odds(p, q, blanket, table, prior):
    """Give the prior log-odds of a slice of B without two members, and the number of slices."""
    log_size = blanket.log_size - table.log_cardinalities[p] - table.log_cardinalities[q]
    size = blanket.size / (table.cardinalities[p] * table.cardinalities[q])
    return log_slice_odds(prior, log_size), size


@inner
def add_pair_tests(p, known, between, blanket, table, prior, members, terms):
    """Do the tests of one member given all others but one, for each other. terms: IN and OUT."""
    sides, lives, kinds = known
    side, live = sides[p], lives[p]
    whole, own, n_own, last_kind = 0.0, 0.0, 0, -1
    for q in np.argsort(kinds):
        if q == p:
            continue
        log_odds, size = pair_odds(p, q, blanket, table, prior)
        if kinds[q] != last_kind:
            last_kind = kinds[q]
            whole = sum_of_factors(live.members, log_odds)
            own, n_own = change_of(side, side.members, live.members, log_odds)
        other, n_other = change_of(sides[q], between.constants[q][kinds[p]], live.members, log_odds)
        n_live = live.members.shape[0] + n_own + n_other + between.n_live[p, q]
        value = whole + own + other + between.logs[p, q]
        terms[members[q]] += log_dependent(prior.log_p * (1.0 - n_live / size) - value)
