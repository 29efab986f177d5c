"""Log Bayes factors of one variable's links, all from one logistic fit on its blanket.

The effects of a link have a normal prior of precision P. With the log likelihood taken as a quadratic
of gradient g and information J, all other effects adjusted for, "there is a link" is more probable than
"there is none" by

    log Bayes factor = g' V^-1 g / 2 + log(det P / det V) / 2,    V = J + P.

For a variable outside the blanket g is its score there (Rao's statistic); for a member, J times its
effects as fitted (Wald's). With a *moment* prior, the normal one times theta' P theta / df, effects near
zero are no links, and the factor is multiplied by the posterior mean of that.

Main effects may not be the whole story: next to the model of main effects stands the *full table*, in
which every cell of the blanket has probabilities of its own, with a uniform prior. A link is then
a main effect of Y beside those cells, or a split of every cell by Y. Both models are weighed by their
marginal likelihoods, and the factor is the ratio of the two averages.
"""

import math

import numpy as np

from ibmap.kernels.cells import count_split, label_rows, states_of_cells
from ibmap.kernels.compiling import kernel
from ibmap.kernels.full_tables import averaged, log_margins_table, log_split_table, log_table
from ibmap.kernels.logistic import (
    backward,
    centred,
    cholesky,
    fit,
    forward,
    list_active,
    moments,
    n_scores,
    with_intercepts,
)


@kernel
def log_size(n_states, is_ordered):
    """Give the log determinant of `centred`."""
    return math.log(centred(n_states, True, 0, 0)) if is_ordered else -math.log(n_states)


@kernel
def log_prior(x, y, n_states, ordered, ridge):
    """Give the log determinant of the prior precision of a link's effects."""
    a, b = n_scores(n_states[x], ordered[x]), n_scores(n_states[y], ordered[y])
    own, other = log_size(n_states[x], ordered[x]), log_size(n_states[y], ordered[y])
    return a * b * math.log(ridge) + b * own + a * other


