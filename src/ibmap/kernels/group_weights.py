"""Bayes factors of groups of slices: of X against the member that was dropped, and against others.

A *group* is what dropping a member makes one slice (`blanket_slices`). For a variable W outside, one
count of W in its cells gives both log(h / g) of X against W, and of X against the member
in each state of W.
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
# Counters, zero before and after: of cells, of rows (X) and columns (the member) by the state of W, of
# W; sums by the state of W; the lists of states and cells, rows, columns and states that occur; and the
# bits that number a state of X and of the member.
Counters = namedtuple(
    "Counters", "cells rows columns totals sums states touched row_list column_list state_list bits"
)
# Products of factors 1 + e by group, as a product and a log; how many slices have such a factor.
Factors = namedtuple("Factors", "products logs n_live")


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
    bits = bits_of(n_x), bits_of(n_member)
    n_cells = (
        n_x * n_member
    )  # of which a group without two members takes all, the others as many as have rows
    return Counters(
        np.zeros(max(n_other * min(n_rows, n_cells), n_cells), np.int32),
        np.zeros(n_other << bits[0], np.int32), np.zeros(n_other << bits[1], np.int32),
        np.zeros(n_other, np.int32), np.zeros(n_other),
        np.empty(n_rows + 1, np.int32), np.empty(n_rows + 1, np.int32), np.empty(n_rows + 1, np.int32),
        np.empty(n_rows + 1, np.int32), np.empty(n_rows + 1, np.int32), bits,
    )  # fmt: skip


@inner
def new_factors(n_groups):
    """Make room for the factors of groups, one slice each."""
    return Factors(np.empty(n_groups), np.empty(n_groups), np.ones(n_groups, np.int32))


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
def x_parts(groups, weighing, counters, bases, constants):
    """Give what X alone adds to log(h / g) against W in each group, and all of it if W is constant.

    bases, constants: OUT.
    """
    cell_starts, cell_x, cell_counts = groups.cell_starts, groups.cell_x, groups.cell_counts
    rows, log_gamma = counters.rows, weighing.log_gamma
    for g in range(bases.shape[0]):
        base, cells, total = 0.0, 0.0, 0
        for i in range(cell_starts[g], cell_starts[g + 1]):
            rows[cell_x[i]] += cell_counts[i]
            total += cell_counts[i]
        for i in range(cell_starts[g], cell_starts[g + 1]):
            count = rows[cell_x[i]]
            base -= rising(log_gamma, weighing.row, count)
            cells += log_gamma[1 + count]
            rows[cell_x[i]] = 0
        bases[g] = base + of_total(weighing, total)
        constants[g] = bases[g] + cells - rising(log_gamma, weighing.column, total)


@inlined
def count_split(rows, cells, first, last, n_cells, codes, weights, counts, states, touched):
    """Count W in the cells of a group: rows `first` to `last` - 1. codes: IN, of W.

    counts: IN and OUT. states, touched: OUT, states of W and cells that occur together. Returns how
    many do.
    """
    n = 0
    for k in range(first, last):
        row = np.uint32(rows[k])
        w, cell = np.uint32(codes[row]), np.uint32(cells[k])
        place = w * np.uint32(n_cells) + cell
        states[n], touched[n] = w, cell
        n += counts[place] == 0
        counts[place] += weights[row] if weights.shape[0] > 0 else 1
    return n


@inlined
def add_margins(n, n_cells, cell_x, cell_y, first_cell, log_gamma, counters):
    """Sum the cells of a split up, and clear them. n: IN, from `count_split`. counters: IN and OUT.

    Returns how many rows, columns and states of W occur.
    """
    counts, rows, columns, totals, sums, states, touched, row_list, column_list, state_list, bits = counters
    n_rows, n_columns, n_states = 0, 0, 0
    for i in range(n):
        w, cell = np.uint32(states[i]), np.uint32(touched[i])
        place = w * np.uint32(n_cells) + cell
        count = counts[place]
        counts[place] = 0
        sums[w] += log_gamma[1 + count]
        place = (w << bits[0]) | np.uint32(cell_x[first_cell + cell])
        row_list[n_rows] = place
        n_rows += rows[place] == 0
        rows[place] += count
        place = (w << bits[1]) | np.uint32(cell_y[first_cell + cell])
        column_list[n_columns] = place
        n_columns += columns[place] == 0
        columns[place] += count
        state_list[n_states] = w
        n_states += totals[w] == 0
        totals[w] += count
    return n_rows, n_columns, n_states


@inlined
def take_margins(n_rows, n_columns, weighing, counters):
    """Take the margins of each state of W off its sum, and clear them.

    Returns the sum of the cells of X and W.
    """
    rows, columns, sums, bits = counters.rows, counters.columns, counters.sums, counters.bits
    row_list, column_list, log_gamma = counters.row_list, counters.column_list, weighing.log_gamma
    row, column, value = weighing.row, weighing.column, 0.0
    of_row, of_column = log_gamma[row], log_gamma[column]
    for i in range(n_rows):
        place = np.uint32(row_list[i])
        count = rows[place]
        rows[place] = 0
        value += log_gamma[1 + count]
        sums[place >> bits[0]] -= log_gamma[row + count] - of_row
    for i in range(n_columns):
        place = np.uint32(column_list[i])
        count = columns[place]
        columns[place] = 0
        sums[place >> bits[1]] -= log_gamma[column + count] - of_column
    return value


@inlined
def close_split(n_states, column, weighing, log_odds, counters):
    """Multiply what each state of W gives, and clear the sums.

    column: IN, Dirichlet parameter of a state of W against X. Returns what these states take off
    log(h / g) of X against W, and the product, its log, and how many of them have two data points.
    """
    totals, sums, state_list = counters.totals, counters.sums, counters.state_list
    value, product, log, n_live = 0.0, 1.0, 0.0, 0
    for i in range(n_states):
        w = np.uint32(state_list[i])
        total = totals[w]
        value -= rising(weighing.log_gamma, column, total)
        if total > 1:
            n_live += 1
            product, log = times_factor(product, log, log_odds + sums[w] + of_total(weighing, total))
        totals[w], sums[w] = 0, 0.0
    return value, product, log, n_live


@inlined
def is_constant(rows, first, last, codes):
    """Tell whether a variable has one state in a group."""
    code = codes[np.uint32(rows[first])]
    for k in range(first + 1, last):
        if codes[np.uint32(rows[k])] != code:
            return False
    return True


@inner
def weigh_split(groups, codes, weights, column, weighing, known, log_odds, counters, own, split):
    """Weigh groups, as they are and split by the states of W.

    codes: IN, of W. column: IN, Dirichlet parameter of a state of W.
    weighing: IN, of X against the member. known: IN, what `x_parts` and `against_member` give.
    log_odds: IN, of a slice of the set and of it with W. own, split: OUT, factors of X against W, and
    of X against the member.
    """
    (bases, constants, members), (own_odds, split_odds) = known, log_odds
    starts, rows, cells, cell_starts = groups.starts, groups.rows, groups.cells, groups.cell_starts
    for g in range(bases.shape[0]):
        first, last, first_cell = starts[g], starts[g + 1], cell_starts[g]
        if is_constant(rows, first, last, codes):
            own_t, split.n_live[g] = constants[g], 1
            split.products[g], split.logs[g] = times_factor(1.0, 0.0, split_odds + members[g])
        elif last - first == 2 and weights.shape[0] == 0:  # two states of one row each
            own_t, split.n_live[g] = bases[g] - 2.0 * rising(weighing.log_gamma, column, 1), 0
            split.products[g], split.logs[g] = 1.0, 0.0
        else:
            n_cells = cell_starts[g + 1] - first_cell
            n = count_split(
                rows,
                cells,
                first,
                last,
                n_cells,
                codes,
                weights,
                counters.cells,
                counters.states,
                counters.touched,
            )
            n_rows, n_columns, n_states = add_margins(
                n, n_cells, groups.cell_x, groups.cell_y, first_cell, weighing.log_gamma, counters
            )
            own_t = bases[g] + take_margins(n_rows, n_columns, weighing, counters)
            taken, split.products[g], split.logs[g], split.n_live[g] = close_split(
                n_states, column, weighing, split_odds, counters
            )
            own_t += taken
        own.products[g], own.logs[g] = times_factor(1.0, 0.0, own_odds + own_t)
