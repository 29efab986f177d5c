"""A conditioning set with its slices, and the Bayesian test of X against many others given it.

For any numbers of states; the Dirichlet parameters are integers ("sums" or "ones").
"""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import bare, inner, kernel
from ibmap.kernels.partition import refine, sorted_by, split_by_all
from ibmap.kernels.slice_odds import (
    SHORT,
    add_long_slices,
    add_short_slices,
    add_two_row_slices,
    by_length,
    find_runs,
    log_of,
    x_constants,
)

FEW_GIVEN = 3  # variables up to which slices are split by one after the other

# The data: codes, cardinalities (integers, and their logarithms), weights of the rows or none.
Data = namedtuple("Data", "codes cardinalities log_cardinalities weights")
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
    rows, starts, n_single = refine(
        context.rows, context.starts, data.codes[:, column], n_states, data.weights
    )
    log_size = context.log_size + data.log_cardinalities[column]
    return Context(rows, starts, context.n_single + n_single, log_size, context.size * n_states)


@kernel
def all_given(data, x, given):
    """Give a conditioning set of several variables."""
    context = nothing_given(data, x)
    if given.shape[0] > FEW_GIVEN and context.rows.shape[0] > 0:
        rows, starts, n_single = split_by_all(
            context.rows, data.codes, given, data.cardinalities, data.weights
        )
        log_size, size = 0.0, 1.0
        for z in given:
            log_size += data.log_cardinalities[z]
            size *= data.cardinalities[z]
        return Context(rows, starts, n_single, log_size, size)
    for z in given:
        context = narrowed(context, data, z)
    return context


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


@kernel
def test_all(context, data, prior, x, candidates, independent, dependent):
    """Test X against each candidate given one set.

    candidates: IN, best in an order that keeps equal cardinalities together.
    independent, dependent: OUT, log posteriors, one entry a candidate.
    """
    slice_odds, log_unseen = slice_prior(context, prior)
    n_slices, n_x = context.starts.shape[0] - 1, data.cardinalities[x]
    if n_slices == 0 or candidates.shape[0] == 0:
        independent[:], dependent[:] = log_posteriors(-np.inf, log_unseen)
        return
    rows, starts, firsts = by_length(context.rows, context.starts, data.weights)
    x_codes = data.codes[:, x]
    states = np.empty(rows.shape[0], np.int64)
    for k in range(rows.shape[0]):
        states[k] = x_codes[rows[k]]
    first_long = firsts[SHORT + 1]
    runs = find_runs(rows, starts, first_long, x_codes)
    n_most = max(data.cardinalities[candidates].max(), n_x) + 1
    scratch = (
        np.zeros(n_most, np.int64), np.zeros(n_most, np.int64),
        np.empty(n_most, np.int64), np.empty(n_most, np.int64),
    )  # fmt: skip
    logs, factors, odds = np.empty(n_slices), np.empty(first_long), np.empty(3)
    cells, columns, log_ratios, last_states, column = np.empty(0), np.empty(0), np.empty(4), 0, 1
    for c in range(candidates.shape[0]):
        n_y = data.cardinalities[candidates[c]]
        if n_y != last_states:
            last_states = n_y
            numbers = dirichlet(n_x, n_y, prior.has_sums)
            x_constants(
                rows, starts, states, data.weights, numbers, slice_odds, prior.log_gamma, scratch[0], logs
            )
            column = numbers[1]
            two_row_ratios(numbers, slice_odds, log_ratios)
            for s in range(first_long):
                factors[s] = math.exp(logs[s])
            cells, columns = np.ones(n_x * n_y), np.full(n_y, float(column))
        y_codes = data.codes[:, candidates[c]]
        odds[0], odds[1], odds[2] = 0.0, 0.0, -np.inf
        add_two_row_slices(rows, states, y_codes, starts[firsts[3]], log_ratios, odds)
        for length in range(3, SHORT + 1):
            if firsts[length] < firsts[length + 1]:
                bounds = (firsts[length], firsts[length + 1], starts[firsts[length]])
                add_short_slices(
                    rows, states, y_codes, n_y, bounds, length, factors, cells, columns, float(column), odds
                )
        add_long_slices(
            rows, runs, y_codes, data.weights, logs[first_long:], prior.log_gamma, column, scratch, odds
        )
        independent[c], dependent[c] = log_posteriors(log_of(odds), log_unseen)


@bare
def two_row_ratios(numbers, log_odds, log_ratios):
    """Tabulate log e of a slice of two rows by whether X is the same (2) and whether Y is (1).

    numbers: IN, from `dirichlet`. log_ratios: OUT.
    """
    row, column, all_cells, all_rows, all_columns = numbers
    base = log_odds + math.log(all_rows * (all_rows + 1.0)) + math.log(all_columns * (all_columns + 1.0))
    base -= math.log(all_cells * (all_cells + 1.0))
    for outcome in range(4):
        same_x, same_y = outcome // 2, outcome % 2
        below = row * (row + 1.0 * same_x) * column * (column + 1.0 * same_y)
        log_ratios[outcome] = base + math.log((1.0 + same_x * same_y) / below)
