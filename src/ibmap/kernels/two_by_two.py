"""Bayes factors of slices with two states of X and two of Y, and their products.

A slice's cells are (a0, a1) for Y = 0 and (b0, b1) for Y = 1, each for X = 0 and
1. `logs` are tables of log-rising factorials by count: of a cell, of a row or
column, of a whole slice. `smalls` are tables for slices of at most 64 data
points: of the two cells of a column, of a row, of a whole slice; there h / g is
a product of entries. Counts index them as unsigned numbers, so that no code is made
for indices from the end. `prior` is (log odds, odds, -log p / K, -log p) of a slice.
"""

import math

import numpy as np

from ibmap.kernels.compiling import inlined, kernel
from ibmap.kernels.exponential import fast_exp

BIG = 100.0  # adding 1 to exp(BIG) changes nothing, and products of it stay finite
SPILL = 1e200  # products are moved to a logarithm beyond this
SMALL = 64  # data points up to which a Bayes factor is a product of table entries
SIDE = SMALL + 1
SERIES = 1e-3  # up to here five terms of the series of log(1 + e) give all digits


@inlined
def log_ratio(a0, a1, b0, b1, logs):
    """Log of h / g."""
    cell, side, total = logs
    a0, a1, b0, b1 = np.uint32(a0), np.uint32(a1), np.uint32(b0), np.uint32(b1)
    columns = cell[a0] + cell[a1] - side[a0 + a1] + cell[b0] + cell[b1] - side[b0 + b1]
    return columns - side[a0 + b0] - side[a1 + b1] + total[a0 + a1 + b0 + b1]


@inlined
def small_ratio(a0, a1, b0, b1, smalls):
    """Give h / g of a slice of at most 64 data points."""
    columns, rows, totals = smalls
    a0, a1, b0, b1 = np.uint32(a0), np.uint32(a1), np.uint32(b0), np.uint32(b1)
    value = columns[a0 * np.uint32(SIDE) + a1] * columns[b0 * np.uint32(SIDE) + b1]
    return value * rows[a0 + b0] * rows[a1 + b1] * totals[a0 + a1 + b0 + b1]


@inlined
def multiply(excess, log_big, t):
    """Multiply 1 + exp(t) into exp(log_big) (1 + excess)."""
    if t > BIG:
        return excess, log_big + t
    excess += fast_exp(t) * (1.0 + excess)
    if excess > SPILL:
        return 0.0, log_big + math.log1p(excess)
    return excess, log_big


@inlined
def multiply_small(excess, log_big, e):
    """Multiply 1 + e into exp(log_big) (1 + excess)."""
    excess += e * (1.0 + excess)
    if excess > SPILL:
        return 0.0, log_big + math.log1p(excess)
    return excess, log_big


@inlined
def times(excess, log_big, prior, a0, a1, b0, b1, logs, smalls):
    """Multiply one slice's 1 + e into exp(log_big) (1 + excess)."""
    if a0 + a1 + b0 + b1 <= SMALL:
        return multiply_small(excess, log_big, prior[1] * small_ratio(a0, a1, b0, b1, smalls))
    return multiply(excess, log_big, prior[0] + log_ratio(a0, a1, b0, b1, logs))


@inlined
def log_one_plus(e):
    """Log of 1 + e, not negative."""
    if e < SERIES:
        return e * (1.0 - e * (1.0 / 2.0 - e * (1.0 / 3.0 - e * (1.0 / 4.0 - e * (1.0 / 5.0)))))
    return math.log1p(e)


@inlined
def log_factor(prior, a0, a1, b0, b1, logs, smalls):
    """Log of 1 + e of one slice; 0 for a slice with fewer than two data points."""
    total = a0 + a1 + b0 + b1
    if total < 2:
        return 0.0
    if total <= SMALL:
        return log_one_plus(prior[1] * small_ratio(a0, a1, b0, b1, smalls))
    t = prior[0] + log_ratio(a0, a1, b0, b1, logs)
    return t if t > BIG else log_one_plus(fast_exp(t))


@kernel
def log_dependent(minus_log_independent):
    """Log of 1 - p from -log p, accurate at both ends."""
    if minus_log_independent < 0.5:
        return math.log(-math.expm1(-minus_log_independent))
    return math.log1p(-math.exp(-minus_log_independent))
