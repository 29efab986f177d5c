"""Tests of the variables outside a large blanket, by the mergers of its slices.

As in `binary_sparse`: a test is a product over the slices as they are, times what
the merger of each edge changes. Edges are put in groups by member and by kind:

- of two slices with one data point each (*dead*), where X differs, or is the same:
  these have few outcomes, which are only counted,
- of a live slice and a dead one, where nothing changes for the other state of W,
- of two live slices.

Factors of small slices are multiplied, those of large ones added as logs.
"""

import math

import numpy as np

from ibmap.kernels.compiling import inlined, inner, kernel
from ibmap.kernels.two_by_two import SMALL, log_dependent, log_factor, small_ratio

KINDS = 4
SPILL = 1e100  # products are moved to a logarithm beyond this, and below its inverse


@inner
def kind_of(z, y, sizes, n_live):
    """Give the kind of an edge, z < y."""
    if y < n_live:
        return 3
    return 2 if z < n_live else np.int64(sizes[z, 0] == sizes[y, 0])


@kernel
def parted(edges, sizes, n_live, n_members):
    """Put edges in order of their member and kind.

    Returns them in that order, and where each group starts: entry 4b + kind for those of b.
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


@inner
def count_changes(edges, n_live, n_members):
    """What merging the edges of each member changes in the number of slices that matter."""
    changes = np.zeros(n_members, np.int64)
    for k in range(edges.shape[0]):
        changes[edges[k, 2]] += np.int64(1) - (edges[k, 0] < n_live) - (edges[k, 1] < n_live)
    return changes


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
    return product, log_product + log_factor(prior, a0, a1, b0, b1, logs, smalls)


@inner
def silenced(smalls):
    """Give the tables of small slices with nothing for those of fewer than two data points."""
    columns, rows, totals = smalls
    quiet = totals.copy()
    quiet[:2] = 0.0
    return columns, rows, quiet


@inner
def fill_cells(one, sizes, cells):
    """Put the counts of each slice together: W = 0 for X = 0 and 1, W = 1 for both. cells: OUT."""
    for z in range(cells.shape[0]):
        b0, b1 = one[z, 0], one[z, 1]
        cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3] = sizes[z, 0] - b0, sizes[z, 1] - b1, b0, b1


@inner
def slices_alone(cells, n_large, n_live, priors, logs, smalls, alone):
    """Do the tests of one W over all slices as they are.

    cells: IN, from `fill_cells`. alone: OUT, of each slice the logs of 1 + e if it is large, else
    their inverses: X against W given B - b; X against a member that does not vary, given W = 0
    and given W = 1. Returns the logs of X against W given B, given B - b, of X against a member
    given B - b + W, and how many slices matter for the latter.
    """
    own, less, given, log_own, log_less, log_given = 1.0, 1.0, 1.0, 0.0, 0.0, 0.0
    n_given, odds, odds_less = 0, priors[2, 1], priors[1, 1]
    for z in range(n_live):
        a0, a1, b0, b1 = cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3]
        n_given += np.int64(a0 + a1 >= 2) + (b0 + b1 >= 2)
        if z < n_large:
            log_own += log_factor(priors[2], a0, a1, b0, b1, logs, smalls)
            alone[z, 0] = log_factor(priors[1], a0, a1, b0, b1, logs, smalls)
            alone[z, 1] = log_factor(priors[2], a0, a1, 0, 0, logs, smalls)
            alone[z, 2] = log_factor(priors[2], b0, b1, 0, 0, logs, smalls)
            log_less += alone[z, 0]
            log_given += alone[z, 1] + alone[z, 2]
            continue
        ratio = small_ratio(a0, a1, b0, b1, smalls)
        factor = 1.0 + odds_less * ratio
        factor0 = 1.0 + odds * small_ratio(a0, a1, 0, 0, smalls)
        factor1 = 1.0 + odds * small_ratio(b0, b1, 0, 0, smalls)
        alone[z, 0], alone[z, 1], alone[z, 2] = 1.0 / factor, 1.0 / factor0, 1.0 / factor1
        own, log_own = spill(own * (1.0 + odds * ratio), log_own)
        less, log_less = spill(less * factor, log_less)
        given, log_given = spill(given * factor0 * factor1, log_given)
    return log_own + math.log(own), log_less + math.log(less), log_given + math.log(given), n_given


@inner
def live_edges(cells, n_large, edges, priors, logs, smalls, alone):
    """What merging edges of two live slices changes in the tests of one W.

    Returns the change of X against W given B - b and of X against b given B - b + W, as logs,
    and of the number of slices that matter for the latter.
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
    return log_change + math.log(change), log_change_w + math.log(change_w), count


