"""Tests of variables outside a large blanket where slices have over 1000 data points together: by logs."""

import math

import numpy as np

from ibmap.kernels.compiling import bare, inlined
from ibmap.kernels.exponential import fast_exp
from ibmap.kernels.point_edges import point_factors, shares_of_one
from ibmap.kernels.shares import share
from ibmap.kernels.two_by_two import BIG, log_ratio, small_ratio
from ibmap.kernels.two_by_two import SMALL as MOST_SMALL


@inlined
def odds_of(prior, a0, a1, b0, b1, logs, smalls):
    """Give e of a slice, or a number so large that it does not matter."""
    if a0 + a1 + b0 + b1 <= MOST_SMALL:
        return prior[1] * small_ratio(a0, a1, b0, b1, smalls)
    return fast_exp(min(prior[0] + log_ratio(a0, a1, b0, b1, logs), BIG))


@bare
def fill_huge_factors(n_huge, cells, priors, logs, smalls, hyperparameters, factors):
    """Give what one more data point does to the huge slices. factors: OUT."""
    for z in range(n_huge):
        a0, a1, b0, b1 = cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3]
        without = odds_of(priors[1], a0, a1, b0, b1, logs, smalls)
        given_0 = odds_of(priors[2], a0, a1, 0, 0, logs, smalls)
        given_1 = odds_of(priors[2], b0, b1, 0, 0, logs, smalls)
        less = shares_of_one(priors[1], np.uint32(2), without)
        given = (
            shares_of_one(priors[2], np.uint32(a0 + a1), given_0),
            shares_of_one(priors[2], np.uint32(b0 + b1), given_1),
        )
        point_factors(cells[z], less, given, hyperparameters, factors[z])


@bare
def huge_slices_alone(n_huge, cells, priors, logs, smalls, alone):
    """Do the tests of one W over the huge slices as they are.

    alone: OUT, shares of X against W given B - b, and of X against a member that does not vary, given
    W = 0 and W = 1 together. Returns the shares as `medium_slices_alone` does.
    """
    own, own_less, given = 0.0, 0.0, 0.0
    for z in range(n_huge):
        a0, a1, b0, b1 = cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3]
        own += share(priors[2], a0, a1, b0, b1, logs, smalls)
        alone[z, 0] = share(priors[1], a0, a1, b0, b1, logs, smalls)
        alone[z, 1] = share(priors[2], a0, a1, 0, 0, logs, smalls)
        alone[z, 1] += share(priors[2], b0, b1, 0, 0, logs, smalls)
        own_less += alone[z, 0]
        given += alone[z, 1]
    return own, own_less, given


@bare
def merge_huge(edges, n_huge, cells, priors, logs, smalls, huge_alone, alone):
    """What merging edges changes, as for `merge_medium`. alone: IN, from `medium_slices_alone`."""
    change, change_w = 0.0, 0.0
    for k in range(edges.shape[0]):
        z, y = np.uint32(edges[k, 0]), np.uint32(edges[k, 1])
        a0, a1, b0, b1 = cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3]
        c0, c1, d0, d1 = cells[y, 0], cells[y, 1], cells[y, 2], cells[y, 3]
        change += share(priors[1], a0 + c0, a1 + c1, b0 + d0, b1 + d1, logs, smalls)
        change_w += share(priors[2], a0, a1, c0, c1, logs, smalls)
        change_w += share(priors[2], b0, b1, d0, d1, logs, smalls)
        for s in (z, y):
            change -= huge_alone[s, 0] if s < n_huge else -math.log(alone[s, 3])
            change_w -= huge_alone[s, 1] if s < n_huge else -math.log(alone[s, 2])
    return change, change_w
