"""Groups of slices against one variable W outside, from counts of X and W in each slice.

The slices of a group differ in the member dropped, so that their cells of X and W are those of X, W
and the member: counted once for a W, they serve every member, and a slice of many rows has few of them.
"""

from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.group_weights import of_total, rising, times_factor

# The slices at hand, and their places by slice. For a W, by slice: cells of W and X with numbers of data
# points; states of W, their numbers, and the log-gamma of their cells less their own.
SliceCells = namedtuple(
    "SliceCells", "listed places cell_starts cells counts state_starts states totals sums"
)


@inner
def new_slice_cells(slices, is_listed):
    """Make room for the cells of some slices."""
    listed, n_rows, n_slices = np.flatnonzero(is_listed).astype(np.int32), 0, is_listed.shape[0]
    places = np.full(n_slices, -1, np.int32)
    for k in range(listed.shape[0]):
        s = listed[k]
        places[s] = k
        n_rows += slices.starts[s + 1] - slices.starts[s]
    return SliceCells(
        listed, places, np.zeros(listed.shape[0] + 1, np.int32), np.empty(n_rows, np.int32),
        np.empty(n_rows, np.int32), np.zeros(listed.shape[0] + 1, np.int32),
        np.empty(n_rows, np.int32), np.empty(n_rows, np.int32), np.empty(n_rows),
    )  # fmt: skip


@inlined
def count_run(rows, first, last, codes, weights, counts, touched):
    """Count W in a run of X. counts: IN and OUT. touched: OUT. Returns how many states occur."""
    n = 0
    for k in range(first, last):
        row = np.uint32(rows[k])
        w = codes[row]
        touched[n] = w
        n += counts[w] == 0
        counts[w] += weights[row] if weights.shape[0] > 0 else 1
    return n


@bare
def count_cells(slices, codes, weights, column, log_gamma, counters, found):
    """Count X and W in slices.

    codes: IN, of W. column: IN, Dirichlet parameter of a state of W or of the member. counters: scratch.
    found: OUT.
    """
    counts, touched, in_use, totals, sums = (
        counters.cells, counters.touched, counters.state_list, counters.totals, counters.sums
    )  # fmt: skip
    n_cells, n_states, bits = 0, 0, counters.bits
    for i in range(found.listed.shape[0]):
        s, n_in_use = found.listed[i], 0
        begin = slices.starts[s]
        for r in range(slices.run_starts[s], slices.run_starts[s + 1]):
            n = count_run(slices.rows, begin, begin + slices.run_rows[r], codes, weights, counts, touched)
            begin += slices.run_rows[r]
            for k in range(n):
                w = np.uint32(touched[k])
                count = counts[w]
                counts[w] = 0
                found.cells[n_cells], found.counts[n_cells] = (w << bits) | slices.run_states[r], count
                n_cells += 1
                in_use[n_in_use] = w
                n_in_use += totals[w] == 0
                totals[w] += count
                sums[w] += log_gamma[1 + count]
        for k in range(n_in_use):
            w = np.uint32(in_use[k])
            found.states[n_states], found.totals[n_states] = w, totals[w]
            found.sums[n_states] = sums[w] - rising(log_gamma, column, totals[w])
            n_states += 1
            totals[w], sums[w] = 0, 0.0
        found.cell_starts[i + 1], found.state_starts[i + 1] = n_cells, n_states


@inlined
def add_slice(i, found, counters, n_cells, n_states):
    """Add the cells and states of a slice to those of a group; return how many these are then."""
    rows, totals, sums = counters.rows, counters.totals, counters.sums
    for k in range(found.cell_starts[i], found.cell_starts[i + 1]):
        cell = np.uint32(found.cells[k])
        counters.row_list[n_cells] = cell
        n_cells += rows[cell] == 0
        rows[cell] += found.counts[k]
    for k in range(found.state_starts[i], found.state_starts[i + 1]):
        w = np.uint32(found.states[k])
        counters.state_list[n_states] = w
        n_states += totals[w] == 0
        totals[w] += found.totals[k]
        sums[w] += found.sums[k]
    return n_cells, n_states


@inlined
def take_rows(n_cells, row, weighing, counters):
    """Take the states of X off the sum of each state of W, and clear them. row: IN, as against W.

    Returns what X, and X and W, give to log(h / g) of X against W, and how many states X has.
    """
    rows, of_x, sums, log_gamma, bits = (
        counters.rows, counters.cells, counters.sums, weighing.log_gamma, counters.bits
    )  # fmt: skip
    value, n_x, mask = 0.0, 0, (np.uint32(1) << bits) - np.uint32(1)
    of_row = log_gamma[weighing.row]
    for i in range(n_cells):
        cell = np.uint32(counters.row_list[i])
        count, x = rows[cell], cell & mask
        rows[cell] = 0
        value += log_gamma[1 + count]
        sums[cell >> bits] -= log_gamma[weighing.row + count] - of_row
        counters.touched[n_x] = x
        n_x += of_x[x] == 0
        of_x[x] += count
    for i in range(n_x):
        x = np.uint32(counters.touched[i])
        value -= rising(log_gamma, row, of_x[x])
        of_x[x] = 0
    return value


@inlined
def weigh_group(parts, found, against, weighing, split_odds, counters):
    """Weigh a group as it is and split by the states of W.

    parts: IN, its slices. found: IN, from `count_cells`. against, weighing: IN, of X against W and against
    the member. Returns log(h / g) against W; the product of factors against the member, what is left of its
    log, and how many states of W have two data points.
    """
    n_cells, n_states, total = 0, 0, 0
    for s in parts:
        n_cells, n_states = add_slice(found.places[s], found, counters, n_cells, n_states)
    value, log_gamma = take_rows(n_cells, against.row, weighing, counters), weighing.log_gamma
    product, log, n_live = 1.0, 0.0, 0
    for i in range(n_states):
        w = np.uint32(counters.state_list[i])
        count = counters.totals[w]
        total += count
        value -= rising(log_gamma, against.column, count)
        if count > 1:
            n_live += 1
            t = split_odds + counters.sums[w] + of_total(weighing, count)
            product, log = times_factor(product, log, t)
        counters.totals[w], counters.sums[w] = 0, 0.0
    return value + of_total(against, total), product, log, n_live
