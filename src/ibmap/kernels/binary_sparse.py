"""Tests without members of a large blanket, whose slices are mostly alone.

With many members hardly any two slices differ in one or two members only, and
dropping those merges no others. The log of a test's product over slices is a
sum, so it is the sum over all slices as they are, plus what each merger changes:

- `edges` are pairs of slices that differ in one member,
- `diagonals` are pairs that differ in two.

Dropping b merges the edges of b. Dropping b and b' merges the edges of b, those
of b', and the diagonals of both, together with the corners that occur.
"""

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import inlined, inner, kernel
from ibmap.kernels.near_pairs import near_pairs
from ibmap.kernels.sparse_outside import count_changes, outside_terms, parted
from ibmap.kernels.two_by_two import log_dependent, log_factor

ONE = np.uint64(1)


@kernel
def link(edges, n_slices):
    """Order the edges of each slice by member.

    Returns for each slice the set of members along which it has an edge, where its edges
    start in a list, and that list.
    """
    along, firsts = np.zeros(n_slices, np.uint64), np.zeros(n_slices, np.int32)
    for k in range(edges.shape[0]):
        bit = ONE << np.uint64(edges[k, 2])
        along[edges[k, 0]] |= bit
        along[edges[k, 1]] |= bit
    for z in range(1, n_slices):
        firsts[z] = firsts[z - 1] + popcount(along[z - 1])
    incident = np.empty(2 * edges.shape[0], np.int32)
    for k in range(edges.shape[0]):
        below = (ONE << np.uint64(edges[k, 2])) - ONE
        for side in range(2):
            z = edges[k, side]
            incident[firsts[z] + popcount(along[z] & below)] = k
    return along, firsts, incident


@inlined
def edge_along(z, member, along, firsts, incident):
    """Find the edge of a slice along a member, or -1."""
    bit = ONE << np.uint64(member)
    if along[z] & bit == 0:
        return -1
    return np.int64(incident[firsts[z] + popcount(along[z] & (bit - ONE))])


@inner
def single_logs(prior, sizes, logs, smalls, out):
    """Log of 1 + e of every slice as it is, X against a member that does not vary. out: OUT."""
    for z in range(out.shape[0]):
        out[z] = log_factor(prior, sizes[z, 0], sizes[z, 1], 0, 0, logs, smalls)


@inner
def edge_changes(prior, sizes, edges, alone, logs, smalls, split, merged):
    """What merging the two slices of each edge changes in the log of a product.

    split: OUT, X against the member of the edge. merged: OUT, X against another member.
    """
    for k in range(edges.shape[0]):
        z, y = edges[k, 0], edges[k, 1]
        before = alone[z] + alone[y]
        z0, z1, y0, y1 = sizes[z, 0], sizes[z, 1], sizes[y, 0], sizes[y, 1]
        split[k] = log_factor(prior, z0, z1, y0, y1, logs, smalls) - before
        merged[k] = log_factor(prior, z0 + y0, z1 + y1, 0, 0, logs, smalls) - before


@inner
def add_diagonals(prior, sizes, n_live, diagonals, along, alone, logs, smalls, sums, counts):
    """Correct the sums for pairs of slices that meet when two members are dropped.

    along: IN, from `link`. sums: IN and OUT, [i, j] for X against i without i and j. counts: IN
    and OUT, slices that matter, for i < j. Returns the diagonals with other corners that occur.
    """
    same = log_factor(prior, 1, 0, 1, 0, logs, smalls)
    different = log_factor(prior, 1, 0, 0, 1, logs, smalls)
    squares, n_squares = np.empty(diagonals.shape[0], np.int32), 0
    for k in range(diagonals.shape[0]):
        z, y, i, j = diagonals[k, 0], diagonals[k, 1], diagonals[k, 2], diagonals[k, 3]
        if (along[z] | along[y]) & ((ONE << np.uint64(i)) | (ONE << np.uint64(j))) != 0:
            squares[n_squares] = k
            n_squares += 1
            continue
        if z >= n_live:
            change = same if sizes[z, 0] == sizes[y, 0] else different
        else:
            change = log_factor(prior, sizes[z, 0], sizes[z, 1], sizes[y, 0], sizes[y, 1], logs, smalls)
            change -= alone[z] + alone[y]
        sums[i, j] += change
        sums[j, i] += change
        counts[i, j] += np.int64(1) - (z < n_live) - (y < n_live)
    return squares[:n_squares]


