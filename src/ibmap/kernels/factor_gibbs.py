"""Gibbs sampling and annealing of networks with factors over any number of variables.

The layout is that of `ibmap.kernels.factors`, the random numbers those of
`ibmap.kernels.gibbs`.
"""

from ibmap.kernels.compiling import kernel
from ibmap.kernels.factors import add_log_weights, find_cells
from ibmap.kernels.gibbs import draw_state


@kernel
def move(v, before, after, cells, layout):
    """Follow a change of one variable in the cells of its factors. cells: IN and OUT."""
    starts, members, steps = layout[4], layout[5], layout[6]
    for k in range(starts[v], starts[v + 1]):
        cells[members[k]] += steps[k] * (after - before)


@kernel
def sweep_factors(state, words, cardinalities, layout, log_values, cells, log_weights):
    """Redraw every variable once, in order. state, words, cells: IN and OUT. log_weights: scratch."""
    for v in range(state.shape[0]):
        add_log_weights(v, state[v], cardinalities[v], cells, layout, log_values, log_weights)
        drawn = draw_state(log_weights, cardinalities[v], words)
        move(v, state[v], drawn, cells, layout)
        state[v] = drawn


@kernel
def run_factors(state, words, cardinalities, layout, log_values, cells, log_weights, schedule, codes):
    """Run one chain and write down its draws.

    schedule: IN, (burn-in sweeps, sweeps a draw, first row, step between rows). codes: OUT, the rows
    of this chain. cells, log_weights: scratch.
    """
    burn_in, thinning, first, step = schedule
    find_cells(state, layout, cells)
    for _ in range(burn_in):
        sweep_factors(state, words, cardinalities, layout, log_values, cells, log_weights)
    for row in range(first, codes.shape[0], step):
        for _ in range(thinning):
            sweep_factors(state, words, cardinalities, layout, log_values, cells, log_weights)
        for v in range(state.shape[0]):
            codes[row, v] = state[v]


@kernel
def anneal(state, words, cardinalities, layout, log_values, base, temperatures, cells, log_weights):
    """Lead one draw of the base distribution to the network; return its log importance weight.

    state: IN and OUT, drawn from the base. base: IN, log-probability [variable, state] of the
    base. temperatures: IN, rising from 0 to 1: the weight of the network against the base.
    """
    find_cells(state, layout, cells)
    log_weight = 0.0
    for t in range(1, temperatures.shape[0]):
        beta = temperatures[t]
        difference = 0.0
        for f in range(cells.shape[0]):
            difference += log_values[cells[f]]
        for v in range(state.shape[0]):
            difference -= base[v, state[v]]
        log_weight += (beta - temperatures[t - 1]) * difference
        for v in range(state.shape[0]):
            add_log_weights(v, state[v], cardinalities[v], cells, layout, log_values, log_weights)
            for a in range(cardinalities[v]):
                log_weights[a] = beta * log_weights[a] + (1.0 - beta) * base[v, a]
            drawn = draw_state(log_weights, cardinalities[v], words)
            move(v, state[v], drawn, cells, layout)
            state[v] = drawn
    return log_weight
