"""The Bayesian test of X against many variables given one set, for any number of states and any prior.

The rows are sorted by slice. In each slice the cells of X and Y are counted, and the Bayes factor of
dependence is found from the counts; slices with one data point say nothing and are left out.
"""

import math

import numpy as np
from numba import njit

from ibmap.kernels.counting import hash_keys
from ibmap.kernels.likelihood import log_odds_of_product, log_rising

WIDE = 1 << 20  # pairs of states up to which each has a counter, whether it occurs or not


@njit(cache=True, nogil=True)
def sort_by_slice(rows, labels, n_slices, starts):
    """Put rows in the order of their slices. starts: OUT, where each begins, and the end."""
    for s in range(n_slices + 1):
        starts[s] = 0
    for k in range(rows.shape[0]):
        starts[labels[k] + 1] += 1
    for s in range(n_slices):
        starts[s + 1] += starts[s]
    ends, ordered = np.empty(n_slices, np.int64), np.empty(rows.shape[0], np.int64)
    for s in range(n_slices):
        ends[s] = starts[s]
    for k in range(rows.shape[0]):
        ordered[ends[labels[k]]] = rows[k]
        ends[labels[k]] += 1
    return ordered


@njit(cache=True, nogil=True)
def log_ratio_dense(cells, own, other, total, declared, dirichlet, log_gamma, logs):
    """Give the log Bayes factor of dependence from a whole table of counts.

    cells, own, other: IN, counts of the cells and of both margins, of states that occur; cleared.
    declared: IN, all states of X and Y. logs: IN, by `tabulate`, as far as it goes.
    """
    n_x, n_y = own.shape[0], other.shape[0]
    gamma, alpha, beta = dirichlet
    ratio = 0.0
    if total < logs.shape[1]:
        ratio = logs[3, total]
        for k in range(n_x * n_y):
            ratio += logs[0, cells[k]]
            cells[k] = 0
        for s in range(n_x):
            ratio -= logs[1, own[s]]
            own[s] = 0
        for t in range(n_y):
            ratio -= logs[2, other[t]]
            other[t] = 0
        return ratio
    for k in range(n_x * n_y):
        if cells[k] > 0:
            ratio += log_rising(gamma, cells[k], log_gamma)
            cells[k] = 0
    for s in range(n_x):
        ratio -= log_rising(alpha, own[s], log_gamma)
        own[s] = 0
    for t in range(n_y):
        ratio -= log_rising(beta, other[t], log_gamma)
        other[t] = 0
    return ratio + log_of_sums(total, declared, dirichlet, log_gamma)


@njit(cache=True, nogil=True)
def log_of_sums(total, declared, dirichlet, log_gamma):
    """Give what the Bayes factor has of the sums of the Dirichlet parameters."""
    n_x, n_y = declared
    gamma, alpha, beta = dirichlet
    ratio = log_rising(alpha * n_x, total, log_gamma) + log_rising(beta * n_y, total, log_gamma)
    return ratio - log_rising(gamma * n_x * n_y, total, log_gamma)


@njit(cache=True, nogil=True)
def tabulate(prior, n_x, n_y, log_gamma, logs):
    """Tabulate what cells, rows, columns and the whole of a table add to a Bayes factor, by their counts.

    For parameters that do not depend on the number of slices. logs: OUT, four rows.
    """
    dirichlet = dirichlet_of(prior, n_x, n_y, 0.0)
    gamma, alpha, beta = dirichlet
    for n in range(logs.shape[1]):
        logs[0, n] = log_rising(gamma, n, log_gamma)
        logs[1, n] = log_rising(alpha, n, log_gamma)
        logs[2, n] = log_rising(beta, n, log_gamma)
        logs[3, n] = log_of_sums(n, (n_x, n_y), dirichlet, log_gamma)


@njit(cache=True, nogil=True)
def number_pairs(x_codes, y_codes, n_x, n_y, rows, pairs):
    """Number the states of X and Y together; give how many numbers there are. pairs: OUT, by row."""
    if n_x * n_y <= WIDE:
        for i in rows:
            pairs[i] = x_codes[i] * n_y + y_codes[i]
        return n_x * n_y
    keys, labels = np.empty(rows.shape[0], np.uint64), np.empty(rows.shape[0], np.int64)
    for k in range(rows.shape[0]):
        keys[k] = np.uint64(x_codes[rows[k]]) * np.uint64(n_y) + np.uint64(y_codes[rows[k]])
    n_pairs = hash_keys(keys, labels).shape[0]
    for k in range(rows.shape[0]):
        pairs[rows[k]] = labels[k]
    return n_pairs


