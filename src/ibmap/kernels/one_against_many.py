"""The Bayesian test of X against many variables given one set.

Where the rows count once each, 32 variables are tested side by side (`lane_tests`); else, or if they are few,
one after the other, with what does not depend on them found once.
"""

import math

import numpy as np

from ibmap.kernels.compiling import bare, inner, kernel
from ibmap.kernels.context import dirichlet, log_posteriors, slice_prior
from ibmap.kernels.lane_tests import LEAST, Wanted, new_lane_room, weigh_block, x_logs
from ibmap.kernels.lanes import LANES, number_kinds
from ibmap.kernels.one_against_one import against_one
from ibmap.kernels.slice_odds import (
    CLEAR,
    FAINT,
    SHORT,
    THIN,
    add_long_slices,
    add_short_slices,
    add_two_row_slices,
    by_length,
    find_runs,
    log_of,
    x_constants,
)

WIDE = 4  # states for each candidate of a block up to which comparing rows with all of them is fast


@kernel
def test_all(context, data, prior, x, candidates, independent, dependent):
    """Test X against each candidate given one set.

    candidates: IN, best in an order that keeps equal cardinalities together.
    independent, dependent: OUT, log posteriors, one entry a candidate.
    """
    slice_odds, log_unseen = slice_prior(context, prior)
    n_blocks = data.blocks.shape[0]
    if context.starts.shape[0] == 1 or candidates.shape[0] == 0:
        independent[:], dependent[:] = log_posteriors(-np.inf, log_unseen)
    elif candidates.shape[0] < LEAST:
        for c in range(candidates.shape[0]):
            independent[c], dependent[c] = against_one(context, data, prior, x, candidates[c])
    elif 0 < n_blocks * LEAST <= candidates.shape[0] and is_suited(context, data, candidates, slice_odds):
        test_side_by_side(context, data, prior, x, candidates, independent, dependent)
    else:
        test_in_turn(context, data, prior, x, candidates, independent, dependent)


@inner
def is_suited(context, data, candidates, slice_odds):
    """Tell whether candidates may be side by side, at less cost.

    Products stay finite, and rows of long slices are compared with few states for each candidate.
    """
    if not FAINT <= slice_odds <= CLEAR:
        return False
    if data.cardinalities[candidates].max() * data.blocks.shape[0] <= WIDE * candidates.shape[0]:
        return True
    n_rows = 0
    for s in range(context.starts.shape[0] - 1):
        n = context.starts[s + 1] - context.starts[s]
        n_rows += n if n > THIN else 0
    return 2 * n_rows <= context.rows.shape[0]


@inner
def states_of(rows, codes):
    """Give the states of a column in some rows."""
    states = np.empty(rows.shape[0], np.int64)
    for k in range(rows.shape[0]):
        states[k] = codes[rows[k]]
    return states


@inner
def thin_factors(starts, logs):
    """Give the exponentials of the logs of thin slices, by kind and slice; others do not need them."""
    factors = np.zeros_like(logs)
    for s in range(logs.shape[1]):
        if 2 < starts[s + 1] - starts[s] <= THIN:
            for d in range(logs.shape[0]):
                factors[d, s] = math.exp(logs[d, s])
    return factors


@inner
def wanted_lanes(context, data, prior, x, candidates, states):
    """Find what X alone gives against candidates of each number of states; the kinds are yet to be set.

    Returns it with the kind of each candidate.
    """
    n_x, log_odds = data.cardinalities[x], slice_prior(context, prior)[0]
    kind_of, found = number_kinds(data.cardinalities[candidates])
    logs, ratios = np.empty((found.shape[0], context.starts.shape[0] - 1)), np.empty((found.shape[0], 4))
    for d in range(found.shape[0]):
        numbers = dirichlet(n_x, found[d], prior.has_sums)
        x_logs(context.starts, states, numbers, log_odds, prior.log_gamma, logs[d])
        two_row_ratios(numbers, log_odds, ratios[d])
    pair_logs = np.log1p(np.exp(ratios)).reshape(found.shape[0], 2, 2)
    column = dirichlet(n_x, 1, prior.has_sums)[1]
    factors = thin_factors(context.starts, logs)
    return Wanted(logs, factors, pair_logs, np.zeros(LANES, np.int64), found.max(), column), kind_of


@inner
def test_side_by_side(context, data, prior, x, candidates, independent, dependent):
    """Test X against the candidates in each block at once."""
    states = states_of(context.rows, data.codes[:, x])
    wanted, kind_of = wanted_lanes(context, data, prior, x, candidates, states)
    room, odds = new_lane_room(wanted.n_states), np.empty((3, LANES))
    log_unseen = slice_prior(context, prior)[1]
    for b in range(data.blocks.shape[0]):
        n_wanted = 0
        for c in range(candidates.shape[0]):
            if candidates[c] // LANES == b:
                wanted.kinds[candidates[c] % LANES] = kind_of[c]
                n_wanted += 1
        if n_wanted == 0:
            continue
        odds[0], odds[1], odds[2] = 0.0, 0.0, -np.inf
        weigh_block(context.rows, context.starts, states, data.blocks[b], wanted, prior.log_gamma, room, odds)
        for c in range(candidates.shape[0]):
            if candidates[c] // LANES == b:
                lane = candidates[c] % LANES
                independent[c], dependent[c] = log_posteriors(log_of(odds[:, lane]), log_unseen)


@inner
def test_in_turn(context, data, prior, x, candidates, independent, dependent):
    """Test X against one candidate after the other."""
    slice_odds, log_unseen = slice_prior(context, prior)
    n_slices, n_x = context.starts.shape[0] - 1, data.cardinalities[x]
    rows, starts, firsts = by_length(context.rows, context.starts, data.weights)
    x_codes = data.codes[:, x]
    states = states_of(rows, x_codes)
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
