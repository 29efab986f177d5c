"""Tests of the variables outside a large blanket, by the mergers of its slices.

As in `binary_sparse`: a test is a sum of shares over the slices as they are, plus what
the merger of each edge changes. Edges are put in groups by member and by kind:

- *small* together, whose shares are tabulated (`small_outside`),
- larger, of a live slice and a *dead* one (a single data point), where nothing changes for the
  other state of W,
- larger, of two live slices.

Factors are multiplied, those of larger slices that are huge added as logs.
"""

import math

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner, kernel
from ibmap.kernels.exponential import fast_exp
from ibmap.kernels.shares import MOST
from ibmap.kernels.small_outside import fill_bytes, merge_small, small_slices_alone
from ibmap.kernels.two_by_two import BIG, SMALL, log_dependent, log_factor, log_ratio, small_ratio

KINDS = 3
SPILL = 1e100  # products are moved to a logarithm beyond this, and below its inverse


@bare
def kind_of(z, y, sizes, n_live):
    """Give the kind of an edge, z < y."""
    if max(sizes[z, 0] + sizes[y, 0], sizes[z, 1] + sizes[y, 1]) <= MOST:
        return 0
    return 1 if y >= n_live else 2


@inner
def parted(edges, sizes, n_live, n_members):
    """Put edges in order of their member and kind.

    Returns them in that order, and where each group starts: entry 3b + kind for those of b.
    """
    starts = np.zeros(KINDS * n_members + 2, np.int64)
    kinds = np.empty(edges.shape[0], np.int64)
    for k in range(edges.shape[0]):
        kinds[k] = KINDS * edges[k, 2] + kind_of(edges[k, 0], edges[k, 1], sizes, n_live)
        starts[kinds[k] + 2] += 1
    for group in range(2, starts.shape[0]):
        starts[group] += starts[group - 1]
    ordered = np.empty_like(edges)
    for k in range(edges.shape[0]):
        place = starts[kinds[k] + 1]
        starts[kinds[k] + 1] += 1
        for column in range(3):
            ordered[place, column] = edges[k, column]
    return ordered, starts[:-1]


@inlined
def spill(product, log_product):
    """Move a product into its logarithm before it leaves the range of numbers."""
    if product > SPILL or product < 1.0 / SPILL:
        return 1.0, log_product + math.log(product)
    return product, log_product


@inlined
def join(product, log_product, prior, a0, a1, b0, b1, logs, smalls):
    """Multiply 1 + e of a slice into product and exp(log_product). smalls: IN, from `silenced`."""
    if a0 + a1 + b0 + b1 <= SMALL:
        return product * (1.0 + prior[1] * small_ratio(a0, a1, b0, b1, smalls)), log_product
    t = prior[0] + log_ratio(a0, a1, b0, b1, logs)
    if t > BIG:
        return product, log_product + t
    return product * (1.0 + fast_exp(t)), log_product


@inner
def silenced(smalls):
    """Give the tables of small slices with nothing for those of fewer than two data points."""
    columns, rows, totals = smalls
    quiet = totals.copy()
    quiet[:2] = 0.0
    return columns, rows, quiet


@bare
def fill_cells(one, sizes, slices, cells):
    """Put the counts of some slices together: W = 0 for X = 0 and 1, W = 1 for both. cells: OUT."""
    for z in slices:
        b0, b1 = one[z, 0], one[z, 1]
        cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3] = sizes[z, 0] - b0, sizes[z, 1] - b1, b0, b1


