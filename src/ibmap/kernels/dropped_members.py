"""The tests that dropping one member from a large blanket needs: given B - b, and given B - b + W.

A test is a product over the slices of the blanket as they are, less those that
meet others, times the groups they make (`blanket_slices`, `group_weights`). Products are
divided again, which costs no digits that count as long as many configurations
have no data: then Pr(not I) is far from 0 whatever the slices say.
"""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.blanket_slices import live_groups, merged_groups
from ibmap.kernels.compiling import inner
from ibmap.kernels.context import dirichlet, log_slice_odds
from ibmap.kernels.group_weights import (
    LARGE,
    Weighing,
    against_member,
    new_factors,
    weigh_split,
    x_parts,
)

# Groups that are weighed alike: the weighing of X against the member, its number of states, logs of
# h / g of X against it, what X alone gives against the variable at hand, and the factors found.
Side = namedtuple("Side", "groups weighing n_states members bases constants own split")


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
    """Prepare to weigh groups without a member of so many states."""
    n_groups = groups.starts.shape[0] - 1
    weighing, members = weighing_of(n_x, n_states, prior), np.empty(n_groups)
    against_member(groups, weighing, counters, members)
    own, split = new_factors(n_groups), new_factors(n_groups)
    return Side(groups, weighing, n_states, members, np.empty(n_groups), np.empty(n_groups), own, split)


@inner
def weigh(side, n_x, w, data, prior, log_odds, counters):
    """Weigh the groups of one side against W. side: IN and OUT."""
    n_w = data.cardinalities[w]
    column = dirichlet(n_x, n_w, prior.has_sums)[1]
    known = side.bases, side.constants, side.members
    codes, weights = data.codes[:, w], data.weights
    weigh_split(
        side.groups, codes, weights, column, side.weighing, known, log_odds, counters, side.own, side.split
    )


@inner
def log_product(factors):
    """Give the log of the product of all groups, and the sum of their numbers of slices."""
    product, log, n_live = 1.0, 0.0, 0
    for g in range(factors.products.shape[0]):
        product *= factors.products[g]
        log += factors.logs[g]
        n_live += factors.n_live[g]
        if product > LARGE:
            log += math.log(product)
            product = 1.0
    return log + math.log(product), n_live


@inner
def log_product_of_parts(groups, factors):
    """Give what `log_product` gives of the slices that groups are made of. factors: IN, of live slices."""
    product, log, n_live = 1.0, 0.0, 0
    for s in groups.parts:
        if s < factors.products.shape[0]:
            product *= factors.products[s]
            log += factors.logs[s]
            n_live += factors.n_live[s]
            if product > LARGE:
                log += math.log(product)
                product = 1.0
    return log + math.log(product), n_live


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
def set_x_parts(sides, lives, kinds, n_x, n_w, prior, counters):
    """Work out what X alone gives against variables of so many states. sides, lives: IN and OUT."""
    weighing = weighing_of(n_x, n_w, prior)
    for p in range(kinds.shape[0]):
        x_parts(sides[p].groups, weighing, counters, sides[p].bases, sides[p].constants)
        if kinds[p] == p:
            x_parts(lives[p].groups, weighing, counters, lives[p].bases, lives[p].constants)


@inner
def changed(side, live, whole, is_own):
    """Give the log of the product over slices once groups are made, and how many slices there are.

    whole: IN, the same of the slices as they are.
    """
    found, before = (side.own, live.own) if is_own else (side.split, live.split)
    merged, n_merged = log_product(found)
    removed, n_removed = log_product_of_parts(side.groups, before)
    return whole[0] - removed + merged, whole[1] - n_removed + n_merged


@inner
def add_without_one(known, blanket, data, prior, question, counters, terms):
    """Do the tests given B - b and given B - b + W for all b and W, but for those of b given B - b.

    known: IN, from `all_sides`. blanket: IN, the context of B. terms: IN and OUT, by variable.
    """
    x, members, outside = question
    sides, lives, kinds = known
    n_x, last_states = data.cardinalities[x], 0
    wholes = [((0.0, 0), (0.0, 0)) for _ in members]
    for w in outside:
        if data.cardinalities[w] != last_states:
            last_states = data.cardinalities[w]
            set_x_parts(sides, lives, kinds, n_x, last_states, prior, counters)
        for p in range(members.shape[0]):
            side, live, b = sides[p], lives[p], members[p]
            log_size = blanket.log_size - data.log_cardinalities[b]
            split_odds = log_slice_odds(prior, log_size + data.log_cardinalities[w])
            log_odds = log_slice_odds(prior, log_size), split_odds
            if kinds[p] == p:
                weigh(live, n_x, w, data, prior, log_odds, counters)
                wholes[p] = log_product(live.own), log_product(live.split)
            weigh(side, n_x, w, data, prior, log_odds, counters)
            value, n_live = changed(side, live, wholes[kinds[p]][0], True)
            size = blanket.size / data.cardinalities[b]
            terms[b] += prior.log_p * (1.0 - n_live / size) - value
            value, n_live = changed(side, live, wholes[kinds[p]][1], False)
            size *= data.cardinalities[w]
            terms[w] += log_dependent(prior.log_p * (1.0 - n_live / size) - value)