@kernel
def prior_entry(x, y, n_states, ordered, ridge, i, j):
    """Give an entry of the prior precision of a link's effects; effect (t, e) has number t * width + e."""
    width = n_scores(n_states[y], ordered[y])
    own = centred(n_states[x], ordered[x], i // width, j // width)
    return ridge * own * centred(n_states[y], ordered[y], i % width, j % width)


@kernel
def log_factor(x, y, n_states, ordered, ridge, is_moment, gradient, information):
    """Give the log Bayes factor of a link; gradient and information (lower triangle) are used up."""
    size = gradient.shape[0]
    lower = np.zeros((size, size))
    for i in range(size):
        for j in range(i + 1):
            information[i, j] += prior_entry(x, y, n_states, ordered, ridge, i, j)
    cholesky(information, lower)
    forward(lower, gradient)
    total = log_prior(x, y, n_states, ordered, ridge)
    for k in range(size):
        total += gradient[k] * gradient[k] - 2.0 * math.log(lower[k, k])
    if not is_moment:
        return 0.5 * total
    backward(lower, gradient)
    spread = np.zeros((size, size))  # row i: column i of the inverse of lower
    for i in range(size):
        spread[i, i] = 1.0
        forward(lower, spread[i])
    mean_square = 0.0
    for i in range(size):
        for j in range(i + 1):
            entry = prior_entry(x, y, n_states, ordered, ridge, i, j)
            if entry != 0.0:
                value = gradient[i] * gradient[j]
                for k in range(i, size):
                    value += spread[i, k] * spread[j, k]
                mean_square += (1.0 if i == j else 2.0) * entry * value
    return 0.5 * total + math.log(mean_square / size)


@kernel
def blanket_prior(x, members, firsts, width, n_states, ordered, ridge, prior):
    """Write the prior precision of the slopes on a blanket. prior: OUT, zero before."""
    base = n_states[x] - 1
    for a in range(members.shape[0]):
        size = n_scores(n_states[members[a]], ordered[members[a]])
        for i in range(n_scores(n_states[x], ordered[x]) * size):
            for j in range(n_scores(n_states[x], ordered[x]) * size):
                at = base + (i // size) * width + firsts[a] + i % size
                to = base + (j // size) * width + firsts[a] + j % size
                prior[at, to] = prior_entry(x, members[a], n_states, ordered, ridge, i, j)


@kernel
def design_of(states, members, firsts, n_cells, ordered):
    """Write each cell's states as columns of the design and their entries; the first states have none."""
    columns = np.full((n_cells, members.shape[0]), -1, np.int64)
    values = np.ones((n_cells, members.shape[0]))
    for c in range(n_cells):
        for a in range(members.shape[0]):
            s = states[a, c]
            if s > 0:
                columns[c, a] = firsts[a] if ordered[members[a]] else firsts[a] + s - 1
                values[c, a] = s if ordered[members[a]] else 1.0
    return columns, values


@kernel
def stratified_factor(x, y, counts, n_states, ordered, ridge, is_moment):
    """Give the log Bayes factor of a main effect of Y on X beside cells with probabilities of their own.

    counts: IN, cells by states of X by states of Y.
    """
    r, k = n_states[x], n_states[y]
    n_own, n_other = n_scores(r, ordered[x]), n_scores(k, ordered[y])
    size = n_own * n_other
    gradient, information = np.zeros(size), np.zeros((size, size))
    own, other = np.empty(r), np.empty(k)
    own_mean, other_mean = np.empty(n_own), np.empty(n_other)
    own_spread, other_spread = np.empty((n_own, n_own)), np.empty((n_other, n_other))
    for c in range(counts.shape[0]):
        n = margins_of(counts[c], own, other)
        if n == 0.0:
            continue
        moments(own, ordered[x], own_mean, own_spread)
        moments(other, ordered[y], other_mean, other_spread)
        for i in range(size):
            a, b = i // n_other, i % n_other
            gradient[i] += together(counts[c], ordered[x], ordered[y], a, b) - n * own_mean[a] * other_mean[b]
            for j in range(i + 1):
                information[i, j] += n * own_spread[a, j // n_other] * other_spread[b, j % n_other]
    return log_factor(x, y, n_states, ordered, ridge, is_moment, gradient, information)


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
def together(counts, own_ordered, other_ordered, a, b):
    """Sum over the data points of a cell the product of a feature of X and one of Y."""
    if not own_ordered and not other_ordered:
        return counts[a + 1, b + 1]
    total = 0.0
    for s in range(1, counts.shape[0]):
        own = s if own_ordered else (1.0 if s == a + 1 else 0.0)
        for t in range(1, counts.shape[1]):
            total += own * (t if other_ordered else (1.0 if t == b + 1 else 0.0)) * counts[s, t]
    return total


@kernel
def log_margins(margins, log_posterior, log_determinant):
    """Give the log evidence of a fit beside that of the variable by itself, both with flat intercepts.

    margins: IN, data points in each state. log_determinant: IN, of the precision after the fit, less
    that of the prior.
    """
    n, own, alone = 0.0, 0.0, 0.0
    for s in range(margins.shape[0]):
        n += margins[s]
    for s in range(margins.shape[0]):
        alone += margins[s] * math.log(margins[s] / n)
        own += math.log(margins[s] / n)
    return log_posterior - alone + 0.5 * (own + (margins.shape[0] - 1) * math.log(n) - log_determinant)


@kernel
def member_factor(x, b, chosen, theta, inverse, n_states, ordered, ridges, is_moment):
    """Give the log Bayes factor of a member from its effects as fitted.

    chosen: IN, numbers of its parameters. inverse: IN, of the factor of the precision, transposed.
    ridges: IN, of the blanket as fitted, and of the link.
    """
    size = chosen.shape[0]
    spread, lower, gradient = np.zeros((size, size)), np.zeros((size, size)), np.empty(size)
    for i in range(size):
        for j in range(i + 1):
            for k in range(inverse.shape[0]):
                spread[i, j] += inverse[chosen[i], k] * inverse[chosen[j], k]
    cholesky(spread, lower)
    information = np.zeros((size, size))
    for i in range(size):  # column i of the inverse of the spread, less the prior of the fit
        information[i, i] = 1.0
        forward(lower, information[i])
        backward(lower, information[i])
    for i in range(size):
        gradient[i] = 0.0
        for j in range(size):
            gradient[i] += information[i, j] * theta[chosen[j]]
    for i in range(size):
        for j in range(i + 1):
            information[i, j] -= prior_entry(x, b, n_states, ordered, ridges[0], i, j)
    return log_factor(x, b, n_states, ordered, ridges[1], is_moment, gradient, information)


@kernel
def outside_factor(x, y, counts, design, fitted, n_states, ordered, ridge, is_moment):
    """Give the log Bayes factor of a variable that the fit left out.

    counts: IN, cells by states of X by states of Y. design: IN, columns, values and width.
    fitted: IN, factor of the precision, and probabilities of the states in each cell.
    """
    columns, values, width = design
    lower, probabilities = fitted
    r, m, is_ordered = n_states[x], lower.shape[0], ordered[x]
    n_own, n_other = n_scores(r, is_ordered), n_scores(n_states[y], ordered[y])
    first, size = r - 1 if is_ordered else 0, n_own * n_other
    gradient, information, shared = np.zeros(size), np.zeros((size, size)), np.zeros((size, m))
    n_features, n_slots = first + n_own, r - 1 + columns.shape[1] * n_own
    covariance, mean = np.empty((n_features, n_features)), np.empty(n_own)
    parameters, features = np.empty(n_slots, np.int64), np.empty(n_slots, np.int64)
    factors, spread = np.empty(n_slots), np.empty((n_own, n_own))
    for c in range(counts.shape[0]):
        p = probabilities[c]
        moments(p, is_ordered, mean, spread)
        with_intercepts(p, is_ordered, covariance)
        n_active = list_active(columns[c], values[c], width, r, is_ordered, parameters, features, factors)
        for a in range(n_own):
            for b in range(n_other):
                gradient[a * n_other + b] += together(counts[c], is_ordered, ordered[y], a, b)
        for t in range(1, n_states[y]):
            n = 0.0
            for s in range(r):
                n += counts[c, s, t]
            if n == 0.0:
                continue
            b, score = (0, t * n) if ordered[y] else (t - 1, n)
            for a in range(n_own):
                i = a * n_other + b
                gradient[i] -= score * mean[a]
                for k in range(n_active):
                    shared[i, parameters[k]] += score * covariance[first + a, features[k]] * factors[k]
                for d in range(a + 1):
                    information[i, d * n_other + b] += score * (t if ordered[y] else 1.0) * spread[a, d]
    for i in range(size):
        forward(lower, shared[i])
        for j in range(i + 1):
            for k in range(m):
                information[i, j] -= shared[i, k] * shared[j, k]
    return log_factor(x, y, n_states, ordered, ridge, is_moment, gradient, information)


@kernel
def fit_blanket(x, members, codes, weights, labels, kinds, model):
    """Fit X on a blanket.

    codes: IN, variables by rows. labels: OUT, the cell of each row. kinds: IN, number of states of each
    variable, whether they are ordered, and log factorials. model: IN, ridges of the blanket and of the
    link, whether the prior is a moment prior, and the share of full tables.

    Gives the counts of X in each cell, the states of the members there, the design (columns, values,
    width, first column of each member), the fit (parameters, factor of the precision, probabilities) and
    its log evidence beside that of X by itself.
    """
    n_states, ordered, _ = kinds
    r, ridge = n_states[x], model[0]
    n_cells = label_rows(codes, members, n_states, labels)
    counts = count_split(labels, codes[x], r, weights, n_cells)
    states = states_of_cells(labels, codes, members, n_cells)
    firsts, width = np.empty(members.shape[0], np.int64), 0
    for a in range(members.shape[0]):
        firsts[a] = width
        width += n_scores(n_states[members[a]], ordered[members[a]])
    columns, values = design_of(states, members, firsts, n_cells, ordered)
    m = r - 1 + n_scores(r, ordered[x]) * width
    theta, prior, lower = np.zeros(m), np.zeros((m, m)), np.zeros((m, m))
    blanket_prior(x, members, firsts, width, n_states, ordered, ridge, prior)
    margins, probabilities = np.zeros(r), np.empty((n_cells, r))
    for c in range(n_cells):
        for s in range(r):
            margins[s] += counts[c, s]
    for s in range(1, r):
        theta[s - 1] = math.log(margins[s] / margins[0])
    log_posterior = fit(theta, counts, columns, values, width, ordered[x], prior, lower, probabilities)
    log_determinant = 0.0
    for k in range(m):
        log_determinant += 2.0 * math.log(lower[k, k])
    for b in members:
        if n_states[b] > 1:
            log_determinant -= log_prior(x, b, n_states, ordered, ridge)
    evidence = log_margins(margins, log_posterior, log_determinant)
    return counts, states, (columns, values, width, firsts), (theta, lower, probabilities), evidence


@kernel
def weigh_members(x, members, blanket, kinds, model, factors):
    """Give the log Bayes factor of every member.

    blanket: IN, by `fit_blanket`. factors: OUT, by model and variable: averaged, by main effects, by full
    tables (if they have a share).
    """
    n_states, ordered, log_factorials = kinds
    ridges, is_moment, share = (model[0], model[1]), model[2] > 0.0, model[3]
    counts, states, design, (theta, lower, _), main = blanket
    n_cells, r = counts.shape
    width, firsts = design[2], design[3]
    alone = log_margins_table(counts, log_factorials)
    table = log_table(counts, log_factorials) - alone
    inverse = np.zeros(lower.shape)
    for k in range(lower.shape[0]):
        inverse[k, k] = 1.0
        forward(lower, inverse[k])
    merged, own_states = np.empty(n_cells, np.int64), np.empty(members.shape[0], np.int64)
    rest = np.empty(max(members.shape[0] - 1, 0), np.int64)  # positions of the other members
    for a in range(members.shape[0]):
        own_states[a] = n_states[members[a]]
    for a in range(members.shape[0]):
        b = members[a]
        size = n_scores(n_states[b], ordered[b])
        if size == 0:
            continue
        chosen = np.empty(n_scores(r, ordered[x]) * size, np.int64)
        for i in range(chosen.shape[0]):
            chosen[i] = r - 1 + (i // size) * width + firsts[a] + i % size
        found = member_factor(x, b, chosen, theta, inverse, n_states, ordered, ridges, is_moment)
        if share > 0.0:
            for k in range(rest.shape[0]):
                rest[k] = k if k < a else k + 1
            n_merged = label_rows(states, rest, own_states, merged)
            split, larger = np.zeros((n_merged, r, n_states[b])), np.zeros((n_merged, r))
            for c in range(n_cells):
                for s in range(r):
                    split[merged[c], s, states[a, c]] += counts[c, s]
                    larger[merged[c], s] += counts[c, s]
            kept = log_table(larger, log_factorials) - alone
            beside = stratified_factor(x, b, split, n_states, ordered, ridges[1], is_moment)
            both = averaged(main, main - found, table, kept, beside, share)
            factors[0, b], factors[2, b] = both
        else:
            factors[0, b] = found
        factors[1, b] = found


@kernel
def weigh_others(x, others, blanket, labels, codes, weights, kinds, model, factors):
    """Give the log Bayes factor of variables outside a blanket.

    blanket: IN, by `fit_blanket`. labels: IN, the cell of each row. factors: OUT.
    """
    n_states, ordered, log_factorials = kinds
    ridge, is_moment, share = model[1], model[2] > 0.0, model[3]
    counts, _, (columns, values, width, _), (_, lower, probabilities), main = blanket
    n_cells, r = counts.shape
    alone = log_margins_table(counts, log_factorials)
    table = log_table(counts, log_factorials) - alone
    places = np.empty(labels.shape[0], np.int64)  # cell and state of X of each row
    for i in range(labels.shape[0]):
        places[i] = labels[i] * r + codes[x, i]
    for y in others:
        k = n_states[y]
        if k == 1:
            continue
        split = count_split(places, codes[y], k, weights, n_cells * r).reshape(n_cells, r, k)
        design, fitted = (columns, values, width), (lower, probabilities)
        found = outside_factor(x, y, split, design, fitted, n_states, ordered, ridge, is_moment)
        if share > 0.0:
            beside = stratified_factor(x, y, split, n_states, ordered, ridge, is_moment)
            whole = log_split_table(split, log_factorials) - alone
            factors[0, y], factors[2, y] = averaged(main + found, main, whole, table, beside, share)
        else:
            factors[0, y] = found
        factors[1, y] = found
