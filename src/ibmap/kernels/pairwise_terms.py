"""All assertions of a variable's term from one logistic fit on its blanket.

Variables outside the blanket are tested by Rao's score statistic, members by
Wald's. Both take the prior for part of the information, so both are finite always.
"""

import numpy as np
from numba import njit

from ibmap.kernels.cell_bits import count_with
from ibmap.kernels.logistic import centred, cholesky, fit, forward, list_parameters, moments, n_scores


@njit(cache=True, nogil=True, inline="always")
def score_of(is_ordered, state, column):
    """Give the entry of a variable's design column for one of its states but the first, from 0."""
    if is_ordered:
        return state + 1.0
    return 1.0 if state == column else 0.0


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def weigh_cells(x, counts, design, probabilities, features, columns, setup, sums):
    """Sum over cells what the score statistics need, for every state column at once.

    counts: IN, cells by columns. sums: OUT, zero before. Its rows are, for each slope feature t:
    its mean; its covariance with the feature of each parameter times the parameter's column of the
    design; its covariance with each slope feature.
    """
    n_states, ordered, _starts = setup
    r, is_ordered = n_states[x], ordered[x]
    m = features.shape[0]
    n_slopes = n_scores(r, is_ordered)
    first = r - 1 if is_ordered else 0
    n_features = r if is_ordered else r - 1
    mean, covariance = np.empty(n_features), np.empty((n_features, n_features))
    n_rows = 1 + m + n_slopes
    for c in range(counts.shape[0]):
        moments(probabilities[c], is_ordered, mean, covariance)
        for t in range(n_slopes):
            for k in range(n_rows):
                if k == 0:
                    a = mean[first + t]
                elif k <= m:
                    a = covariance[first + t, features[k - 1]] * design[c, columns[k - 1]]
                else:
                    a = covariance[first + t, first + k - 1 - m]
                if a != 0.0:
                    row = sums[t * n_rows + k]
                    for j in range(counts.shape[1]):
                        row[j] += a * counts[c, j]


