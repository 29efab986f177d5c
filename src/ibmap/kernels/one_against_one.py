"""The Bayesian test of X against one variable given one set.

As in `one_against_many`, but what only pays for many is left
out: slices are taken as they come, each in one pass.
"""

import math

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.context import dirichlet, log_posteriors, slice_prior
from ibmap.kernels.slice_odds import CLEAR, FAINT, THIN, add_factor, add_run, close_slice, log_of

BITS = 8  # of a mark that count
COUNT = (1 << BITS) - 1


@inlined
def is_thin(rows, first, last, weights):
    """Tell whether a slice has few rows, each of them once."""
    if last - first > THIN:
        return False
    if weights.shape[0] > 0:
        for k in range(first, last):
            if weights[rows[k]] > 1:
                return False
    return True


@inlined
def recalled(mark, stamp):
    """Give the count a mark holds, if it is of this stamp."""
    return (mark & COUNT) * np.int64(mark >> BITS == stamp)


@inlined
def thin_ratio(rows, first, last, x_codes, y_codes, row, column, sizes, marks):
    """Give h / g of a slice of few rows, sorted by X.

    A row multiplies it by (R + i) (C + i) / (A + i) * (1 + n_xy) / ((r + n_x) (c + n_y)), with the counts
    among the rows before it. sizes: IN, what their number gives. marks: IN and OUT, by state of Y its
    count in the slice and in the run of X, each with the place it is from.
    """
    ratio, begin, last_x = 1.0, first, np.int64(-1)
    for k in range(first, last):
        i = np.uint32(rows[k])
        x, y = np.int64(x_codes[i]), np.uint32(y_codes[i])
        begin = begin if x == last_x else k
        last_x = x
        n_y, n_xy = recalled(marks[y, 0], first), recalled(marks[y, 1], begin)
        marks[y, 0], marks[y, 1] = (first << BITS) | (n_y + 1), (begin << BITS) | (n_xy + 1)
        ratio *= sizes[k - first] * (1.0 + n_xy) / ((row + (k - begin)) * (column + n_y))
    return ratio


@inner
def sizes_of(n_rows, dirichlets):
    """Tabulate what the number of rows before one gives in thin slices."""
    _, _, all_cells, all_rows, all_columns = dirichlets
    sizes = np.empty(min(THIN, n_rows))
    for i in range(sizes.shape[0]):
        sizes[i] = (all_rows + i) * ((all_columns + i) / (all_cells + i))
    return sizes


@inner
def long_log(
    rows, first, last, x_codes, y_codes, weights, log_gamma, dirichlets, counts, sums, touched, in_use
):
    """Give log(h / g) of a slice sorted by X. counts, sums, touched, in_use: as for `add_run`."""
    row, column, all_cells, all_rows, all_columns = dirichlets
    value, total, n_in_use, begin = 0.0, 0, 0, first
    while begin < last:
        end, count, x = begin, 0, x_codes[rows[begin]]
        while end < last and x_codes[rows[end]] == x:
            count += weights[rows[end]] if weights.shape[0] > 0 else 1
            end += 1
        value -= log_gamma[row + count] - log_gamma[row]
        value, n_in_use = add_run(
            rows, begin, end, y_codes, weights, log_gamma, counts, sums, touched, in_use, value, n_in_use
        )
        total += count
        begin = end
    value = close_slice(log_gamma, column, sums, in_use, value, n_in_use)
    return value + of_total(total, log_gamma, all_cells, all_rows, all_columns)


@inlined
def of_total(total, log_gamma, all_cells, all_rows, all_columns):
    """Give what the number of data points alone adds to log(h / g)."""
    value = log_gamma[all_rows + total] - log_gamma[all_rows]
    value += log_gamma[all_columns + total] - log_gamma[all_columns]
    return value - (log_gamma[all_cells + total] - log_gamma[all_cells])


@inner
def against_one(context, data, prior, x, y):
    """Test X against one variable given one set; return both log posteriors."""
    slice_odds, log_unseen = slice_prior(context, prior)
    if context.starts.shape[0] == 1:
        return log_posteriors(-np.inf, log_unseen)
    rows, starts, log_gamma, weights = context.rows, context.starts, prior.log_gamma, data.weights
    n_y = data.cardinalities[y]
    x_codes, y_codes = data.codes[:, x], data.codes[:, y]
    dirichlets = dirichlet(data.cardinalities[x], n_y, prior.has_sums)
    row, column = float(dirichlets[0]), float(dirichlets[1])
    sizes, marks = sizes_of(rows.shape[0], dirichlets), np.full((n_y, 2), np.int64(-1) << BITS)
    counts, sums = np.zeros(n_y, np.int64), np.zeros(n_y, np.int64)
    lists = (counts, sums, np.empty(n_y + 1, np.int64), np.empty(n_y + 1, np.int64))
    odds, factor = np.array([0.0, 0.0, -np.inf]), math.exp(slice_odds)
    may_multiply = FAINT <= slice_odds <= CLEAR
    for s in range(starts.shape[0] - 1):
        first, last = np.int64(starts[s]), np.int64(starts[s + 1])
        if not may_multiply or not is_thin(rows, first, last, weights):
            value = long_log(rows, first, last, x_codes, y_codes, weights, log_gamma, dirichlets, *lists)
            add_factor(odds, slice_odds + value)
            continue
        e = factor * thin_ratio(rows, first, last, x_codes, y_codes, row, column, sizes, marks)
        odds[0] += e * (1.0 + odds[0])
        if odds[0] > 1e100:
            odds[1] += math.log1p(odds[0])
            odds[0] = 0.0
    return log_posteriors(log_of(odds), log_unseen)
