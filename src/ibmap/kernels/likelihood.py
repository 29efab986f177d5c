"""From the cells of a table to the odds of dependence (the Bayesian test).

With e_k = (p^(-1/K) - 1) h_k / g_k for slice k, the posterior of independence
is 1 / prod(1 + e_k). The kernels return ``log(prod(1 + e_k) - 1)``: the log-odds
of dependence over the slices seen. One number keeps both probabilities exact,
however near to 0 or 1 they are.
"""

import math

import numpy as np

from ibmap.kernels.compiling import bare, kernel

BIG = 100.0  # adding 1 to exp(BIG) changes nothing, and products of it stay finite
TINY = -600.0  # exp(TINY) is still normal; smaller terms are summed as logarithms


@bare
def log_rising(start, count, log_gamma):
    """Log of start (start + 1) ... (start + count - 1), accurate for any start.

    log_gamma: IN, table of the log-gamma function at 0, 1, 2, ...
    """
    if count == 0:
        return 0.0
    end = start + count
    if start == math.floor(start) and end < log_gamma.shape[0]:
        return log_gamma[int(end)] - log_gamma[int(start)]
    if count < 16:
        total = 0.0
        for k in range(count):
            total += math.log(start + k)
        return total
    if start < 1000.0:
        return math.lgamma(end) - math.lgamma(start)
    tail = (1.0 / end - 1.0 / start) / 12.0 - (1.0 / end**3 - 1.0 / start**3) / 360.0
    return (start - 0.5) * math.log1p(count / start) + count * (math.log(end) - 1.0) + tail


@kernel
def log_gamma_values(values):
    """Tabulate the log-gamma function at 0, 1, 2, ...; entry 0 is set to 0. values: OUT."""
    for k in range(values.shape[0]):
        values[k] = math.lgamma(k) if k > 0 else 0.0


@bare
def add_logs(a, b):
    """Log of exp(a) + exp(b)."""
    top, low = (a, b) if a > b else (b, a)
    if low == -np.inf:
        return top
    return top + math.log1p(math.exp(low - top))


@kernel
def log_odds_of_product(log_ratios):
    """Log of prod(1 + exp(t)) - 1 over the entries t. log_ratios: IN."""
    excess = 0.0  # prod(1 + e) - 1 so far
    log_tiny = -np.inf  # log of the sum of the terms too small for `excess`
    log_big = 0.0  # log of the factors too large for `excess`
    for t in log_ratios:
        if t > BIG:
            log_big += t
        elif t < TINY:
            log_tiny = add_logs(log_tiny, t)
        else:
            e = math.exp(t)
            excess += e * (1.0 + excess)
        if excess > 1e200:
            log_big += math.log(excess)
            excess = 0.0
    if log_big > 0.0:
        return log_big + math.log1p(excess)
    if excess > 0.0:
        return add_logs(math.log(excess), log_tiny)
    return log_tiny


@bare
def log_bayes_factor(cells, first, last, n_states, hyperparameters, log_gamma, column_sums):
    """Log of h / g for one slice: the cells `first` to `last` - 1.

    cells: IN, rows (slice, x, y, count), sorted. hyperparameters: IN, (gamma, alpha, beta)
    of a cell, a row and a column. column_sums: scratch, zero before and after.
    """
    gamma, alpha, beta = hyperparameters
    n_x, n_y = n_states
    total, row_sum, log_ratio = 0, 0, 0.0
    for k in range(first, last):
        count = cells[k, 3]
        total += count
        row_sum += count
        column_sums[cells[k, 2]] += count
        log_ratio += log_rising(gamma, count, log_gamma)
        if k + 1 == last or cells[k + 1, 1] != cells[k, 1]:
            log_ratio -= log_rising(alpha, row_sum, log_gamma)
            row_sum = 0
    for k in range(first, last):
        if column_sums[cells[k, 2]] > 0:
            log_ratio -= log_rising(beta, column_sums[cells[k, 2]], log_gamma)
            column_sums[cells[k, 2]] = 0
    log_ratio -= log_rising(gamma * n_x * n_y, total, log_gamma)
    log_ratio += log_rising(alpha * n_x, total, log_gamma)
    log_ratio += log_rising(beta * n_y, total, log_gamma)
    return log_ratio


@kernel
def log_bayes_factors(cells, n_states, hyperparameters, log_gamma, factors):
    """Log of h / g for each slice that has cells.

    cells, n_states, hyperparameters, log_gamma: IN, as for `log_bayes_factor`.
    factors: OUT, one entry for each slice.
    """
    column_sums = np.zeros(n_states[1], np.int64)
    first = 0
    for k in range(cells.shape[0]):
        if k + 1 == cells.shape[0] or cells[k + 1, 0] != cells[k, 0]:
            factors[cells[k, 0]] = log_bayes_factor(
                cells, first, k + 1, n_states, hyperparameters, log_gamma, column_sums
            )
            first = k + 1
