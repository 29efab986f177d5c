"""What the expected counts of X and Y are like, over the slices of a conditioning set.

A slice is sorted by X, so its row sums are those of the runs of X.
"""

import numpy as np

from ibmap.kernels.compiling import inlined, inner, kernel
from ibmap.kernels.contingency import count_products_below, sort_up


@inlined
def weight_of(weights, row):
    """Give how many data points a row stands for. weights: IN, none at all if each is 1."""
    return weights[row] if weights.shape[0] > 0 else 1


@inner
def sum_runs(rows, codes, weights, sums):
    """Sum up the data points of each run of equal codes. sums: OUT. Returns how many there are."""
    n = 0
    for k in range(rows.shape[0]):
        if k == 0 or codes[rows[k]] != codes[rows[k - 1]]:
            sums[n] = 0.0
            n += 1
        sums[n - 1] += weight_of(weights, rows[k])
    return n


@inner
def sum_states(rows, codes, weights, places, sums):
    """Sum up the data points of each state that occurs.

    places: scratch, -1 for each state before and after. sums: OUT. Returns how many occur.
    """
    n = 0
    for row in rows:
        code = codes[row]
        if places[code] < 0:
            places[code], sums[n] = n, 0.0
            n += 1
        sums[places[code]] += weight_of(weights, row)
    for row in rows:
        places[codes[row]] = -1
    return n


@kernel
def add_expected(context, data, x, y, facts):
    """Add up what the expected counts are like; return the smallest, infinite if there is none.

    context: IN, slices sorted by X. facts: IN and OUT, (cells, expected below 1, below 5).
    """
    smallest, places = np.inf, np.full(data.cardinalities[y], -1, np.int32)
    row_sums, column_sums = np.empty(context.rows.shape[0]), np.empty(context.rows.shape[0])
    x_codes, y_codes = data.codes[:, x], data.codes[:, y]
    for s in range(context.starts.shape[0] - 1):
        rows = context.rows[context.starts[s] : context.starts[s + 1]]
        n_rows = sum_runs(rows, x_codes, data.weights, row_sums)
        n_columns = sum_states(rows, y_codes, data.weights, places, column_sums)
        of_rows, of_columns = row_sums[:n_rows], column_sums[:n_columns]
        total = 0.0
        for count in of_rows:
            total += count
        sort_up(of_rows)
        sort_up(of_columns)
        facts[0] += n_rows * n_columns
        facts[1] += count_products_below(of_rows, of_columns, total)
        facts[2] += count_products_below(of_rows, of_columns, 5.0 * total)
        smallest = min(smallest, of_rows[0] * of_columns[0] / total)
    return smallest
