"""From the cells of a table to the odds of dependence (the Bayesian test).

With e_k = (p^(-1/K) - 1) h_k / g_k for slice k, the posterior of independence
is 1 / prod(1 + e_k). The kernels return ``log(prod(1 + e_k) - 1)``: the log-odds
of dependence over the slices seen. One number keeps both probabilities exact,
however near to 0 or 1 they are.
"""

import math

import numpy as np

from ibmap.kernels.compiling import kernel

BIG = 100.0  # adding 1 to exp(BIG) changes nothing, and products of it stay finite
TINY = -600.0  # exp(TINY) is still normal; smaller terms are summed as logarithms


@kernel
def log_gamma_values(values):
    """Tabulate the log-gamma function at 0, 1, 2, ...; entry 0 is set to 0. values: OUT."""
    for k in range(values.shape[0]):
        values[k] = math.lgamma(k) if k > 0 else 0.0


@kernel
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
