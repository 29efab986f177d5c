"""The columns outside a blanket within one of its slices, by what they look like there.

Within a slice only the equality pattern of a column counts: which rows have the same
state. Columns with one state are set apart, and in short slices columns of one pattern
and kind are one *class*. Columns are of one *kind* if their cardinality and the
prior odds of a slice with them added are the same.
"""

from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.group_weights import rising

PATTERN = 16  # rows of a slice whose pattern fits a word, four bits each

# Classes: states in each row of the slice, numbered from 0, how many there are, data points of each, the
# log-gamma of its cells with X less its own, what X alone adds against a column of each kind; the kind,
# number of columns and pattern of each class.
Classes = namedtuple("Classes", "ids n_states totals cells x_parts kinds sizes patterns")
# The slice: its rows, their weights, where runs of equal X start, how many columns of each kind have one
# state; scratch: marks and counts of states (zero before and after), states that occur.
Piece = namedtuple("Piece", "rows weights run_starts n_constant marks counts touched")


@inner
def new_classes(n_columns, n_rows, n_states, n_kinds):
    """Make room for the classes of a slice of so many rows."""
    return Classes(
        np.empty((n_columns, n_rows), np.uint16), np.empty(n_columns, np.int64),
        np.empty((n_columns, n_states), np.int64), np.empty((n_columns, n_states)),
        np.empty((n_kinds, n_columns, n_states)), np.empty(n_columns, np.int64),
        np.empty(n_columns, np.int64), np.empty(n_columns, np.uint64),
    )  # fmt: skip


@inlined
def number_states(rows, codes, marks, touched, ids):
    """Number the states of a column in a slice, in order of appearance; return how many there are.

    marks, touched: scratch. ids: OUT, one entry a row, written only if there are two states or more.
    """
    first = codes[np.uint32(rows[0])]
    k = 1
    while k < rows.shape[0] and codes[np.uint32(rows[k])] == first:
        k += 1
    if k == rows.shape[0]:
        return 1
    n = 0
    for k in range(rows.shape[0]):
        code = codes[np.uint32(rows[k])]
        if marks[code] == 0:
            touched[n] = code
            n += 1
            marks[code] = n
        ids[k] = marks[code] - 1
    for i in range(n):
        marks[touched[i]] = 0
    return n


@inlined
def pattern_of(ids, n_rows):
    """Put the states of a short slice into a word."""
    pattern = np.uint64(0)
    for k in range(n_rows):
        pattern = (pattern << np.uint64(4)) | np.uint64(ids[k])
    return pattern


@inner
def find_classes(piece, codes, outside, kinds, classes, class_of):
    """Sort columns into classes. Returns how many there are.

    piece: IN and OUT, the slice. outside, kinds: IN, columns and their kinds. classes: OUT. class_of:
    OUT, the class of each column, or -1 if it has one state.
    """
    n_classes, n_rows = 0, piece.rows.shape[0]
    piece.n_constant[:] = 0
    for k in range(outside.shape[0]):
        ids = classes.ids[n_classes]
        n_states = number_states(piece.rows, codes[:, outside[k]], piece.marks, piece.touched, ids)
        class_of[k] = -1
        if n_states == 1:
            piece.n_constant[kinds[k]] += 1
            continue
        if n_rows <= PATTERN:
            classes.patterns[n_classes] = pattern_of(ids, n_rows)
            for c in range(n_classes):
                if classes.patterns[c] == classes.patterns[n_classes] and classes.kinds[c] == kinds[k]:
                    class_of[k] = c
                    classes.sizes[c] += 1
                    break
        if class_of[k] < 0:
            class_of[k] = n_classes
            classes.n_states[n_classes], classes.kinds[n_classes] = n_states, kinds[k]
            classes.sizes[n_classes] = 1
            n_classes += 1
    return n_classes


@inlined
def of_size(log_gamma, numbers, total):
    """Give what the number of data points adds to log(h / g). numbers: IN, from `dirichlet`."""
    value = rising(log_gamma, numbers[3], total) + rising(log_gamma, numbers[4], total)
    return value - rising(log_gamma, numbers[2], total)


@inner
def weigh_class(piece, c, numbers, log_gamma, classes):
    """Sum up what one class has with X.

    numbers: IN, Dirichlet parameters and their sums for each kind. classes: OUT, entry c.
    """
    ids, cells, totals, n_states = classes.ids[c], classes.cells[c], classes.totals[c], classes.n_states[c]
    counts, touched, x_parts = piece.counts, piece.touched, classes.x_parts
    n_kinds = numbers.shape[0]
    for w in range(n_states):
        cells[w], totals[w] = 0.0, 0
        for d in range(n_kinds):
            x_parts[d, c, w] = 0.0
    for r in range(piece.run_starts.shape[0] - 1):
        n = 0
        for k in range(piece.run_starts[r], piece.run_starts[r + 1]):
            state = np.int64(ids[k])
            touched[n] = state
            n += counts[state] == 0
            counts[state] += piece.weights[k]
        for i in range(n):
            w = touched[i]
            cells[w] += log_gamma[1 + counts[w]]
            totals[w] += counts[w]
            for d in range(n_kinds):
                x_parts[d, c, w] -= rising(log_gamma, numbers[d, 0], counts[w])
            counts[w] = 0
    for w in range(n_states):
        cells[w] -= rising(log_gamma, numbers[0, 1], totals[w])
        for d in range(n_kinds):
            x_parts[d, c, w] += of_size(log_gamma, numbers[d], totals[w])
