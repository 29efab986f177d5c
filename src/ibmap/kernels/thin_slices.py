"""The tests given a blanket with one variable outside added, in slices of few rows.

W splits a slice into *groups* of rows with the same state; those of one row say nothing.
log(h / g) of X against Y in a group is a sum over its rows: the i-th adds the
logarithm of

    (R + i) (C + i) / (A + i)  *  (1 + n_xy) / ((r + n_x) (c + n_y)),

with the counts among the rows before it, Dirichlet parameters 1, r and c of cells, rows and
columns, and their sums A, R and C. All Y are compared side by side (`lanes`).
"""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.lane_tests import load_rows, new_lane_room, weigh_thin
from ibmap.kernels.lane_tests import spill as spill_odds
from ibmap.kernels.lanes import LANES, STATES, add_equal, add_factors, copy_row, equal_lanes, product_of
from ibmap.kernels.likelihood import BIG
from ibmap.kernels.slice_odds import THIN

WIDEST = 10_000  # states of X up to which products over the rows of a slice do
LARGE = 1e100  # products from which on a logarithm is taken
MEMO = 64  # groups remembered
FEW = 12  # rows up to which many columns have no group, or a single one of two rows

# The slice: rows by block, X by row. Scratch: rows by state, as bits (0 before and after), states that occur;
# lanes by block, as bits, in which just two rows have the same state, and in which more have;
# the rows of a group, and what they give (`lane_tests`); what X alone gives, by kind and by lane. Found: odds
# of X and each column by block; slices of two rows with the same Y by block and whether X is the same, and
# how many there are; what groups give.
ThinSlice = namedtuple(
    "ThinSlice", "rows x groups states lone split members room group_x bases scales odds pairs n_pairs memo"
)
# Groups remembered: rows (as bits) and kind of W, and the slice; product and logarithm.
Memo = namedtuple("Memo", "keys kinds stamps products logs")


@inner
def new_thin_slice(n_variables, n_kinds):
    """Make room for a thin slice."""
    n_blocks = (n_variables + LANES - 1) // LANES
    memo = Memo(
        np.zeros(MEMO, np.uint64), np.zeros(MEMO, np.int64), np.full(MEMO, -1, np.int64),
        np.empty(MEMO), np.empty(MEMO),
    )  # fmt: skip
    return ThinSlice(
        np.zeros((n_blocks, THIN, LANES), np.uint8), np.empty(THIN, np.int64),
        np.zeros(STATES, np.uint64), np.empty(THIN, np.int64),
        np.zeros(n_blocks, np.uint64), np.zeros(n_blocks, np.uint64), np.empty(THIN, np.int64),
        new_lane_room(1), np.empty(THIN, np.int64), np.empty(n_kinds),
        np.empty((n_blocks, LANES)), np.zeros((n_blocks, 2, LANES)),
        np.zeros((n_blocks, 2, LANES), np.int32), np.zeros(2, np.int64), memo,
    )  # fmt: skip


@bare
def number_states(rows, codes, block, lane, marks, thin):
    """Number the states of a column in the slice. marks: scratch, 0 before and after. thin: OUT."""
    n = 0
    for r in range(rows.shape[0]):
        code = codes[np.uint32(rows[r])]
        if marks[code] == 0:
            n += 1
            marks[code] = n
        thin.rows[block, r, lane] = marks[code] - 1
    for r in range(rows.shape[0]):
        marks[codes[np.uint32(rows[r])]] = 0


@bare
def load_slice(rows, x_codes, data, outside, marks, numbers, thin):
    """Put the rows of a slice next to each other: as bytes where there are blocks, else numbered anew."""
    for r in range(rows.shape[0]):
        thin.x[r] = x_codes[rows[r]]
    if data.blocks.shape[0] > 0:
        for b in range(data.blocks.shape[0]):
            load_rows(rows, 0, rows.shape[0], data.blocks[b], 0, thin.rows[b])
        return
    for k in range(outside.shape[0]):
        b, lane = numbers.places[k]
        number_states(rows, data.codes[:, outside[k]], b, lane, marks, thin)


