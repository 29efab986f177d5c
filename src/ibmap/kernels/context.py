"""A conditioning set with its slices, and what the prior makes of them.

For any numbers of states; the Dirichlet parameters are integers ("sums" or "ones").
"""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import bare, inner, kernel
from ibmap.kernels.partition import is_dense, refine, sorted_by, split_by_all, split_by_counting

FEW_GIVEN = 3  # variables up to which slices are split by one after the other

# The data: codes, cardinalities (integers, and their logarithms), weights of the rows or none, columns as
# bytes side by side (`lanes`) or none.
Data = namedtuple("Data", "codes cardinalities log_cardinalities weights blocks")
# The prior: log p, log(-log p), whether margins add up ("sums"), whether K counts seen slices only.
PriorNumbers = namedtuple("PriorNumbers", "log_p log_minus_log_p has_sums counts_seen log_gamma")
# A conditioning set's partition, how many slices have one data point, log and number of configurations.
Context = namedtuple("Context", "rows starts n_single log_size size")


@inner
def nothing_given(data, x):
    """Give the empty conditioning set, its only slice sorted by X."""
    rows, starts = sorted_by(data.codes[:, x], data.cardinalities[x])
    if rows.shape[0] == 0 or (rows.shape[0] == 1 and (data.weights.shape[0] == 0 or data.weights[0] == 1)):
        return Context(rows[:0], starts[:1], rows.shape[0], 0.0, 1.0)
    return Context(rows, starts, 0, 0.0, 1.0)


@inner
def narrowed(context, data, column):
    """Add one variable to a conditioning set."""
    n_states = data.cardinalities[column]
    rows, starts, n_single = context.rows, context.starts, 0
    if rows.shape[0] > 0:
        rows, starts, n_single = refine(rows, starts, data.codes[:, column], n_states, data.weights)
    log_size = context.log_size + data.log_cardinalities[column]
    return Context(rows, starts, context.n_single + n_single, log_size, context.size * n_states)


@inner
def size_of(data, given):
    """Give the number of configurations of a set, and its logarithm."""
    size, log_size = 1.0, 0.0
    for z in given:
        log_size += data.log_cardinalities[z]
        size *= data.cardinalities[z]
    return size, log_size


@inner
def narrowed_by_all(context, data, given):
    """Add several variables to the empty conditioning set."""
    if given.shape[0] <= 1 or context.rows.shape[0] == 0:
        for z in given:
            context = narrowed(context, data, z)
        return context
    if is_dense(context.rows.shape[0], data.cardinalities, given, 0):
        rows, starts, n_single = split_by_counting(
            context.rows, data.codes, given, data.cardinalities, data.weights
        )
    elif given.shape[0] > FEW_GIVEN:
        rows, starts, n_single = split_by_all(
            context.rows, data.codes, given, data.cardinalities, data.weights
        )
    else:
        for z in given:
            context = narrowed(context, data, z)
        return context
    size, log_size = size_of(data, given)
    return Context(rows, starts, n_single, log_size, size)


@kernel
def all_given(data, x, given):
    """Give a conditioning set of several variables."""
    return narrowed_by_all(nothing_given(data, x), data, given)


@bare
def slice_prior(context, prior):
    """Give the prior log-odds of dependence of one slice, and the log of the factors of the others."""
    n_live = context.starts.shape[0] - 1
    size, log_size = context.size, context.log_size
    if prior.counts_seen:
        size = max(n_live + context.n_single, 1.0)
        log_size = math.log(size)
    return log_slice_odds(prior, log_size), prior.log_p * (1.0 - n_live / size)


@bare
def log_slice_odds(prior, log_size):
    """Give the prior log-odds of dependence of one of so many slices."""
    log_share = prior.log_minus_log_p - log_size
    if log_share < -20:
        return log_share + math.exp(log_share) / 2
    return math.log(math.expm1(math.exp(log_share)))


@bare
def log_posteriors(log_odds, log_unseen):
    """Give log Pr(I | D) and log Pr(not I | D) from the log-odds over the slices that matter."""
    tail = math.log1p(math.exp(-abs(log_odds))) if log_odds > -np.inf else 0.0
    independent = log_unseen - (max(log_odds, 0.0) + tail)
    if log_unseen == 0.0:
        return independent, -(max(-log_odds, 0.0) + tail)
    if independent > -0.5:
        return independent, math.log(-math.expm1(independent))
    return independent, math.log1p(-math.exp(independent))


@bare
def dirichlet(n_x, n_y, has_sums):
    """Give the parameters of a row and a column, and the sums of those of cells, rows and columns."""
    row, column = (n_y, n_x) if has_sums else (1, 1)
    return row, column, n_x * n_y, row * n_x, column * n_y
