"""A variable's term of the score for its blanket, and for every single change of it.

One logistic fit of the variable on a blanket serves all assertions of the term.
"""

import numpy as np

from ibmap.kernels.compiling import inlined, inner, kernel
from ibmap.kernels.logistic import centred, fit, list_parameters, n_scores
from ibmap.kernels.pairwise_blankets import dropped, grown, is_among, split_cells, with_one_more, without
from ibmap.kernels.pairwise_factors import member_factors, outside_factors


@inner
def prior_precision(x, members, n_states, ordered, ridge, prior):
    """Write the prior's precision: the response's centred form times the predictors'.

    prior: OUT, zero before; parameters as `list_parameters` has them.
    """
    first = n_states[x] - 1
    width = 0
    for b in members:
        width += n_scores(n_states[b], ordered[b])
    n_features = n_scores(n_states[x], ordered[x])
    for d in range(n_features):
        for e in range(n_features):
            outer = ridge * centred(n_states[x], ordered[x], d, e)
            at = 0
            for b in members:
                size = n_scores(n_states[b], ordered[b])
                for i in range(size):
                    for j in range(size):
                        value = outer * centred(n_states[b], ordered[b], i, j)
                        prior[first + d * width + at + i, first + e * width + at + j] = value
                at += size


@inlined
def softplus(t):
    """Give log(1 + exp(t)) without overflow."""
    return max(t, 0.0) + np.log1p(np.exp(-abs(t)))


@inner
def first_theta(states, theta):
    """Begin with the marginal log-odds of the states and no slopes."""
    for k in range(theta.shape[0]):
        theta[k] = 0.0
    for s in range(1, states.shape[1]):
        seen, base = 0.0, 0.0
        for c in range(states.shape[0]):
            seen += states[c, s]
            base += states[c, 0]
        theta[s - 1] = np.log(seen / base)


@inner
def split_states(x, totals, counts, setup):
    """List the data points of each cell in each state of X."""
    n_states, _ordered, starts = setup
    states = np.empty((counts.shape[0], n_states[x]))
    for c in range(counts.shape[0]):
        states[c, 0] = totals[c]
        for s in range(1, n_states[x]):
            states[c, s] = counts[c, starts[x] + s - 1]
            states[c, 0] -= states[c, s]
    return states


@kernel
def fit_members(x, members, totals, counts, design, theta, setup, ridge):
    """Fit X on some variables; give the factor of the information and the fitted probabilities.

    theta: IN and OUT; without slopes and with NaN it begins at the margins of X.
    """
    n_states, ordered, _starts = setup
    m = theta.shape[0]
    states = split_states(x, totals, counts, setup)
    if theta[0] != theta[0]:  # NaN: a fit from nothing
        first_theta(states, theta)
    features, columns = np.empty(m, np.int64), np.empty(m, np.int64)
    list_parameters(n_states[x], ordered[x], design.shape[1], features, columns)
    prior, lower = np.zeros((m, m)), np.zeros((m, m))
    prior_precision(x, members, n_states, ordered, ridge, prior)
    probabilities = np.empty(states.shape)
    fit(theta, states, design, ordered[x], features, columns, prior, lower, probabilities)
    return lower, probabilities, features, columns


@kernel
def term(x, members, totals, counts, design, theta, together, setup, weights):
    """Give X's term for a blanket.

    members: IN, the blanket. totals, counts, design: IN, by cell. theta: IN and OUT, the fit.
    weights: IN, ridge and prior log-odds of dependence.
    """
    ridge, log_odds = weights
    n = setup[0].shape[0]
    fitted = fit_members(x, members, totals, counts, design, theta, setup, ridge)
    is_outside = np.ones(n, np.bool_)
    is_outside[x] = False
    for b in members:
        is_outside[b] = False
    factors = np.zeros(n)
    member_factors(x, members, theta, fitted[0], setup, ridge, factors)
    span = (0, counts.shape[1])
    outside_factors(x, is_outside, span, counts, design, fitted, together, setup, ridge, factors)
    result = 0.0
    for y in range(n):
        if y != x:
            evidence = log_odds + factors[y]
            result -= softplus(evidence) if is_outside[y] else softplus(-evidence)
    return result


@kernel
def no_theta(x, design, setup):
    """Give parameters that tell a fit to begin at the margins of X."""
    n_states, ordered, _starts = setup
    n_slopes = n_scores(n_states[x], ordered[x])
    return np.full(n_states[x] - 1 + n_slopes * (design.shape[1] - 1), np.nan)


@kernel
def link_factor(x, y, members, totals, counts, design, together, setup, ridge):
    """Give the log Bayes factor of a link from X's fit on some other variables."""
    n_states, _ordered, starts = setup
    factors = np.zeros(n_states.shape[0])
    if n_states[x] > 1:
        theta = no_theta(x, design, setup)
        fitted = fit_members(x, members, totals, counts, design, theta, setup, ridge)
        is_outside = np.zeros(n_states.shape[0], np.bool_)
        is_outside[y] = True
        span = (starts[y], starts[y + 1])
        outside_factors(x, is_outside, span, counts, design, fitted, together, setup, ridge, factors)
    return factors[y]


@kernel
def all_terms(x, members, totals, counts, design, packed, together, setup, weights, terms):
    """Give X's terms for its blanket and every single change of it.

    packed: IN, the rows of the cells as bits. terms: OUT; entry y for the blanket with y flipped,
    entry x for the blanket as it is.
    """
    theta = no_theta(x, design, setup)
    terms[x] = term(x, members, totals, counts, design, theta, together, setup, weights)
    for y in range(setup[0].shape[0]):
        if y == x:
            continue
        if is_among(members, y):
            changed = dropped(members, y, design, setup)
            others, begin = without(members, y), no_theta(x, changed, setup)
            terms[y] = term(x, others, totals, counts, changed, begin, together, setup, weights)
        else:
            new_totals, new_counts, changed = split_cells(y, totals, counts, design, packed, setup)
            longer = grown(x, y, design.shape[1], theta, setup)
            more = with_one_more(members, y)
            terms[y] = term(x, more, new_totals, new_counts, changed, longer, together, setup, weights)
