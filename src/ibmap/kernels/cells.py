"""Rows grouped into cells by the states of some variables, and what is counted in each cell."""

import numpy as np

from ibmap.kernels.compiling import kernel


@kernel
def label_rows(codes, members, n_states, labels, firsts):
    """Number the cells of some variables in the order of their states; give how many there are.

    So neither the order of the rows nor how often each occurs changes a number. codes: IN, variables by rows.
    labels: OUT, the cell of each row. firsts: OUT, the first row of each cell.
    """
    n_cells = 1
    for i in range(labels.shape[0]):
        labels[i] = 0
    firsts[0] = 0
    for b in members:
        k = n_states[b]
        numbers = np.full(n_cells * k, -1, np.int64)
        for i in range(labels.shape[0]):
            labels[i] = labels[i] * k + codes[b, i]
            numbers[labels[i]] = 0
        n_cells = 0
        for key in range(numbers.shape[0]):
            if numbers[key] == 0:
                numbers[key] = n_cells
                n_cells += 1
        for i in range(labels.shape[0] - 1, -1, -1):
            labels[i] = numbers[labels[i]]
            firsts[labels[i]] = i
    return n_cells


@kernel
def count_splits(places, codes, variables, n_states, weights, counts):
    """Add up the weights of the rows in each place and state of some variables.

    places: IN, of each row. codes: IN, variables by rows. counts: OUT, variables by places and states, zero
    before.
    """
    for v in range(variables.shape[0]):
        found, column = counts[v], codes[variables[v]]
        for i in range(places.shape[0]):
            found[places[i] * n_states + column[i]] += weights[i]


@kernel
def split_members(states, n_states, counts, chosen, found):
    """Count X in the cells of all members but one, split by that one.

    states: IN, members by cells, and how many states each has. counts: IN, cells by states of X. chosen: IN,
    places of members. found: OUT, chosen by cells by states of X by states, zero before.
    """
    n_cells, r = counts.shape
    merged, firsts = np.empty(n_cells, np.int64), np.empty(n_cells, np.int64)
    rest = np.empty(states.shape[0] - 1, np.int64)
    for v in range(chosen.shape[0]):
        for k in range(rest.shape[0]):
            rest[k] = k if k < chosen[v] else k + 1
        label_rows(states, rest, n_states, merged, firsts)
        for c in range(n_cells):
            for s in range(r):
                found[v, merged[c], s, states[chosen[v], c]] += counts[c, s]
