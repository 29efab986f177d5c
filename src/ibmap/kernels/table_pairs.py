"""All terms of a variable for the single changes of its blanket, from counts of pairs of others.

Every test that the changes of X's blanket B need concerns X, a pair of others U and V, and the set R = B
without these two. The counts of X, U and V in each slice of R give them all:

    U, V outside B      X and U given B + V, X and V given B + U     for B with V, and for B with U
    U in B, V outside   X and U given R + V, X and V given R         for B with V, and for B without U
    U, V in B           X and U given R, X and V given R             for B without V, and for B without U

So every pair is counted once. Where the counts would be many more than the rows, rows are sorted instead.
"""

import numpy as np
from numba import njit

from ibmap.kernels.table_tests import posteriors, sort_by_slice, test_one, test_table

CELLS_PER_ROW = 16  # of a table of counts, up to which it is made; beyond, rows are sorted


@njit(cache=True, nogil=True)
def places_of(rows, labels, x_codes, n_x):
    """Give the slice and the state of X of each row, as one number."""
    places = np.empty(rows.shape[0], np.int64)
    for k in range(rows.shape[0]):
        places[k] = labels[k] * n_x + x_codes[rows[k]]
    return places


@njit(cache=True, nogil=True)
def count_pair(places, rows, u_codes, v_codes, n_u, n_v, weights, counts):
    """Count X, U and V in each slice. counts: OUT, slices times states of X, by U, by V."""
    for k in range(counts.shape[0]):
        counts[k] = 0
    for k in range(rows.shape[0]):
        i = rows[k]
        counts[(places[k] * n_u + u_codes[i]) * n_v + v_codes[i]] += weights[i]


@njit(cache=True, nogil=True)
def refine(rows, labels, codes, n_states, n_slices):
    """Split slices by one more variable; give the rows sorted by the new ones, and where these begin.

    n_states: IN, of the variable; 0 to leave the slices as they are. Slices of one row are kept: `test_one`
    finds that they say nothing.
    """
    numbers = np.full(n_slices * max(n_states, 1), -1, np.int64)
    found, refined = 0, np.empty(rows.shape[0], np.int64)
    for k in range(rows.shape[0]):
        key = labels[k] * n_states + codes[rows[k]] if n_states > 0 else labels[k]
        if numbers[key] < 0:
            numbers[key] = found
            found += 1
        refined[k] = numbers[key]
    starts = np.empty(found + 1, np.int64)
    return sort_by_slice(rows, refined, found, starts), starts


@njit(cache=True, nogil=True)
def pair_posteriors(x, u, v, data, slices, places, prior, log_size, is_given, counts, tables, found):
    """Test X and U given R + V, and X and V given R + U; or both given R alone.

    slices: IN, rows, their slice, how many slices, and how many others hold one data point. is_given: IN,
    whether V is given in the first test and U in the second. found: OUT, log posteriors of independence
    and dependence of the first test, then of the second. counts: scratch. tables: IN, by `tabulate` for
    each number of states, and which of them belongs to each variable.
    """
    codes, sizes, weights, _, log_cards, _ = data
    rows, labels, n_slices, n_single = slices
    n_u, n_v = sizes[u], sizes[v]
    size = n_slices * sizes[x] * n_u * n_v
    is_dense = size <= counts.shape[0]
    if is_dense:
        count_pair(places, rows, codes[:, u], codes[:, v], n_u, n_v, weights, counts[:size])
    for k in range(2):
        y, z = (u, v) if k == 0 else (v, u)
        given = log_size + (log_cards[z] if is_given[k] else 0.0)
        logs = tables[0][tables[1][y]]
        if is_dense:
            steps = (n_u * n_v, n_v, 1) if k == 0 else (n_u * n_v, 1, n_v)
            log_odds, log_unseen = test_table(
                counts[:size], n_slices, x, y, z, steps, is_given[k], n_single, data, prior, given, logs
            )
        else:
            ordered, starts = refine(rows, labels, codes[:, z], sizes[z] if is_given[k] else 0, n_slices)
            log_odds, log_unseen = test_one(x, y, data, ordered, starts, n_single, prior, given, logs)
        found[2 * k], found[2 * k + 1] = posteriors(log_odds, log_unseen)


@njit(cache=True, nogil=True)
def outside_pairs(x, outside, data, slices, prior, log_size, tables, terms):
    """Add what pairs outside a blanket say: whether X is independent of U with V added, and vice versa.

    slices: IN, of the blanket. terms: IN and OUT, by the variable added.
    """
    found, is_given = np.empty(4), (True, True)
    places = places_of(slices[0], slices[1], data[0][:, x], data[1][x])
    counts = np.empty(CELLS_PER_ROW * slices[0].shape[0], np.int64)
    for i in range(outside.shape[0]):
        for j in range(i):
            u, v = outside[i], outside[j]
            pair_posteriors(x, u, v, data, slices, places, prior, log_size, is_given, counts, tables, found)
            terms[v] += found[0]
            terms[u] += found[2]


@njit(cache=True, nogil=True)
def member_pairs(x, b, outside, data, slices, prior, log_size, tables, terms):
    """Add what a member and each variable outside say.

    That is, whether X depends on the member with V added, and is independent of V without it. slices: IN,
    of the blanket without the member. terms: IN and OUT, by the variable flipped.
    """
    found, is_given = np.empty(4), (True, False)
    places = places_of(slices[0], slices[1], data[0][:, x], data[1][x])
    counts = np.empty(CELLS_PER_ROW * slices[0].shape[0], np.int64)
    for v in outside:
        pair_posteriors(x, b, v, data, slices, places, prior, log_size, is_given, counts, tables, found)
        terms[v] += found[1]
        terms[b] += found[2]
