"""The Bayesian test of X against one variable given one set.

As in `context`, which tests many at once, but what only pays for many is left
out: slices are taken as they come, each in one pass.
"""

import math

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.context import dirichlet, log_posteriors, slice_prior
from ibmap.kernels.slice_odds import SHORT, add_factor, add_run, close_slice, log_of


@inlined
def is_short(rows, first, last, weights):
    """Tell whether a slice has few rows, each of them once."""
    if last - first > SHORT:
        return False
    if weights.shape[0] > 0:
        for k in range(first, last):
            if weights[rows[k]] > 1:
                return False
    return True


@inlined
def short_ratio(rows, first, last, x_codes, y_codes, numbers, cells, row_sums, column_sums):
    """Give h / g of a slice of few rows, but for what depends on their number alone.

    numbers: IN, states of Y, parameters of a row and a column. cells, row_sums, column_sums:
    scratch, at their Dirichlet parameters before and after.
    """
    n_y, row, column = numbers
    above, below = 1.0, 1.0
    for k in range(first, last):
        i = np.uint32(rows[k])
        x, y = np.uint32(x_codes[i]), np.uint32(y_codes[i])
        place = x * n_y + y
        above *= cells[place]
        below *= row_sums[x] * column_sums[y]
        cells[place] += 1.0
        row_sums[x] += 1.0
        column_sums[y] += 1.0
    for k in range(first, last):
        i = np.uint32(rows[k])
        x, y = np.uint32(x_codes[i]), np.uint32(y_codes[i])
        cells[x * n_y + y] = 1.0
        row_sums[x] = row
        column_sums[y] = column
    return above / below


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
def scales_of(n_rows, log_odds, log_gamma, dirichlets):
    """Tabulate what the number of data points alone gives in short slices, with the prior odds."""
    _, _, all_cells, all_rows, all_columns = dirichlets
    scales = np.empty(min(SHORT, n_rows) + 1)
    for total in range(scales.shape[0]):
        scales[total] = math.exp(log_odds + of_total(total, log_gamma, all_cells, all_rows, all_columns))
    return scales


@inner
def against_one(context, data, prior, x, y):
    """Test X against one variable given one set; return both log posteriors."""
    slice_odds, log_unseen = slice_prior(context, prior)
    rows, starts, log_gamma, weights = context.rows, context.starts, prior.log_gamma, data.weights
    n_x, n_y = data.cardinalities[x], data.cardinalities[y]
    x_codes, y_codes = data.codes[:, x], data.codes[:, y]
    dirichlets = dirichlet(n_x, n_y, prior.has_sums)
    row, column = float(dirichlets[0]), float(dirichlets[1])
    cells, row_sums, column_sums = np.ones(n_x * n_y), np.full(n_x, row), np.full(n_y, column)
    counts, sums = np.zeros(n_y, np.int64), np.zeros(n_y, np.int64)
    lists = (counts, sums, np.empty(n_y + 1, np.int64), np.empty(n_y + 1, np.int64))
    numbers, scales = (
        (np.uint32(n_y), row, column),
        scales_of(rows.shape[0], slice_odds, log_gamma, dirichlets),
    )
    odds = np.array([0.0, 0.0, -np.inf])
    for s in range(starts.shape[0] - 1):
        first, last = starts[s], starts[s + 1]
        if not is_short(rows, first, last, weights):
            value = long_log(rows, first, last, x_codes, y_codes, weights, log_gamma, dirichlets, *lists)
            add_factor(odds, slice_odds + value)
            continue
        e = scales[last - first]
        e *= short_ratio(rows, first, last, x_codes, y_codes, numbers, cells, row_sums, column_sums)
        odds[0] += e * (1.0 + odds[0])
        if odds[0] > 1e100:
            odds[1] += math.log1p(odds[0])
            odds[0] = 0.0
    return log_posteriors(log_of(odds), log_unseen)
