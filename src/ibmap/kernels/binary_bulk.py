"""Binary variables against all others, each given a small set of its own.

Counted is in how many rows Y and all of some of X and the set are 1. For none and for one of them that is
known beforehand for all pairs of variables, for more of them it is the number of bits that a mask has in
common with Y. Differences of these counts are those of the slices: what is 1 with or without another
variable, less what is 1 with it, is what is 1 where the other is 0.
"""

import math

import numpy as np

from ibmap.kernels.binary_pairs import q
from ibmap.kernels.binary_rows import count_bits, largest_set
from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import bare, inlined, kernel
from ibmap.kernels.two_by_two import multiply


@inlined
def count_one(mask, column):
    """Count the bits that a column has in common with a mask."""
    n = 0
    for w in range(column.shape[0]):
        n += popcount(mask[w] & column[w])
    return n


@inlined
def count_four(masks, column):
    """Do the same with four masks, in one sweep."""
    m0, m1, m2, m3 = masks
    n0, n1, n2, n3 = 0, 0, 0, 0
    for w in range(column.shape[0]):
        word = column[w]
        n0 += popcount(m0[w] & word)
        n1 += popcount(m1[w] & word)
        n2 += popcount(m2[w] & word)
        n3 += popcount(m3[w] & word)
    return n0, n1, n2, n3


@kernel
def count_pairs(columns, wanted, pairs):
    """Count the rows in which some variables and any other are both 1.

    columns: IN, packed columns. pairs: OUT, (variables, variables), of which the rows wanted are set.
    """
    for k in range(wanted.shape[0]):
        x = wanted[k]
        for y in range(columns.shape[0]):
            pairs[x, y] = count_one(columns[y], columns[x])


@bare
def conjoin(columns, chosen, masks, larger):
    """Mark the rows in which all variables of a subset are 1, for every subset but the empty one.

    Subset s has the variables of its bits. masks: OUT. larger: OUT, the subsets of two variables or more.
    Returns how many these are.
    """
    n_larger = 0
    for j in range(chosen.shape[0]):
        bit, column = 1 << j, columns[chosen[j]]
        for w in range(column.shape[0]):
            masks[bit, w] = column[w]
        for s in range(1, bit):
            for w in range(column.shape[0]):
                masks[bit | s, w] = masks[s, w] & column[w]
            larger[n_larger] = bit | s
            n_larger += 1
    return n_larger


@bare
def take_differences(counts, n_chosen):
    """Go from counts of rows with all variables of a subset to those with these alone. counts: IN and OUT."""
    for j in range(n_chosen):
        bit = 1 << j
        for first in range(0, 1 << n_chosen, 2 * bit):
            for s in range(first, first + bit):
                counts[s] -= counts[s + bit]


@bare
def count_slices(masks, larger, n_rows, pairs, chosen, counts):
    """Count the rows of every slice of X and the set. counts: OUT."""
    counts[0] = n_rows
    for j in range(chosen.shape[0]):
        counts[1 << j] = pairs[chosen[j], chosen[j]]
    for k in range(larger.shape[0]):
        counts[larger[k]] = count_bits(masks[larger[k]])
    take_differences(counts, chosen.shape[0])


@bare
def count_ones(column, y, masks, larger, pairs, chosen, counts):
    """Count the rows of every slice of X and the set in which Y is 1. counts: OUT."""
    counts[0] = pairs[y, y]
    for j in range(chosen.shape[0]):
        counts[1 << j] = pairs[chosen[j], y]
    n_by_four = larger.shape[0] // 4 * 4
    for k in range(0, n_by_four, 4):
        s, t, u, v = larger[k], larger[k + 1], larger[k + 2], larger[k + 3]
        found = count_four((masks[s], masks[t], masks[u], masks[v]), column)
        counts[s], counts[t], counts[u], counts[v] = found
    for k in range(n_by_four, larger.shape[0]):
        counts[larger[k]] = count_one(masks[larger[k]], column)
    take_differences(counts, chosen.shape[0])


@bare
def list_slices(counts, log_odds, logs, slices, sizes, terms):
    """List the slices of the set with two rows or more.

    counts: IN, rows by slice of X and the set, X last. slices, sizes: OUT, which, and their rows by X.
    terms: OUT, what all tests share of each. Returns how many there are.
    """
    _, side, total = logs
    n, half = 0, counts.shape[0] // 2
    for s in range(half):
        low, high = counts[s], counts[half + s]
        if low + high >= 2:
            slices[n], sizes[n, 0], sizes[n, 1] = s, low, high
            terms[n] = log_odds + total[low + high] - side[low] - side[high]
            n += 1
    return n


@bare
def minus_log_p(counts, slices, sizes, terms, logs):
    """-log Pr(I(X, Y | Z)) over the slices that matter. counts: IN, rows with Y = 1, as in `list_slices`."""
    cell, side, _ = logs
    half = counts.shape[0] // 2
    excess, log_big = 0.0, 0.0
    for k in range(slices.shape[0]):
        b0, b1 = counts[slices[k]], counts[half + slices[k]]
        shares = q(sizes[k, 0] - b0, sizes[k, 1] - b1, cell, side) + q(b0, b1, cell, side)
        excess, log_big = multiply(excess, log_big, terms[k] + shares)
    return log_big + math.log1p(excess)


@kernel
def all_rows(columns, n_rows, pairs, asked, starts, members, log_odds, minus_log_prior, logs, out):
    """-log Pr(I(X, Y | Z)) of each X asked about, given its set Z, for all Y outside.

    columns: IN, packed columns. pairs: IN, from `count_pairs`, rows of all variables that occur here, and
    the diagonal. asked: IN, the X. starts, members: IN, set k is ``members[starts[k]:starts[k + 1]]``.
    log_odds: IN, of dependence in a slice, for each X. minus_log_prior: IN, -log p. logs: IN, tables of
    log-rising factorials. out: OUT, (X asked about, variables); X and its set are left as they are.
    """
    most = 1 << largest_set(starts)
    masks, larger = np.empty((2 * most, columns.shape[1]), np.uint64), np.empty(2 * most, np.int64)
    counts, chosen = np.empty(2 * most, np.int64), np.empty(columns.shape[0], np.int64)
    slices, sizes, terms = np.empty(most, np.int64), np.empty((most, 2), np.int64), np.empty(most)
    for k in range(asked.shape[0]):
        given = members[starts[k] : starts[k + 1]]
        n_given = given.shape[0]
        for j in range(n_given):
            chosen[j] = given[j]
        chosen[n_given] = asked[k]
        own, cells = chosen[: n_given + 1], counts[: 2 << n_given]
        subsets = larger[: conjoin(columns, own, masks, larger)]
        count_slices(masks, subsets, n_rows, pairs, own, cells)
        n = list_slices(cells, log_odds[k], logs, slices, sizes, terms)
        rest = minus_log_prior * (((1 << n_given) - n) / (1 << n_given))
        for y in range(columns.shape[0]):
            if y not in own:
                count_ones(columns[y], y, masks, subsets, pairs, own, cells)
                out[k, y] = minus_log_p(cells, slices[:n], sizes[:n], terms[:n], logs) + rest
