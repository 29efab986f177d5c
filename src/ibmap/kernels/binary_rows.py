"""One binary variable against many others given a set.

Given a small set, each slice split by X is a mask of rows, and a count is the
number of bits common to a mask and a column packed in the order of the rows.
Given a larger set, rows are numbered by slice and X, and a column's ones are
added up by number.
"""

import math

import numpy as np

from ibmap.kernels.binary_layout import WORD, number_keys
from ibmap.kernels.binary_pairs import q
from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import inlined, inner, kernel
from ibmap.kernels.counting import hash_keys
from ibmap.kernels.two_by_two import log_ratio, multiply


@kernel
def pack_columns(columns, words):
    """Pack 0/1 columns, 64 rows to a word. columns: IN. words: OUT, zero before."""
    for v in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            words[v, i // 64] |= np.uint64(columns[v, i]) << np.uint64(i % 64)


@inner
def count_bits(words):
    """Count the bits of an array of words."""
    total = 0
    for w in range(words.shape[0]):
        total += popcount(words[w])
    return total


@inlined
def count_common(masks, column):
    """Count the bits that a column has in common with each of two masks, in one sweep."""
    low, high = masks
    total_low, total_high = 0, 0
    for w in range(column.shape[0]):
        total_low += popcount(low[w] & column[w])
        total_high += popcount(high[w] & column[w])
    return total_low, total_high


@kernel
def split_rows(columns, everything, given, x, masks, sizes):
    """Make the masks of the slices with two rows or more, split by X.

    columns: IN, packed columns. everything: IN, mask of all rows. masks: OUT, (slices, 2,
    words). sizes: OUT, (slices, 2) rows. Returns the number of slices.
    """
    for w in range(everything.shape[0]):
        masks[0, 0, w] = everything[w]
    n = 1
    for k in range(given.shape[0]):
        column = columns[given[k]]
        for s in range(n):
            for w in range(column.shape[0]):
                masks[n + s, 0, w] = masks[s, 0, w] & column[w]
                masks[s, 0, w] &= ~column[w]
        n *= 2
    found = 0
    column = columns[x]
    for s in range(n):
        total = count_bits(masks[s, 0])
        if total >= 2:
            for w in range(column.shape[0]):
                word = masks[s, 0, w]
                masks[found, 0, w] = word & ~column[w]
                masks[found, 1, w] = word & column[w]
            sizes[found, 1] = count_bits(masks[found, 1])
            sizes[found, 0] = total - sizes[found, 1]
            found += 1
    return found


@kernel
def row_minus_log_p(columns, masks, sizes, candidates, log_odds, logs, out):
    """-log Pr(I(X, Y | Z)) over the slices that matter, for each candidate Y.

    masks, sizes: IN, from `split_rows`. logs: IN, tables of log-rising factorials.
    out: OUT.
    """
    cell, side, total = logs
    terms = np.empty(masks.shape[0])  # what all candidates share
    for s in range(masks.shape[0]):
        low, high = sizes[s, 0], sizes[s, 1]
        terms[s] = log_odds + total[low + high] - side[low] - side[high]
    for c in range(candidates.shape[0]):
        column = columns[candidates[c]]
        excess, log_big = 0.0, 0.0
        for s in range(masks.shape[0]):
            b0, b1 = count_common((masks[s, 0], masks[s, 1]), column)
            shares = q(sizes[s, 0] - b0, sizes[s, 1] - b1, cell, side) + q(b0, b1, cell, side)
            excess, log_big = multiply(excess, log_big, terms[s] + shares)
        out[c] = log_big + math.log1p(excess)


@kernel
def live_cells(columns, everything, given, x, y, cells):
    """List the cells of X and Y in the slices with two rows or more: (slice, x, y, count).

    columns: IN, packed columns. everything: IN, mask of all rows. cells: OUT. Returns how many
    cells, slices, and rows in these slices.
    """
    n_masks = 1 << given.shape[0]
    masks, sizes = np.empty((n_masks, 2, columns.shape[1]), np.uint64), np.empty((n_masks, 2), np.int64)
    n_slices = split_rows(columns, everything, given, x, masks, sizes)
    n_cells, n_rows = 0, 0
    for s in range(n_slices):
        ones = count_common((masks[s, 0], masks[s, 1]), columns[y])
        n_rows += sizes[s, 0] + sizes[s, 1]
        for cell in range(4):
            high = ones[cell // 2]
            count = high if cell % 2 else sizes[s, cell // 2] - high
            if count > 0:
                cells[n_cells, 0], cells[n_cells, 1] = s, cell // 2
                cells[n_cells, 2], cells[n_cells, 3] = cell % 2, count
                n_cells += 1
    return n_cells, n_slices, n_rows


@kernel
def all_rows(columns, everything, asked, starts, members, log_odds, minus_log_p, logs, out):
    """-log Pr(I(X, Y | Z)) of each X asked about, given its set Z, for all Y outside.

    asked: IN, the X. starts, members: IN, set k is ``members[starts[k]:starts[k + 1]]``.
    log_odds: IN, of dependence in a slice, for each X. minus_log_p: IN, of the prior.
    out: OUT, (X asked about, variables); X and its set are left as they are.
    """
    n_variables = columns.shape[0]
    n_masks = 1 << np.max(starts[1:] - starts[:-1])
    masks, sizes = np.empty((n_masks, 2, columns.shape[1]), np.uint64), np.empty((n_masks, 2), np.int64)
    found, candidates = np.empty(n_variables), np.empty(n_variables, np.int64)
    for k in range(asked.shape[0]):
        given = members[starts[k] : starts[k + 1]]
        n_slices = split_rows(columns, everything, given, asked[k], masks, sizes)
        n_candidates = 0
        for y in range(n_variables):
            if y != asked[k] and y not in given:
                candidates[n_candidates] = y
                n_candidates += 1
        chosen = candidates[:n_candidates]
        row_minus_log_p(columns, masks[:n_slices], sizes[:n_slices], chosen, log_odds[k], logs, found)
        n_possible = 1 << given.shape[0]
        rest = minus_log_p * ((n_possible - n_slices) / n_possible)
        for c in range(n_candidates):
            out[k, candidates[c]] = found[c] + rest


@inner
def number_rows(columns, given, labels):
    """Number the distinct states of a set of variables. labels: OUT. Returns how many.

    columns: IN, states of each variable and row. As many variables as a word holds make a key; more
    keys refine the numbers.
    """
    n_labels = 1
    labels[:] = 0
    keys = np.empty(labels.shape[0], np.uint64)
    found = np.empty(labels.shape[0], np.int64)
    for first in range(0, given.shape[0], WORD):
        n_bits = min(given.shape[0] - first, WORD)
        keys[:] = 0
        for k in range(n_bits):
            column = columns[given[first + k]]
            for i in range(labels.shape[0]):
                keys[i] |= np.uint64(column[i]) << np.uint64(k)
        n_found = number_keys(keys, n_bits, found).shape[0]
        for i in range(labels.shape[0]):
            labels[i] = labels[i] * n_found + found[i]
        if n_labels > 1:
            for i in range(labels.shape[0]):
                keys[i] = np.uint64(labels[i])
            n_found = hash_keys(keys, labels).shape[0]
        n_labels = n_found
    return n_labels


@kernel
def number_slices(columns, given, x, weights, groups, sizes):
    """Number rows by slice and X, the slices with two data points or more first.

    columns: IN, states of each variable and row. groups: OUT, of each row, twice its slice plus its
    state of X. sizes: OUT, (slices, 2). Returns how many slices have two data points or more.
    """
    n = number_rows(columns, given, groups)
    x_column = columns[x]
    totals = np.zeros(n, np.int64)
    for i in range(groups.shape[0]):
        totals[groups[i]] += weights[i]
    rank = np.empty(n, np.int64)
    n_live, n_dead = 0, 0
    for z in range(n):
        if totals[z] >= 2:
            rank[z] = n_live
            n_live += 1
        else:
            n_dead += 1
            rank[z] = n - n_dead
    sizes[:n] = 0
    for i in range(groups.shape[0]):
        z = rank[groups[i]]
        sizes[z, x_column[i]] += weights[i]
        groups[i] = 2 * z + x_column[i]
    return n_live


@kernel
def group_minus_log_p(columns, groups, sizes, n_live, weights, candidates, log_odds, logs, out):
    """-log Pr(I(X, Y | Z)) over the slices that matter, for each candidate Y.

    columns: IN, states of each variable and row. groups, sizes: IN, from `number_slices`.
    logs: IN, tables of log-rising factorials. out: OUT.
    """
    ones = np.empty(2 * sizes.shape[0], np.int64)
    for c in range(candidates.shape[0]):
        column = columns[candidates[c]]
        ones[:] = 0
        for i in range(groups.shape[0]):
            ones[groups[i]] += weights[i] * column[i]
        excess, log_big = 0.0, 0.0
        for z in range(n_live):
            b0, b1 = ones[2 * z], ones[2 * z + 1]
            ratio = log_ratio(sizes[z, 0] - b0, sizes[z, 1] - b1, b0, b1, logs)
            excess, log_big = multiply(excess, log_big, log_odds + ratio)
        out[c] = log_big + math.log1p(excess)
