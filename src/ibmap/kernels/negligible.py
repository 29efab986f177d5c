"""How many data points a slice has at least whose Bayes factor matters against the prior.

With very many configurations given the prior odds of dependence in a slice are next to nothing,
and few data points cannot make up for it. A data point that is put into a cell of n, in a slice of i,
multiplies the Bayes factor h / g by

    (R + i) (C + i) / (A + i)  *  (1 + n) / ((r + n_x) (c + n_y))

with Dirichlet parameters 1, r and c of cells, rows and columns, and their sums A, R and C. The
row and the column have n data points at least, so that the second factor is at most
(1 + n) / ((r + n) (c + n)) for some n of 0 to i: the bound used here.
"""

import math

import numpy as np

from ibmap.kernels.compiling import inner
from ibmap.kernels.context import dirichlet, log_slice_odds

NEGLIGIBLE = -30.0  # log of what all that is left out may add to a test


@inner
def points_needed(n_x, n_y, has_sums, log_wanted, n_most):
    """Give with how many data points the log of a Bayes factor may reach `log_wanted`, `n_most` at most."""
    row, column, all_cells, all_rows, all_columns = dirichlet(n_x, n_y, has_sums)
    log_ratio, best = 0.0, 0.0
    for i in range(n_most):
        if log_ratio >= log_wanted:
            return i
        best = max(best, (1.0 + i) / ((row + i) * (column + i)))
        log_ratio += math.log((all_rows + i) * ((all_columns + i) / (all_cells + i)) * best)
    return n_most


@inner
def least_that_matters(blanket, data, prior, question):
    """Give the data points of a group that matters once at most two members are dropped; 2 at least.

    blanket: IN, its context. The cardinalities of X against any other count.
    """
    x, members, _ = question
    largest, second = 0.0, 0.0
    for b in members:
        size = data.log_cardinalities[b]
        largest, second = max(largest, size), max(second, min(largest, size))
    log_odds = log_slice_odds(prior, blanket.log_size - largest - second)
    n_rows, n_x, least = data.codes.shape[0], data.cardinalities[x], np.int64(1 << 30)
    log_wanted = NEGLIGIBLE - math.log(max(n_rows, 1)) - log_odds
    for y in range(data.cardinalities.shape[0]):
        if y != x and log_wanted > 0.0:
            n_y = data.cardinalities[y]
            least = min(least, points_needed(n_x, n_y, prior.has_sums, log_wanted, np.int64(1000)))
    return max(least, np.int64(2)) if log_wanted > 0.0 else np.int64(2)