@bare
def slices_alone(cells, slices, n_large, n_live, priors, logs, smalls, alone):
    """Do the tests of one W over some slices as they are; those that are small do not count.

    cells: IN, from `fill_cells`. alone: OUT, of each slice the logs of 1 + e if it has over 64 data
    points, else their inverses: X against W given B - b; X against a member that does not vary, given
    W = 0 and given W = 1. Returns the shares of X against W given B, given B - b, and of X
    against a member given B - b + W.
    """
    own, less, given, log_own, log_less, log_given = 1.0, 1.0, 1.0, 0.0, 0.0, 0.0
    n_own, n_given, odds, odds_less = 0, 0, priors[2, 1], priors[1, 1]
    for z in slices:
        if z >= n_live:
            continue
        a0, a1, b0, b1 = cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3]
        if z < n_large:
            alone[z, 0] = log_factor(priors[1], a0, a1, b0, b1, logs, smalls)
            alone[z, 1] = log_factor(priors[2], a0, a1, 0, 0, logs, smalls)
            alone[z, 2] = log_factor(priors[2], b0, b1, 0, 0, logs, smalls)
            log_own += log_factor(priors[2], a0, a1, b0, b1, logs, smalls)
            log_less += alone[z, 0]
            log_given += alone[z, 1] + alone[z, 2]
        else:
            ratio = small_ratio(a0, a1, b0, b1, smalls)
            factor = 1.0 + odds_less * ratio
            factor0 = 1.0 + odds * small_ratio(a0, a1, 0, 0, smalls)
            factor1 = 1.0 + odds * small_ratio(b0, b1, 0, 0, smalls)
            alone[z, 0], alone[z, 1], alone[z, 2] = 1.0 / factor, 1.0 / factor0, 1.0 / factor1
            if max(a0 + b0, a1 + b1) <= MOST:
                continue
            own, log_own = spill(own * (1.0 + odds * ratio), log_own)
            less, log_less = spill(less * factor, log_less)
            given, log_given = spill(given * factor0 * factor1, log_given)
        n_own += 1
        n_given += np.int64(a0 + a1 >= 2) + (b0 + b1 >= 2)
    log_own += math.log(own) - n_own * priors[2, 2]
    log_less += math.log(less) - n_own * priors[1, 2]
    return log_own, log_less, log_given + math.log(given) - n_given * priors[2, 2]


@bare
def live_edges(cells, n_large, edges, priors, logs, smalls, alone):
    """What merging edges of two live slices changes in the tests of one W.

    Returns the change of the shares of X against W given B - b and of X against b given B - b + W.
    """
    change, change_w, log_change, log_change_w, count = 1.0, 1.0, 0.0, 0.0, 0
    for k in range(edges.shape[0]):
        z, y = np.uint32(edges[k, 0]), np.uint32(edges[k, 1])
        a0, a1, b0, b1 = cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3]
        c0, c1, d0, d1 = cells[y, 0], cells[y, 1], cells[y, 2], cells[y, 3]
        change, log_change = join(
            change, log_change, priors[1], a0 + c0, a1 + c1, b0 + d0, b1 + d1, logs, smalls
        )
        change_w, log_change_w = join(change_w, log_change_w, priors[2], a0, a1, c0, c1, logs, smalls)
        change_w, log_change_w = join(change_w, log_change_w, priors[2], b0, b1, d0, d1, logs, smalls)
        count += np.int64(a0 + a1 + c0 + c1 >= 2) + (b0 + b1 + d0 + d1 >= 2)
        count -= np.int64(a0 + a1 >= 2) + (b0 + b1 >= 2) + (c0 + c1 >= 2) + (d0 + d1 >= 2)
        for s in (z, y):
            if s < n_large:
                log_change -= alone[s, 0]
                log_change_w -= alone[s, 1] + alone[s, 2]
            else:
                change *= alone[s, 0]
                change_w *= alone[s, 1] * alone[s, 2]
        change, log_change = spill(change, log_change)
        change_w, log_change_w = spill(change_w, log_change_w)
    log_change += math.log(change) + edges.shape[0] * priors[1, 2]
    return log_change, log_change_w + math.log(change_w) - count * priors[2, 2]


@bare
def half_live_edges(cells, n_large, edges, priors, logs, smalls, alone):
    """Give the same for edges of a live and a dead slice."""
    change, change_w, log_change, log_change_w, count = 1.0, 1.0, 0.0, 0.0, 0
    for k in range(edges.shape[0]):
        z, y = np.uint32(edges[k, 0]), np.uint32(edges[k, 1])
        a0, a1, b0, b1 = cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3]
        c0, c1, d0, d1 = cells[y, 0], cells[y, 1], cells[y, 2], cells[y, 3]
        change, log_change = join(
            change, log_change, priors[1], a0 + c0, a1 + c1, b0 + d0, b1 + d1, logs, smalls
        )
        w = np.uint32(d0 + d1)
        a0, a1, c0, c1 = b0 if w else a0, b1 if w else a1, c0 + d0, c1 + d1
        change_w, log_change_w = join(change_w, log_change_w, priors[2], a0, a1, c0, c1, logs, smalls)
        count += a0 + a1 == 1
        if z < n_large:
            log_change -= alone[z, 0]
            log_change_w -= alone[z, np.uint32(1 + w)]
        else:
            change *= alone[z, 0]
            change_w *= alone[z, np.uint32(1 + w)]
        change, log_change = spill(change, log_change)
        change_w, log_change_w = spill(change_w, log_change_w)
    return log_change + math.log(change), log_change_w + math.log(change_w) - count * priors[2, 2]


