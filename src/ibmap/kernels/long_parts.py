"""All groups of many rows that dropping one member makes, and slices of many rows that stay as they are."""

import numpy as np

from ibmap.kernels.compiling import inner
from ibmap.kernels.context import dirichlet, log_slice_odds
from ibmap.kernels.group_totals import add_long, is_thin
from ibmap.kernels.group_weights import Weighing
from ibmap.kernels.slice_cells import count_cells, new_slice_cells, weigh_group


@inner
def long_groups(slices, groups, most):
    """List the groups that are not thin. most: IN, rows of a thin one at most."""
    found, n = np.empty(groups.part_starts.shape[0], np.int32), 0
    for g in range(groups.part_starts.shape[0] - 1):
        found[n] = g
        n += not is_thin(slices, groups.parts[groups.part_starts[g] : groups.part_starts[g + 1]], most)
    return found[:n]


@inner
def find_long(known, slices, most):
    """List the slices that are not thin, such groups without each member, and all slices of these."""
    sides, lives, _ = known
    is_listed = np.zeros(slices.starts.shape[0] - 1, np.bool_)
    large = long_groups(slices, lives[0].groups, most)
    found = [large for _ in range(0)]
    for s in large:
        is_listed[s] = True
    for side in sides:
        groups = side.groups
        found.append(long_groups(slices, groups, most))
        for g in found[-1]:
            for i in range(groups.part_starts[g], groups.part_starts[g + 1]):
                is_listed[groups.parts[i]] = True
    return large, found, new_slice_cells(slices, is_listed)


@inner
def add_long_slices(p, w, large, cells, is_grouped, kinds, against, side, log_odds, counters, totals):
    """Multiply in the large slices that stay as they are, for all members of the kind of p, and W.

    large: IN, the slices. log_odds: IN, of a slice of the set without the member, and with W. totals: IN
    and OUT.
    """
    groups = side.groups
    for s in large:
        parts = groups.parts[s : s + 1]
        own, product, log, n_live = weigh_group(parts, cells, against, side.weighing, log_odds[1], counters)
        for q in range(kinds.shape[0]):
            if kinds[q] == p and not is_grouped[q, s]:
                add_long(q, w, log_odds[0] + own, (product, log, n_live), totals)


@inner
def add_long_groups(p, w, large, cells, against, side, log_odds, counters, totals):
    """Multiply in the large groups without a member for W. totals: IN and OUT."""
    groups = side.groups
    for g in large:
        parts = groups.parts[groups.part_starts[g] : groups.part_starts[g + 1]]
        own, product, log, n_live = weigh_group(parts, cells, against, side.weighing, log_odds[1], counters)
        add_long(p, w, log_odds[0] + own, (product, log, n_live), totals)


@inner
def add_all_long(known, slices, is_grouped, most, blanket, data, prior, question, counters, totals):
    """Multiply in all that is not thin. most: IN, rows of what is thin at most. totals: IN and OUT."""
    x, members, outside = question
    sides, lives, kinds = known
    n_x = data.cardinalities[x]
    large, groups, cells = find_long(known, slices, most)
    if cells.listed.shape[0] == 0:
        return
    for w in outside:
        row, column, all_cells, all_rows, all_columns = dirichlet(n_x, data.cardinalities[w], prior.has_sums)
        against = Weighing(row, column, all_cells, all_rows, all_columns, prior.log_gamma)
        count_cells(slices, data.codes[:, w], data.weights, column, prior.log_gamma, counters, cells)
        for p in range(members.shape[0]):
            log_size = blanket.log_size - data.log_cardinalities[members[p]]
            split_odds = log_slice_odds(prior, log_size + data.log_cardinalities[w])
            log_odds = log_slice_odds(prior, log_size), split_odds
            if kinds[p] == p:
                add_long_slices(
                    p, w, large, cells, is_grouped, kinds, against, lives[p], log_odds, counters, totals
                )
            add_long_groups(p, w, groups[p], cells, against, sides[p], log_odds, counters, totals)
