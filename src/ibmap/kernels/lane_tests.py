"""The Bayesian test of X against 32 columns at a time, for any numbers of states up to 256.

In a slice of few rows, sorted by X, h / g of X against Y is what X alone gives, times the product over its
rows of (1 + n_xy) / (c + n_y), with the counts among the rows before it: for all Y at once these are
comparisons of two rows. In a long slice runs of one state of X are looked at in the same way for n_xy,
or, where they are long too, compared with each state; so are all rows for the sums over Y.
"""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.lanes import (
    LANES,
    MOST,
    add_counts,
    add_equal,
    add_factors,
    copy_row,
    count_equal,
    times_counts,
)
from ibmap.kernels.likelihood import BIG
from ibmap.kernels.slice_odds import THIN, add_factor

LEAST = 4  # columns wanted of a block for which all at once take less than one by one

# Columns of one block: by kind of column the log of what X alone gives in each slice, and its exponential;
# by kind of column and whether X and Y are the same, log(1 + e) of a slice of two rows; the kind of each
# lane; states of the widest; parameter of a column.
Wanted = namedtuple("Wanted", "logs factors pair_logs kinds n_states column")
# Room: rows of a slice, patterns of one state each; counts in a run and in all; totals of each state in
# a run and in a slice; slices of two rows with the same Y by whether X is the same; products and logs by
# lane.
LaneRoom = namedtuple("LaneRoom", "rows patterns own every cells totals pairs scales above below values")


@inner
def new_lane_room(n_states):
    """Make room for slices of columns of so many states at most."""
    patterns = np.empty((n_states, LANES), np.uint8)
    for state in range(n_states):
        patterns[state, :] = state
    return LaneRoom(
        np.empty((MOST, LANES), np.uint8), patterns, np.zeros(LANES, np.uint8), np.zeros(LANES, np.uint8),
        np.zeros((n_states, LANES), np.int32), np.zeros((n_states, LANES), np.int32),
        np.zeros((2, LANES), np.int32),
        np.empty(LANES), np.empty(LANES), np.empty(LANES), np.empty(LANES),
    )  # fmt: skip


@inlined
def end_of_run(states, first, last):
    """Find where the run of X that begins at `first` ends."""
    end = first + 1
    while end < last and states[end] == states[first]:
        end += 1
    return end


@inlined
def is_short(n_rows, n_states):
    """Tell whether comparing any two rows of a run takes less than comparing each with all states."""
    return n_rows <= MOST and n_rows * (n_rows + 67) <= n_states * (2 * n_rows + 300)


@bare
def x_logs(starts, states, dirichlet, log_odds, log_gamma, logs):
    """Work out the log of what X alone gives in each slice, with the prior odds; not in those of two rows.

    states: IN, of X by row, sorted in each slice. dirichlet: IN, parameters of a row and a column, sums of
    those of cells, rows, columns. logs: OUT.
    """
    row, _, all_cells, all_rows, all_columns = dirichlet
    of_row = log_gamma[row]
    fixed = log_odds + log_gamma[all_cells] - log_gamma[all_rows] - log_gamma[all_columns]
    for s in range(logs.shape[0]):
        begin, last = starts[s], starts[s + 1]
        n = last - begin
        if n == 2:
            continue
        value = fixed + log_gamma[all_rows + n] + log_gamma[all_columns + n] - log_gamma[all_cells + n]
        while begin < last:
            end = end_of_run(states, begin, last)
            value -= log_gamma[row + (end - begin)] - of_row
            begin = end
        logs[s] = value


@bare
def load_rows(rows, first, last, block, at, room):
    """Put rows next to each other. rows: IN, places in the table. at: IN, where the first goes."""
    for k in range(first, last):
        copy_row(block, rows[k], room, at + k - first)


@bare
def weigh_thin(states, first, last, column, room):
    """Multiply what the rows of a thin slice give. room: IN, `rows`; OUT, `above` and `below`."""
    begin = first
    for lane in range(LANES):
        room.above[lane], room.below[lane] = 1.0, column
    for k in range(first + 1, last):
        if states[k] != states[k - 1]:
            begin = k
        count_equal(room.rows, k - first, room.rows, 0, k - first, room.every)
        times_counts(room.below, column, room.every)
        if begin < k:
            count_equal(room.rows, k - first, room.rows, begin - first, k - first, room.own)
            times_counts(room.above, 1.0, room.own)


@bare
def spill(odds):
    """Put large odds into their logarithms. odds: IN and OUT."""
    for lane in range(LANES):
        if odds[0, lane] > 1e100:
            odds[1, lane] += math.log1p(odds[0, lane])
            odds[0, lane] = 0.0


@bare
def add_thin(s, wanted, room, odds):
    """Multiply in a thin slice. odds: IN and OUT."""
    factors = wanted.factors
    for lane in range(LANES):
        room.scales[lane] = factors[0, s]
    if factors.shape[0] > 1:
        for lane in range(LANES):
            room.scales[lane] = factors[wanted.kinds[lane], s]
    if add_factors(odds, room.scales, room.above, room.below):
        spill(odds)