@inner
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
    return log_change + math.log(change), log_change_w + math.log(change_w), count


@inner
def count_same(states, edges, n_live):
    """Count the edges of two dead slices where W is the same. states: IN, of W in dead slices."""
    n_same = 0
    for k in range(edges.shape[0]):
        n_same += int(states[edges[k, 0] - n_live] == states[edges[k, 1] - n_live])
    return n_same


@inner
def pair_outcomes(priors, logs, smalls):
    """Tabulate the logs of 1 + e of two data points, by whether X is the same.

    Columns: X against W that differs, against W that does not, and against a member that differs.
    """
    outcomes = np.empty((2, 3))
    outcomes[0, 0] = log_factor(priors[1], 1, 0, 0, 1, logs, smalls)
    outcomes[0, 1] = log_factor(priors[1], 1, 1, 0, 0, logs, smalls)
    outcomes[0, 2] = log_factor(priors[2], 1, 0, 0, 1, logs, smalls)
    outcomes[1, 0] = log_factor(priors[1], 1, 0, 1, 0, logs, smalls)
    outcomes[1, 1] = log_factor(priors[1], 2, 0, 0, 0, logs, smalls)
    outcomes[1, 2] = log_factor(priors[2], 1, 0, 1, 0, logs, smalls)
    return outcomes


@inner
def outside_terms(ones, sizes, n_large, n_live, edges, groups, priors, logs, smalls, own, adds, drops):
    """Do all tests of the variables outside the blanket that need no joint counts.

    edges, groups: IN, from `parted`. own: OUT, -log Pr(I(X, W | B)). adds: OUT, sums of
    log Pr(not I) for B + W. drops: IN and OUT, sums of log Pr(I) for B - b.
    """
    d, n_dead = drops.shape[0], sizes.shape[0] - 1 - n_live
    mergers, outcomes = count_changes(edges, n_live, d), pair_outcomes(priors, logs, smalls)
    smalls = silenced(smalls)
    cells, alone = np.empty((sizes.shape[0], 4), np.int32), np.empty((n_live, 3))
    states = np.empty(n_dead, np.uint8)
    for v in range(ones.shape[0]):
        fill_cells(ones[v], sizes, cells)
        log_own, log_less, log_given, n_given = slices_alone(
            cells, n_large, n_live, priors, logs, smalls, alone
        )
        own[v] = log_own + priors[2, 3] - priors[2, 2] * n_live
        adds[v] = log_dependent(own[v])
        for z in range(n_dead):
            states[z] = cells[n_live + z, 2] + cells[n_live + z, 3]
        for i in range(d):
            without, with_w, count = log_less, log_given, n_given
            group = groups[KINDS * i : KINDS * i + KINDS + 1]
            for same_x in range(2):
                n_same = count_same(states, edges[group[same_x] : group[same_x + 1]], n_live)
                n_other = group[same_x + 1] - group[same_x] - n_same
                without += n_other * outcomes[same_x, 0] + n_same * outcomes[same_x, 1]
                with_w += n_same * outcomes[same_x, 2]
                count += n_same
            half = half_live_edges(cells, n_large, edges[group[2] : group[3]], priors, logs, smalls, alone)
            live = live_edges(cells, n_large, edges[group[3] : group[4]], priors, logs, smalls, alone)
            without += half[0] + live[0]
            with_w += half[1] + live[1]
            count += half[2] + live[2]
            drops[i] -= max(without, 0.0) + priors[1, 3] - priors[1, 2] * (n_live + mergers[i])
            adds[v] += log_dependent(max(with_w, 0.0) + priors[2, 3] - priors[2, 2] * count)
