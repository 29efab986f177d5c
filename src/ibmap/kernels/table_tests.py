"""The Bayesian test of X against many variables given one set, for any number of states and any prior.

The rows are sorted by slice. In each slice the cells of X and Y are counted, and the Bayes factor of
dependence is found from the counts; slices with one data point say nothing and are left out. Its logs are
sums over the cells, rows, columns and the whole of a table, of log-rising factorials tabulated by count.
"""

import math

import numpy as np

from ibmap.kernels.compiling import kernel
from ibmap.kernels.likelihood import log_odds_of_product
from ibmap.kernels.slices import hash_keys

WIDE = 1 << 20  # pairs of states up to which each has a counter, whether it occurs or not


@kernel
def sort_by_slice(rows, labels, n_slices, starts):
    """Put rows in the order of their slices. starts: OUT, where each begins, and the end."""
    for s in range(n_slices + 1):
        starts[s] = 0
    for k in range(rows.shape[0]):
        starts[labels[k] + 1] += 1
    for s in range(n_slices):
        starts[s + 1] += starts[s]
    ends, ordered = np.empty(n_slices, np.int64), np.empty(rows.shape[0], np.int64)
    for s in range(n_slices):
        ends[s] = starts[s]
    for k in range(rows.shape[0]):
        ordered[ends[labels[k]]] = rows[k]
        ends[labels[k]] += 1
    return ordered


@kernel
def rising_logs(start, values):
    """Tabulate log(start (start + 1) ... (start + k - 1)), for k = 0, 1, ... values: OUT.

    What rounding takes off the sum is carried on, so that all digits are right but the last.
    """
    total, lost = 0.0, 0.0
    for k in range(values.shape[0]):
        values[k] = total + lost
        term = math.log(start + k)
        sum_ = total + term
        if abs(total) >= abs(term):
            lost += (total - sum_) + term
        else:
            lost += (term - sum_) + total
        total = sum_


@kernel
def pair_numbers(own, other, n_x, n_y, numbers):
    """Number the states of X and Y together, row by row; give how many numbers there are. numbers: OUT."""
    if n_x * n_y <= WIDE:
        for k in range(own.shape[0]):
            numbers[k] = own[k] * n_y + other[k]
        return n_x * n_y
    keys = np.empty(own.shape[0], np.uint64)
    for k in range(own.shape[0]):
        keys[k] = np.uint64(own[k]) * np.uint64(n_y) + np.uint64(other[k])
    return hash_keys(keys, numbers).shape[0]


@kernel
def test_many(own, rows, weights, starts, candidates, columns, states, logs, prior, least, found):
    """Test X against each candidate given one set, all candidates with the same number of states.

    own: IN, states of X by row, in the order of the slices. rows, starts: IN, by slice. weights: IN, in
    that order. columns: IN, codes by variable and row. states: IN, states that occur of X and of each
    variable. logs: IN, rising factorials of a cell, of rows, columns and of the whole. prior: IN, log-odds
    of dependence in a slice, and log of what slices without data leave. least: IN, (each, sum): where log
    Pr(I) of one, or the sum of them, falls below it the others are not tested. found: OUT, log Pr(I) and
    log Pr(not I). Returns how many were tested.
    """
    n_rows, n_slices, n_x, total = rows.shape[0], starts.shape[0] - 1, states[0], 0.0
    other, numbers, ratios = np.empty(n_rows, np.int64), np.empty(n_rows, np.int64), np.empty(n_slices)
    shared = shared_parts(own, weights, starts, n_x, logs)
    for k in range(candidates.shape[0]):
        n_y, column = states[1 + candidates[k]], columns[candidates[k]]
        for i in range(n_rows):
            other[i] = column[rows[i]]
        cells = np.zeros(pair_numbers(own, other, n_x, n_y, numbers), np.int64)
        by_y = np.zeros(n_y, np.int64)
        for s in range(n_slices):
            first, last = starts[s], starts[s + 1]
            if 2 * (last - first) < n_x * n_y:
                ratio = ratio_by_rows(other, numbers, weights, first, last, cells, by_y, logs)
            else:
                ratio = ratio_by_cells(other, numbers, weights, first, last, cells, by_y, logs)
            ratios[s] = prior[0] + shared[s] + ratio
        found[k, 0], found[k, 1] = posteriors(log_odds_of_product(ratios), prior[1])
        total += found[k, 0]
        if found[k, 0] < least[0] or total < least[1]:
            return k + 1
    return candidates.shape[0]


@kernel
def shared_parts(own, weights, starts, n_x, logs):
    """Give what the log Bayes factors of all candidates share in each slice: of the whole, and of X."""
    shared, by_x = np.empty(starts.shape[0] - 1), np.zeros(n_x, np.int64)
    for s in range(starts.shape[0] - 1):
        total = 0
        for k in range(starts[s], starts[s + 1]):
            by_x[own[k]] += weights[k]
            total += weights[k]
        shared[s] = logs[3, total]
        for k in range(starts[s], starts[s + 1]):
            shared[s] -= logs[1, by_x[own[k]]]
            by_x[own[k]] = 0
    return shared


@kernel
def ratio_by_cells(other, numbers, weights, first, last, cells, by_y, logs):
    """Give the rest of the log Bayes factor in a slice of many rows. cells, by_y: zero before and after."""
    for k in range(first, last):
        cells[numbers[k]] += weights[k]
        by_y[other[k]] += weights[k]
    ratio = 0.0
    for c in range(cells.shape[0]):
        ratio += logs[0, cells[c]]
        cells[c] = 0
    for t in range(by_y.shape[0]):
        ratio -= logs[2, by_y[t]]
        by_y[t] = 0
    return ratio


@kernel
def ratio_by_rows(other, numbers, weights, first, last, cells, by_y, logs):
    """Give what `ratio_by_cells` does in a slice of few rows: each counter is read where it is met first."""
    for k in range(first, last):
        cells[numbers[k]] += weights[k]
        by_y[other[k]] += weights[k]
    ratio = 0.0
    for k in range(first, last):
        ratio += logs[0, cells[numbers[k]]] - logs[2, by_y[other[k]]]
        cells[numbers[k]], by_y[other[k]] = 0, 0
    return ratio


@kernel
def posteriors(log_odds, log_unseen):
    """Give log Pr(I | D) and log Pr(not I | D) from the log-odds over the slices that say anything."""
    tail = math.log1p(math.exp(-abs(log_odds))) if log_odds > -np.inf else 0.0
    independent = log_unseen - (max(log_odds, 0.0) + tail)
    if log_unseen == 0.0:
        return independent, -(max(-log_odds, 0.0) + tail)
    if independent > -0.5:
        return independent, math.log(-math.expm1(independent))
    return independent, math.log1p(-math.exp(independent))
