"""Gibbs sampling of pairwise discrete networks.

A sweep redraws every variable in turn from its distribution given its
neighbours. Neighbours are kept as in a compressed sparse matrix: those of
variable v are ``neighbours[starts[v]:starts[v + 1]]``. Each chain owns its
random numbers (xoshiro256++ of Blackman and Vigna), so a chain's draws do not
depend on what other threads do.
"""

import math

import numpy as np

from ibmap.kernels.compiling import kernel

UNIT = 2.0**-53  # the spacing of the 2**53 uniform numbers drawn from [0, 1)


@kernel
def rotate_left(word, n_bits):
    """Rotate a 64-bit word."""
    return (word << np.uint64(n_bits)) | (word >> np.uint64(64 - n_bits))


@kernel
def next_uniform(words):
    """Draw a number of [0, 1) by xoshiro256++.

    words: IN and OUT, the four 64-bit words of the generator.
    """
    drawn = rotate_left(words[0] + words[3], 23) + words[0]
    shifted = words[1] << np.uint64(17)
    words[2] ^= words[0]
    words[3] ^= words[1]
    words[1] ^= words[2]
    words[0] ^= words[3]
    words[2] ^= shifted
    words[3] = rotate_left(words[3], 45)
    return np.float64(drawn >> np.uint64(11)) * UNIT


@kernel
def sweep_binary(state, words, starts, neighbours, biases, slopes):
    """Redraw every variable of a two-state network once, in order.

    state, words: IN and OUT. starts, neighbours: IN, the blankets.
    biases: IN, log-odds of state 1 of a variable whose neighbours are all 0.
    slopes: IN, what a neighbour in state 1 adds to them, in the order of `neighbours`.
    """
    for v in range(state.shape[0]):
        log_odds = biases[v]
        for k in range(starts[v], starts[v + 1]):
            log_odds += slopes[k] * state[neighbours[k]]
        state[v] = next_uniform(words) * (1.0 + math.exp(-log_odds)) < 1.0


@kernel
def run_binary(state, words, starts, neighbours, biases, slopes, schedule, codes):
    """Run one chain of a two-state network and write down its draws.

    schedule: IN, (burn-in sweeps, sweeps a draw, first row, step between rows).
    codes: OUT, the rows of this chain. Others as for `sweep_binary`.
    """
    burn_in, thinning, first, step = schedule
    for _ in range(burn_in):
        sweep_binary(state, words, starts, neighbours, biases, slopes)
    for row in range(first, codes.shape[0], step):
        for _ in range(thinning):
            sweep_binary(state, words, starts, neighbours, biases, slopes)
        for v in range(state.shape[0]):
            codes[row, v] = state[v]


@kernel
def draw_state(log_weights, n_states, words):
    """Draw a state with probability proportional to ``exp(log_weights[state])``.

    log_weights: IN, and OUT as the running sums of the weights.
    """
    top = log_weights[0]
    for a in range(1, n_states):
        top = max(top, log_weights[a])
    total = 0.0
    for a in range(n_states):
        total += math.exp(log_weights[a] - top)
        log_weights[a] = total
    goal = next_uniform(words) * total
    for a in range(n_states - 1):
        if goal < log_weights[a]:
            return a
    return n_states - 1


@kernel
def sweep_general(state, words, starts, neighbours, fields, field_starts, tables, table_starts, log_weights):
    """Redraw every variable once, in order, whatever the numbers of states.

    state, words: IN and OUT. starts, neighbours: IN, the blankets.
    fields, field_starts: IN, node terms of all states of all variables, end to end.
    tables, table_starts: IN, for each entry of `neighbours` the log-potential
    [state of the neighbour, own state], end to end. log_weights: room for one
    number a state.
    """
    for v in range(state.shape[0]):
        field_start = field_starts[v]
        n_states = field_starts[v + 1] - field_start
        for a in range(n_states):
            log_weights[a] = fields[field_start + a]
        for k in range(starts[v], starts[v + 1]):
            row = table_starts[k] + state[neighbours[k]] * n_states
            for a in range(n_states):
                log_weights[a] += tables[row + a]
        state[v] = draw_state(log_weights, n_states, words)


@kernel
def run_general(
    state, words, starts, neighbours, fields, field_starts, tables, table_starts, log_weights, schedule, codes
):
    """Run one chain of any network and write down its draws.

    schedule, codes: as for `run_binary`. Others as for `sweep_general`.
    """
    burn_in, thinning, first, step = schedule
    for _ in range(burn_in):
        sweep_general(
            state, words, starts, neighbours, fields, field_starts, tables, table_starts, log_weights
        )
    for row in range(first, codes.shape[0], step):
        for _ in range(thinning):
            sweep_general(
                state, words, starts, neighbours, fields, field_starts, tables, table_starts, log_weights
            )
        for v in range(state.shape[0]):
            codes[row, v] = state[v]