@bare
def close_rows(n_rows, n_states, room):
    """Add the states of some rows to the totals of the slice."""
    if n_rows > 0:
        for state in range(n_states):
            count_equal(room.patterns, state, room.rows, 0, n_rows, room.every)
            add_counts(room.totals, state, room.every)


@bare
def take_logs(room):
    """Put the products of a slice into their logarithms."""
    for lane in range(LANES):
        room.values[lane] += math.log(room.above[lane])
        room.above[lane] = 1.0


@bare
def weigh_short_run(at, n_rows, room):
    """Multiply what the cells of a run of few rows give. room: IN, `rows`; IN and OUT, products and logs."""
    for k in range(at + 1, at + n_rows):
        count_equal(room.rows, k, room.rows, at, k, room.own)
        if times_counts(room.above, 1.0, room.own):
            take_logs(room)


@bare
def weigh_long_run(rows, first, last, block, n_states, log_gamma, room):
    """Add what the cells of a run of many rows give to the logs, and the cells to the totals."""
    for begin in range(first, last, MOST):
        n_rows = min(last - begin, MOST)
        load_rows(rows, begin, begin + n_rows, block, 0, room.rows)
        for state in range(n_states):
            count_equal(room.patterns, state, room.rows, 0, n_rows, room.own)
            add_counts(room.cells, state, room.own)
    for state in range(n_states):
        for lane in range(LANES):
            count = room.cells[state, lane]
            room.cells[state, lane] = 0
            room.totals[state, lane] += count
            room.values[lane] += log_gamma[np.uint32(1 + count)]


@bare
def weigh_long(rows, states, first, last, block, wanted, log_gamma, room):
    """Sum up the logs of a long slice. room: OUT, `values`."""
    n_pending, begin, n_states = 0, first, wanted.n_states
    for lane in range(LANES):
        room.values[lane], room.above[lane] = 0.0, 1.0
    while begin < last:
        end = end_of_run(states, begin, last)
        is_few = is_short(end - begin, n_states)
        if n_pending > 0 and (not is_few or n_pending + end - begin > MOST):
            close_rows(n_pending, n_states, room)
            n_pending = 0
        if not is_few:
            weigh_long_run(rows, begin, end, block, n_states, log_gamma, room)
        else:
            load_rows(rows, begin, end, block, n_pending, room.rows)
            weigh_short_run(n_pending, end - begin, room)
            n_pending += end - begin
        begin = end
    close_rows(n_pending, n_states, room)
    take_logs(room)
    close_totals(n_states, wanted.column, log_gamma, room)


@bare
def close_totals(n_states, column, log_gamma, room):
    """Take what the totals of a slice give off its logs. room: IN and OUT."""
    for state in range(n_states):
        for lane in range(LANES):
            total = room.totals[state, lane]
            room.totals[state, lane] = 0
            room.values[lane] -= log_gamma[np.uint32(column + total)] - log_gamma[np.uint32(column)]


@bare
def add_pairs(n_pairs, wanted, room, odds):
    """Multiply in the slices of two rows. n_pairs: IN, with another X and with the same. odds: IN and OUT."""
    for lane in range(LANES):
        logs = wanted.pair_logs[wanted.kinds[lane]]
        for same_x in range(2):
            n_same = room.pairs[same_x, lane]
            room.pairs[same_x, lane] = 0
            value = n_same * logs[same_x, 1] + (n_pairs[same_x] - n_same) * logs[same_x, 0]
            if value > BIG:
                odds[1, lane] += value
            else:
                odds[0, lane] += math.expm1(value) * (1.0 + odds[0, lane])
    spill(odds)


@bare
def weigh_block(rows, starts, states, block, wanted, log_gamma, room, odds):
    """Multiply in all slices, for one block. odds: OUT, excess, logs of large and tiny parts by lane."""
    n_other, n_same = np.int64(0), np.int64(0)
    for s in range(starts.shape[0] - 1):
        first, last = starts[s], starts[s + 1]
        if last - first == 2:
            same_x = np.int64(states[first] == states[first + 1])
            add_equal(block, rows[first], rows[first + 1], room.pairs, same_x)
            n_same += same_x
            n_other += 1 - same_x
        elif last - first <= THIN:
            load_rows(rows, first, last, block, 0, room.rows)
            weigh_thin(states, first, last, float(wanted.column), room)
            add_thin(s, wanted, room, odds)
        else:
            weigh_long(rows, states, first, last, block, wanted, log_gamma, room)
            for lane in range(LANES):
                add_factor(odds[:, lane], wanted.logs[wanted.kinds[lane], s] + room.values[lane])
    add_pairs((n_other, n_same), wanted, room, odds)
