"""The tests given a blanket with one variable outside added, in slices of few rows.

W splits a slice into *groups* of rows with the same state; those of one row say nothing.
log(h / g) of X against Y in a group is a sum over its rows: the i-th adds the
logarithm of

    (R + i) (C + i) / (A + i)  *  (1 + n_xy) / ((r + n_x) (c + n_y)),

with the counts among the rows before it, Dirichlet parameters 1, r and c of cells, rows and
columns, and their sums A, R and C. States are bytes, so that all Y are compared eight to a word.
"""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.slice_odds import add_factor

THIN = 64  # rows up to which a slice is thin: what a test multiplies by stays under 1e90
SAFE = 3.0  # prior log-odds up to which products of two factors stay finite
LARGE = 1e100  # products from which on a logarithm is taken
MEMO = 64  # groups remembered
LOW, CARRY, ONES = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(7), np.uint64(0x0101010101010101)

# By the number of rows before and the column: what their number and X alone multiply by; by column: odds of a
# slice of B + W, and 0 where it only fills up a word; the parameter of a column. By kind: its columns, a
# byte each, first and last word and how many; logs of 1 + e of two rows by the kinds of W and Y and by
# whether X and Y are the same.
ThinNumbers = namedtuple("ThinNumbers", "sizes rows odds is_real column kind_words kind_ends pair_logs")
# The slice: states by row and column, as bytes and as words; X by row; all its rows; how many states each
# column has, rows by state, and where each state begins. Scratch: marks of states, counts of rows with and
# without X the same as words and bytes, ratios of the whole slice and of a group, and what groups have
# been found to give.
ThinSlice = namedtuple(
    "ThinSlice",
    "ids words runs everything n_states order starts marks own_words own other_words other whole ratios memo",
)
# Groups remembered: rows (as bits) and kind of W, and the slice; product and logarithm.
Memo = namedtuple("Memo", "keys kinds stamps products logs")


@inner
def tabulate_pairs(kinds, pair_logs):
    """Tabulate log(1 + e) of groups of two rows. pair_logs: OUT."""
    for d in range(kinds.log_odds.shape[0]):
        for e in range(kinds.log_odds.shape[0]):
            row, column, all_cells, all_rows, all_columns = kinds.numbers[e]
            size = (all_rows + 1) * ((all_columns + 1) / (all_cells + 1))
            for same_x in range(2):
                for same_y in range(2):
                    ratio = size * (1.0 + same_x * same_y) / ((row + same_x) * (column + same_y))
                    pair_logs[d, e, same_x, same_y] = math.log1p(math.exp(kinds.log_odds[d]) * ratio)


