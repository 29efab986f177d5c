"""Tests of the variables outside a large blanket, by the mergers of its slices.

As in `binary_sparse`: a test is a sum of shares over the slices as they are, plus what
the merger of each edge changes. How that is worked out depends on the kind of an edge (`edge_kinds`): for
small slices all variables are done at a time, for larger ones all edges of a variable.
"""

import numpy as np

from ibmap.kernels.binary_sparse import member_terms
from ibmap.kernels.compiling import bare, inner, kernel
from ibmap.kernels.edge_kinds import HALF, HUGE, KINDS, LONE, MEDIUM, POINT, SMALL, WORD, bounds, mark, parted
from ibmap.kernels.huge_edges import fill_huge_factors, huge_slices_alone, merge_huge
from ibmap.kernels.lone_edges import DIGITS, merge_lone
from ibmap.kernels.lone_edges import WORD as BITS
from ibmap.kernels.medium_edges import (
    fill_cells,
    fill_edge_factors,
    fill_slice_factors,
    medium_slices_alone,
    merge_medium,
)
from ibmap.kernels.point_edges import fill_point_factors, merge_points
from ibmap.kernels.shares import MOST
from ibmap.kernels.small_outside import (
    fill_bytes,
    fill_lone_bytes,
    merge_half,
    merge_small,
    point_changes,
    small_slices_alone,
)
from ibmap.kernels.two_by_two import SMALL as MOST_IN_WORD
from ibmap.kernels.two_by_two import log_dependent
from ibmap.kernels.word_edges import fill_words, merge_words, word_slices_alone


@inner
def fill_all_bytes(slices, edges, groups):
    """Write what variables do in all slices that have an edge of the small kinds."""
    ones, sizes, _, n_live, lone, outside = slices
    bytes_of = np.empty((sizes.shape[0], ones.shape[0]), np.uint8)
    slice_bytes = np.empty(sizes.shape[0], np.uint8)
    fill_bytes(ones, sizes, n_live, bytes_of, slice_bytes)
    is_wanted = np.zeros(sizes.shape[0], np.bool_)
    mark(edges, groups, HALF, is_wanted)
    for z in range(n_live, sizes.shape[0]):
        if is_wanted[z]:
            fill_lone_bytes(z, lone, outside, n_live, slice_bytes, bytes_of)
    return bytes_of, slice_bytes


@inner
def small_terms(slices, edges, groups, same, less, own, given, without):
    """Do the tests in small slices, for all variables together.

    given: OUT, X against each member b given B - b + W, by member and W. without: OUT, X against W
    given B - b, for all W together, by member. own: OUT, X against W given B.
    """
    ones, sizes, _, n_live, lone, outside = slices
    bytes_of, slice_bytes = fill_all_bytes(slices, edges, groups)
    m, changes = ones.shape[0], point_changes(same)
    with_w, by_slice, adds = np.empty((n_live, m)), np.empty(n_live), np.empty(m)
    small_slices_alone(bytes_of, slice_bytes, sizes, n_live, same, less, own, adds, with_w, by_slice)
    whole = np.sum(by_slice)
    digits, counts = np.zeros((2, DIGITS), np.uint64), np.empty((2, lone.shape[0] * BITS), np.int64)
    for i in range(without.shape[0]):
        row = given[i]
        row[:] = adds
        first, last = bounds(groups, i, LONE)
        change = merge_lone(edges[first:last], n_live, sizes, lone, outside, same, less, digits, counts, row)
        first, last = bounds(groups, i, HALF)
        change += merge_half(edges[first:last], bytes_of, slice_bytes, sizes, changes, less, by_slice, row)
        first, last = bounds(groups, i, SMALL)
        change += merge_small(edges[first:last], bytes_of, slice_bytes, same, less, with_w, by_slice, row)
        without[i] = whole + change


@inner
def larger_slices(sizes, n_huge, n_live, edges, groups):
    """List the live slices that are not small or have an edge that is not, and those a data point joins.

    The latter without the huge ones.
    """
    is_joined = np.zeros(sizes.shape[0], np.bool_)
    mark(edges, groups, POINT, is_joined)
    is_wanted = is_joined.copy()
    for z in range(n_live):
        is_wanted[z] |= max(sizes[z, 0], sizes[z, 1]) > MOST
    mark(edges, groups, WORD, is_wanted)
    mark(edges, groups, MEDIUM, is_wanted)
    mark(edges, groups, HUGE, is_wanted)
    return np.flatnonzero(is_wanted[:n_live]), n_huge + np.flatnonzero(is_joined[n_huge:n_live])


@bare
def count_over(slices, sizes, most):
    """Count the slices of over some data points, which come first."""
    n = 0
    while n < slices.shape[0] and sizes[slices[n], 0] + sizes[slices[n], 1] > most:
        n += 1
    return n


