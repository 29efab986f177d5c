"""X against U given a set and V, and against V given the set and U, from one count of the three.

In a slice of the set the counts of X, U and V are the cells of both tests, and their sums over one of the
three are the rows and columns of both: each is looked up once.
"""

import numpy as np

from ibmap.kernels.compiling import kernel
from ibmap.kernels.likelihood import log_odds_of_product
from ibmap.kernels.table_tests import posteriors


@kernel
def places_of(rows, starts, own, n_x):
    """Give the slice and the state of X of each row, as one number. own: IN, in the order of the slices."""
    places = np.empty(rows.shape[0], np.int64)
    for s in range(starts.shape[0] - 1):
        for k in range(starts[s], starts[s + 1]):
            places[k] = s * n_x + own[k]
    return places


@kernel
def add_outside_pairs(
    places, n_slices, n_x, rows, weights, outside, columns, states, kinds, logs, prior, terms
):
    """Add log Pr(X and U are independent given B + V) to the terms of V, for all pairs outside the blanket.

    places: IN, of the rows in the slices of B. states, kinds: IN, of each variable, states that occur and
    which of the tables in `logs` is for its number of states. prior: IN, by variable added: log-odds of
    dependence in a slice, configurations, log p. terms: IN and OUT.
    """
    for i in range(outside.shape[0]):
        for j in range(i):
            u, v = outside[i], outside[j]
            of_u, of_v = test_pair(
                places, n_slices, n_x, rows, weights, u, v, columns, states, kinds, logs, prior
            )
            terms[v] += of_u[0]
            terms[u] += of_v[0]


@kernel
def add_member_pairs(
    places, n_slices, n_x, rows, weights, b, outside, columns, states, kinds, logs, prior, terms
):
    """Add log Pr(X and B are dependent given the other members and V) to the terms of V, for all V outside.

    places: IN, of the rows in the slices of the other members. The rest as in `add_outside_pairs`.
    """
    for v in outside:
        of_b, _ = test_pair(places, n_slices, n_x, rows, weights, b, v, columns, states, kinds, logs, prior)
        terms[v] += of_b[1]


@kernel
def test_pair(places, n_slices, n_x, rows, weights, u, v, columns, states, kinds, logs, prior):
    """Test X and U given the set and V, and X and V given the set and U: log posteriors of both."""
    n_u, n_v, u_column, v_column = states[u], states[v], columns[u], columns[v]
    counts = np.zeros(n_slices * n_x * n_u * n_v, np.int32)
    for k in range(rows.shape[0]):
        i = rows[k]
        counts[(places[k] * n_u + u_column[i]) * n_v + v_column[i]] += weights[k]
    by_u, by_v = logs[kinds[u]], logs[kinds[v]]
    given_v, given_u = np.empty(n_slices * n_v), np.empty(n_slices * n_u)
    live_v, live_u = 0, 0
    both, own_v, own_u = (
        np.empty((n_u, n_v), np.int64),
        np.empty((n_x, n_v), np.int64),
        np.empty(n_u, np.int64),
    )
    whole_v, sum_v = np.empty(n_v, np.int64), np.empty(n_v)
    for s in range(n_slices):
        both[:], own_v[:], sum_v[:], whole_v[:] = 0, 0, 0.0, 0
        at = s * n_x * n_u * n_v
        first_u = live_u
        for a in range(n_u):
            own_u[a] = 0
            given_u[first_u + a] = 0.0
        for x in range(n_x):
            for a in range(n_u):
                row, value = 0, 0.0
                for c in range(n_v):
                    n = counts[at]
                    at += 1
                    if n > 0:
                        cell = by_u[0, n]
                        value += cell
                        sum_v[c] += cell
                        row += n
                        both[a, c] += n
                        own_v[x, c] += n
                given_u[first_u + a] += value - by_v[1, row]
                own_u[a] += row
        for a in range(n_u):
            for c in range(n_v):
                given_u[first_u + a] -= by_v[2, both[a, c]]
                sum_v[c] -= by_u[2, both[a, c]]
                whole_v[c] += both[a, c]
        for c in range(n_v):
            if whole_v[c] > 1:
                for x in range(n_x):
                    sum_v[c] -= by_u[1, own_v[x, c]]
                given_v[live_v] = prior[v, 0] + sum_v[c] + by_u[3, whole_v[c]]
                live_v += 1
        for a in range(n_u):
            if own_u[a] > 1:
                given_u[live_u] = prior[u, 0] + given_u[first_u + a] + by_v[3, own_u[a]]
                live_u += 1
    of_u = posteriors(log_odds_of_product(given_v[:live_v]), prior[v, 2] * (1.0 - live_v / prior[v, 1]))
    of_v = posteriors(log_odds_of_product(given_u[:live_u]), prior[u, 2] * (1.0 - live_u / prior[u, 1]))
    return of_u, of_v
