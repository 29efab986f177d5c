"""X against each of two members that are both dropped from a large blanket.

As in `dropped_members`: slices as they are, less those that meet others, times groups.
"""

import math

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.context import log_slice_odds
from ibmap.kernels.dropped_members import kinds_of, log_dependent, sum_of_factors, weighing_of
from ibmap.kernels.group_weights import of_total, rising, times_factor


@inner
def constant_logs(slices, weighing):
    """Give log(h / g) of X against what is constant in each slice of two data points or more."""
    values, log_gamma = np.empty(slices.n_live), weighing.log_gamma
    for s in range(slices.n_live):
        value, total = 0.0, 0
        for r in range(slices.run_starts[s], slices.run_starts[s + 1]):
            count = slices.run_counts[r]
            value += log_gamma[1 + count] - rising(log_gamma, weighing.row, count)
            total += count
        values[s] = value - rising(log_gamma, weighing.column, total) + of_total(weighing, total)
    return values


@inlined
def merged_log(weighing, slices, rows, first, last, codes, n_states, counters):
    """Give log(h / g) of X against a member in a group, from the runs of its slices.

    rows: IN, representatives of the slices, `first` to `last` - 1. codes, n_states: IN, of the member.
    """
    run_starts, run_states, run_counts = slices.run_starts, slices.run_states, slices.run_counts
    cells, x_counts, y_counts, log_gamma = counters.cells, counters.rows, counters.columns, weighing.log_gamma
    value, total = 0.0, 0
    for k in range(first, last):
        s, y = slices.numbers[rows[k]], np.int64(codes[rows[k]])
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
    for k in range(first, last):
        s, y = slices.numbers[rows[k]], np.int64(codes[rows[k]])
        y_counts[y] = 0
        for r in range(run_starts[s], run_starts[s + 1]):
            x = np.int64(run_states[r])
            cells[x * n_states + y] = x_counts[x] = 0
    return value + of_total(weighing, total)


@inner
def merged_sum(slices, groups, codes, n_states, weighing, constants, log_odds, counters):
    """Sum over groups what X against a member gives, less what their slices gave.

    groups: IN, partition of representatives. codes, n_states: IN, of the member. constants: IN, from
    `constant_logs`.
    """
    merged, log_merged, removed, log_removed = 1.0, 0.0, 1.0, 0.0
    rows, starts, numbers = groups.rows, groups.starts, slices.numbers
    for g in range(starts.shape[0] - 1):
        first, last = starts[g], starts[g + 1]
        value = merged_log(weighing, slices, rows, first, last, codes, n_states, counters)
        merged, log_merged = times_factor(merged, log_merged, log_odds + value)
        for k in range(first, last):
            s = numbers[rows[k]]
            if s < constants.shape[0]:
                removed, log_removed = times_factor(removed, log_removed, log_odds + constants[s])
    return log_merged - log_removed + math.log(merged / removed)


@inner
def n_live_slices(slices, groups):
    """Count the slices of two data points or more once groups are made."""
    n_live = slices.n_live + groups.starts.shape[0] - 1
    for row in groups.rows:
        n_live -= slices.numbers[row] < slices.n_live
    return n_live


@inner
def known_of(slices, members, data, prior, n_x):
    """Give for each member its weighing, `constant_logs`, and the first member of its cardinality."""
    kinds = kinds_of(data.cardinalities[members])
    weighings = [weighing_of(n_x, data.cardinalities[b], prior) for b in members]
    constants = [constant_logs(slices, weighings[0])]
    for p in range(1, members.shape[0]):
        constants.append(constants[kinds[p]] if kinds[p] < p else constant_logs(slices, weighings[p]))
    return weighings, constants, kinds, np.full((members.shape[0], members.shape[0]), -1.0)


@inner
def sum_unchanged(known, p, q, log_odds):
    """Sum over the slices as they are X against member p, p and q dropped; the same for like members."""
    _, constants, kinds, sums = known
    i, j = kinds[p], kinds[q]
    if sums[i, j] < 0.0:
        sums[i, j] = sum_of_factors(constants[i], log_odds)
    return sums[i, j]


@inner
def add_without_two(slices, groups, pair, known, blanket, data, prior, members, counters, terms):
    """Do the tests of both members of a pair given the others.

    groups: IN, partition of representatives by B without the two. known: IN and OUT, from `known_of`.
    blanket: IN, the context of B. terms: IN and OUT, by variable.
    """
    b, c = members[pair[0]], members[pair[1]]
    log_odds = log_slice_odds(prior, blanket.log_size - data.log_cardinalities[b] - data.log_cardinalities[c])
    size = blanket.size / (data.cardinalities[b] * data.cardinalities[c])
    log_unseen = prior.log_p * (1.0 - n_live_slices(slices, groups) / size)
    for k in range(2):
        p, q = pair[k], pair[1 - k]
        y, weighing, constants = members[p], known[0][p], known[1][p]
        value = sum_unchanged(known, p, q, log_odds) + merged_sum(
            slices, groups, data.codes[:, y], data.cardinalities[y], weighing, constants, log_odds, counters
        )
        terms[members[q]] += log_dependent(log_unseen - value)
