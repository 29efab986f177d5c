"""The plain per-blanket kernel: what anyone would write first with Numba.

For one X and one blanket, one sweep over the rows counts every Y at once; the
term of the blanket is a sum over these counts. A refresh of X computes the
term of each of its n blankets (as it is, and with each variable flipped). The
climb is the local one: a flip refreshes the two variables it touches. Binary
data, prior 1/2, cells 1 with margins that add up: the package's defaults.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.special import gammaln

from ibmap.data.table import EncodedTable

TOLERANCE = 1e-9  # gains closer than this are equal; the lowest pair wins
LOG_HALF = math.log(0.5)
MAX_TABLE_BITS = 20  # blankets up to this size are numbered with a table of all keys


@njit(cache=True, nogil=True)
def number_slices(rows, blanket, labels):
    """Number the configurations of a blanket that occur. Returns their sorted keys."""
    n_rows = rows.shape[0]
    keys = np.zeros(n_rows, np.int64)
    for i in range(n_rows):
        for k in range(blanket.shape[0]):
            keys[i] |= np.int64(rows[i, blanket[k]]) << k
    if blanket.shape[0] > MAX_TABLE_BITS:
        distinct = np.unique(keys)
        labels[:] = np.searchsorted(distinct, keys)
        return distinct
    number = np.full(1 << blanket.shape[0], -1, np.int64)
    for i in range(n_rows):
        number[keys[i]] = 0
    distinct = np.flatnonzero(number == 0)
    for k in range(distinct.shape[0]):
        number[distinct[k]] = k
    for i in range(n_rows):
        labels[i] = number[keys[i]]
    return distinct


@njit(cache=True, nogil=True)
def count_all(rows, labels, x, totals, ones):
    """Count every Y in one sweep: rows and ones of each (slice, state of X)."""
    for i in range(rows.shape[0]):
        group = 2 * labels[i] + rows[i, x]
        totals[group] += 1
        for y in range(rows.shape[1]):
            ones[group, y] += rows[i, y]


@njit(cache=True, nogil=True)
def log_bayes_factor(n00, n01, n10, n11, log_gamma):
    """Log of h / g for a two by two table."""
    cells = log_gamma[1 + n00] + log_gamma[1 + n01] + log_gamma[1 + n10] + log_gamma[1 + n11]
    sides = log_gamma[2 + n00 + n01] + log_gamma[2 + n10 + n11]
    sides += log_gamma[2 + n00 + n10] + log_gamma[2 + n01 + n11]
    return cells - sides + log_gamma[4 + n00 + n01 + n10 + n11] - log_gamma[4]


@njit(cache=True, nogil=True)
def softplus(t):
    """Log of 1 + exp(t)."""
    return max(t, 0.0) + math.log1p(math.exp(-abs(t)))


@njit(cache=True, nogil=True)
def log_slice_odds(n_given):
    """Log of p^(-1/K) - 1, the prior log-odds of dependence in one of K = 2^n_given slices."""
    return math.log(math.expm1(-LOG_HALF / 2.0**n_given))


@njit(cache=True, nogil=True)
def log_independent(y, totals, ones, n_given, log_gamma):
    """Log posterior of independence of X and Y outside the blanket."""
    log_odds = log_slice_odds(n_given)
    n_seen = totals.shape[0] // 2
    total = 0.0
    for z in range(n_seen):
        n01, n11 = ones[2 * z, y], ones[2 * z + 1, y]
        n00, n10 = totals[2 * z] - n01, totals[2 * z + 1] - n11
        total += softplus(log_odds + log_bayes_factor(n00, n01, n10, n11, log_gamma))
    return LOG_HALF * ((2.0**n_given - n_seen) / 2.0**n_given) - total


@njit(cache=True, nogil=True)
def log_dependent(k, keys, totals, n_given, log_gamma):
    """Log posterior of dependence of X and the k-th member, given the other members."""
    log_odds = log_slice_odds(n_given - 1)
    n_seen = 0
    total = 0.0
    for z in range(keys.shape[0]):
        twin = np.searchsorted(keys, keys[z] ^ (1 << k))
        has_twin = twin < keys.shape[0] and keys[twin] == keys[z] ^ (1 << k)
        if has_twin and twin < z:
            continue  # done with its twin
        n_seen += 1
        n01 = totals[2 * twin] if has_twin else 0
        n11 = totals[2 * twin + 1] if has_twin else 0
        factor = log_bayes_factor(totals[2 * z], n01, totals[2 * z + 1], n11, log_gamma)
        total += softplus(log_odds + factor)
    independent = LOG_HALF * ((2.0 ** (n_given - 1) - n_seen) / 2.0 ** (n_given - 1)) - total
    if independent > -0.5:
        return math.log(-math.expm1(independent))
    return math.log1p(-math.exp(independent))


@njit(cache=True, nogil=True)
def term(rows, x, blanket, log_gamma, labels):
    """The term of X for one blanket."""
    keys = number_slices(rows, blanket, labels)
    totals = np.zeros(2 * keys.shape[0], np.int64)
    ones = np.zeros((2 * keys.shape[0], rows.shape[1]), np.int32)
    count_all(rows, labels, x, totals, ones)
    is_member = np.zeros(rows.shape[1], np.bool_)
    total = 0.0
    for k in range(blanket.shape[0]):
        is_member[blanket[k]] = True
        total += log_dependent(k, keys, totals, blanket.shape[0], log_gamma)
    for y in range(rows.shape[1]):
        if y != x and not is_member[y]:
            total += log_independent(y, totals, ones, blanket.shape[0], log_gamma)
    return total


@njit(cache=True, nogil=True)
def changes(rows, x, neighbours, log_gamma, terms):
    """The term of X for its blanket (entry x) and with every other variable flipped."""
    labels = np.empty(rows.shape[0], np.int64)
    flipped = neighbours.copy()
    for y in range(rows.shape[1]):
        if y != x:
            flipped[y] = not neighbours[y]
        terms[y] = term(rows, x, np.flatnonzero(flipped), log_gamma, labels)
        flipped[y] = neighbours[y]


@dataclass(frozen=True, eq=False)
class PlainClimb:
    """What the plain climb found."""

    adjacency: NDArray[np.bool_]
    score: float
    flips: tuple[tuple[int, int], ...]


def climb(table: EncodedTable, n_threads: int = 1) -> PlainClimb:
    """Climb from the empty graph; the rules for ties are those of `ibmap.search`."""
    rows = np.ascontiguousarray(table.codes.astype(np.uint8))
    log_gamma = gammaln(np.arange(1, table.n_samples + 6, dtype=float))
    log_gamma = np.concatenate([[0.0], log_gamma])
    n = rows.shape[1]
    adjacency = np.zeros((n, n), np.bool_)
    terms = np.empty((n, n))

    def refresh(x: int) -> None:
        changes(rows, x, adjacency[x], log_gamma, terms[x])

    flips = []
    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(refresh, range(n)))
        while (best := best_flip(terms)) is not None:
            adjacency[best] = adjacency[best[::-1]] = not adjacency[best]
            list(pool.map(refresh, best))
            flips.append(best)
    return PlainClimb(adjacency, math.fsum(terms.diagonal()), tuple(flips))


def best_flip(terms: NDArray[np.float64]) -> tuple[int, int] | None:
    """Find the lowest pair among those that gain most, or None if nothing gains."""
    gains = terms - terms.diagonal()[:, None]
    gains = gains + gains.T
    np.fill_diagonal(gains, -np.inf)
    best = gains.max()
    if not best > TOLERANCE:
        return None
    x, y = divmod(int(np.argmax(gains >= best - TOLERANCE)), len(gains))
    return x, y
