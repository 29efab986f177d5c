"""Tables of what rows of a group multiply its Bayes factors by, for `thin_groups`."""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inner
from ibmap.kernels.context import dirichlet, log_slice_odds
from ibmap.kernels.thin_slices import SAFE, THIN

BYTES = 128  # states that bytes tell apart

# Variables outside: the kind of each, 0 for those that only fill up a word; the cardinality of a kind; by
# kind and number of rows before what this number, and that of rows with the same X, multiply by; the
# inverse of the Dirichlet parameter of a state.
Others = namedtuple("Others", "kinds cardinalities scales rows inverse")
# A member dropped: prior odds of a slice, and of one with each variable outside added; by number of rows
# before what it multiplies by, and those with the same X and member; factors of X against each variable
# outside in two rows that differ there, and how much larger they are else, by whether X is the same; how
# much larger than 1 those of the member are, by whether X and the member are the same; logs of the largest
# factor of so many rows.
Member = namedtuple("Member", "own_odds split_odds sizes rows columns own_apart own_together split log_most")


@inner
def number_kinds(cardinalities):
    """Number the cardinalities that occur; return the number of each entry, and the cardinalities."""
    kinds, found, n = np.empty(cardinalities.shape[0], np.int64), np.empty_like(cardinalities), 0
    for k in range(kinds.shape[0]):
        kinds[k] = n
        for d in range(n):
            if found[d] == cardinalities[k]:
                kinds[k] = d
        if kinds[k] == n:
            found[n] = cardinalities[k]
            n += 1
    return kinds, found[:n]


@inner
def numbers_of_others(n_x, cardinalities, has_sums):
    """Tabulate what is needed of variables outside. cardinalities: IN, of each."""
    n_words = (cardinalities.shape[0] + 7) // 8
    kinds, found = number_kinds(cardinalities)
    padded = np.zeros(8 * n_words, np.int64)
    for k in range(kinds.shape[0]):
        padded[k] = kinds[k]
    scales, rows, inverse = np.empty((found.shape[0], THIN)), np.empty((found.shape[0], THIN)), 1.0
    for d in range(found.shape[0]):
        row, column, all_cells, all_rows, all_columns = dirichlet(n_x, found[d], has_sums)
        inverse = 1.0 / column
        for i in range(THIN):
            scales[d, i] = (all_rows + i) * ((all_columns + i) / (all_cells + i)) / column
            rows[d, i] = 1.0 / (row + i)
    return Others(padded, found, scales, rows, inverse)


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
    """Tabulate the factors of two rows. others: IN. member: OUT."""
    row, column, all_cells, all_rows, all_columns = dirichlet(n_x, n_b, has_sums)
    size = (all_rows + 1) * ((all_columns + 1) / (all_cells + 1))
    for k in range(others.kinds.shape[0]):
        d = others.kinds[k]
        for same_x in range(2):
            e = member.own_odds * others.scales[d, 0] * others.rows[d, 0] * others.scales[d, 1]
            e *= others.rows[d, same_x]
            member.own_apart[same_x, k] = 1.0 + e
            member.own_together[same_x, k] = e * ((1.0 + same_x) / (1.0 + others.inverse) - 1.0)
            for same_b in range(2):
                ratio = size * (1.0 + same_x * same_b) / ((row + same_x) * (column + same_b))
                member.split[same_x, same_b, k] = member.split_odds[k] * ratio


@inner
def numbers_of_member(n_x, n_b, log_size, others, cardinalities, prior):
    """Tabulate what is needed of a member of so many states.

    log_size: IN, log of the number of configurations without it. others: IN, from `numbers_of_others`.
    cardinalities: IN, of the variables outside.
    """
    row, column, all_cells, all_rows, all_columns = dirichlet(n_x, n_b, prior.has_sums)
    n, log_odds = others.kinds.shape[0], log_slice_odds(prior, log_size)
    against = np.append(others.cardinalities, n_b)
    member = Member(
        math.exp(log_odds), np.zeros(n), np.empty(THIN), np.empty(THIN), np.empty(THIN),
        np.empty((2, n)), np.empty((2, n)), np.empty((2, 2, n)),
        log_most_of(n_x, against, prior.has_sums, log_odds),
    )  # fmt: skip
    for k in range(cardinalities.shape[0]):
        member.split_odds[k] = math.exp(log_slice_odds(prior, log_size + math.log(cardinalities[k])))
    for i in range(THIN):
        member.sizes[i] = (all_rows + i) * ((all_columns + i) / (all_cells + i))
        member.rows[i], member.columns[i] = 1.0 / (row + i), 1.0 / (column + i)
    tabulate_two(n_x, n_b, others, prior.has_sums, member)
    return member


@inner
def rows_of_thin(blanket, data, prior, question):
    """Give with how many rows a group is thin: none if rows have weights, or states or odds are too many."""
    largest = 0.0
    for b in question.members:
        largest = max(largest, data.log_cardinalities[b])
    is_thin = data.weights.shape[0] == 0 and question.outside.shape[0] > 0
    if is_thin:
        is_thin = data.cardinalities[question.outside].max() <= BYTES
    return THIN if is_thin and log_slice_odds(prior, blanket.log_size - largest) <= SAFE else 0
