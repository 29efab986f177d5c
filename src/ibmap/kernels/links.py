"""What a fit of X on its blanket says of links: gradient and information of effects, and Bayes factors.

The effects of a link have a normal prior of precision P. With the log likelihood taken as a quadratic
of gradient g and information J, all other effects adjusted for, "there is a link" is more probable than
"there is none" by

    log Bayes factor = g' V^-1 g / 2 + log(det P / det V) / 2,    V = J + P.

For a variable outside the blanket g is its score there (Rao's statistic); for a member, J times its
effects as fitted (Wald's). With a *moment* prior, the normal one times theta' P theta / df, effects near
zero are no links, and the factor is multiplied by the posterior mean of that.

Each kernel takes variables of one kind, and is called by itself: one that calls many others is compiled long.
"""

import math

import numpy as np

from ibmap.kernels.compiling import kernel
from ibmap.kernels.logistic import (
    backward,
    cholesky,
    forward,
    forward_by_columns,
    list_active,
    moments,
    with_intercepts,
)


@kernel
def log_factors(gradients, informations, prior, log_determinant, is_moment, factors):
    """Give the log Bayes factors of links of one kind.

    gradients, informations: IN, by link, used up; of matrices the lower triangle. prior: IN, precision P, and
    its log determinant. factors: OUT.
    """
    size = prior.shape[0]
    lower, inverse = np.zeros((size, size)), np.zeros((size, size))
    for v in range(factors.shape[0]):
        gradient, information = gradients[v], informations[v]
        for i in range(size):
            for j in range(i + 1):
                information[i, j] += prior[i, j]
        cholesky(information, lower)
        forward(lower, gradient)
        total = log_determinant
        for k in range(size):
            total += gradient[k] * gradient[k] - 2.0 * math.log(lower[k, k])
        factors[v] = 0.5 * total
        if is_moment:
            backward(lower, gradient)
            factors[v] += math.log(mean_square(gradient, lower, prior, inverse) / size)


@kernel
def mean_square(mean, lower, prior, inverse):
    """Give the posterior mean of theta' P theta. lower: IN, factor of the precision. inverse: scratch."""
    size, total = mean.shape[0], 0.0
    invert(lower, inverse)
    for i in range(size):
        for j in range(i + 1):
            if prior[i, j] != 0.0:
                value = mean[i] * mean[j]
                for k in range(i, size):
                    value += inverse[i, k] * inverse[j, k]
                total += (1.0 if i == j else 2.0) * prior[i, j] * value
    return total


@kernel
def invert(lower, inverse):
    """Invert a lower triangle. inverse: OUT, row k is column k of the inverse."""
    upper = np.ascontiguousarray(lower.T)
    for k in range(lower.shape[0]):
        inverse[k, :] = 0.0
        inverse[k, k] = 1.0
        forward_by_columns(upper, k, inverse[k])


@kernel
def weigh_members(chosen, theta, inverse, prior, gradients, informations):
    """Give gradient and information of members from their effects as fitted.

    chosen: IN, by member, numbers of its parameters. inverse: IN, of the factor of the precision of all, by
    `invert`. prior: IN, of a member's effects in the fit. gradients, informations: OUT.
    """
    m, size = inverse.shape[0], prior.shape[0]
    factor, spread = np.zeros((size, size)), np.zeros((size, size))
    for v in range(chosen.shape[0]):
        gradient, information = gradients[v], informations[v]
        for i in range(size):
            for j in range(i + 1):
                spread[i, j] = 0.0
                for k in range(max(chosen[v, i], chosen[v, j]), m):
                    spread[i, j] += inverse[chosen[v, i], k] * inverse[chosen[v, j], k]
        cholesky(spread, factor)
        for i in range(size):  # column i of the inverse of the spread
            for j in range(size):
                information[i, j] = 1.0 if i == j else 0.0
            forward(factor, information[i])
            backward(factor, information[i])
        for i in range(size):
            gradient[i] = 0.0
            for j in range(size):
                gradient[i] += information[i, j] * theta[chosen[v, j]]
        for i in range(size):
            for j in range(size):
                information[i, j] -= prior[i, j]


