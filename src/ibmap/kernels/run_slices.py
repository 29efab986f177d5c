"""One binary variable X against many candidates given a set with small slices only, and bounds.

The candidates' states are bytes, eight to a word, so adding words counts the ones of eight
candidates at once: no slice has more than 255 data points, and no byte overflows. What a slice
contributes is then looked up by its counts.

`prior` is (tables of `two_by_two` by the size of the set, logs by count, `refined`), `refined` = (starts,
contributions by size, bounds, corners) from `refined_slices`.
"""

import math

import numpy as np

from ibmap.kernels.compiling import kernel
from ibmap.kernels.refined_slices import SMALL
from ibmap.kernels.two_by_two import MINUS_LOG_P, ODDS, UNSEEN, log_ratio, share

BYTES = 8
BYTE = np.uint64(255)
LARGEST = 255  # data points of a slice, so that a byte holds them
HUGE = 600.0  # the exponential of this is still finite
ONE = np.uint64(1)
SAFE = 1.0 - 1e-9  # bounds are lowered by more than rounding can raise them


@kernel
def add_words(labels, x_column, packed, first, ones):
    """Add up the candidates' bytes by slice and X, from one word on. ones: OUT, zero before.

    Rows of label -1 go to the last slice, which nobody reads.
    """
    last = ones.shape[1] // 2 - 1
    places = np.empty(labels.shape[0], np.int32)
    for i in range(labels.shape[0]):
        places[i] = 2 * (labels[i] if labels[i] >= 0 else last) + x_column[i]
    for w in range(first, packed.shape[0]):
        words, sums = packed[w], ones[w]
        for i in range(labels.shape[0]):
            sums[places[i]] += words[i]


@kernel
def add_entries(zero, one, start, width, contributions, bounds, sums, k):
    """Add what a slice of at most `SMALL` data points contributes to eight candidates."""
    for b in range(BYTES):
        shift = np.uint64(BYTES * b)
        at = start + np.int64((zero >> shift) & BYTE) * width + np.int64((one >> shift) & BYTE)
        sums[k + b, 0] += contributions[at]
        sums[k + b, 1] += bounds[at, 0]
        sums[k + b, 2] += bounds[at, 1]


@kernel
def add_larger(zero, one, m0, m1, table, logs, corners, sums, k):
    """Add a larger slice for eight candidates; nothing is known of how small it can become."""
    for b in range(BYTES):
        shift = np.uint64(BYTES * b)
        b0, b1 = (zero >> shift) & BYTE, (one >> shift) & BYTE
        a0, a1 = np.uint64(m0) - b0, np.uint64(m1) - b1
        sums[k + b, 0] += share(a0, a1, b0, b1, table, logs) + table[UNSEEN]
        ratio = math.exp(min(log_ratio(a0, a1, b0, b1, logs), HUGE))
        sums[k + b, 2] += max(ratio, (corners[a0, b1] + corners[a1, b0]) / 2)


@kernel
def add_slices(ones, sizes, n_live, first, size, prior, sums):
    """Go through the slices. sums: IN and OUT, a line for each candidate."""
    tables, logs, refined = prior
    starts, contributions, bounds, corners = refined
    known, table = contributions[size], tables[size]
    for w in range(first, ones.shape[0]):
        for z in range(n_live):
            m0, m1 = sizes[z, 0], sizes[z, 1]
            zero, one = ones[w, 2 * z], ones[w, 2 * z + 1]
            if m0 + m1 <= SMALL:
                add_entries(zero, one, starts[m0, m1], m1 + 1, known, bounds, sums, BYTES * w)
            else:
                add_larger(zero, one, m0, m1, table, logs, corners, sums, BYTES * w)


@kernel
def sliced_costs(labels, x_column, packed, sizes, n_live, size, prior, wanted, costs, lows):
    """-log Pr(I) for each candidate wanted, and bounds.

    labels: IN, live slice of each row or -1. sizes: IN, data points of each by X, none over 255.
    costs, lows: OUT, the entries of those wanted: the costs, and what either answer costs at least,
    given the set or any larger one.

    **Why the bounds hold.** Let K be the number of slices, e = p^(-1/K) - 1 and f = h / g in each.
    The cost of independence is the sum of log(1 + e f). As log(1 + e f) >= min(f, 1) log(1 + e), it
    is at least -log p times the mean of min(f, 1); as log(1 + e f) <= e f, it is at most K e
    times the mean of f. A larger set divides slices: what the means can become is bounded by
    `refined_slices`, and K e only falls. The cost c of independence being at most u, dependence
    costs -log(1 - exp(-c)) >= -log(1 - exp(-u)).
    """
    n_words = packed.shape[0]
    ones = np.zeros((n_words, 2 * n_live + 2), np.uint64)
    sums = np.zeros((BYTES * n_words, 3))
    first = 0
    while first < n_words and (wanted >> np.uint64(BYTES * first)) & BYTE == 0:
        first += 1
    add_words(labels, x_column, packed, first, ones)
    add_slices(ones, sizes, n_live, first, size, prior, sums)
    odds, minus_log_p, n_slices = prior[0][size, ODDS], prior[0][size, MINUS_LOG_P], 2.0**size
    n_dead = n_slices - n_live
    for k in range(costs.shape[0]):
        if not (wanted >> np.uint64(k)) & ONE:
            continue
        costs[k] = sums[k, 0] + minus_log_p * (n_dead / n_slices)
        independent = minus_log_p * ((sums[k, 1] + n_dead) / n_slices)
        dependent = -math.log(-math.expm1(-odds * (sums[k, 2] + n_dead)))
        lows[k] = SAFE * min(independent, dependent)