@inner
def edge_factors(edges, groups, sizes, scaled, less):
    """Give what the factors of merged slices of up to 1000 data points have that depends on no W."""
    of_edges = np.empty((edges.shape[0], 2))
    for i in range(groups.shape[0] // KINDS):
        first, last = bounds(groups, i, WORD)[0], bounds(groups, i, MEDIUM)[1]
        fill_edge_factors(edges[first:last], sizes, scaled, less, of_edges[first:last])
    return of_edges


@inner
def larger_terms(slices, edges, groups, priors, factors, tables, hyperparameters, own, given, without):
    """Add the tests in larger slices, one variable after the other. own, given, without: IN and OUT."""
    ones, sizes, n_huge, n_live, lone, outside = slices
    (logs, smalls, scaled), (same, less, placed) = tables, factors
    larger, joined = larger_slices(sizes, n_huge, n_live, edges, groups)
    cells, alone, huge_alone = np.empty((n_live, 4), np.int32), np.empty((n_live, 4)), np.empty((n_huge, 2))
    points, words, of_slices = np.empty((n_live, 4, 2)), np.empty(n_live, np.uint32), np.empty((n_live, 4))
    fill_slice_factors(larger[n_huge:], sizes, scaled, same, less, of_slices)
    of_edges = edge_factors(edges, groups, sizes, scaled, less)
    n_over = max(n_huge, count_over(larger, sizes, MOST_IN_WORD))
    medium, small = larger[n_huge:n_over], larger[n_over:]
    for v in range(outside.shape[0] if larger.shape[0] else 0):
        fill_cells(larger, ones[v], sizes, cells)
        fill_words(small, cells, words)
        shares = medium_slices_alone(medium, cells, scaled, same, of_slices, alone)
        others = word_slices_alone(small, sizes, words, smalls[0], placed, of_slices, alone)
        more = huge_slices_alone(n_huge, cells, priors, logs, smalls, huge_alone)
        fill_point_factors(joined, cells, priors, scaled, hyperparameters, points)
        fill_huge_factors(n_huge, cells, priors, logs, smalls, hyperparameters, points)
        own[v] += shares[0] + others[0] + more[0]
        alone_less, alone_given = shares[1] + others[1] + more[1], shares[2] + others[2] + more[2]
        states, place = lone[outside[v] // BITS], outside[v] % BITS
        for i in range(without.shape[0]):
            first, last = bounds(groups, i, POINT)
            point = merge_points(edges[first:last], n_live, sizes, states, place, points)
            first, last = bounds(groups, i, MEDIUM)
            larger_ones = merge_medium(edges[first:last], of_edges[first:last], cells, scaled, same, alone)
            first, last = bounds(groups, i, WORD)
            smaller = merge_words(edges[first:last], of_edges[first:last], words, smalls[0], placed, alone)
            first, last = bounds(groups, i, HUGE)
            huge = merge_huge(edges[first:last], n_huge, cells, priors, logs, smalls, huge_alone, alone)
            without[i] += alone_less + point[0] + larger_ones[0] + smaller[0] + huge[0]
            given[i, v] += alone_given + point[1] + larger_ones[1] + smaller[1] + huge[1]


@kernel
def outside_terms(slices, most, near, priors, shares, factors, tables, hyperparameters, adds, drops):
    """Do all tests of the variables outside the blanket but those of pairs of them, and of single members.

    slices: IN, (data points with state 1 by variable, live slice and X; those of all by slice and X; how
    many slices have over `most` data points and over one; for each 64 variables their states in each dead
    slice; which variables are outside). near: IN, edges (slice, slice, member). shares, factors: IN, tables
    for sets of as many members as the blanket and of one less, and factors by place for as many.
    hyperparameters: IN, of a cell and of a row.
    adds: OUT, sums of log Pr(not I) for B + W. drops: IN and OUT, sums of log Pr(I) for B - b. Returns the
    term of the blanket as it is.
    """
    d, own = drops.shape[0], np.empty(adds.shape[0])
    term = member_terms(slices[1], near, priors[1], shares[1], tables[0], tables[1], drops)
    edges, groups = parted(near, slices[1], most, slices[3], d)
    given, without = np.empty((d, own.shape[0])), np.empty(d)
    small_terms(slices, edges, groups, shares[0], shares[1], own, given, without)
    larger_terms(slices, edges, groups, priors, factors, tables, hyperparameters, own, given, without)
    add_terms(given, without, priors, own, adds, drops)
    return term - np.sum(own)


@bare
def add_terms(given, without, priors, own, adds, drops):
    """Sum up the tests: adds gets log Pr(not I) for B + W, drops gets log Pr(I) for B - b."""
    for v in range(own.shape[0]):
        own[v] += priors[2, 3]
        adds[v] = log_dependent(own[v])
        for i in range(drops.shape[0]):
            adds[v] += log_dependent(given[i, v] + priors[2, 3])
    for i in range(drops.shape[0]):
        drops[i] -= without[i] + own.shape[0] * priors[1, 3]
