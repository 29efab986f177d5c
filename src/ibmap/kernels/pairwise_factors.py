"""Log Bayes factors of one variable's links, all from one logistic fit on its blanket.

With a normal prior of precision P on the effects of a link, and the log posterior taken as a
quadratic, the factor of "there is a link" against "there is none" is

    outside the blanket   gradient' V^-1 gradient / 2 + log(det P / det V) / 2   (Rao's statistic)
    for a member          effects'  V    effects  / 2 + log(det P / det V) / 2   (Wald's)

where V is the precision of the effects once all others are adjusted for: what the data tell of
them, and P. Both are finite always.
"""

import numpy as np

from ibmap.kernels.compiling import inlined, inner, kernel
from ibmap.kernels.logistic import centred, cholesky, forward, moments, n_scores, score_of


@inlined
def log_size(n_states, is_ordered):
    """Give the log determinant of `centred`."""
    return np.log(centred(n_states, True, 0, 0)) if is_ordered else -np.log(n_states)


@inner
def log_prior(x, y, n_states, ordered, ridge):
    """Give the log determinant of the prior precision of a link's effects."""
    a, b = n_scores(n_states[x], ordered[x]), n_scores(n_states[y], ordered[y])
    own, other = log_size(n_states[x], ordered[x]), log_size(n_states[y], ordered[y])
    return a * b * np.log(ridge) + b * own + a * other


@inner
def weigh_cells(x, span, counts, design, probabilities, features, columns, setup, sums):
    """Sum over cells what the gradients and their precisions need, for a span of state columns at once.

    span: IN, first column and end. counts: IN, cells by columns. sums: OUT, zero before. Its rows
    are, for each slope feature t: its mean; its covariance with the feature of each parameter times
    the parameter's column of the design; its covariance with each slope feature.
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
                    for j in range(span[0], span[1]):
                        row[j] += a * counts[c, j]


@inner
def adjust(lower, span, rows):
    """Solve lower x = rows in place, for a span of columns at once."""
    for p in range(lower.shape[0]):
        for q in range(p):
            a = lower[p, q]
            for j in range(span[0], span[1]):
                rows[p, j] -= a * rows[q, j]
        a = 1.0 / lower[p, p]
        for j in range(span[0], span[1]):
            rows[p, j] *= a


@inner
def squares(rows, span):
    """Sum the squares of each column of a span."""
    total = np.zeros(rows.shape[1])
    for p in range(rows.shape[0]):
        for j in range(span[0], span[1]):
            total[j] += rows[p, j] * rows[p, j]
    return total


@inner
def factored(gradient, precision):
    """Give gradient' precision^-1 gradient - log det precision; both are used up."""
    factor = np.zeros(precision.shape)
    cholesky(precision, factor)
    forward(factor, gradient)
    total = 0.0
    for k in range(gradient.shape[0]):
        total += gradient[k] * gradient[k] - 2.0 * np.log(factor[k, k])
    return total


@inner
def outside_factor(x, y, sums, together, m, setup, ridge):
    """Give the factor of a variable that the fit of m parameters left out, but for the prior's determinant.

    sums: IN, by `weigh_cells`, adjusted. together: IN, data points in each pair of columns.
    """
    n_states, ordered, starts = setup
    n_slopes, width = n_scores(n_states[x], ordered[x]), n_scores(n_states[y], ordered[y])
    size, n_rows = n_slopes * width, 1 + m + n_slopes
    gradient, precision = np.zeros(size), np.zeros((size, size))
    shared = np.zeros((size, m))
    for k in range(size):
        t, e = k // width, k % width
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
            for i in range(size):
                other = score_of(ordered[y], state, i % width)
                precision[k, i] += score * other * sums[t * n_rows + 1 + m + i // width, j]
    for k in range(size):
        for j in range(k + 1):
            taken = 0.0
            for p in range(m):
                taken += shared[k, p] * shared[j, p]
            outer = ridge * centred(n_states[x], ordered[x], k // width, j // width)
            precision[k, j] += outer * centred(n_states[y], ordered[y], k % width, j % width) - taken
    return factored(gradient, precision)


@inner
def binary_factor(seen, mean, variance, taken, ridge):
    """Give `outside_factor` of two binary variables."""
    gradient = seen - mean
    precision = max(variance + 0.25 * ridge - taken, 1e-14 * variance + 1e-300)
    return gradient * gradient / precision - np.log(precision)


@inner
def outside_factors(x, is_outside, span, counts, design, fitted, together, setup, ridge, factors):
    """Give the log Bayes factor of every variable marked.

    span: IN, first state column of these variables and end. factors: OUT, by variable.
    """
    n_states, ordered, starts = setup
    lower, probabilities, features, columns = fitted
    m, n_slopes = lower.shape[0], n_scores(n_states[x], ordered[x])
    n_rows = 1 + m + n_slopes
    sums = np.zeros((n_slopes * n_rows, counts.shape[1]))
    weigh_cells(x, span, counts, design, probabilities, features, columns, setup, sums)
    for t in range(n_slopes):
        adjust(lower, span, sums[t * n_rows + 1 : t * n_rows + 1 + m])
    taken = squares(sums[1 : 1 + m], span)
    for y in range(is_outside.shape[0]):
        if is_outside[y] and n_states[y] > 1:
            j = starts[y]
            if n_states[x] == 2 and n_states[y] == 2:
                seen = together[starts[x], j]
                found = binary_factor(seen, sums[0, j], sums[1 + m, j], taken[j], ridge)
            else:
                found = outside_factor(x, y, sums, together, m, setup, ridge)
            factors[y] = 0.5 * (found + log_prior(x, y, n_states, ordered, ridge))


@inner
def member_factor(theta, inverse, chosen):
    """Give the factor of some parameters of the fit, but for the prior's determinant.

    inverse: IN, of the factor of the precision, transposed. chosen: IN, numbers of the parameters.
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
    total = 0.0
    for k in range(size):
        total += value[k] * value[k] + 2.0 * np.log(factor[k, k])
    return total


@kernel
def member_factors(x, members, theta, lower, setup, ridge, factors):
    """Give the log Bayes factor of every member. factors: OUT, by variable."""
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
        if size > 0:
            found = member_factor(theta, inverse, chosen)
            factors[b] = 0.5 * (found + log_prior(x, b, n_states, ordered, ridge))
        at += size
