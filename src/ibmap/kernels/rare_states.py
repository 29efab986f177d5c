"""Counts of X with two classes of columns in a slice where most rows have the commonest state of one of them.

Were all rows in the commonest state of the first class, the cells of X and the second would be all there
is, and what these give is known. Only the rows in other states, the *rare* ones, are looked at: they make
cells of their own, and are taken off the others.
"""

from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.group_weights import rising

SHARE = 3  # one in so many rows at most is rare

# The run of X of each row. By class: the commonest state, rows in other states and how many these are, or
# -1 if too many; data points by run of X and state, and whether there is room for them. Scratch: rows taken
# off by state of the second class, in a run and in all (zero before and after), and which states these are.
Rare = namedtuple("Rare", "runs common rows n_rows tables is_known taken all_taken touched in_use")


@inner
def new_rare(n_columns, n_rows, n_states, n_x):
    """Make room for the rare rows of a slice of so many rows, of columns of so many states at most."""
    n_cells = min(min(n_x, n_rows) * n_states, n_rows)
    return Rare(
        np.empty(n_rows, np.int32), np.empty(n_columns, np.int64),
        np.empty((n_columns, n_rows // SHARE + 1), np.int32), np.empty(n_columns, np.int64),
        np.empty((n_columns, n_cells), np.int32), np.empty(n_columns, np.bool_),
        np.zeros(n_states, np.int32), np.zeros(n_states, np.int32),
        np.empty(n_states + 1, np.int32), np.empty(n_states + 1, np.int32),
    )  # fmt: skip


@bare
def number_runs(piece, rare):
    """Give each row of a slice the number of its run. rare: OUT."""
    for r in range(piece.run_starts.shape[0] - 1):
        for k in range(piece.run_starts[r], piece.run_starts[r + 1]):
            rare.runs[k] = r


@bare
def find_rare(piece, c, classes, rare):
    """Find the rare rows of a class, and count X and its states. rare: OUT, entry c."""
    n_rows, n_states, ids = piece.rows.shape[0], classes.n_states[c], classes.ids[c]
    common = 0
    for w in range(n_states):
        if classes.totals[c, w] > classes.totals[c, common]:
            common = w
    rows, n, most = rare.rows[c], 0, n_rows // SHARE
    for k in range(n_rows):
        rows[min(n, most)] = k
        n += np.int64(ids[k]) != common
    rare.common[c], rare.n_rows[c] = common, n if n <= most else -1
    n_cells = (piece.run_starts.shape[0] - 1) * n_states
    rare.is_known[c] = n_cells <= rare.tables.shape[1]
    if rare.is_known[c]:
        table = rare.tables[c]
        for i in range(n_cells):
            table[i] = 0
        for k in range(n_rows):
            table[rare.runs[k] * n_states + np.int64(ids[k])] += piece.weights[k]


@inlined
def close_run(table, n, n_taken, shift, common, log_gamma, counters, sums, rare, n_in_use, n_all):
    """Add up the cells of a run, and take rare rows off the others.

    table: IN, data points by state of the second class. n, n_taken: IN, cells and states touched. sums: IN
    and OUT, by state of either class. Returns how many cells and states are in use.
    """
    first, second = sums
    counts, mask = counters.counts, (np.uint32(1) << shift) - np.uint32(1)
    for i in range(n):
        place = np.uint32(counters.touched[i])
        count = counts[place]
        counts[place] = 0
        counters.in_use[n_in_use] = place
        n_in_use += counters.sums[place] == 0
        counters.sums[place] += count
        first[place >> shift] += log_gamma[1 + count]
        second[place & mask] += log_gamma[1 + count]
    for i in range(n_taken):
        y = np.uint32(rare.touched[i])
        count = rare.taken[y]
        rare.taken[y] = 0
        rare.in_use[n_all] = y
        n_all += rare.all_taken[y] == 0
        rare.all_taken[y] += count
        less = log_gamma[1 + table[y] - count] - log_gamma[1 + table[y]]
        first[common] += less
        second[y] += less
    return n_in_use, n_all


@inlined
def close_rare(totals, n_in_use, n_all, shift, common, log_gamma, column, counters, sums, rare):
    """Take off what states of both classes have together. totals: IN, of the second. sums: IN and OUT."""
    first, second = sums
    mask = (np.uint32(1) << shift) - np.uint32(1)
    for i in range(n_in_use):
        place = np.uint32(counters.in_use[i])
        value = rising(log_gamma, column, counters.sums[place])
        counters.sums[place] = 0
        first[place >> shift] -= value
        second[place & mask] -= value
    for i in range(n_all):
        y = np.uint32(rare.in_use[i])
        more = log_gamma[column + totals[y]] - log_gamma[column + totals[y] - rare.all_taken[y]]
        rare.all_taken[y] = 0
        first[common] += more
        second[y] += more


@inlined
def count_rare_pair(piece, one, two, classes, shift, log_gamma, column, counters, sums, rare):
    """Do what `count_pair` does from the rare rows of class `one`.

    shift: IN, bits of a state of class `two`. sums: IN and OUT, by state of `one` and of `two`.
    """
    ids, others, rows, common = classes.ids[one], classes.ids[two], rare.rows[one], rare.common[one]
    n_states, counts, touched, taken = classes.n_states[two], counters.counts, counters.touched, rare.taken
    n, n_taken, n_in_use, n_all, run = 0, 0, 0, 0, np.int64(0)
    for y in range(n_states):
        sums[0][common] += classes.cells[two, y]
        sums[1][y] += classes.cells[two, y]
    for i in range(rare.n_rows[one]):
        k = np.uint32(rows[i])
        if rare.runs[k] != run:
            table = rare.tables[two, run * n_states : (run + 1) * n_states]
            n_in_use, n_all = close_run(
                table, n, n_taken, shift, common, log_gamma, counters, sums, rare, n_in_use, n_all
            )
            n, n_taken, run = 0, 0, np.int64(rare.runs[k])
        state = np.uint32(others[k])
        place = (np.uint32(ids[k]) << shift) | state
        touched[n] = place
        n += counts[place] == 0
        counts[place] += piece.weights[k]
        rare.touched[n_taken] = state
        n_taken += taken[state] == 0
        taken[state] += piece.weights[k]
    table = rare.tables[two, run * n_states : (run + 1) * n_states]
    n_in_use, n_all = close_run(
        table, n, n_taken, shift, common, log_gamma, counters, sums, rare, n_in_use, n_all
    )
    close_rare(classes.totals[two], n_in_use, n_all, shift, common, log_gamma, column, counters, sums, rare)


@inlined
def rarer(a, b, rare):
    """Give the two classes of a pair, first that of which rare rows are fewer, and whether these will do."""
    if rare.n_rows[a] >= 0 and (rare.n_rows[b] < 0 or rare.n_rows[a] <= rare.n_rows[b]):
        return a, b, rare.is_known[b]
    return b, a, rare.n_rows[b] >= 0 and rare.is_known[a]
