"""The odds of dependence of X and Y over the slices of a partition.

Slices are put in order of length, so that loops over them have lengths a
processor can foresee. In a *short* slice h / g is a constant that Y does not
enter, times the product over rows of (1 + rows with the same X and Y before) /
(beta + rows with the same Y before): no logarithm. For two rows there are four
outcomes, which are only counted. *Long* slices are sorted by the state of X;
the states of Y are counted run by run, and summed up by the table of log-gamma.
"""

import math

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.exponential import fast_exp
from ibmap.kernels.likelihood import BIG, TINY, add_logs

SHORT = 16  # rows of a slice up to which its factors are multiplied out
THIN = 64  # rows up to which a slice is thin: products of 256 states stay under 1e170
FAINT, CLEAR = -500.0, 3.0  # prior log-odds of a slice between which products in thin slices stay finite


@inner
def by_length(rows, starts, weights):
    """Put slices in order of their number of rows; those that are long or weighted come last.

    rows, starts: IN, a partition. weights: IN, of every row of the table, or empty. Returns the
    partition in the new order, and where each length starts among the slices.
    """
    n_slices = starts.shape[0] - 1
    lengths = np.empty(n_slices, np.int32)
    firsts = np.zeros(SHORT + 3, np.int32)
    for s in range(n_slices):
        lengths[s] = min(starts[s + 1] - starts[s], SHORT + 1)
        if weights.shape[0] > 0:
            for k in range(starts[s], starts[s + 1]):
                if weights[rows[k]] > 1:
                    lengths[s] = SHORT + 1
        firsts[lengths[s] + 1] += 1
    for length in range(SHORT + 2):
        firsts[length + 1] += firsts[length]
    order = np.empty(n_slices, np.int32)
    places = firsts.copy()
    for s in range(n_slices):
        order[places[lengths[s]]] = s
        places[lengths[s]] += 1
    new_rows, new_starts = np.empty_like(rows), np.empty_like(starts)
    n_placed = 0
    for k in range(n_slices):
        s = order[k]
        new_starts[k] = n_placed
        for i in range(starts[s], starts[s + 1]):
            new_rows[n_placed] = rows[i]
            n_placed += 1
    new_starts[n_slices] = n_placed
    return new_rows, new_starts, firsts


@inner
def find_runs(rows, starts, first_slice, x_codes):
    """Find the runs of equal slice and state of X, from some slice on.

    rows, starts: IN, slices sorted by `x_codes`. Returns where runs start among the rows, and
    where slices start among the runs.
    """
    first = starts[first_slice]
    run_starts = np.empty(rows.shape[0] - first + 1, np.int32)
    slice_runs = np.empty(starts.shape[0] - first_slice, np.int32)
    n_runs = 0
    for s in range(first_slice, starts.shape[0] - 1):
        slice_runs[s - first_slice] = n_runs
        for k in range(starts[s], starts[s + 1]):
            if k == starts[s] or x_codes[rows[k]] != x_codes[rows[k - 1]]:
                run_starts[n_runs] = k
                n_runs += 1
    slice_runs[slice_runs.shape[0] - 1] = n_runs
    run_starts[n_runs] = rows.shape[0]
    return run_starts[: n_runs + 1], slice_runs


@inner
def x_constants(rows, starts, states, weights, dirichlet, log_odds, log_gamma, counts, logs):
    """Work out for each slice the log of what Y's counts do not enter, with the prior odds.

    states: IN, of X in each row of the partition. weights: IN, of every row of the table, or
    empty. dirichlet: IN, parameters of a row and a column, sums of those of cells, rows, columns.
    counts: scratch, zero before and after. logs: OUT.
    """
    row, _, all_cells, all_rows, all_columns = dirichlet
    for s in range(logs.shape[0]):
        total, value = 0, log_odds
        for k in range(starts[s], starts[s + 1]):
            weight = weights[rows[k]] if weights.shape[0] > 0 else 1
            counts[states[k]] += weight
            total += weight
        for k in range(starts[s], starts[s + 1]):
            value -= log_gamma[row + counts[states[k]]] - log_gamma[row]
            counts[states[k]] = 0
        value -= log_gamma[all_cells + total] - log_gamma[all_cells]
        value += log_gamma[all_rows + total] - log_gamma[all_rows]
        value += log_gamma[all_columns + total] - log_gamma[all_columns]
        logs[s] = value


@inlined
def add_factor(odds, log_ratio):
    """Multiply the product so far by 1 + exp(log_ratio). odds: IN and OUT, (excess, big, tiny)."""
    if log_ratio > BIG:
        odds[1] += log_ratio
    elif log_ratio < TINY:
        odds[2] = add_logs(odds[2], log_ratio)
    else:
        odds[0] += fast_exp(log_ratio) * (1.0 + odds[0])
    if odds[0] > 1e100:
        odds[1] += math.log1p(odds[0])
        odds[0] = 0.0