@inner
def list_kinds(kinds, kind_words, kind_ends):
    """List the columns of each kind. kind_words, kind_ends: OUT, zero before."""
    for k in range(kinds.of_column.shape[0]):
        d = kinds.of_column[k]
        kind_words[d, k // 8] |= np.uint64(1) << np.uint64(8 * (k % 8))
        if kind_ends[d, 2] == 0:
            kind_ends[d, 0] = k // 8
        kind_ends[d, 1] = k // 8 + 1
        kind_ends[d, 2] += 1


@inner
def thin_numbers(kinds, n_rows):
    """Tabulate what tests in slices of so many rows multiply by. kinds: IN, of the columns outside."""
    n, n_kinds = kinds.of_column.shape[0], kinds.log_odds.shape[0]
    n_words = (n + 7) // 8
    sizes, rows = np.ones((n_rows, 8 * n_words)), np.ones((n_rows, 8 * n_words))
    odds, is_real = np.zeros(8 * n_words), np.zeros(8 * n_words)
    for k in range(n):
        row, _, all_cells, all_rows, all_columns = kinds.numbers[kinds.of_column[k]]
        odds[k], is_real[k] = math.exp(kinds.log_odds[kinds.of_column[k]]), 1.0
        for i in range(n_rows):
            sizes[i, k] = (all_rows + i) * ((all_columns + i) / (all_cells + i))
            rows[i, k] = 1.0 / (row + i)
    pair_logs = np.empty((n_kinds, n_kinds, 2, 2))
    tabulate_pairs(kinds, pair_logs)
    kind_words, kind_ends = np.zeros((n_kinds, n_words), np.uint64), np.zeros((n_kinds, 3), np.int64)
    list_kinds(kinds, kind_words, kind_ends)
    column = float(kinds.numbers[0, 1])
    return ThinNumbers(sizes, rows, odds, is_real, column, kind_words, kind_ends, pair_logs)


@inner
def new_thin_slice(n_columns, n_states):
    """Make room for a thin slice."""
    n_words = (n_columns + 7) // 8
    words = np.zeros(THIN * n_words, np.uint64)
    own, other = np.zeros(n_words, np.uint64), np.zeros(n_words, np.uint64)
    memo = Memo(
        np.zeros(MEMO, np.uint64), np.zeros(MEMO, np.int64), np.full(MEMO, -1, np.int64),
        np.empty(MEMO), np.empty(MEMO),
    )  # fmt: skip
    return ThinSlice(
        words.view(np.uint8).reshape(THIN, 8 * n_words), words.reshape(THIN, n_words),
        np.empty(THIN, np.int32), np.arange(THIN).astype(np.uint8), np.empty(n_columns, np.int32),
        np.empty((n_columns, THIN), np.uint8), np.empty((n_columns, THIN + 1), np.uint8),
        np.zeros(n_states, np.uint8),
        own, own.view(np.uint8), other, other.view(np.uint8),
        np.empty(8 * n_words), np.empty(8 * n_words), memo,
    )  # fmt: skip


@inlined
def read_column(rows, codes, k, thin):
    """Number the states of a column in the slice, and sort its rows by them. thin: OUT, column k."""
    ids, marks, order, starts = thin.ids, thin.marks, thin.order[k], thin.starts[k]
    n, n_rows = 0, rows.shape[0]
    for r in range(n_rows):
        code = codes[np.uint32(rows[r])]
        if marks[code] == 0:
            n += 1
            marks[code], starts[n] = n, 0
        ids[r, k] = marks[code] - 1
        starts[marks[code]] += 1
    thin.n_states[k], starts[0] = n, 0
    for w in range(1, n):
        starts[w + 1] += starts[w]
    for r in range(n_rows - 1, -1, -1):  # from the end of each state, so that its rows keep their order
        marks[codes[np.uint32(rows[r])]] = 0
        w = ids[r, k] + 1
        starts[w] -= 1
        order[starts[w]] = r
    for w in range(n):
        starts[w] = starts[w + 1]
    starts[n] = n_rows


@inlined
def count_equal(words, r, s, counts):
    """Count one more row that has the same states. words: IN, bytes under 128. counts: IN and OUT."""
    for q in range(counts.shape[0]):
        differs = ((words[r, q] ^ words[s, q]) + LOW) >> CARRY & ONES
        counts[q] += differs ^ ONES


@inlined
def weigh_group(members, thin, numbers, ratios):
    """Give h / g of X against every column in a group. members: IN, its rows. ratios: OUT."""
    words, runs, own, other, column = thin.words, thin.runs, thin.own, thin.other, numbers.column
    first = 0  # of those with X the same
    for k in range(ratios.shape[0]):
        ratios[k] = 1.0
    for i in range(1, members.shape[0]):
        if runs[members[i]] != runs[members[i - 1]]:
            first = i
        for q in range(thin.own_words.shape[0]):
            thin.own_words[q] = thin.other_words[q] = 0
        for j in range(first):
            count_equal(words, members[i], members[j], thin.other_words)
        for j in range(first, i):
            count_equal(words, members[i], members[j], thin.own_words)
        sizes, rows = numbers.sizes[i], numbers.rows[i - first]
        for k in range(ratios.shape[0]):
            n_xy = float(own[k])
            ratios[k] *= sizes[k] * rows[k] * (1.0 + n_xy) / (column + n_xy + float(other[k]))


@inlined
def spill(product, log):
    """Put a large product into its logarithm."""
    if product > LARGE:
        return 1.0, log + math.log(product)
    return product, log


@inlined
def times_all(odds, ratios, is_real, product, log):
    """Multiply by 1 + odds * ratio of every column, two at a time."""
    for k in range(0, ratios.shape[0], 2):
        pair = (1.0 + odds * ratios[k] * is_real[k]) * (1.0 + odds * ratios[k + 1] * is_real[k + 1])
        product, log = spill(product * pair, log)
    return product, log


@inlined
def group_product(w, kind, members, stamp, thin, numbers):
    """Give the product of 1 + e over all Y but W in a group of equal W, and its logarithm's part.

    members: IN, the rows. Where another W of the same kind has the same group, it is what that one gave.
    """
    memo, key = thin.memo, np.uint64(0)
    for r in members:
        key |= np.uint64(1) << np.uint64(r)
    place = ((key + np.uint64(kind)) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58)
    if memo.keys[place] != key or memo.kinds[place] != kind or memo.stamps[place] != stamp:
        weigh_group(members, thin, numbers, thin.ratios)
        thin.ratios[w] = 0.0
        found = times_all(numbers.odds[w], thin.ratios, numbers.is_real, 1.0, 0.0)
        memo.keys[place], memo.kinds[place], memo.stamps[place] = key, kind, stamp
        memo.products[place], memo.logs[place] = found
    return memo.products[place], memo.logs[place]


@inlined
def pair_log(kind, r, s, thin, numbers):
    """Give the log of what `group_product` gives for a group of two rows. kind: IN, of W."""
    kind_words, ends, logs, words = numbers.kind_words, numbers.kind_ends, numbers.pair_logs, thin.words
    same_x, total = np.int64(thin.runs[r] == thin.runs[s]), 0.0
    for d in range(ends.shape[0]):
        n_same = -np.int64(d == kind)  # W itself is the same, and left out
        for q in range(ends[d, 0], ends[d, 1]):
            differs = ((words[r, q] ^ words[s, q]) + LOW) >> CARRY
            n_same += popcount(~differs & kind_words[d, q])
        n_others = ends[d, 2] - np.int64(d == kind) - n_same
        total += n_same * logs[kind, d, same_x, 1] + n_others * logs[kind, d, same_x, 0]
    return total


@inlined
def weigh_states(w, kind, stamp, thin, numbers):
    """Multiply what the groups of equal W give; return the product, its log's part, and their number."""
    product, log, n_live = 1.0, 0.0, 0
    for state in range(thin.n_states[w]):
        first, last = thin.starts[w, state], thin.starts[w, state + 1]
        if last - first > 1:
            n_live += 1
            members = thin.order[w][first:last]
            if last - first == 2:
                log += pair_log(kind, members[0], members[1], thin, numbers)
                continue
            one, more = group_product(w, kind, members, stamp, thin, numbers)
            product, log = spill(product * one, log + more)
    return product, log, n_live


@inlined
def add_ratio(odds, log_odds, ratio):
    """Multiply the product so far by 1 + e of a slice. odds: IN and OUT, as for `add_factor`."""
    if log_odds < -500.0:
        add_factor(odds, log_odds + math.log(ratio))
        return
    odds[0] += math.exp(log_odds) * ratio * (1.0 + odds[0])
    if odds[0] > LARGE:
        odds[1] += math.log1p(odds[0])
        odds[0] = 0.0


@bare
def weigh_thin_slice(rows, x_codes, codes, outside, kinds, log_odds, stamp, thin, numbers, sums):
    """Add what a thin slice of B gives to all sums.

    rows: IN, sorted by X. log_odds: IN, of a slice of B. stamp: IN, another one for every slice. sums: IN
    and OUT.
    """
    n_rows = rows.shape[0]
    for r in range(n_rows):
        thin.runs[r] = x_codes[rows[r]]
    for k in range(outside.shape[0]):
        read_column(rows, codes[:, outside[k]], k, thin)
    weigh_group(thin.everything[:n_rows], thin, numbers, thin.whole)
    for k in range(outside.shape[0]):
        add_ratio(sums.odds[k], log_odds, thin.whole[k])
        product, log, n_live = weigh_states(k, kinds.of_column[k], stamp, thin, numbers)
        sums.products[k], sums.logs[k] = spill(sums.products[k] * product, sums.logs[k] + log)
        sums.n_live[k] += n_live