@bare
def weigh_x(n_rows, numbers, thin):
    """Work out what X alone gives in a group. thin: IN, `group_x`; OUT, `bases`, by kind."""
    for d in range(thin.bases.shape[0]):
        row, _, all_cells, all_rows, all_columns = numbers[d]
        base, begin = 1.0, 0
        for i in range(n_rows):
            begin = begin if thin.group_x[i] == thin.group_x[begin] else i
            base *= (all_rows + i) * ((all_columns + i) / (all_cells + i)) / (row + (i - begin))
        thin.bases[d] = base


@bare
def load_group(n_rows, b, thin):
    """Put the rows of a group next to each other, for one block. thin: IN, `members`; OUT, room's `rows`."""
    for i in range(n_rows):
        copy_row(thin.rows[b], thin.members[i], thin.room.rows, i)


@bare
def weigh_members(n_rows, b, column, thin):
    """Work out what the rows of a group give in each lane of a block. thin: IN, `members`; OUT, its room."""
    load_group(n_rows, b, thin)
    weigh_thin(thin.group_x, 0, n_rows, column, thin.room)


@inlined
def spill(product, log):
    """Put a large product into its logarithm."""
    if product > LARGE:
        return 1.0, log + math.log(product)
    return product, log


@bare
def times_lanes(factor, scales, b, room, product, log):
    """Multiply by 1 + e of every lane; return the product and its logarithm's part.

    factor, scales: IN, prior odds and what X alone gives; the latter by block b and lane.
    """
    whole = product_of(factor, scales, b, room.above, room.below)
    if whole >= 0.0:
        return spill(product * whole, log)
    for lane in range(LANES):
        ratio = factor * scales[b, lane] * (room.above[lane] / room.below[lane])
        product, log = spill(product * (1.0 + ratio), log)
    return product, log


@bare
def weigh_group(w, kind, n_rows, thin, numbers):
    """Multiply 1 + e over all Y but W in a group of equal W. thin: IN, `members`."""
    product, log, room, odds = 1.0, 0.0, thin.room, numbers.odds[kind]
    for i in range(n_rows):
        thin.group_x[i] = thin.x[thin.members[i]]
    weigh_x(n_rows, numbers.numbers, thin)
    for b in range(thin.rows.shape[0]):
        weigh_members(n_rows, b, float(numbers.numbers[0, 1]), thin)
        if numbers.places[w, 0] == b:
            room.above[numbers.places[w, 1]] = 0.0
        if thin.bases.shape[0] == 1:
            product, log = times_lanes(odds * thin.bases[0], numbers.is_real, b, room, product, log)
            continue
        for lane in range(LANES):
            thin.scales[b, lane] = thin.bases[numbers.kinds[b, lane]] * numbers.is_real[b, lane]
        product, log = times_lanes(odds, thin.scales, b, room, product, log)
    return product, log


@inlined
def list_members(key, thin):
    """List the rows of a group from their bits; return how many there are. thin: OUT, `members`."""
    n, one = 0, np.uint64(1)
    while key != 0:
        lowest = key & (~key + one)
        thin.members[n] = popcount(lowest - one)
        key ^= lowest
        n += 1
    return n