@inner
def add_squares(prior, sizes, n_live, edges, diagonals, squares, links, changes, logs, smalls, sums, counts):
    """Correct the sums for diagonals whose other corners occur, one of them or both.

    squares: IN, numbers of such diagonals. links: IN, from `link`. changes: IN, `alone` of each
    slice, `split` and `merged` of each edge. sums, counts: IN and OUT, as for `add_diagonals`.
    """
    along, firsts, incident = links
    alone, split, merged = changes
    empty = sizes.shape[0] - 1
    for k in squares:
        z, y, i, j = diagonals[k, 0], diagonals[k, 1], diagonals[k, 2], diagonals[k, 3]
        z_i, z_j = edge_along(z, i, along, firsts, incident), edge_along(z, j, along, firsts, incident)
        y_i, y_j = edge_along(y, i, along, firsts, incident), edge_along(y, j, along, firsts, incident)
        a, b = empty, empty  # the corners next to z along i and along j
        if z_i >= 0:
            a = edges[z_i, 0] + edges[z_i, 1] - z
        if z_j >= 0:
            b = edges[z_j, 0] + edges[z_j, 1] - z
        if max(a, b) < empty and min(a, b) < z:
            continue  # the other diagonal of a full square speaks for it
        for_i = alone[z] + alone[y] + alone[a] + alone[b]
        for_j = for_i
        n_merged = np.int64(z < n_live) + (y < n_live) + (a < n_live) + (b < n_live)
        for e, f in ((z_i, z_j), (y_i, y_j)):
            if e >= 0:
                for_i += split[e]
                for_j += merged[e]
                n_merged += np.int64(1) - (edges[e, 0] < n_live) - (edges[e, 1] < n_live)
            if f >= 0:
                for_i += merged[f]
                for_j += split[f]
                n_merged += np.int64(1) - (edges[f, 0] < n_live) - (edges[f, 1] < n_live)
        zb0, zb1 = sizes[z, 0] + sizes[b, 0], sizes[z, 1] + sizes[b, 1]
        ay0, ay1 = sizes[a, 0] + sizes[y, 0], sizes[a, 1] + sizes[y, 1]
        sums[i, j] += log_factor(prior, zb0, zb1, ay0, ay1, logs, smalls) - for_i
        za0, za1 = sizes[z, 0] + sizes[a, 0], sizes[z, 1] + sizes[a, 1]
        by0, by1 = sizes[b, 0] + sizes[y, 0], sizes[b, 1] + sizes[y, 1]
        sums[j, i] += log_factor(prior, za0, za1, by0, by1, logs, smalls) - for_j
        counts[i, j] += 1 - n_merged


@inner
def two_member_terms(prior, sizes, n_live, edges, diagonals, logs, smalls, drops):
    """Add log Pr(not I(X, b | B - b - b')) to the term without b', for all b, b'. drops: OUT."""
    d = drops.shape[0]
    alone = np.zeros(sizes.shape[0])
    single_logs(prior, sizes, logs, smalls, alone)
    split, merged = np.empty(edges.shape[0]), np.empty(edges.shape[0])
    edge_changes(prior, sizes, edges, alone, logs, smalls, split, merged)
    as_split, as_merged = np.zeros(d), np.zeros(d)
    for k in range(edges.shape[0]):
        as_split[edges[k, 2]] += split[k]
        as_merged[edges[k, 2]] += merged[k]
    mergers = count_changes(edges, n_live, d)
    total = np.sum(alone)
    sums, counts = np.empty((d, d)), np.empty((d, d), np.int64)
    for i in range(d):
        for j in range(d):
            sums[i, j] = total + as_split[i] + as_merged[j]
            counts[i, j] = n_live + mergers[i] + mergers[j]
    links, changes = link(edges, sizes.shape[0]), (alone, split, merged)
    squares = add_diagonals(prior, sizes, n_live, diagonals, links[0], alone, logs, smalls, sums, counts)
    add_squares(prior, sizes, n_live, edges, diagonals, squares, links, changes, logs, smalls, sums, counts)
    for i in range(d):
        for j in range(i + 1, d):
            rest = prior[3] - prior[2] * counts[i, j]
            drops[j] += log_dependent(max(sums[i, j], 0.0) + rest)
            drops[i] += log_dependent(max(sums[j, i], 0.0) + rest)


@inner
def one_member_terms(prior, sizes, n_live, edges, logs, smalls, drops):
    """Do the tests of X against each member given the others.

    drops: OUT, gains log Pr(I(X, b | B - b)). Returns the sum of log Pr(not I(X, b | B - b)).
    """
    d = drops.shape[0]
    alone = np.zeros(sizes.shape[0])
    single_logs(prior, sizes, logs, smalls, alone)
    split, merged = np.empty(edges.shape[0]), np.empty(edges.shape[0])
    edge_changes(prior, sizes, edges, alone, logs, smalls, split, merged)
    sums = np.full(d, np.sum(alone))
    for k in range(edges.shape[0]):
        sums[edges[k, 2]] += split[k]
    mergers = count_changes(edges, n_live, d)
    own = 0.0
    for i in range(d):
        s = max(sums[i], 0.0) + prior[3] - prior[2] * (n_live + mergers[i])
        own += log_dependent(s)
        drops[i] -= s
    return own


@kernel
def member_terms(keys, sizes, ones, n_large, n_live, priors, logs, smalls, own, adds, drops):
    """Do all tests but those of pairs outside the blanket; as in `binary_members`."""
    d = drops.shape[0]
    edges, diagonals = near_pairs(keys, d)
    edges, groups = parted(edges, sizes, n_live, d)
    drops[:] = 0.0
    total = one_member_terms(priors[1], sizes, n_live, edges, logs, smalls, drops)
    two_member_terms(priors[0], sizes, n_live, edges, diagonals, logs, smalls, drops)
    outside_terms(ones, sizes, n_large, n_live, edges, groups, priors, logs, smalls, own, adds, drops)
    return total
