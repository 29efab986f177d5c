"""Counts of X with two classes of columns in a slice: what their cells give to the states of either.

Where two classes have few states each two of these have a counter; where they have many,
those that occur together are numbered first.
"""

from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.group_weights import rising

ROOM = 1 << 15  # cells of a pair of classes that may always have a counter each
ROWS = 8  # and for each row of the longest slice

# Counters of a pair of classes: cells of a run of X (zero before and after), of the slice, those that occur
# in a run and in the slice, and sums by the state of either class.
PairCounters = namedtuple("PairCounters", "counts sums touched in_use first second")
# The cells of a pair of classes with too many states for a counter for each two, numbered: that of each
# row, its states; scratch: places by the state of the first, rows in that order, marks by the state of
# the second.
Cells = namedtuple("Cells", "numbers first second places order marks")


@inlined
def count_pair(piece, ids, others, shift, log_gamma, column, counters):
    """Sum over a slice what the cells of X and two classes give to the states of each.

    ids, others: IN, states of the classes. shift: IN, bits of a state of the second. column: IN, Dirichlet
    parameter of a state. counters: IN and OUT; `first` and `second` are added to.
    """
    counts, sums, touched, in_use, first, second = counters
    run_starts, weights = piece.run_starts, piece.weights
    n_in_use, mask = 0, (np.uint32(1) << shift) - np.uint32(1)
    for r in range(run_starts.shape[0] - 1):
        n = 0
        for k in range(run_starts[r], run_starts[r + 1]):
            place = (np.uint32(ids[k]) << shift) | np.uint32(others[k])
            touched[n] = place
            n += counts[place] == 0
            counts[place] += weights[k]
        for i in range(n):
            place = np.uint32(touched[i])
            count = counts[place]
            counts[place] = 0
            in_use[n_in_use] = place
            n_in_use += sums[place] == 0
            sums[place] += count
            first[place >> shift] += log_gamma[1 + count]
            second[place & mask] += log_gamma[1 + count]
    for i in range(n_in_use):
        place = np.uint32(in_use[i])
        w, y = place >> shift, place & mask
        value = rising(log_gamma, column, sums[place])
        first[w] -= value
        second[y] -= value
        sums[place] = 0


@inlined
def count_long_pair(piece, ids, others, n_states, shift, log_gamma, column, counters):
    """Do what `count_pair` does where runs of X are long: walk over all states of both classes.

    n_states: IN, of the two classes.
    """
    counts, sums, first, second = counters.counts, counters.sums, counters.first, counters.second
    run_starts, weights = piece.run_starts, piece.weights
    for r in range(run_starts.shape[0] - 1):
        for k in range(run_starts[r], run_starts[r + 1]):
            counts[(np.uint32(ids[k]) << shift) | np.uint32(others[k])] += weights[k]
        for w in range(n_states[0]):
            total = 0.0
            for y in range(n_states[1]):
                place = (np.uint32(w) << shift) | np.uint32(y)
                value = log_gamma[1 + counts[place]]
                sums[place] += counts[place]
                counts[place] = 0
                total += value
                second[y] += value
            first[w] += total
    of_column = log_gamma[column]
    for w in range(n_states[0]):
        for y in range(n_states[1]):
            place = (np.uint32(w) << shift) | np.uint32(y)
            value = log_gamma[column + sums[place]] - of_column
            sums[place] = 0
            first[w] -= value
            second[y] -= value


@inner
def number_cells(ids, others, n_states, cells):
    """Number the states that two classes have together, in order of the first. cells: OUT.

    ids, others, n_states: IN, of the classes.
    """
    numbers, first, second, places, order, marks = cells
    n_rows, n_cells = ids.shape[0], 0
    places[: n_states[0] + 1] = 0
    marks[: n_states[1]] = -1
    for k in range(n_rows):
        places[np.int64(ids[k]) + 1] += 1
    for w in range(n_states[0]):
        places[w + 1] += places[w]
    for k in range(n_rows):
        order[places[ids[k]]] = k
        places[ids[k]] += 1
    begin = 0
    for w in range(n_states[0]):
        before = n_cells
        for i in range(begin, places[w]):
            k, y = order[i], np.int64(others[order[i]])
            if marks[y] < before:
                marks[y], first[n_cells], second[n_cells] = n_cells, w, y
                n_cells += 1
            numbers[k] = marks[y]
        begin = places[w]


@inner
def count_wide_pair(piece, cells, log_gamma, column, counters):
    """Do what `count_pair` does by numbered cells. cells: IN, from `number_cells`."""
    counts, sums, touched, in_use, first, second = counters
    run_starts, weights, n_in_use = piece.run_starts, piece.weights, 0
    for r in range(run_starts.shape[0] - 1):
        n = 0
        for k in range(run_starts[r], run_starts[r + 1]):
            cell = cells.numbers[k]
            touched[n] = cell
            n += counts[cell] == 0
            counts[cell] += weights[k]
        for i in range(n):
            cell = touched[i]
            value = log_gamma[1 + counts[cell]]
            in_use[n_in_use] = cell
            n_in_use += sums[cell] == 0
            sums[cell] += counts[cell]
            counts[cell] = 0
            first[cells.first[cell]] += value
            second[cells.second[cell]] += value
    for i in range(n_in_use):
        cell = in_use[i]
        value = rising(log_gamma, column, sums[cell])
        first[cells.first[cell]] -= value
        second[cells.second[cell]] -= value
        sums[cell] = 0


@inner
def most_states(cardinalities, n_rows):
    """Give how many states the two columns that have most can show in so many rows."""
    one, two = 1, 1
    for cardinality in cardinalities:
        n_states = min(cardinality, n_rows)
        if n_states > one:
            one, two = n_states, one
        else:
            two = max(two, n_states)
    return one, two


@inner
def new_pair_counters(n_most, n_rows):
    """Make counters for pairs of classes, and the cells of those that have more states than these hold.

    n_most: IN, from `most_states`. n_rows: IN, of the longest slice.
    """
    n_cells = 2 * n_most[0] * n_most[1]  # one number of states rounded up to bits
    n_counters = min(n_cells, max(ROOM, ROWS * n_rows))
    counters = PairCounters(
        np.zeros(n_counters, np.int32), np.zeros(n_counters, np.int32),
        np.empty(n_rows + 1, np.int32), np.empty(n_rows + 1, np.int32),
        np.zeros(n_most[0]), np.zeros(n_most[0]),
    )  # fmt: skip
    n = n_rows if n_counters < n_cells else 0
    cells = Cells(
        np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32),
        np.empty(n_most[0] + 1, np.int32), np.empty(n, np.int32), np.empty(n_most[0], np.int32),
    )  # fmt: skip
    return counters, cells