@inlined
def group_product(w, kind, key, stamp, thin, numbers):
    """Give the product of 1 + e over all Y but W in a group of equal W, and its logarithm's part.

    key: IN, its rows as bits. Where another W of the same kind has the same group, it is what that one gave.
    """
    memo = thin.memo
    place = ((key + np.uint64(kind)) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(58)
    if memo.keys[place] != key or memo.kinds[place] != kind or memo.stamps[place] != stamp:
        found = weigh_group(w, kind, list_members(key, thin), thin, numbers)
        memo.keys[place], memo.kinds[place], memo.stamps[place] = key, kind, stamp
        memo.products[place], memo.logs[place] = found
    return memo.products[place], memo.logs[place]


@bare
def pair_log(kind, r, s, thin, numbers):
    """Give the log of what `group_product` gives for a group of two rows. kind: IN, of W."""
    logs, same_x, total = numbers.pair_logs[kind], np.int64(thin.x[r] == thin.x[s]), 0.0
    for d in range(numbers.n_lanes.shape[0]):
        n_same = -np.int64(d == kind)  # W itself is the same, and left out
        for b in range(thin.rows.shape[0]):
            n_same += popcount(equal_lanes(thin.rows[b], r, s) & numbers.lanes[d, b])
        n_others = numbers.n_lanes[d] - np.int64(d == kind) - n_same
        total += n_same * logs[d, same_x, 1] + n_others * logs[d, same_x, 0]
    return total


@bare
def triple_log(kind, r, s, t, thin, numbers):
    """Give the log of what `group_product` gives for a group of three rows. kind: IN, of W."""
    same_x = np.int64(thin.x[r] == thin.x[s]) + 2 * np.int64(thin.x[s] == thin.x[t])
    total = 0.0
    for d in range(numbers.n_lanes.shape[0]):
        logs, is_own = numbers.triple_logs[kind, d, same_x], np.int64(d == kind)
        n_all, n_rs, n_rt, n_st = -is_own, np.int64(0), np.int64(0), np.int64(0)  # without W itself
        for b in range(thin.rows.shape[0]):
            lanes, rows = numbers.lanes[d, b], thin.rows[b]
            rs, rt = equal_lanes(rows, r, s) & lanes, equal_lanes(rows, r, t) & lanes
            st = equal_lanes(rows, s, t) & lanes
            n_all += popcount(rs & rt)
            n_rs += popcount(rs & ~rt)
            n_rt += popcount(rt & ~rs)
            n_st += popcount(st & ~rs)
        n_none = numbers.n_lanes[d] - is_own - n_all - n_rs - n_rt - n_st
        total += n_rs * logs[0] + n_rt * logs[1] + n_st * logs[2] + n_all * logs[3] + n_none * logs[4]
    return total


@bare
def split_rows(w, n_rows, thin, numbers):
    """Find the rows of each state of W, as bits; return how many states there are. thin: OUT."""
    rows, lane, n = thin.rows[numbers.places[w, 0]], numbers.places[w, 1], 0
    for r in range(n_rows):
        state = np.int64(rows[r, lane])
        thin.states[n] = state
        n += thin.groups[state] == 0
        thin.groups[state] |= np.uint64(1) << np.uint64(r)
    return n


@bare
def weigh_states(w, kind, n_rows, stamp, thin, numbers):
    """Multiply what the groups of equal W give; return the product, its log's part, and their number."""
    product, log, n_live, one = 1.0, 0.0, 0, np.uint64(1)
    for i in range(split_rows(w, n_rows, thin, numbers)):
        key = thin.groups[thin.states[i]]
        thin.groups[thin.states[i]] = 0
        rest = key & (key - one)  # without the first row
        if rest == 0:
            continue
        n_live += 1
        last = rest & (rest - one)  # without the first two
        r, s, t = popcount((key ^ rest) - one), popcount((rest ^ last) - one), popcount(last - one)
        if last == 0:
            log += pair_log(kind, r, s, thin, numbers)
        elif last & (last - one) == 0:
            log += triple_log(kind, r, s, t, thin, numbers)
        else:
            factor, more = group_product(w, kind, key, stamp, thin, numbers)
            product, log = spill(product * factor, log + more)
    return product, log, n_live


@bare
def weigh_whole(n_rows, thin, numbers):
    """Multiply in X against each column in the slice as it is. thin: IN and OUT, `odds`."""
    for r in range(n_rows):
        thin.members[r], thin.group_x[r] = r, thin.x[r]
    weigh_x(n_rows, numbers.numbers, thin)
    scales = thin.room.scales
    for b in range(thin.rows.shape[0]):
        weigh_members(n_rows, b, float(numbers.numbers[0, 1]), thin)
        base = numbers.whole_odds * thin.bases[0]
        for lane in range(LANES):
            scales[lane] = base
        if thin.bases.shape[0] > 1:
            for lane in range(LANES):
                scales[lane] = numbers.whole_odds * thin.bases[numbers.kinds[b, lane]]
        if add_factors(thin.odds[b], scales, thin.room.above, thin.room.below):
            spill_odds(thin.odds[b])


@bare
def count_two_rows(thin):
    """Count a slice of two rows for X against each column; `close_thin` adds it. thin: IN and OUT."""
    same_x = np.int64(thin.x[0] == thin.x[1])
    thin.n_pairs[same_x] += 1
    for b in range(thin.rows.shape[0]):
        add_equal(thin.rows[b], 0, 1, thin.pairs[b], same_x)


@bare
def find_lone(n_rows, thin):
    """Find the lanes in which just two rows have the same state, and those with more than one such pair.

    thin: OUT, `lone` and `split`, by block, as bits.
    """
    for b in range(thin.rows.shape[0]):
        once, twice = np.uint64(0), np.uint64(0)
        for r in range(1, n_rows):
            for s in range(r):
                equal = equal_lanes(thin.rows[b], r, s)
                twice |= once & equal
                once |= equal
        thin.lone[b], thin.split[b] = once & ~twice, twice


@bare
def add_lone(d, r, s, thin, numbers, sums):
    """Add the groups of two rows of all columns of a kind that have no other. sums: IN and OUT."""
    value, is_known, one = 0.0, False, np.uint64(1)
    for b in range(thin.rows.shape[0]):
        equal = equal_lanes(thin.rows[b], r, s) & numbers.lanes[d, b] & thin.lone[b]
        if equal != 0 and not is_known:
            value, is_known = pair_log(d, r, s, thin, numbers), True
        while equal != 0:
            lowest = equal & (~equal + one)
            k = numbers.columns[b, popcount(lowest - one)]
            sums.logs[k] += value
            sums.n_live[k] += 1
            equal ^= lowest


@bare
def weigh_few_rows(n_rows, thin, numbers, sums):
    """Add the columns that have a single group of two rows. thin: OUT, `split`: those that have more."""
    find_lone(n_rows, thin)
    for r in range(n_rows - 1):
        for s in range(r + 1, n_rows):
            for d in range(numbers.n_lanes.shape[0]):
                add_lone(d, r, s, thin, numbers, sums)


@bare
def close_thin(thin, numbers, sums):
    """Add X against each column in all thin slices. sums: IN and OUT."""
    for k in range(numbers.places.shape[0]):
        b, lane = numbers.places[k]
        logs, odds = numbers.whole_logs[numbers.kinds[b, lane]], sums.odds[k]
        odds[1] += thin.odds[b, 1, lane]
        odds[0] += thin.odds[b, 0, lane] * (1.0 + odds[0])
        for same_x in range(2):
            if odds[0] > LARGE:
                odds[1] += math.log1p(odds[0])
                odds[0] = 0.0
            n_same = thin.pairs[b, same_x, lane]
            value = n_same * logs[same_x, 1] + (thin.n_pairs[same_x] - n_same) * logs[same_x, 0]
            if value > BIG:
                odds[1] += value
            else:
                odds[0] += math.expm1(value) * (1.0 + odds[0])


@bare
def weigh_thin_slice(n_rows, stamp, thin, numbers, sums):
    """Add what a thin slice of B gives to all sums. thin: IN, from `load_slice`.

    stamp: IN, another one for every slice. sums: IN and OUT; `close_thin` adds to their odds.
    """
    if n_rows == 2:
        count_two_rows(thin)
    else:
        weigh_whole(n_rows, thin, numbers)
    if n_rows <= FEW:
        weigh_few_rows(n_rows, thin, numbers, sums)
    for b in range(thin.rows.shape[0]):
        for d in range(numbers.n_lanes.shape[0]):
            rest = numbers.lanes[d, b]
            if n_rows <= FEW:
                rest &= thin.split[b]
            while rest != 0:
                lowest = rest & (~rest + np.uint64(1))
                rest ^= lowest
                k = numbers.columns[b, popcount(lowest - np.uint64(1))]
                product, log, n_live = weigh_states(k, d, n_rows, stamp, thin, numbers)
                sums.products[k], sums.logs[k] = spill(sums.products[k] * product, sums.logs[k] + log)
                sums.n_live[k] += n_live
