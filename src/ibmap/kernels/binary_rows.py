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
from ibmap.kernels.compiling import bare, inlined, inner, kernel
from ibmap.kernels.counting import hash_keys
from ibmap.kernels.two_by_two import log_ratio, multiply


@kernel
def pack_columns(columns, words):
    """Pack 0/1 columns, 64 rows to a word. columns: IN. words: OUT, zero before."""
    for v in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            words[v, i // 64] |= np.uint64(columns[v, i]) << np.uint64(i % 64)


@bare
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
def row_minus_log_p(columns, masks, sizes, candidates, log_odds, logs, most, out):
    """-log Pr(I(X, Y | Z)) over the slices that matter, for each candidate Y up to the first over `most`.

    masks, sizes: IN, from `split_rows`. logs: IN, tables of log-rising factorials.
    out: OUT. Returns for how many candidates.
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
        if out[c] > most:
            return c + 1
    return candidates.shape[0]


@bare
def add_expected(sizes, ones, facts):
    """Add up what the expected counts of a slice are like; return the smallest.

    sizes, ones: IN, data points of the slice, and those with Y = 1, by X. facts: OUT, (cells whose row
    and column are in use, those that expect less than 1, less than 5).
    """
    total = sizes[0] + sizes[1]
    high = ones[0] + ones[1]
    smallest = np.inf
    for row in (sizes[0], sizes[1]):
        for column in (total - high, high):
            product = float(row) * float(column)
            if product > 0:
                facts[0] += 1
                facts[1] += product < total
                facts[2] += product < 5.0 * total
                smallest = min(smallest, product / total)
    return smallest


@kernel
def mask_expected(columns, masks, sizes, y, facts):
    """Add up what the expected counts of X and Y are like in the slices of `split_rows`; return the smallest.

    facts: OUT, as for `add_expected`.
    """
    smallest = np.inf
    for s in range(masks.shape[0]):
        ones = count_common((masks[s, 0], masks[s, 1]), columns[y])
        smallest = min(smallest, add_expected(sizes[s], ones, facts))
    return smallest


@bare
def largest_set(starts):
    """Give the size of the largest of some sets, from where each starts in their list."""
    largest = 0
    for k in range(starts.shape[0] - 1):
        largest = max(largest, starts[k + 1] - starts[k])
    return largest


@bare
def set_keys(columns, row_bits, given, keys):
    """Make a key of the states of at most 64 variables in each row. keys: OUT. Returns its bits in use.

    columns: IN, states of each variable and row. row_bits: IN, those of a row, 64 variables to a word.
    """
    mask, is_in_first = np.uint64(0), True
    for z in given:
        is_in_first &= z < WORD
        mask |= np.uint64(1) << np.uint64(z % WORD)
    if is_in_first:
        for i in range(keys.shape[0]):
            keys[i] = row_bits[0, i] & mask
        return WORD
    keys[:] = 0
    for k in range(given.shape[0]):
        column = columns[given[k]]
        for i in range(keys.shape[0]):
            keys[i] |= np.uint64(column[i]) << np.uint64(k)
    return given.shape[0]


@inner
def number_rows(columns, row_bits, given, labels):
    """Number the distinct states of a set of variables. labels: OUT. Returns how many.

    columns, row_bits: IN, as for `set_keys`. As many variables as a word holds make a key; more
    keys refine the numbers.
    """
    keys = np.empty(labels.shape[0], np.uint64)
    n_bits = set_keys(columns, row_bits, given[:WORD], keys)
    n_labels = number_keys(keys, n_bits, labels).shape[0]
    found = np.empty(labels.shape[0] if given.shape[0] > WORD else 0, np.int64)
    for first in range(WORD, given.shape[0], WORD):
        n_bits = set_keys(columns, row_bits, given[first : first + WORD], keys)
        n_found = number_keys(keys, n_bits, found).shape[0]
        for i in range(labels.shape[0]):
            keys[i] = np.uint64(labels[i] * n_found + found[i])
        n_labels = hash_keys(keys, labels).shape[0]
    return n_labels


@bare
def number_live(sums, numbers):
    """Number the slices with two data points or more, and move them to the front.

    sums: IN and OUT, data points by slice and state of X. numbers: OUT, -1 for others. Returns how many.
    """
    n_live = 0
    for z in range(sums.shape[0]):
        numbers[z] = -1
        if sums[z, 0] + sums[z, 1] >= 2:
            numbers[z] = n_live
            sums[n_live, 0], sums[n_live, 1] = sums[z, 0], sums[z, 1]
            n_live += 1
    return n_live


@kernel
def number_slices(columns, row_bits, given, x, weights, rows, groups):
    """Number rows by slice and X, where the slice has two data points or more.

    columns, row_bits: IN, as for `set_keys`. rows: OUT, rows in such slices. groups: OUT, twice the
    slice of such a row plus its state of X. Returns how many rows, slices that occur, and
    the data points of such slices by X.
    """
    labels = np.empty(weights.shape[0], np.int64)
    n_seen = number_rows(columns, row_bits, given, labels)
    x_column = columns[x]
    sums = np.zeros((n_seen, 2), np.int64)
    for i in range(labels.shape[0]):
        sums[labels[i], x_column[i]] += weights[i]
    numbers = np.empty(n_seen, np.int64)
    n_live = number_live(sums, numbers)
    n_rows = 0
    for i in range(labels.shape[0]):
        z = numbers[labels[i]]
        if z >= 0:
            rows[n_rows] = i
            groups[n_rows] = 2 * z + x_column[i]
            n_rows += 1
    return n_rows, n_seen, sums[:n_live].copy()


@bare
def add_ones(column, rows, groups, weights, ones):
    """Add up a column by group. column, weights: IN, of all rows. ones: OUT."""
    ones[:] = 0
    for k in range(rows.shape[0]):
        i = rows[k]
        ones[groups[k]] += weights[i] * column[i]


@kernel
def group_minus_log_p(columns, rows, groups, sizes, weights, candidates, log_odds, logs, most, out):
    """-log Pr(I(X, Y | Z)) over the slices that matter, for each candidate Y up to the first over `most`.

    columns: IN, states of each variable and row. rows, groups, sizes: IN, from `number_slices`.
    logs: IN, tables of log-rising factorials. out: OUT. Returns for how many candidates.
    """
    ones = np.empty(2 * sizes.shape[0], np.int64)
    for c in range(candidates.shape[0]):
        add_ones(columns[candidates[c]], rows, groups, weights, ones)
        excess, log_big = 0.0, 0.0
        for z in range(sizes.shape[0]):
            b0, b1 = ones[2 * z], ones[2 * z + 1]
            ratio = log_ratio(sizes[z, 0] - b0, sizes[z, 1] - b1, b0, b1, logs)
            excess, log_big = multiply(excess, log_big, log_odds + ratio)
        out[c] = log_big + math.log1p(excess)
        if out[c] > most:
            return c + 1
    return candidates.shape[0]


@kernel
def group_expected(columns, rows, groups, sizes, weights, y, facts):
    """Do as `mask_expected` in the slices of `number_slices`."""
    ones = np.empty(2 * sizes.shape[0], np.int64)
    add_ones(columns[y], rows, groups, weights, ones)
    smallest = np.inf
    for z in range(sizes.shape[0]):
        smallest = min(smallest, add_expected(sizes[z], ones[2 * z : 2 * z + 2], facts))
    return smallest
