"""Bayes factors of slices with two states of X and two of Y.

A slice's cells are (a0, a1) for Y = 0 and (b0, b1) for Y = 1, each for X = 0 and X = 1. Its Bayes factor of
dependence h / g is a product of factors of the cells, of the columns and rows, and of the whole. Their logs
are in `logs`: rows by count, of a cell, of a row or column, of the whole. All else is in one array,
`table`, for each number K of slices: log odds, odds, -log p / K and -log p (the prior odds of dependence in
a slice, and the share of the prior that a slice without data leaves); the factors of whole columns of
slices of up to 64 data points; the factors of cells, of rows, and of the whole up to a limit of 1000 data
points (64 where the prior odds are large), scaled by powers that cancel, for factorials are too large for a
number; and the shares of slices of up to seven data points a cell. Counts are unsigned: no code is made for
indices from the end.
"""

import math

import numpy as np

from ibmap.kernels.compiling import kernel

LOG_ODDS, ODDS, UNSEEN, MINUS_LOG_P, LIMIT = 0, 1, 2, 3, 4  # where the prior is in a table, and the limit
SMALL, LARGE = 64, 1000
SIDE = np.uint64(SMALL + 1)
COLUMNS = np.uint64(5)  # where the factors of columns begin, 65 x 65
CELLS = np.uint64(5 + 65 * 65)  # where those of cells begin
ROWS = np.uint64(5 + 65 * 65 + 1001)  # those of rows
TOTALS = np.uint64(5 + 65 * 65 + 2002)  # those of whole slices
SHARES = np.uint64(5 + 65 * 65 + 3003)  # where shares begin
BIG = 100.0  # adding 1 to exp(BIG) changes nothing, and products of it stay finite
SERIES = 1e-3  # up to here five terms of the series of log(1 + e) give all digits
NONE = np.uint64(0)
MOST_ODDS = 1e5  # of a slice, with which the Bayes factor of 1000 data points is still a number
FEW = np.uint64(8)  # data points in a cell from which on a share is not tabulated
N_SHARES = 8**4
LENGTH = 5 + 65 * 65 + 3003 + N_SHARES

STEPS = 64
PER_UNIT = STEPS / np.log(2.0)
STEP_HIGH = float.fromhex("0x1.62e42fefa0000p-7")  # log(2) / 64, the digits that multiply exactly
STEP_LOW = float.fromhex("0x1.cf79abc9e3b3ap-46")  # the rest of it
LOWEST = -700.0  # exp of this is still normal
FRACTIONS = np.exp2(np.arange(STEPS) / STEPS)
POWERS = np.exp2(np.arange(-1022.0, 1024.0))


@kernel
def fast_exp(t):
    """Give exp(t) for t up to 700; below -700 it stays at exp(-700).

    exp(t) = 2^k 2^(j / 64) exp(r) with |r| <= log(2) / 128: a table and a short polynomial, all digits right
    but the last.
    """
    t = max(t, LOWEST)
    n = np.int64(np.floor(t * PER_UNIT + 0.5))
    r = (t - n * STEP_HIGH) - n * STEP_LOW
    tail = r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0)))))
    scale = FRACTIONS[np.uint64(n & (STEPS - 1))] * POWERS[np.uint64((n >> 6) + 1022)]
    return scale + scale * tail


@kernel
def log_one_plus(e):
    """Log of 1 + e, not negative."""
    if e < SERIES:
        return e * (1.0 - e * (1.0 / 2.0 - e * (1.0 / 3.0 - e * (1.0 / 4.0 - e * (1.0 / 5.0)))))
    return math.log(1.0 + e)


@kernel
def log_column(n0, n1, logs):
    """Log of the factor of a column. logs: IN, rows by count: of a cell, of a row or column, of the whole."""
    return logs[0, n0] - logs[1, n0 + n1] + logs[0, n1]


@kernel
def log_ratio(a0, a1, b0, b1, logs):
    """Log of h / g."""
    columns = log_column(a0, a1, logs) + log_column(b0, b1, logs)
    return columns - logs[1, a0 + b0] - logs[1, a1 + b1] + logs[2, a0 + a1 + b0 + b1]


@kernel
def column_factor(n0, n1, table):
    """Give the factor of a column of a slice up to the limit."""
    return table[CELLS + n0] * table[ROWS + n0 + n1] * table[CELLS + n1]


@kernel
def share_by_formula(a0, a1, b0, b1, table, logs):
    """Give what a slice adds to -log Pr(I) beyond its share of the prior; 0 if it has no two data points."""
    total, n0, n1 = a0 + a1 + b0 + b1, a0 + b0, a1 + b1
    if total < 2:
        return 0.0
    if total <= table[LIMIT]:
        rows = table[ROWS + n0] * table[TOTALS + total] * table[ROWS + n1]
        e = column_factor(a0, a1, table) * rows * column_factor(b0, b1, table) * table[ODDS]
        return log_one_plus(e) - table[UNSEEN]
    t = table[LOG_ODDS] + log_ratio(a0, a1, b0, b1, logs)
    return (t if t > BIG else log_one_plus(fast_exp(t))) - table[UNSEEN]


@kernel
def share(a0, a1, b0, b1, table, logs):
    """Give what `share_by_formula` does, looked up where it is tabulated."""
    if a0 | a1 | b0 | b1 < FEW:
        return table[SHARES + (a0 | a1 << np.uint64(3) | b0 << np.uint64(6) | b1 << np.uint64(9))]
    return share_by_formula(a0, a1, b0, b1, table, logs)


@kernel
def make_table(log_odds, odds, unseen, minus_log_p, logs, table):
    """Tabulate all that depends on the number of slices. table: OUT."""
    table[LOG_ODDS], table[ODDS], table[UNSEEN], table[MINUS_LOG_P] = log_odds, odds, unseen, minus_log_p
    table[LIMIT] = LARGE if odds < MOST_ODDS else SMALL
    for n in range(LARGE + 1):
        power = n * (math.log(LARGE) - 1.0)  # so that the largest are about 1
        table[CELLS + np.uint64(n)] = math.exp(logs[0, n] - power)
        table[ROWS + np.uint64(n)] = math.exp(power - logs[1, n])
        table[TOTALS + np.uint64(n)] = math.exp(logs[2, n] - power)
    for n0 in range(SMALL + 1):
        for n1 in range(SMALL + 1 - n0):
            place = COLUMNS + np.uint64(n0) * SIDE + np.uint64(n1)
            table[place] = column_factor(np.uint64(n0), np.uint64(n1), table)
    for k in range(N_SHARES):
        a0, a1, b0, b1 = np.uint64(k & 7), np.uint64(k >> 3 & 7), np.uint64(k >> 6 & 7), np.uint64(k >> 9)
        table[SHARES + np.uint64(k)] = share_by_formula(a0, a1, b0, b1, table, logs)


@kernel
def log_dependent(minus_log_independent):
    """Log of 1 - p from -log p, accurate at both ends."""
    if minus_log_independent < 0.5:
        return math.log(-math.expm1(-minus_log_independent))
    return math.log1p(-math.exp(-minus_log_independent))
