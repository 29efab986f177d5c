"""Conditional distributions of networks with factors over any number of variables.

The log-values of all factors lie end to end. Factor f is over the variables
``scope[scope_starts[f]:scope_starts[f + 1]]``, whose states move by
``strides`` in its table. Variable v is in the factors
``members[starts[v]:starts[v + 1]]`` and moves by ``steps`` there. These arrays
together are the ``layout``: (offsets, scope_starts, scope, strides, starts, members, steps).

Of two-state variables with pairwise factors the log-odds are linear in the others: ``biases[v] +
sum of slopes[u, v]`` over the u that are 1. So a row costs one pass over a line of slopes for each one in it.
"""

import math

from ibmap.kernels.compiling import kernel


@kernel
def find_cells(row, layout, cells):
    """Find the cell of every factor that a row of states points to. cells: OUT."""
    offsets, scope_starts, scope, strides = layout[0], layout[1], layout[2], layout[3]
    for f in range(cells.shape[0]):
        cell = offsets[f]
        for k in range(scope_starts[f], scope_starts[f + 1]):
            cell += strides[k] * row[scope[k]]
        cells[f] = cell


@kernel
def add_log_weights(v, state, n_states, cells, layout, log_values, log_weights):
    """Add up the factors around a variable for each of its states. log_weights: OUT."""
    starts, members, steps = layout[4], layout[5], layout[6]
    for a in range(n_states):
        log_weights[a] = 0.0
    for k in range(starts[v], starts[v + 1]):
        cell = cells[members[k]] - steps[k] * state
        for a in range(n_states):
            log_weights[a] += log_values[cell + a * steps[k]]


@kernel
def log_total(log_weights, n_states):
    """Log of the sum of exp of the first entries."""
    top = log_weights[0]
    for a in range(1, n_states):
        top = max(top, log_weights[a])
    if top == -math.inf:
        return top
    total = 0.0
    for a in range(n_states):
        total += math.exp(log_weights[a] - top)
    return top + math.log(total)


@kernel
def pseudo_log_likelihoods(codes, cardinalities, layout, log_values, cells, log_weights, values):
    """Sum log Pr(x_v | all others) over the variables, for each row.

    codes: IN. cells, log_weights: scratch. values: OUT, one entry a row. A row that is impossible
    whatever one variable does counts as minus infinity.
    """
    for r in range(codes.shape[0]):
        find_cells(codes[r], layout, cells)
        total = 0.0
        for v in range(codes.shape[1]):
            n_states = cardinalities[v]
            add_log_weights(v, codes[r, v], n_states, cells, layout, log_values, log_weights)
            own = log_weights[codes[r, v]]
            total += own - log_total(log_weights, n_states) if own != -math.inf else own
        values[r] = total


@kernel
def add_pseudo_gradient(codes, weights, cardinalities, layout, log_values, cells, log_weights, gradient):
    """Weighted sum of the rows' pseudo-log-likelihoods, and its gradient by the log-values.

    codes, weights: IN. cells, log_weights: scratch. gradient: IN and OUT, added to.
    """
    starts, members, steps = layout[4], layout[5], layout[6]
    value = 0.0
    for r in range(codes.shape[0]):
        find_cells(codes[r], layout, cells)
        weight = weights[r]
        for v in range(codes.shape[1]):
            n_states, state = cardinalities[v], codes[r, v]
            add_log_weights(v, state, n_states, cells, layout, log_values, log_weights)
            total = log_total(log_weights, n_states)
            value += weight * (log_weights[state] - total)
            for a in range(n_states):
                log_weights[a] = -weight * math.exp(log_weights[a] - total)
            log_weights[state] += weight
            for k in range(starts[v], starts[v + 1]):
                cell = cells[members[k]] - steps[k] * state
                for a in range(n_states):
                    gradient[cell + a * steps[k]] += log_weights[a]
    return value


@kernel
def conditional_log_weights(codes, v, n_states, layout, log_values, cells, log_weights):
    """Log of Pr(v | all others), up to a constant, for each row. log_weights: OUT, a line a row."""
    for r in range(codes.shape[0]):
        find_cells(codes[r], layout, cells)
        add_log_weights(v, codes[r, v], n_states, cells, layout, log_values, log_weights[r])


@kernel
def centre(cardinalities, layout, log_values):
    """Subtract from every factor its means along each axis. log_values: IN and OUT."""
    offsets, scope_starts, scope, strides = layout[0], layout[1], layout[2], layout[3]
    for f in range(offsets.shape[0] - 1):
        for k in range(scope_starts[f], scope_starts[f + 1]):
            step, n_states = strides[k], cardinalities[scope[k]]
            for start in range(offsets[f], offsets[f + 1], step * n_states):
                for cell in range(start, start + step):
                    total = 0.0
                    for a in range(n_states):
                        total += log_values[cell + a * step]
                    total /= n_states
                    for a in range(n_states):
                        log_values[cell + a * step] -= total


@kernel
def add_binary_gradient(ones, starts, weights, biases, slopes, log_odds, bias_gradient, slope_gradient):
    """Weighted sum of the rows' pseudo-log-likelihoods, and its gradient.

    ones, starts: IN, the variables that are 1 in row r are ``ones[starts[r]:starts[r + 1]]``.
    slopes: IN, symmetric, [variable, variable]. log_odds: scratch, one entry a variable.
    bias_gradient, slope_gradient: IN and OUT, added to; ``slope_gradient[u, v]`` is that of the log-odds
    of v by u, edges or not.
    """
    n_variables = biases.shape[0]
    value = 0.0
    for r in range(weights.shape[0]):
        log_odds[:] = biases
        for k in range(starts[r], starts[r + 1]):
            line = slopes[ones[k]]
            for v in range(n_variables):
                log_odds[v] += line[v]
        for k in range(starts[r], starts[r + 1]):
            value += weights[r] * log_odds[ones[k]]
        for v in range(n_variables):
            odds = log_odds[v]
            small = math.exp(-abs(odds))
            value -= weights[r] * (max(odds, 0.0) + math.log1p(small))
            log_odds[v] = -weights[r] * (1.0 if odds > 0.0 else small) / (1.0 + small)
        for k in range(starts[r], starts[r + 1]):
            log_odds[ones[k]] += weights[r]
        for v in range(n_variables):
            bias_gradient[v] += log_odds[v]
        for k in range(starts[r], starts[r + 1]):
            line = slope_gradient[ones[k]]
            for v in range(n_variables):
                line[v] += log_odds[v]
    return value