@njit(cache=True, nogil=True)
def log_ratio_sparse(
    members, x_codes, y_codes, pairs, weights, cells, own, other, declared, dirichlet, log_gamma
):
    """Give the log Bayes factor of dependence row by row: what each adds to the counts before it.

    members: IN, rows of the slice. cells, own, other: scratch, zero before and after.
    """
    gamma, alpha, beta = dirichlet
    ratio, total = 0.0, 0
    for i in members:
        s, t, w = x_codes[i], y_codes[i], weights[i]
        ratio += log_rising(gamma + cells[pairs[i]], w, log_gamma)
        ratio -= log_rising(alpha + own[s], w, log_gamma) + log_rising(beta + other[t], w, log_gamma)
        cells[pairs[i]] += w
        own[s] += w
        other[t] += w
        total += w
    for i in members:
        cells[pairs[i]], own[x_codes[i]], other[y_codes[i]] = 0, 0, 0
    return ratio + log_of_sums(total, declared, dirichlet, log_gamma)


@njit(cache=True, nogil=True)
def slice_odds_of(prior, log_size):
    """Give log(p^(-1/K) - 1), the prior log-odds of dependence in one of K slices.

    prior: IN, as `test_many` has it.
    """
    log_share = prior[1] - log_size
    if log_share < -20.0:
        return log_share + math.exp(log_share) / 2.0
    return math.log(math.expm1(math.exp(log_share)))


@njit(cache=True, nogil=True)
def slice_prior(prior, log_size, n_live, n_single):
    """Give log K, the prior log-odds of a slice, and the log of the factors of those that say nothing."""
    if prior[4] > 0.0:  # K counts the slices seen
        log_size = math.log(max(n_live + n_single, 1))
    size = math.exp(log_size) if log_size < 700.0 else np.inf
    if size < 1e9:
        size = math.floor(size + 0.5)  # a whole number, so that nothing is left where all slices are seen
    return log_size, slice_odds_of(prior, log_size), prior[0] * (1.0 - n_live / size)


@njit(cache=True, nogil=True)
def dirichlet_of(prior, n_x, n_y, log_size):
    """Give the Dirichlet parameters of a cell, a row and a column."""
    if prior[2] == 0.0:  # margins add up
        return 1.0, float(n_y), float(n_x)
    if prior[2] == 1.0:
        return 1.0, 1.0, 1.0
    a_slice = max(prior[3] * math.exp(-log_size), 1e-290) if log_size < 620.0 else 1e-290
    return a_slice / (n_x * n_y), a_slice / n_x, a_slice / n_y


@njit(cache=True, nogil=True)
def posteriors(log_odds, log_unseen):
    """Give log Pr(I | D) and log Pr(not I | D) from the log-odds over the slices that say anything."""
    tail = math.log1p(math.exp(-abs(log_odds))) if log_odds > -np.inf else 0.0
    independent = log_unseen - (max(log_odds, 0.0) + tail)
    if log_unseen == 0.0:
        return independent, -(max(-log_odds, 0.0) + tail)
    if independent > -0.5:
        return independent, math.log(-math.expm1(independent))
    return independent, math.log1p(-math.exp(independent))


@njit(cache=True, nogil=True)
def count_live(weights, rows, starts):
    """Count the slices with two data points or more."""
    n_live = 0
    for c in range(starts.shape[0] - 1):
        first = starts[c]
        n_live += starts[c + 1] - first > 1 or (starts[c + 1] > first and weights[rows[first]] > 1)
    return n_live