@inner
def larger_slices(sizes, n_live, edges, groups):
    """List the slices that are not small or have an edge that is not."""
    is_wanted = np.zeros(sizes.shape[0], np.bool_)
    for z in range(n_live):
        is_wanted[z] = max(sizes[z, 0], sizes[z, 1]) > MOST
    for i in range(groups.shape[0] // KINDS):
        for k in range(groups[KINDS * i + 1], groups[KINDS * i + KINDS]):
            is_wanted[edges[k, 0]] = is_wanted[edges[k, 1]] = True
    return np.flatnonzero(is_wanted)


@bare
def merge_larger(cells, n_large, edges, groups, shares, priors, logs, smalls, alone, v, given, without):
    """Add the larger slices of one W, and what merging them changes, for every member.

    shares: IN, given B - b and of X against a member given B - b + W, from `slices_alone`. given: IN
    and OUT, by member and W. without: IN and OUT, by member.
    """
    for i in range(given.shape[0]):
        first, middle, last = groups[KINDS * i + 1], groups[KINDS * i + 2], groups[KINDS * i + 3]
        half = half_live_edges(cells, n_large, edges[first:middle], priors, logs, smalls, alone)
        live = live_edges(cells, n_large, edges[middle:last], priors, logs, smalls, alone)
        without[i] += shares[0] + half[0] + live[0]
        given[i, v] += shares[1] + half[1] + live[1]


@kernel
def outside_terms(ones, sizes, n_large, n_live, near, priors, same, less, logs, smalls, own, adds, drops):
    """Do all tests of the variables outside the blanket but those of pairs of them.

    near: IN, edges (slice, slice, member). same, less: IN, tables of shares for sets of as many members
    as the blanket and of one less. own: OUT, -log Pr(I(X, W | B)). adds: OUT, sums of log Pr(not I)
    for B + W. drops: IN and OUT, sums of log Pr(I) for B - b.
    """
    m, d = ones.shape[0], drops.shape[0]
    edges, groups = parted(near, sizes, n_live, d)
    bytes_of, slice_bytes = np.empty((sizes.shape[0], m), np.uint8), np.empty(sizes.shape[0], np.uint8)
    fill_bytes(ones, sizes, bytes_of, slice_bytes)
    given, with_w, by_slice = np.empty((d, m)), np.empty((n_live, m)), np.empty(n_live)
    small_slices_alone(bytes_of, slice_bytes, sizes, n_live, same, less, own, adds, with_w, by_slice)
    without = np.full(d, np.sum(by_slice))
    for i in range(d):
        given[i] = adds
        small = edges[groups[KINDS * i] : groups[KINDS * i + 1]]
        without[i] += merge_small(
            small, bytes_of, slice_bytes, n_live, same, less, with_w, by_slice, given[i]
        )
    slices = larger_slices(sizes, n_live, edges, groups)
    cells, alone, quiet = np.empty((sizes.shape[0], 4), np.int32), np.empty((n_live, 3)), silenced(smalls)
    for v in range(m):
        fill_cells(ones[v], sizes, slices, cells)
        shares = slices_alone(cells, slices, n_large, n_live, priors, logs, quiet, alone)
        own[v] += shares[0] + priors[2, 3]
        merge_larger(cells, n_large, edges, groups, shares[1:], priors, logs, quiet, alone, v, given, without)
    add_terms(given, without, priors, own, adds, drops)


@bare
def add_terms(given, without, priors, own, adds, drops):
    """Sum up the tests: adds gets log Pr(not I) for B + W, drops gets log Pr(I) for B - b."""
    for v in range(own.shape[0]):
        adds[v] = log_dependent(own[v])
        for i in range(drops.shape[0]):
            adds[v] += log_dependent(given[i, v] + priors[2, 3])
    for i in range(drops.shape[0]):
        drops[i] -= without[i] + own.shape[0] * priors[1, 3]
