"""Bayes factors of groups of slices: of X against the member that was dropped, and against what is constant.

A *group* is what dropping a member makes one slice (`blanket_slices`).
"""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.exponential import fast_exp
from ibmap.kernels.likelihood import BIG

NEGLIGIBLE = -45.0  # logs of e under which 1 + e is 1
LARGE = 1e150  # products from which on a logarithm is taken

# Dirichlet parameters of a row, a column, and sums of those of all cells, rows, columns; log-gamma.
Weighing = namedtuple("Weighing", "row column all_cells all_rows all_columns log_gamma")
# Counters, zero before and after: of cells of X and the member, or of one variable; of X by the state of W,
# of the member, of W; sums by the state of W; lists of states and cells that occur; and the bits that
# number a state of X.
Counters = namedtuple("Counters", "cells rows columns totals sums touched row_list state_list bits")


@inlined
def rising(log_gamma, parameter, count):
    """Log of parameter (parameter + 1) ..., `count` factors."""
    return log_gamma[parameter + count] - log_gamma[parameter]


@inlined
def of_total(weighing, total):
    """Give what the number of data points alone adds to log(h / g)."""
    log_gamma = weighing.log_gamma
    value = rising(log_gamma, weighing.all_rows, total) + rising(log_gamma, weighing.all_columns, total)
    return value - rising(log_gamma, weighing.all_cells, total)


@inlined
def times_factor(product, log, t):
    """Multiply exp(log) * product by 1 + exp(t)."""
    if t > BIG:
        return product, log + t
    if t > NEGLIGIBLE:
        product *= 1.0 + fast_exp(t)
        if product > LARGE:
            return 1.0, log + math.log(product)
    return product, log


@inner
def bits_of(n_states):
    """Give how many bits number so many states."""
    bits = np.uint32(0)
    while (1 << bits) < n_states:
        bits += np.uint32(1)
    return bits


@inner
def new_counters(n_x, n_member, n_other, n_rows):
    """Make counters for so many states of X, of the member and of others."""
    bits = bits_of(n_x)
    return Counters(
        np.zeros(max(n_x * n_member, n_other), np.int32),
        np.zeros(n_other << bits, np.int32), np.zeros(n_member, np.int32),
        np.zeros(n_other, np.int32), np.zeros(n_other),
        np.empty(n_rows + 1, np.int32), np.empty(n_rows + 1, np.int32), np.empty(n_rows + 1, np.int32), bits,
    )  # fmt: skip


@inner
def against_member(groups, weighing, counters, values):
    """Give log(h / g) of X against the member in each group. values: OUT."""
    cell_starts, cell_x, cell_y, cell_counts = (
        groups.cell_starts,
        groups.cell_x,
        groups.cell_y,
        groups.cell_counts,
    )
    rows, columns, log_gamma = counters.rows, counters.columns, weighing.log_gamma
    for g in range(values.shape[0]):
        value, total = 0.0, 0
        for i in range(cell_starts[g], cell_starts[g + 1]):
            count = cell_counts[i]
            value += log_gamma[1 + count]
            rows[cell_x[i]] += count
            columns[cell_y[i]] += count
            total += count
        for i in range(cell_starts[g], cell_starts[g + 1]):
            value -= rising(log_gamma, weighing.row, rows[cell_x[i]])
            value -= rising(log_gamma, weighing.column, columns[cell_y[i]])
            rows[cell_x[i]] = columns[cell_y[i]] = 0
        values[g] = value + of_total(weighing, total)


@inner
def against_constant(groups, weighing, counters, values):
    """Give log(h / g) of X in each group against a variable that has one state there. values: OUT."""
    cell_starts, cell_x, cell_counts = groups.cell_starts, groups.cell_x, groups.cell_counts
    rows, log_gamma = counters.rows, weighing.log_gamma
    for g in range(values.shape[0]):
        value, total = 0.0, 0
        for i in range(cell_starts[g], cell_starts[g + 1]):
            rows[cell_x[i]] += cell_counts[i]
            total += cell_counts[i]
        for i in range(cell_starts[g], cell_starts[g + 1]):
            count = rows[cell_x[i]]
            value += log_gamma[1 + count] - rising(log_gamma, weighing.row, count)
            rows[cell_x[i]] = 0
        values[g] = value + of_total(weighing, total) - rising(log_gamma, weighing.column, total)