@njit(cache=True, nogil=True)
def test_one(x, y, data, rows, starts, n_single, prior, log_size, logs):
    """Test X and Y given a set: log-odds of dependence over its slices, and log of what the others leave.

    rows, starts: IN, by slice. n_single: IN, slices of one data point that are not among them. The rest as
    `test_many` has it.
    """
    codes, sizes, weights, cards, _, log_gamma = data
    x_codes, y_codes, n_x, n_y, declared = codes[:, x], codes[:, y], sizes[x], sizes[y], (cards[x], cards[y])
    n_live = count_live(weights, rows, starts)
    n_alone = n_single + starts.shape[0] - 1 - n_live
    log_size, slice_odds, log_unseen = slice_prior(prior, log_size, n_live, n_alone)
    dirichlet = dirichlet_of(prior, cards[x], cards[y], log_size)
    pairs = np.empty(codes.shape[0], np.int64)
    cells = np.zeros(number_pairs(x_codes, y_codes, n_x, n_y, rows, pairs), np.int64)
    own, other, ratios = np.zeros(n_x, np.int64), np.zeros(n_y, np.int64), np.empty(n_live)
    live = 0
    for c in range(starts.shape[0] - 1):
        members = rows[starts[c] : starts[c + 1]]
        if members.shape[0] == 0 or (members.shape[0] == 1 and weights[members[0]] == 1):
            continue
        if members.shape[0] * 2 < n_x * n_y:
            found = log_ratio_sparse(
                members, x_codes, y_codes, pairs, weights, cells, own, other, declared, dirichlet, log_gamma
            )
        else:
            total = 0
            for i in members:
                cells[pairs[i]] += weights[i]
                own[x_codes[i]] += weights[i]
                other[y_codes[i]] += weights[i]
                total += weights[i]
            found = log_ratio_dense(cells, own, other, total, declared, dirichlet, log_gamma, logs)
        ratios[live] = slice_odds + found
        live += 1
    return log_odds_of_product(ratios), log_unseen


@njit(cache=True, nogil=True)
def test_table(counts, n_slices, x, y, z, steps, is_given, n_single, data, prior, log_size, logs):
    """Test X and Y given a set and Z, or given the set alone, from the counts of X, Y and Z in each slice.

    counts: IN, slices by states of X, then a table of Y and Z. steps: IN, to the next state of X, Y and Z.
    The rest as `test_one` has it.
    """
    sizes, cards, log_gamma = data[1], data[3], data[5]
    n_x, n_y, n_z, declared = sizes[x], sizes[y], sizes[z], (cards[x], cards[y])
    x_step, y_step, z_step = steps
    n_parts, n_added = (n_z, 1) if is_given else (1, n_z)
    cells = np.zeros(n_x * n_y, np.int64)
    own, other = np.zeros(n_x, np.int64), np.zeros(n_y, np.int64)
    totals = np.zeros(n_slices * n_parts, np.int64)
    n_live, n_alone = 0, n_single
    for c in range(n_slices):
        for part in range(n_parts):
            total = 0
            for s in range(n_x):
                for t in range(n_y):
                    at = (c * n_x + s) * x_step + t * y_step + part * z_step
                    for k in range(n_added):
                        total += counts[at + k * z_step]
            totals[c * n_parts + part] = total
            n_live += total > 1
            n_alone += total == 1
    log_size, slice_odds, log_unseen = slice_prior(prior, log_size, n_live, n_alone)
    dirichlet = dirichlet_of(prior, cards[x], cards[y], log_size)
    ratios, live = np.empty(n_live), 0
    for c in range(n_slices):
        for part in range(n_parts):
            total = totals[c * n_parts + part]
            if total < 2:
                continue
            for s in range(n_x):
                for t in range(n_y):
                    at = (c * n_x + s) * x_step + t * y_step + part * z_step
                    n = 0
                    for k in range(n_added):
                        n += counts[at + k * z_step]
                    cells[s * n_y + t] = n
                    own[s] += n
                    other[t] += n
            found = log_ratio_dense(cells, own, other, total, declared, dirichlet, log_gamma, logs)
            ratios[live] = slice_odds + found
            live += 1
    return log_odds_of_product(ratios), log_unseen


@njit(cache=True, nogil=True)
def test_many(x, candidates, data, rows, starts, n_single, prior, log_size, independent, dependent):
    """Test X against each candidate given one set.

    data: IN, codes of the states that occur, how many these are, weights, all states of each variable, logs
    of these numbers, and the log-gamma function at 0, 1, 2, ... rows, starts: IN, by slice of the set.
    n_single: IN, slices of one data point that are not among them. prior: IN, log p, log(-log p), kind of
    Dirichlet parameters (0: sums, 1: ones, 2: BDeu), equivalent sample size, and whether K counts the
    slices seen. log_size: IN, log of the configurations of the set. independent, dependent: OUT.
    """
    logs = np.empty((4, 0))
    for k in range(candidates.shape[0]):
        log_odds, log_unseen = test_one(x, candidates[k], data, rows, starts, n_single, prior, log_size, logs)
        independent[k], dependent[k] = posteriors(log_odds, log_unseen)
