"""Tests of the variables outside a large blanket where a single data point joins a slice that is not small.

Then e is multiplied by a ratio r of counts, and so 1 + e by 1 / (1 + e) + r e / (1 + e). That
depends on the states of X and W of the data point alone: four cases for each slice and W.
"""

import math

import numpy as np

from ibmap.kernels.compiling import bare, inlined
from ibmap.kernels.medium_edges import absorb
from ibmap.kernels.shares import column

ONE = np.uint64(1)


@inlined
def shares_of_one(prior, total, odds):
    """Give 1 / (1 + e) and e / (1 + e) of a slice of some data points, from e.

    With fewer than two its factor is 1 as it is, and with one more 1 still, or p^(1 / K) (1 + r e).
    """
    if total >= 2:
        inverse = 1.0 / (1.0 + odds)
        return inverse, odds * inverse
    if total == 0:
        return 1.0, 0.0
    unseen = math.exp(-prior[2])
    return unseen, unseen * prior[1]


@inlined
def step(n_row, n, hyperparameters):
    """Give the part of the ratio that a row of `n_row` data points of a slice of `n` has."""
    gamma, alpha = hyperparameters
    return (2 * alpha + n) * (2 * alpha + n) / ((4 * gamma + n) * (alpha + n_row))


@bare
def point_factors(cells, less, given, hyperparameters, factors):
    """Give what one more data point multiplies factors of a slice by.

    cells: IN, counts of X = 0 and 1 for W = 0, then for W = 1. less, given: IN, from `shares_of_one`, of X
    against W given B - b, and of X against the data point's member given W = 0 and W = 1. factors: OUT, of
    these two tests, by the states of X and W.
    """
    gamma, alpha = hyperparameters
    n = cells[0] + cells[1] + cells[2] + cells[3]
    for x in range(2):
        row = step(cells[x] + cells[2 + x], n, hyperparameters)
        for w in range(2):
            cell, n_w = cells[2 * w + x], cells[2 * w] + cells[2 * w + 1]
            ratio = row * (gamma + cell) / (alpha + n_w)
            ratio_w = step(cell, n_w, hyperparameters) * gamma / alpha
            factors[2 * x + w, 0] = less[0] + less[1] * ratio
            factors[2 * x + w, 1] = given[w][0] + given[w][1] * ratio_w


@inlined
def scaled_odds(prior, columns, n0, n1, scaled):
    """Give e of a slice from its columns' entries and its counts of X = 0 and X = 1."""
    _, side, total = scaled
    return prior[1] * (columns * (side[n0] * total[n0 + n1] * side[n1]))


@bare
def fill_point_factors(slices, cells, priors, scaled, hyperparameters, factors):
    """Give what one more data point does to some slices of up to 1000 data points. factors: OUT."""
    cell, side, _ = scaled
    less, same = priors[1], priors[2]
    for z in slices:
        a0, a1 = np.uint32(cells[z, 0]), np.uint32(cells[z, 1])
        b0, b1 = np.uint32(cells[z, 2]), np.uint32(cells[z, 3])
        of_0, of_1 = column(a0, a1, cell, side), column(b0, b1, cell, side)
        without = scaled_odds(less, of_0 * of_1, a0 + b0, a1 + b1, scaled)
        given_0 = shares_of_one(same, a0 + a1, scaled_odds(same, of_0, a0, a1, scaled))
        given_1 = shares_of_one(same, b0 + b1, scaled_odds(same, of_1, b0, b1, scaled))
        inverse = 1.0 / (1.0 + without)
        point_factors(cells[z], (inverse, without * inverse), (given_0, given_1), hyperparameters, factors[z])


@bare
def merge_points(edges, n_live, sizes, lone, variable, factors):
    """What merging edges with dead slices changes in the tests of one W, as for `merge_medium`.

    lone: IN, states of 64 variables in each dead slice. variable: IN, which of them is W. factors: IN, from
    `point_factors`, by slice.
    """
    change, change_w, log_change, log_change_w = 1.0, 1.0, 0.0, 0.0
    for k in range(edges.shape[0]):
        z, y = np.uint32(edges[k, 0]), np.uint32(edges[k, 1])
        w = np.uint32((lone[y - np.uint32(n_live)] >> np.uint64(variable)) & ONE)
        case = np.uint32(2 * sizes[y, 1]) + w
        change, log_change = absorb(change, log_change, factors[z, case, 0])
        change_w, log_change_w = absorb(change_w, log_change_w, factors[z, case, 1])
    return log_change + math.log(change), log_change_w + math.log(change_w)
