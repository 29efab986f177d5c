"""Tables of what the rows of thin slices and their groups give, for `thin_slices`."""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inner
from ibmap.kernels.lanes import LANES

# The columns outside: where each is among the blocks, and which one is there; by block and lane its kind,
# and 0 where none of them is; by kind its lanes, how many they are, Dirichlet parameters, and odds of a
# slice of B + W; logs of 1 + e of two rows by the kinds of W and Y and by whether X and Y are the same, and
# of three by which of them are; the odds of a slice of B, and logs of 1 + e of two rows by the kind of Y.
ThinNumbers = namedtuple(
    "ThinNumbers",
    "places columns kinds is_real lanes n_lanes numbers odds pair_logs triple_logs whole_odds whole_logs",
)


@inner
def tabulate_pairs(numbers, log_odds, pair_logs):
    """Tabulate log(1 + e) of groups of two rows for some prior log-odds. pair_logs: OUT, by kind of Y."""
    for e in range(numbers.shape[0]):
        row, column, all_cells, all_rows, all_columns = numbers[e]
        size = (all_rows + 1) * ((all_columns + 1) / (all_cells + 1))
        for same_x in range(2):
            for same_y in range(2):
                ratio = size * (1.0 + same_x * same_y) / ((row + same_x) * (column + same_y))
                pair_logs[e, same_x, same_y] = math.log1p(math.exp(log_odds) * ratio)


@inner
def tabulate_triples(numbers, log_odds, triple_logs):
    """Tabulate log(1 + e) of groups of three rows for some prior log-odds. triple_logs: OUT, by kind of Y.

    By which rows X has in common with the one before (the second 1, the third 2), and Y with another: the
    first two, the first and the last, the last two, all, none.
    """
    for e in range(numbers.shape[0]):
        row, column, all_cells, all_rows, all_columns = numbers[e]
        size = (all_rows + 1) * ((all_columns + 1) / (all_cells + 1))
        size *= (all_rows + 2) * ((all_columns + 2) / (all_cells + 2))
        for same_x in range(4):
            x_01, x_12 = same_x & 1, same_x >> 1
            below_x = (row + x_01) * (row + x_12 * (1.0 + x_01))
            for same_y in range(5):
                y_01, y_02, y_12 = same_y in (0, 3), same_y in (1, 3), same_y in (2, 3)
                above = (1.0 + x_01 * y_01) * (1.0 + x_12 * (y_12 + x_01 * y_02))
                ratio = size * above / (below_x * (column + y_01) * (column + y_02 + y_12))
                triple_logs[e, same_x, same_y] = math.log1p(math.exp(log_odds) * ratio)


@inner
def thin_numbers(kinds, outside, n_variables, log_odds):
    """Tabulate what tests in thin slices need. kinds: IN, of the columns outside. log_odds: IN, of B."""
    n, n_kinds, n_blocks = outside.shape[0], kinds.log_odds.shape[0], (n_variables + LANES - 1) // LANES
    places, columns = np.empty((n, 2), np.int64), np.zeros((n_blocks, LANES), np.int64)
    lane_kinds, is_real = np.zeros((n_blocks, LANES), np.int64), np.zeros((n_blocks, LANES))
    lanes, n_lanes = np.zeros((n_kinds, n_blocks), np.uint64), np.zeros(n_kinds, np.int64)
    for k in range(n):
        b, lane, d = outside[k] // LANES, outside[k] % LANES, kinds.of_column[k]
        places[k, 0], places[k, 1], columns[b, lane] = b, lane, k
        lane_kinds[b, lane], is_real[b, lane] = d, 1.0
        lanes[d, b] |= np.uint64(1) << np.uint64(lane)
        n_lanes[d] += 1
    pair_logs, whole_logs = np.empty((n_kinds, n_kinds, 2, 2)), np.empty((n_kinds, 2, 2))
    triple_logs, odds = np.empty((n_kinds, n_kinds, 4, 5)), np.exp(kinds.log_odds)
    for d in range(n_kinds):
        tabulate_pairs(kinds.numbers, kinds.log_odds[d], pair_logs[d])
        tabulate_triples(kinds.numbers, kinds.log_odds[d], triple_logs[d])
    tabulate_pairs(kinds.numbers, log_odds, whole_logs)
    return ThinNumbers(
        places, columns, lane_kinds, is_real, lanes, n_lanes, kinds.numbers, odds,
        pair_logs, triple_logs, math.exp(log_odds), whole_logs,
    )  # fmt: skip
