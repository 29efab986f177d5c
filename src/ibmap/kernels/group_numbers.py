"""Tables of what rows of a group multiply its Bayes factors by, for `thin_groups`."""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inner
from ibmap.kernels.context import dirichlet, log_slice_odds
from ibmap.kernels.lanes import LANES, number_kinds
from ibmap.kernels.slice_odds import CLEAR, THIN
from ibmap.kernels.thin_slices import WIDEST

# Variables outside: by block and lane (`lanes`) the kind of each, and whether one is there, also as bits; the
# cardinality of a kind; by kind and number of rows before what this number, and that of rows with the same X,
# multiply by; the Dirichlet parameter of a state.
Others = namedtuple("Others", "kinds is_real lanes cardinalities scales rows column")
# A member dropped: prior odds of a slice, and of one with each variable outside added, by kind; by number of
# rows before what it multiplies by, and those with the same X and member; logs of the factors of two rows: of
# X against variables outside by kind and whether X and these are the same, against the member by kind and
# whether X and the member are the same; logs of the largest factor of so many rows.
Member = namedtuple("Member", "own_odds split_odds sizes rows columns own_logs split_logs log_most")


@inner
def numbers_of_others(n_x, outside, n_blocks, cardinalities, has_sums):
    """Tabulate what is needed of variables outside. cardinalities: IN, of each."""
    kinds, found = number_kinds(cardinalities)
    of_lane, is_real = np.zeros((n_blocks, LANES), np.int64), np.zeros((n_blocks, LANES))
    lanes = np.zeros(n_blocks, np.uint64)
    for k in range(kinds.shape[0]):
        b, lane = outside[k] // LANES, outside[k] % LANES
        of_lane[b, lane], is_real[b, lane] = kinds[k], 1.0
        lanes[b] |= np.uint64(1) << np.uint64(lane)
    scales, rows, parameter = np.empty((found.shape[0], THIN)), np.empty((found.shape[0], THIN)), 1.0
    for d in range(found.shape[0]):
        row, column, all_cells, all_rows, all_columns = dirichlet(n_x, found[d], has_sums)
        parameter = float(column)
        for i in range(THIN):
            scales[d, i] = (all_rows + i) * ((all_columns + i) / (all_cells + i))
            rows[d, i] = 1.0 / (row + i)
    return Others(of_lane, is_real, lanes, found, scales, rows, parameter)


@inner
def log_most_of(n_x, cardinalities, has_sums, log_odds):
    """Bound the log of what a group of so many rows multiplies by.

    The bound on a row is that of `negligible`. cardinalities: IN, of all that X is tested against.
    log_odds: IN, the largest.
    """
    log_most, per_state = np.zeros(THIN + 1), math.log1p(math.exp(log_odds))
    for n_y in cardinalities:
        row, column, all_cells, all_rows, all_columns = dirichlet(n_x, n_y, has_sums)
        best, log_ratio = 0.0, 0.0
        for i in range(THIN):
            best = max(best, (1.0 + i) / ((row + i) * (column + i)))
            log_ratio += max(math.log((all_rows + i) * ((all_columns + i) / (all_cells + i)) * best), 0.0)
            log_most[i + 1] = max(log_most[i + 1], log_ratio + (i // 2 + 1) * per_state)
    return log_most


@inner
def tabulate_two(n_x, n_b, others, has_sums, member):
    """Tabulate the logs of the factors of two rows. others: IN. member: OUT."""
    row, column, all_cells, all_rows, all_columns = dirichlet(n_x, n_b, has_sums)
    size, parameter = (all_rows + 1) * ((all_columns + 1) / (all_cells + 1)), others.column
    for d in range(others.cardinalities.shape[0]):
        e = member.own_odds * (others.scales[d, 0] * others.rows[d, 0] / parameter) * others.scales[d, 1]
        for same_x in range(2):
            for same in range(2):
                ratio = others.rows[d, same_x] * (1.0 + same_x * same) / (parameter + same)
                member.own_logs[d, same_x, same] = math.log1p(e * ratio)
                ratio = size * (1.0 + same_x * same) / ((row + same_x) * (column + same))
                member.split_logs[d, same_x, same] = math.log1p(member.split_odds[d] * ratio)


@inner
def numbers_of_member(n_x, n_b, log_size, others, prior):
    """Tabulate what is needed of a member of so many states.

    log_size: IN, log of the number of configurations without it. others: IN, from `numbers_of_others`.
    """
    row, column, all_cells, all_rows, all_columns = dirichlet(n_x, n_b, prior.has_sums)
    n_kinds, log_odds = others.cardinalities.shape[0], log_slice_odds(prior, log_size)
    member = Member(
        math.exp(log_odds), np.empty(n_kinds), np.empty(THIN), np.empty(THIN), np.empty(THIN),
        np.empty((n_kinds, 2, 2)), np.empty((n_kinds, 2, 2)),
        log_most_of(n_x, np.append(others.cardinalities, n_b), prior.has_sums, log_odds),
    )  # fmt: skip
    for d in range(n_kinds):
        member.split_odds[d] = math.exp(log_slice_odds(prior, log_size + math.log(others.cardinalities[d])))
    for i in range(THIN):
        member.sizes[i] = (all_rows + i) * ((all_columns + i) / (all_cells + i))
        member.rows[i], member.columns[i] = 1.0 / (row + i), 1.0 / (column + i)
    tabulate_two(n_x, n_b, others, prior.has_sums, member)
    return member


@inner
def rows_of_thin(blanket, data, prior, question):
    """Give with how many rows a group is thin: none without blocks, or if states or odds are too many."""
    largest = 0.0
    for b in question.members:
        largest = max(largest, data.log_cardinalities[b])
    is_thin = data.blocks.shape[0] > 0 and data.cardinalities[question.x] <= WIDEST
    return THIN if is_thin and log_slice_odds(prior, blanket.log_size - largest) <= CLEAR else 0
