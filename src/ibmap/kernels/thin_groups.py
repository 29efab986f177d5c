"""Groups of few rows against all variables outside at once, as they are and split by each of these.

What dropping a member makes one slice is a *group* (`blanket_slices`). Row by row, log(h / g)
grows by the logarithm of

    (R + i) (C + i) / (A + i)  *  (1 + n_xy) / ((r + n_x) (c + n_y)),

with the counts among the rows before it, Dirichlet parameters 1, r and c of cells, rows and
columns, and their sums A, R and C. For X against W that runs over the group, for X against the member
dropped over the rows of each state of W, where a first row multiplies by 1. States of W are compared side by
side (`lanes`), so that rows which share no state with one before cost nothing but the comparison.
"""

from collections import namedtuple

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.lanes import (
    LANES,
    STATES,
    copy_row,
    count_equal,
    count_more,
    lanes_with,
    times_counts,
)
from ibmap.kernels.slice_odds import THIN

# A group: places of its rows in the table, X, and the slices they are from; the row before with the same X,
# or -1, and how many these are; the rows for one block. Scratch: the last row with each X, -1 before and
# after; counts of rows before with the same W, and of these with the same X, slice, and both; by kind of W
# what X alone multiplies by; by lane products of X and W, and of W; by lane and state what it multiplies by;
# the states with two rows. Found, by variable: factors 1 + e of X against W, and the member in the states of
# W, and how many of these have two rows.
ThinGroup = namedtuple(
    "ThinGroup",
    "places x slices earlier n_x rows last n in_x in_slice in_both scales above below ratios touched"
    " own split n_live",
)


@inner
def new_thin_group(n_blocks, n_kinds, n_x):
    """Make room for a group. n_kinds, n_x: IN, kinds of variables outside, states of X."""
    return ThinGroup(
        np.empty(THIN, np.int32), np.empty(THIN, np.int64), np.empty(THIN, np.int64),
        np.empty(THIN, np.int64), np.empty(THIN, np.int64),
        np.empty((THIN, LANES), np.uint8), np.full(n_x, -1),
        np.zeros(LANES, np.uint8), np.zeros(LANES, np.uint8), np.zeros(LANES, np.uint8),
        np.zeros(LANES, np.uint8),
        np.empty(n_kinds), np.empty(LANES), np.empty(LANES), np.ones((LANES, STATES)),
        np.empty((THIN * LANES + 1, 2), np.int32),
        np.empty(n_blocks * LANES), np.empty(n_blocks * LANES), np.empty(n_blocks * LANES, np.int64),
    )  # fmt: skip


@inlined
def load_slice(slices, s, number, x_codes, n_rows, group):
    """Put the rows of a slice behind the first `n_rows` of a group; return how many there are then.

    number: IN, tells the slices of a group apart. group: IN and OUT.
    """
    for k in range(slices.starts[s], slices.starts[s + 1]):
        row = np.uint32(slices.rows[k])
        group.places[n_rows], group.x[n_rows], group.slices[n_rows] = row, x_codes[row], number
        n_rows += 1
    return n_rows


@bare
def link_rows(n_rows, group):
    """Find the row before each with the same X, and how many there are. group: IN and OUT."""
    for i in range(n_rows):
        j = group.last[group.x[i]]
        group.earlier[i], group.n_x[i] = j, group.n_x[j] + 1 if j >= 0 else 0
        group.last[group.x[i]] = i
    for i in range(n_rows):
        group.last[group.x[i]] = -1


@bare
def count_before(i, first, begin, group):
    """Count the rows before row i that have its states. group: OUT.

    first, begin: IN, the first row of its slice, and the first of these with its X.
    """
    rows, j = group.rows, group.earlier[begin]
    count_equal(rows, i, rows, begin, i, group.in_both)
    count_equal(rows, i, rows, begin, i, group.in_x)
    count_equal(rows, i, rows, first, i, group.in_slice)
    count_equal(rows, i, rows, 0, i, group.n)
    while j >= 0:
        count_more(rows, i, rows, j, j + 1, group.in_x)
        j = group.earlier[j]


@bare
def multiply_states(i, lanes, member, group, n_touched):
    """Multiply in what row i gives to its state of each W that a row before has too.

    lanes: IN, variables outside, as bits. member: IN, numbers of the member. Returns how many states have two
    rows or more.
    """
    ratios, touched, own = group.ratios, group.touched, group.rows[i]
    rest, one = lanes_with(group.n) & lanes, np.uint64(1)
    while rest != 0:
        lowest = rest & (~rest + one)
        rest ^= lowest
        k = np.uint32(popcount(lowest - one))
        state, n = np.uint32(own[k]), np.uint32(group.n[k])
        touched[n_touched, 0], touched[n_touched, 1] = k, state
        n_touched += n == 1
        ratio = member.rows[np.uint32(group.in_x[k])] * member.columns[np.uint32(group.in_slice[k])]
        ratios[k, state] *= member.sizes[n] * ratio * (1.0 + group.in_both[k])
    return n_touched


@bare
def weigh_x(n_rows, others, group):
    """Work out what X alone gives, by kind of W. group: IN, `n_x`; OUT, `scales`."""
    for d in range(group.scales.shape[0]):
        scale = 1.0 / others.column
        for i in range(n_rows):
            scale *= others.scales[d, i] * others.rows[d, group.n_x[i]]
        group.scales[d] = scale


@bare
def weigh_thin(b, n_rows, block, others, member, group):
    """Weigh a group against all W of a block, and against the member dropped in all states of W.

    others, member: IN, numbers of the variables outside and of the member (`group_numbers`). group: IN and
    OUT.
    """
    above, below, first, begin, n_touched = group.above, group.below, 0, 0, 0
    for lane in range(LANES):
        above[lane] = below[lane] = 1.0
    copy_row(block, group.places[0], group.rows, 0)
    for i in range(1, n_rows):
        copy_row(block, group.places[i], group.rows, i)
        if group.slices[i] != group.slices[i - 1]:
            first = begin = i
        elif group.x[i] != group.x[i - 1]:
            begin = i
        count_before(i, first, begin, group)
        times_counts(above, 1.0, group.in_x)
        times_counts(below, others.column, group.n)
        n_touched = multiply_states(i, others.lanes[b], member, group, n_touched)
    close_group(b, n_touched, others, member, group)


@bare
def close_group(b, n_touched, others, member, group):
    """Put together what a group gives in a block. group: IN and OUT."""
    for lane in range(LANES):
        w, scale = b * LANES + lane, group.scales[others.kinds[b, lane]] * others.is_real[b, lane]
        group.own[w] = 1.0 + member.own_odds * scale * (group.above[lane] / group.below[lane])
        group.split[w], group.n_live[w] = 1.0, 0
    for t in range(n_touched):
        k, state = np.uint32(group.touched[t, 0]), np.uint32(group.touched[t, 1])
        w = b * LANES + np.int64(k)
        group.split[w] *= 1.0 + member.split_odds[others.kinds[b, k]] * group.ratios[k, state]
        group.n_live[w] += 1
        group.ratios[k, state] = 1.0