@kernel
def weigh_others(counts, design, fitted, is_ordered, other_ordered, gradients, informations):
    """Give gradient and information of variables that the fit left out.

    counts: IN, variables by cells by states of X by their states. design: IN, columns, values and width.
    fitted: IN, factor of the precision, and probabilities of X in each cell. gradients, informations: OUT,
    zero before.
    """
    columns, values, width = design
    lower, probabilities = fitted
    n_variables, n_cells, r, k = counts.shape
    m, size, n_own = lower.shape[0], gradients.shape[1], 1 if is_ordered else r - 1
    n_other, first = size // n_own, r - 1 if is_ordered else 0
    shared, n_slots = np.zeros((n_variables, size, m)), r - 1 + columns.shape[1] * n_own
    covariance, mean = np.empty((first + n_own, first + n_own)), np.empty(n_own)
    parameters, features = np.empty(n_slots, np.int64), np.empty(n_slots, np.int64)
    factors, spread = np.empty(n_slots), np.empty((n_own, n_own))
    for c in range(n_cells):
        moments(probabilities[c], is_ordered, mean, spread)
        with_intercepts(probabilities[c], is_ordered, covariance)
        n_active = list_active(columns[c], values[c], width, r, is_ordered, parameters, features, factors)
        for v in range(n_variables):
            add_products(counts[v, c], is_ordered, other_ordered, n_other, gradients[v])
            for t in range(1, k):
                n = 0.0
                for s in range(r):
                    n += counts[v, c, s, t]
                if n == 0.0:
                    continue
                b, score, square = (0, t * n, t * t * n) if other_ordered else (t - 1, n, n)
                for a in range(n_own):
                    i = a * n_other + b
                    gradients[v, i] -= score * mean[a]
                    for j in range(n_active):
                        shared[v, i, parameters[j]] += score * covariance[first + a, features[j]] * factors[j]
                    for d in range(a + 1):
                        informations[v, i, d * n_other + b] += square * spread[a, d]
    upper = np.ascontiguousarray(lower.T)
    for v in range(n_variables):
        for i in range(size):
            forward_by_columns(upper, 0, shared[v, i])
            for j in range(i + 1):
                for p in range(m):
                    informations[v, i, j] -= shared[v, i, p] * shared[v, j, p]


@kernel
def weigh_strata(counts, is_ordered, other_ordered, gradients, informations):
    """Give gradient and information of variables beside cells with probabilities of their own.

    counts: IN, variables by cells by states of X by their states. gradients, informations: OUT, zero before.
    """
    n_variables, n_cells, r, k = counts.shape
    n_own, n_other = 1 if is_ordered else r - 1, 1 if other_ordered else k - 1
    own, other = np.empty(r), np.empty(k)
    own_mean, other_mean = np.empty(n_own), np.empty(n_other)
    own_spread, other_spread = np.empty((n_own, n_own)), np.empty((n_other, n_other))
    for v in range(n_variables):
        for c in range(n_cells):
            n = margins_of(counts[v, c], own, other)
            if n == 0.0:
                continue
            moments(own, is_ordered, own_mean, own_spread)
            moments(other, other_ordered, other_mean, other_spread)
            add_products(counts[v, c], is_ordered, other_ordered, n_other, gradients[v])
            for i in range(n_own * n_other):
                a, b = i // n_other, i % n_other
                gradients[v, i] -= n * own_mean[a] * other_mean[b]
                for j in range(i + 1):
                    spread = own_spread[a, j // n_other] * other_spread[b, j % n_other]
                    informations[v, i, j] += n * spread


@kernel
def margins_of(counts, own, other):
    """Give the data points of a two-way table, none if they say nothing of a link.

    own, other: OUT, its margins as shares.
    """
    n, highest = 0.0, 0.0
    for t in range(counts.shape[1]):
        other[t] = 0.0
    for s in range(counts.shape[0]):
        own[s] = 0.0
        for t in range(counts.shape[1]):
            own[s] += counts[s, t]
            other[t] += counts[s, t]
        n += own[s]
        highest = max(highest, own[s])
    for t in range(counts.shape[1]):
        highest = max(highest, other[t])
        other[t] /= max(n, 1.0)
    for s in range(counts.shape[0]):
        own[s] /= max(n, 1.0)
    return n if highest < n else 0.0


@kernel
def add_products(counts, is_ordered, other_ordered, n_other, gradient):
    """Add, over the data points of a cell, the product of each feature of X and each of Y. gradient: OUT."""
    for s in range(1, counts.shape[0]):
        a, own = (0, s) if is_ordered else (s - 1, 1)
        for t in range(1, counts.shape[1]):
            b, other = (0, t) if other_ordered else (t - 1, 1)
            gradient[a * n_other + b] += own * other * counts[s, t]


@kernel
def log_tables(counts, log_factorials, evidences):
    """Give the log marginal likelihood of X's states in each cell and state of a variable, uniform priors.

    counts: IN, variables by cells by states of X by their states. evidences: OUT.
    """
    n_variables, n_cells, r, k = counts.shape
    whole, top = log_factorials[r - 1], log_factorials.shape[0]
    for v in range(n_variables):
        total = 0.0
        for c in range(n_cells):
            for t in range(k):
                n = 0.0
                for s in range(r):
                    count = counts[v, c, s, t]
                    n += count
                    is_listed = count < top and count == int(count)  # survey weights are fractions
                    total += log_factorials[int(count)] if is_listed else math.lgamma(count + 1.0)
                n += r - 1
                is_listed = n < top and n == int(n)
                total += whole - (log_factorials[int(n)] if is_listed else math.lgamma(n + 1.0))
        evidences[v] = total
