"""Rows grouped into cells by the states of some variables, and what is counted in each cell."""

import numpy as np

from ibmap.kernels.compiling import kernel

CHUNK = 4096  # rows counted at once for all variables, so that their cells stay at hand


@kernel
def label_rows(codes, members, n_states, labels):
    """Number the cells of some variables in the order of their states; give how many there are.

    So neither the order of the rows nor how often each occurs changes a number. codes: IN, variables by rows.
    labels: OUT, the cell of each row.
    """
    n_cells = 1
    labels[:] = 0
    for b in members:
        k, column = n_states[b], codes[b]
        numbers = np.full(n_cells * k, -1, np.int32)
        for i in range(labels.shape[0]):
            numbers[labels[i] * k + column[i]] = 0
        n_cells = 0
        for key in range(numbers.shape[0]):
            if numbers[key] == 0:
                numbers[key] = n_cells
                n_cells += 1
        for i in range(labels.shape[0]):
            labels[i] = numbers[labels[i] * k + column[i]]
    return n_cells


@kernel
def count_cells(labels, column, weights, counts, firsts):
    """Add up the weights of the rows in each cell and state of a variable; find the first row of each cell.

    labels: IN, of each row. counts: OUT, cells by states, zero before. firsts: OUT, -1 before.
    """
    for i in range(labels.shape[0]):
        counts[labels[i], column[i]] += weights[i]
        if firsts[labels[i]] < 0:
            firsts[labels[i]] = i


@kernel
def count_splits(cells, codes, variables, n_states, weights, counts):
    """Add up the weights of the rows in each cell, state of X and state of some variables.

    cells: IN, label and state of X of each row, and how many states X has. codes: IN, variables by rows.
    counts: OUT, variables by cells and states, zero before.
    """
    labels, own, r = cells
    places = np.empty(CHUNK, np.uint64)
    for begin in range(0, labels.shape[0], CHUNK):
        end = min(begin + CHUNK, labels.shape[0])
        part, states, heavy = labels[begin:end], own[begin:end], weights[begin:end]
        for i in range(part.shape[0]):
            places[i] = (np.int64(part[i]) * r + states[i]) * n_states
        for v in range(variables.shape[0]):
            found, column = counts[v], codes[variables[v], begin:end]
            for i in range(part.shape[0]):
                found[places[i] + np.uint64(column[i])] += heavy[i]


@kernel
def split_members(states, n_states, counts, chosen, found):
    """Count X in the cells of all members but one, split by that one.

    states: IN, members by cells, and how many states each has. counts: IN, cells by states of X. chosen: IN,
    places of members. found: OUT, chosen by cells by states of X by states, zero before.
    """
    n_cells, r = counts.shape
    merged = np.empty(n_cells, np.int32)
    rest = np.empty(states.shape[0] - 1, np.int64)
    for v in range(chosen.shape[0]):
        for k in range(rest.shape[0]):
            rest[k] = k if k < chosen[v] else k + 1
        label_rows(states, rest, n_states, merged)
        for c in range(n_cells):
            for s in range(r):
                found[v, merged[c], s, states[chosen[v], c]] += counts[c, s]
