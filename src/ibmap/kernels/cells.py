"""Rows grouped into cells by the states of some variables, and what is counted in each cell."""

import numpy as np

from ibmap.kernels.compiling import kernel


@kernel
def label_rows(codes, members, n_states, labels):
    """Number the cells of some variables in order of their first rows; give how many there are.

    codes: IN, variables by rows. labels: OUT, the cell of each row.
    """
    n_cells = 1
    for i in range(labels.shape[0]):
        labels[i] = 0
    for b in members:
        k = n_states[b]
        numbers = np.full(n_cells * k, -1, np.int64)
        n_cells = 0
        for i in range(labels.shape[0]):
            key = labels[i] * k + codes[b, i]
            if numbers[key] < 0:
                numbers[key] = n_cells
                n_cells += 1
            labels[i] = numbers[key]
    return n_cells


@kernel
def count_split(places, codes, n_states, weights, n_places):
    """Add up the weights of the rows in each place and state of one more variable: places by states."""
    counts = np.zeros(n_places * n_states)
    for i in range(places.shape[0]):
        counts[places[i] * n_states + codes[i]] += weights[i]
    return counts.reshape(n_places, n_states)


@kernel
def states_of_cells(labels, codes, members, n_cells):
    """List the state of each member in each cell: members by cells."""
    states = np.empty((members.shape[0], n_cells), codes.dtype)
    for a in range(members.shape[0]):
        for i in range(labels.shape[0]):
            states[a, labels[i]] = codes[members[a], i]
    return states