@njit(cache=True, nogil=True)
def score_statistic(x, y, sums, together, lower, setup, ridge):
    """Give Rao's statistic of a variable that the fit left out.

    sums: IN, by `weigh_cells`. together: IN, data points in each pair of columns. lower: IN.
    """
    n_states, ordered, starts = setup
    n_slopes, width = n_scores(n_states[x], ordered[x]), n_scores(n_states[y], ordered[y])
    size, m = n_slopes * width, lower.shape[0]
    n_rows = 1 + m + n_slopes
    gradient, information = np.zeros(size), np.zeros((size, size))
    shared = np.zeros((size, m))
    for t in range(n_slopes):
        for e in range(width):
            k = t * width + e
            for state in range(n_states[y] - 1):
                score, j = score_of(ordered[y], state, e), starts[y] + state
                if score == 0.0:
                    continue
                seen = 0.0
                for s in range(n_states[x] - 1):
                    seen += score_of(ordered[x], s, t) * together[starts[x] + s, j]
                gradient[k] += score * (seen - sums[t * n_rows, j])
                for p in range(m):
                    shared[k, p] += score * sums[t * n_rows + 1 + p, j]
                for u in range(n_slopes):
                    for f in range(width):
                        other = score_of(ordered[y], state, f)
                        information[k, u * width + f] += score * other * sums[t * n_rows + 1 + m + u, j]
            forward(lower, shared[k])
    for k in range(size):
        for j in range(k + 1):
            taken = 0.0
            for p in range(m):
                taken += shared[k, p] * shared[j, p]
            outer = ridge * centred(n_states[x], ordered[x], k // width, j // width)
            information[k, j] += outer * centred(n_states[y], ordered[y], k % width, j % width) - taken
    factor = np.zeros((size, size))
    cholesky(information, factor)
    forward(factor, gradient)
    return squares(gradient)


@njit(cache=True, nogil=True)
def squares(vector):
    """Sum the squares of a vector."""
    total = 0.0
    for value in vector:
        total += value * value
    return total


@njit(cache=True, nogil=True)
def wald_statistic(theta, inverse, chosen):
    """Give Wald's statistic of some parameters.

    inverse: IN, of the factor of the information, transposed. chosen: IN, numbers of the parameters.
    """
    size = chosen.shape[0]
    spread, factor, value = np.zeros((size, size)), np.zeros((size, size)), np.empty(size)
    for i in range(size):
        value[i] = theta[chosen[i]]
        for j in range(i + 1):
            for k in range(inverse.shape[0]):
                spread[i, j] += inverse[chosen[i], k] * inverse[chosen[j], k]
    cholesky(spread, factor)
    forward(factor, value)
    return squares(value)


@njit(cache=True, nogil=True, inline="always")
def softplus(t):
    """Give log(1 + exp(t)) without overflow."""
    return max(t, 0.0) + np.log1p(np.exp(-abs(t)))


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def member_statistics(x, members, theta, lower, setup, statistics):
    """Give Wald's statistic of every member. statistics: OUT, by variable."""
    n_states, ordered, _starts = setup
    m = theta.shape[0]
    inverse = np.zeros((m, m))
    for k in range(m):
        inverse[k, k] = 1.0
        forward(lower, inverse[k])  # row k: column k of the factor's inverse
    n_slopes, at = n_scores(n_states[x], ordered[x]), 0
    width = (m - n_states[x] + 1) // max(n_slopes, 1)
    for b in members:
        size = n_scores(n_states[b], ordered[b])
        chosen = np.empty(n_slopes * size, np.int64)
        for d in range(n_slopes):
            for i in range(size):
                chosen[d * size + i] = n_states[x] - 1 + d * width + at + i
        statistics[b] = wald_statistic(theta, inverse, chosen)
        at += size


@njit(cache=True, nogil=True)
def outside_statistics(x, is_outside, counts, design, fitted, together, setup, ridge, statistics):
    """Give Rao's statistic of every variable marked. statistics: OUT, by variable."""
    n_states, ordered, _starts = setup
    lower, probabilities, features, columns = fitted
    n_slopes = n_scores(n_states[x], ordered[x])
    sums = np.zeros((n_slopes * (1 + lower.shape[0] + n_slopes), counts.shape[1]))
    weigh_cells(x, counts, design, probabilities, features, columns, setup, sums)
    for y in range(is_outside.shape[0]):
        if is_outside[y]:
            statistics[y] = score_statistic(x, y, sums, together, lower, setup, ridge)


@njit(cache=True, nogil=True)
def term(x, members, totals, counts, design, theta, together, setup, weights):
    """Give X's term for a blanket.

    members: IN, the blanket. totals, counts, design: IN, by cell. theta: IN and OUT, the fit.
    weights: IN, ridge, prior log-odds of dependence, what one degree of freedom costs.
    """
    ridge, log_odds, cost = weights
    n_states, ordered, _starts = setup
    n = n_states.shape[0]
    fitted = fit_members(x, members, totals, counts, design, theta, setup, ridge)
    is_outside = np.ones(n, np.bool_)
    is_outside[x] = False
    for b in members:
        is_outside[b] = False
    statistics = np.zeros(n)
    member_statistics(x, members, theta, fitted[0], setup, statistics)
    outside_statistics(x, is_outside, counts, design, fitted, together, setup, ridge, statistics)
    result = 0.0
    for y in range(n):
        if y != x:
            df = n_scores(n_states[x], ordered[x]) * n_scores(n_states[y], ordered[y])
            evidence = log_odds + 0.5 * statistics[y] - df * cost
            result -= softplus(evidence) if is_outside[y] else softplus(-evidence)
    return result


@njit(cache=True, nogil=True)
def without(members, b):
    """List the members but one."""
    others = np.empty(members.shape[0] - 1, np.int64)
    k = 0
    for c in members:
        if c != b:
            others[k] = c
            k += 1
    return others


@njit(cache=True, nogil=True)
def with_one_more(members, w):
    """List the members and one more."""
    more = np.empty(members.shape[0] + 1, np.int64)
    for k in range(members.shape[0]):
        more[k] = members[k]
    more[members.shape[0]] = w
    return more


@njit(cache=True, nogil=True)
def is_among(members, y):
    """Tell whether a variable is a member."""
    for b in members:
        if b == y:
            return True
    return False


@njit(cache=True, nogil=True)
def dropped(x, members, b, design, theta, setup):
    """Give design and parameters of a blanket without one member."""
    n_states, ordered, _starts = setup
    at, size = 1, 0
    for c in members:
        if c == b:
            size = n_scores(n_states[b], ordered[b])
            break
        at += n_scores(n_states[c], ordered[c])
    width = design.shape[1] - 1
    smaller = np.empty((design.shape[0], design.shape[1] - size))
    for c in range(design.shape[0]):
        for q in range(smaller.shape[1]):
            smaller[c, q] = design[c, q if q < at else q + size]
    n_intercepts, n_slopes = n_states[x] - 1, n_scores(n_states[x], ordered[x])
    shorter = np.empty(n_intercepts + n_slopes * (width - size))
    for k in range(n_intercepts):
        shorter[k] = theta[k]
    k = n_intercepts
    for d in range(n_slopes):
        for q in range(width):
            if q + 1 < at or q + 1 >= at + size:
                shorter[k] = theta[n_intercepts + d * width + q]
                k += 1
    return smaller, shorter


@njit(cache=True, nogil=True)
def split_cells(w, totals, counts, design, packed, setup):
    """Split every cell by the states of one more variable; its columns come last in the design."""
    n_states, ordered, starts = setup
    bits, word_cells, word_values = packed
    n_cells, n_columns = counts.shape
    k = n_states[w]
    size = n_scores(k, ordered[w])
    parts = np.zeros((k, n_cells, n_columns))
    part_totals = np.zeros((k, n_cells))
    for c in range(n_cells):
        part_totals[0, c] = totals[c]
        for j in range(n_columns):
            parts[0, c, j] = counts[c, j]
    for a in range(1, k):
        count_with(bits, word_cells, word_values, starts[w] + a - 1, parts[a])
        for c in range(n_cells):
            part_totals[a, c] = parts[a, c, starts[w] + a - 1]
            part_totals[0, c] -= part_totals[a, c]
            for j in range(n_columns):
                parts[0, c, j] -= parts[a, c, j]
    n_used = 0
    for a in range(k):
        for c in range(n_cells):
            n_used += part_totals[a, c] > 0
    new_totals, new_counts = np.empty(n_used), np.empty((n_used, n_columns))
    new_design = np.empty((n_used, design.shape[1] + size))
    at = 0
    for c in range(n_cells):
        for a in range(k):
            if part_totals[a, c] > 0:
                new_totals[at] = part_totals[a, c]
                for j in range(n_columns):
                    new_counts[at, j] = parts[a, c, j]
                for q in range(design.shape[1]):
                    new_design[at, q] = design[c, q]
                for e in range(size):
                    score = score_of(ordered[w], a - 1, e) if a > 0 else 0.0
                    new_design[at, design.shape[1] + e] = score
                at += 1
    return new_totals, new_counts, new_design


@njit(cache=True, nogil=True)
def grown(x, w, n_columns, theta, setup):
    """Give the parameters of a blanket with one more member, its slopes zero."""
    n_states, ordered, _starts = setup
    n_intercepts, n_slopes = n_states[x] - 1, n_scores(n_states[x], ordered[x])
    size, width = n_scores(n_states[w], ordered[w]), n_columns - 1
    longer = np.zeros(n_intercepts + n_slopes * (width + size))
    for k in range(n_intercepts):
        longer[k] = theta[k]
    for d in range(n_slopes):
        for q in range(width):
            longer[n_intercepts + d * (width + size) + q] = theta[n_intercepts + d * width + q]
    return longer


@njit(cache=True, nogil=True)
def all_terms(x, members, totals, counts, design, packed, together, setup, weights, terms):
    """Give X's terms for its blanket and every single change of it.

    packed: IN, the rows of the cells as bits. terms: OUT; entry y for the blanket with y flipped,
    entry x for the blanket as it is.
    """
    n_states, ordered, _starts = setup
    n_slopes = n_scores(n_states[x], ordered[x])
    theta = np.empty(n_states[x] - 1 + n_slopes * (design.shape[1] - 1))
    theta[0] = np.nan  # a fit from nothing
    terms[x] = term(x, members, totals, counts, design, theta, together, setup, weights)
    for y in range(n_states.shape[0]):
        if y == x:
            continue
        if is_among(members, y):
            changed, shorter = dropped(x, members, y, design, theta, setup)
            others = without(members, y)
            terms[y] = term(x, others, totals, counts, changed, shorter, together, setup, weights)
        else:
            new_totals, new_counts, changed = split_cells(y, totals, counts, design, packed, setup)
            longer = grown(x, y, design.shape[1], theta, setup)
            more = with_one_more(members, y)
            terms[y] = term(x, more, new_totals, new_counts, changed, longer, together, setup, weights)