@inner
def add_two_row_slices(rows, states, y_codes, last, log_ratios, odds):
    """Multiply in the slices of two rows, the first rows of the partition up to `last`.

    log_ratios: IN, of a slice by whether X is the same and whether Y is. odds: IN and OUT.
    """
    n_same_x, n_same_y, n_same_both = np.int64(0), np.int64(0), np.int64(0)
    for k in range(0, last, 2):
        same_x = np.int64(states[k] == states[k + 1])
        same_y = np.int64(y_codes[np.uint32(rows[k])] == y_codes[np.uint32(rows[k + 1])])
        n_same_x += same_x
        n_same_y += same_y
        n_same_both += same_x & same_y
    only_x, only_y = n_same_x - n_same_both, n_same_y - n_same_both
    numbers = (last // 2 - n_same_both - only_x - only_y, only_y, only_x, n_same_both)
    for outcome in range(4):
        number, t = numbers[outcome], log_ratios[outcome]
        if number == 0:
            continue
        if t < TINY:
            odds[2] = add_logs(odds[2], t + math.log(number))
            continue
        log_product = number * (max(t, 0.0) + math.log1p(math.exp(-abs(t))))
        if log_product > BIG:
            odds[1] += log_product
        else:
            odds[0] += math.expm1(log_product) * (1.0 + odds[0])
    if odds[0] > 1e100:
        odds[1] += math.log1p(odds[0])
        odds[0] = 0.0


@inner
def add_short_slices(rows, states, y_codes, n_y, bounds, length, factors, cells, columns, column, odds):
    """Multiply in the slices of one length.

    bounds: IN, the first slice, the slice after the last, and the first row. factors: IN, of each
    slice. cells, columns: scratch, at their Dirichlet parameters 1 and `column` before and after.
    odds: IN and OUT.
    """
    first_slice, last_slice, base = bounds
    excess = odds[0]
    for s in range(first_slice, last_slice):
        above, below = factors[s], 1.0
        for k in range(base, base + length):
            y = y_codes[np.uint32(rows[k])]
            place = np.uint32(states[k] * n_y + y)
            above *= cells[place]
            below *= columns[y]
            cells[place] += 1.0
            columns[y] += 1.0
        for k in range(base, base + length):
            y = y_codes[np.uint32(rows[k])]
            cells[np.uint32(states[k] * n_y + y)] = 1.0
            columns[y] = column
        base += length
        excess += above / below * (1.0 + excess)
        if excess > 1e100:
            odds[1] += math.log1p(excess)
            excess = 0.0
    odds[0] = excess


@inlined
def add_run(rows, first, last, y_codes, weights, log_gamma, counts, sums, touched, in_use, value, n_in_use):
    """Count Y in a run of one state of X.

    counts, sums, touched, in_use: IN and OUT, the scratch of `add_long_slices`. Returns the log so
    far with the cells of the run, and how many states the slice has.
    """
    n = 0
    for k in range(first, last):
        row = np.uint32(rows[k])
        y = y_codes[row]
        touched[n] = y
        n += counts[y] == 0
        counts[y] += weights[row] if weights.shape[0] > 0 else 1
    for i in range(n):
        y = np.uint32(touched[i])
        count = counts[y]
        value += log_gamma[np.uint32(1 + count)]
        counts[y] = 0
        in_use[n_in_use] = y
        n_in_use += sums[y] == 0
        sums[y] += count
    return value, n_in_use


@inlined
def close_slice(log_gamma, column, sums, in_use, value, n_in_use):
    """Give the log of a slice from that of its cells. sums, in_use: IN and OUT, as in `add_run`."""
    for i in range(n_in_use):
        y = np.uint32(in_use[i])
        value -= log_gamma[np.uint32(column + sums[y])] - log_gamma[column]
        sums[y] = 0
    return value


@inner
def add_long_slices(rows, runs, y_codes, weights, logs, log_gamma, column, scratch, odds):
    """Multiply in the slices that are long or weighted.

    runs: IN, from `find_runs`. logs: IN, of each slice. scratch: counters of a run and a slice,
    zero before and after, and lists of the states they have. odds: IN and OUT.
    """
    run_starts, slice_runs = runs
    counts, sums, touched, in_use = scratch
    for s in range(slice_runs.shape[0] - 1):
        n_in_use, value = 0, logs[s]
        for r in range(slice_runs[s], slice_runs[s + 1]):
            first, last = run_starts[r], run_starts[r + 1]
            value, n_in_use = add_run(
                rows, first, last, y_codes, weights, log_gamma, counts, sums, touched, in_use, value, n_in_use
            )
        add_factor(odds, close_slice(log_gamma, column, sums, in_use, value, n_in_use))


@inner
def log_of(odds):
    """Give log(prod(1 + e) - 1). odds: IN."""
    excess, log_big, log_tiny = odds
    if log_big > 0.0:
        return log_big + math.log1p(excess)
    return add_logs(math.log(excess), log_tiny) if excess > 0.0 else log_tiny
