"""One variable against many others given one set: a single sweep each.

Rows are sorted by slice and then by the state of X, slices with a single data
point left out (they say nothing), so that counting needs one small array of
counters whatever the number of states, and everything that does not depend on
Y is computed once.
"""

import numpy as np
from numba import njit

from ibmap.kernels.likelihood import log_odds_of_product


@njit(cache=True, nogil=True)
def counting_sort(keys, n_keys, items):
    """Sort items by their keys, keeping the order of equal ones. keys: IN, by item."""
    starts = np.zeros(n_keys + 1, np.int64)
    for i in items:
        starts[keys[i] + 1] += 1
    for k in range(n_keys):
        starts[k + 1] += starts[k]
    ordered = np.empty(items.shape[0], np.int64)
    for i in items:
        ordered[starts[keys[i]]] = i
        starts[keys[i]] += 1
    return ordered


@njit(cache=True, nogil=True)
def arrange(rows, labels, n_slices, x, n_x, weights):
    """Sort the rows of the slices that matter by slice and state of X.

    rows, labels: IN, from `counting.number_live_slices`. x, weights: IN, of every row of the
    table. Returns the rows' order, where runs of equal (slice, state) start, their weights, and
    where slices start among the runs.
    """
    n = rows.shape[0]
    states = np.empty(n, np.int64)
    for k in range(n):
        states[k] = x[rows[k]]
    places = counting_sort(labels, n_slices, counting_sort(states, n_x, np.arange(n)))
    order = np.empty(n, np.int64)
    run_starts = np.empty(n + 1, np.int64)
    run_weights = np.zeros(n, np.int64)
    slice_runs = np.empty(n_slices + 1, np.int64)
    n_runs, n_found = 0, 0
    for k in range(n):
        place = places[k]
        fresh = k == 0 or labels[places[k - 1]] != labels[place]
        if fresh:
            slice_runs[n_found] = n_runs
            n_found += 1
        if fresh or states[places[k - 1]] != states[place]:
            run_starts[n_runs] = k
            n_runs += 1
        order[k] = rows[place]
        run_weights[n_runs - 1] += weights[rows[place]]
    run_starts[n_runs] = n
    slice_runs[n_found] = n_runs
    return order, run_starts[: n_runs + 1], run_weights[:n_runs], slice_runs


@njit(cache=True, nogil=True)
def x_terms(run_weights, slice_runs, log_odds, starts, log_gamma, terms):
    """Tabulate for each slice what does not depend on the counts of Y.

    starts: IN, Dirichlet parameters (cell, row, column, all cells, all rows, all columns) for
    the number of states of Y. terms: OUT.
    """
    row, n_cells, n_rows, n_columns = starts[1], starts[3], starts[4], starts[5]
    for s in range(terms.shape[0]):
        value, total = log_odds, 0
        for r in range(slice_runs[s], slice_runs[s + 1]):
            value -= log_gamma[row + run_weights[r]] - log_gamma[row]
            total += run_weights[r]
        value -= log_gamma[n_cells + total] - log_gamma[n_cells]
        value += log_gamma[n_rows + total] - log_gamma[n_rows]
        value += log_gamma[n_columns + total] - log_gamma[n_columns]
        terms[s] = value


@njit(cache=True, nogil=True)
def take(counts, states, first, last, start, log_gamma):
    """Sum log-rising factorials of the counters of some rows, and set them to zero.

    counts: IN and OUT. states: IN, the state of Y in each row.
    """
    total = 0.0
    if last - first >= counts.shape[0]:
        for state in range(counts.shape[0]):
            total += log_gamma[start + counts[state]] - log_gamma[start]
            counts[state] = 0
        return total
    for k in range(first, last):
        count = counts[states[k]]
        if count > 0:
            total += log_gamma[start + count] - log_gamma[start]
            counts[states[k]] = 0
    return total


@njit(cache=True, nogil=True)
def y_terms(states, weights, run_starts, slice_runs, starts, log_gamma, cells, columns, terms):
    """Add to each slice what depends on the counts of Y.

    states, weights: IN, of each row in order. cells, columns: scratch counters, zero before
    and after. terms: IN and OUT.
    """
    for s in range(terms.shape[0]):
        first, last = run_starts[slice_runs[s]], run_starts[slice_runs[s + 1]]
        value = 0.0
        for r in range(slice_runs[s], slice_runs[s + 1]):
            for k in range(run_starts[r], run_starts[r + 1]):
                cells[states[k]] += weights[k]
                columns[states[k]] += weights[k]
            value += take(cells, states, run_starts[r], run_starts[r + 1], starts[0], log_gamma)
        value -= take(columns, states, first, last, starts[2], log_gamma)
        terms[s] += value


@njit(cache=True, nogil=True)
def row_log_odds(codes, weights, arranged, candidates, cardinalities, starts, log_odds, log_gamma, out):
    """Log-odds of dependence of X and each candidate over the slices that matter.

    arranged: IN, from `arrange`. starts: IN, for each candidate the Dirichlet parameters as
    for `x_terms`. out: OUT, one entry a candidate.
    """
    order, run_starts, run_weights, slice_runs = arranged
    n_live = slice_runs.shape[0] - 1
    ordered_weights = np.empty(order.shape[0], np.int64)
    for k in range(order.shape[0]):
        ordered_weights[k] = weights[order[k]]
    states = np.empty(order.shape[0], np.int64)
    shared = np.empty(n_live)
    terms = np.empty(n_live)
    last_states = 0
    for c in range(candidates.shape[0]):
        n_states = cardinalities[candidates[c]]
        if n_states != last_states:
            x_terms(run_weights, slice_runs, log_odds, starts[c], log_gamma, shared)
            last_states = n_states
        column = codes[:, candidates[c]]
        for k in range(order.shape[0]):
            states[k] = column[order[k]]
        terms[:] = shared
        cells = np.zeros(n_states, np.int64)
        columns = np.zeros(n_states, np.int64)
        y_terms(states, ordered_weights, run_starts, slice_runs, starts[c], log_gamma, cells, columns, terms)
        out[c] = log_odds_of_product(terms)
