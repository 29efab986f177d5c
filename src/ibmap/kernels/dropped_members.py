"""The tests that dropping one member from a large blanket needs: given B - b, and given B - b + W.

A test is a product over the slices of the blanket that meet no other, and over the groups that
the others make (`blanket_slices`). Groups of few rows are weighed against all W at once
(`thin_groups`), larger ones against one W after the other (`slice_cells`). Pr(not I) comes from Pr(I), which
costs no digits that count as long as many configurations have no data: then it is far from 0 whatever the
slices say.
"""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.blanket_slices import live_groups, merged_groups
from ibmap.kernels.compiling import inner
from ibmap.kernels.context import dirichlet
from ibmap.kernels.group_numbers import rows_of_thin
from ibmap.kernels.group_totals import new_totals
from ibmap.kernels.group_weights import Weighing, against_member
from ibmap.kernels.long_parts import add_all_long
from ibmap.kernels.thin_parts import add_all_thin

# The groups without a member: the weighing of X against it, its number of states, logs of h / g of X against
# it.
Side = namedtuple("Side", "groups weighing n_states members")


@inner
def weighing_of(n_x, n_y, prior):
    """Give the numbers that weigh X against a variable of so many states."""
    row, column, all_cells, all_rows, all_columns = dirichlet(n_x, n_y, prior.has_sums)
    return Weighing(row, column, all_cells, all_rows, all_columns, prior.log_gamma)


@inner
def log_dependent(log_independent):
    """Give log Pr(not I | D) from log Pr(I | D)."""
    if log_independent > -0.5:
        return math.log(-math.expm1(log_independent))
    return math.log1p(-math.exp(log_independent))


@inner
def new_side(groups, n_x, n_states, prior, counters):
    """Weigh X in groups against a member of so many states."""
    weighing, members = weighing_of(n_x, n_states, prior), np.empty(groups.part_starts.shape[0] - 1)
    against_member(groups, weighing, counters, members)
    return Side(groups, weighing, n_states, members)


@inner
def kinds_of(cardinalities):
    """Give for each entry the place of the first that is equal."""
    kinds = np.empty(cardinalities.shape[0], np.int64)
    for p in range(kinds.shape[0]):
        kinds[p] = p
        for q in range(p):
            if cardinalities[q] == cardinalities[p]:
                kinds[p] = q
                break
    return kinds


@inner
def all_sides(slices, partitions, table, prior, n_x, counters):
    """Prepare the groups of each member dropped, and for each the slices as they are.

    partitions: IN, of the slices without each member. table: IN, from `slice_table`.
    """
    kinds, live = kinds_of(table.cardinalities), live_groups(slices, table)
    sides = [new_side(live, n_x, n_states, prior, counters) for n_states in table.cardinalities[:0]]
    lives = [new_side(live, n_x, n_states, prior, counters) for n_states in table.cardinalities[:0]]
    for p in range(kinds.shape[0]):
        n_states = table.cardinalities[p]
        groups = merged_groups(slices, partitions[p], table.codes[:, p])
        sides.append(new_side(groups, n_x, n_states, prior, counters))
        lives.append(lives[kinds[p]] if kinds[p] < p else new_side(live, n_x, n_states, prior, counters))
    return sides, lives, kinds


@inner
def find_grouped(sides, n_slices):
    """Tell for each member which slices are in a group without it."""
    is_grouped = np.zeros((len(sides), n_slices), np.bool_)
    for p in range(len(sides)):
        for s in sides[p].groups.parts:
            is_grouped[p, s] = True
    return is_grouped


@inner
def n_slices_without(p, side, is_grouped, n_live):
    """Count the slices of two data points or more without a member."""
    n = side.members.shape[0]
    for s in range(n_live):
        n += not is_grouped[p, s]
    return n


@inner
def add_without_one(known, slices, blanket, data, prior, question, counters, terms):
    """Do the tests given B - b and given B - b + W for all b and W, but for those of b given B - b.

    known: IN, from `all_sides`. blanket: IN, the context of B. terms: IN and OUT, by variable.
    """
    _, members, outside = question
    if outside.shape[0] == 0:
        return
    sides, _, _ = known
    is_grouped = find_grouped(sides, slices.starts.shape[0] - 1)
    totals = new_totals(members.shape[0], data.cardinalities.shape[0])
    most = rows_of_thin(blanket, data, prior, question)
    if most > 0:
        add_all_thin(known, slices, is_grouped, most, blanket, data, prior, question, totals)
    add_all_long(known, slices, is_grouped, most, blanket, data, prior, question, counters, totals)
    for p in range(members.shape[0]):
        b, n_own = members[p], n_slices_without(p, sides[p], is_grouped, slices.n_live)
        size = blanket.size / data.cardinalities[b]
        for w in outside:
            value = totals.own_logs[p, w] + math.log(totals.own[p, w])
            terms[b] += prior.log_p * (1.0 - n_own / size) - value
            share = totals.n_live[p, w] / (size * data.cardinalities[w])
            value = totals.split_logs[p, w] + math.log(totals.split[p, w])
            terms[w] += log_dependent(prior.log_p * (1.0 - share) - value)
