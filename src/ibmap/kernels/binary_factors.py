"""Pseudo-likelihood of networks of two-state variables with pairwise potentials.

With x in {0, 1} the log-odds of a variable are linear in the others:
``biases[v] + sum of slopes[u, v]`` over the u that are 1. So a row costs one pass over
a line of slopes for each of its ones, there and back for the gradient.
"""

import math

from ibmap.kernels.compiling import kernel


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
