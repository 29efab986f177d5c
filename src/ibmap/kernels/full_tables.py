"""The full table of a blanket: every joint state of it has probabilities of its own, uniform beforehand.

Its marginal likelihood is set beside that of main effects, with a link and without.
"""

import math

import numpy as np

from ibmap.kernels.compiling import kernel


@kernel
def log_factorial(k, log_factorials):
    """Give log k!, looked up for small numbers."""
    return log_factorials[int(k)] if k < log_factorials.shape[0] else math.lgamma(k + 1.0)


@kernel
def log_table(counts, log_factorials):
    """Give the log marginal likelihood of the states in each cell, with a uniform prior on probabilities.

    counts: IN, cells by states.
    """
    r = counts.shape[1]
    total = 0.0
    for c in range(counts.shape[0]):
        n = 0.0
        for s in range(r):
            n += counts[c, s]
            total += log_factorial(counts[c, s], log_factorials)
        total += log_factorial(r - 1, log_factorials) - log_factorial(n + r - 1, log_factorials)
    return total


@kernel
def log_margins_table(counts, log_factorials):
    """Give `log_table` of all cells taken as one."""
    whole = np.zeros((1, counts.shape[1]))
    for c in range(counts.shape[0]):
        for s in range(counts.shape[1]):
            whole[0, s] += counts[c, s]
    return log_table(whole, log_factorials)


@kernel
def log_split_table(counts, log_factorials):
    """Give `log_table` of cells split by the states of one more variable. counts: IN, cells by x by y."""
    n_cells, r, k = counts.shape
    split = np.empty((n_cells * k, r))
    for c in range(n_cells):
        for s in range(r):
            for t in range(k):
                split[c * k + t, s] = counts[c, s, t]
    return log_table(split, log_factorials)


@kernel
def averaged(main_with, main_without, split, kept, stratified, share):
    """Average both models with a link and without; give the log ratio, and that of tables alone.

    main_with, main_without: IN, log evidence of main effects. split: IN, that of the table of all cells;
    kept: of the cells without Y. stratified: IN, log factor of a main effect beside those. share: IN,
    prior probability of the table.
    """
    table_with = log_sum(split, kept + stratified) - math.log(2.0)
    by_table = table_with - kept
    if share == 1.0:
        return by_table, by_table
    with_link = log_sum(math.log1p(-share) + main_with, math.log(share) + table_with)
    return with_link - log_sum(math.log1p(-share) + main_without, math.log(share) + kept), by_table


@kernel
def log_sum(a, b):
    """Give log(exp(a) + exp(b))."""
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))
