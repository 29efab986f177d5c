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
from numba import njit

from ibmap.kernels.bits import popcount
from ibmap.kernels.two_by_two import log_dependent, log_factor

BUCKET_BITS = 14
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def bucket_of(key, mask):
    """Spread the masked bits of a key over the buckets."""
    return np.int64(((key & mask) * GOLDEN) >> np.uint64(64 - BUCKET_BITS))


@njit(cache=True, nogil=True)
def fill_buckets(keys, mask, starts, items):
    """Sort slices by bucket. items: OUT. starts: OUT, entry k + 1 is where bucket k starts."""
    starts[:] = 0
    for z in range(keys.shape[0]):
        starts[bucket_of(keys[z], mask) + 1] += 1
    for k in range(starts.shape[0] - 1):
        starts[k + 1] += starts[k]
    for z in range(keys.shape[0] - 1, -1, -1):
        bucket = bucket_of(keys[z], mask)
        starts[bucket + 1] -= 1
        items[starts[bucket + 1]] = z


@njit(cache=True, nogil=True)
def lowest_bit(word):
    """Give the position of the lowest bit of a word."""
    return popcount((word & (~word + np.uint64(1))) - np.uint64(1))


@njit(cache=True, nogil=True)
def near_pairs(keys, n_members):
    """List the pairs of slices that differ in one or two members.

    Two such slices agree on one of three thirds of the members at least; only slices that
    agree on a third are compared. Returns rows (slice, slice, member) and rows (slice, slice,
    member, member), the lower number first.
    """
    n = keys.shape[0]
    thirds = np.zeros(3, np.uint64)
    for i in range(n_members):
        thirds[i * 3 // n_members] |= np.uint64(1) << np.uint64(i)
    starts = np.empty((1 << BUCKET_BITS) + 2, np.int64)
    items = np.empty(n, np.int64)
    edges, n_edges = np.empty((max(n, 16), 3), np.int64), 0
    diagonals, n_diagonals = np.empty((max(n, 16), 4), np.int64), 0
    for third in range(3):
        fill_buckets(keys, thirds[third], starts, items)
        for bucket in range(1 << BUCKET_BITS):
            first, last = starts[bucket + 1], starts[bucket + 2]
            for p in range(first, last):
                for q in range(p + 1, last):
                    difference = keys[items[p]] ^ keys[items[q]]
                    rest = difference & (difference - np.uint64(1))
                    if rest & (rest - np.uint64(1)) != 0 or difference & thirds[third] != 0:
                        continue
                    if third > 0 and difference & thirds[0] == 0:
                        continue
                    if third > 1 and difference & thirds[1] == 0:
                        continue
                    z, y = min(items[p], items[q]), max(items[p], items[q])
                    if rest == 0:
                        if n_edges == edges.shape[0]:
                            edges = np.concatenate((edges, np.empty_like(edges)))
                        edges[n_edges] = z, y, lowest_bit(difference)
                        n_edges += 1
                    else:
                        if n_diagonals == diagonals.shape[0]:
                            diagonals = np.concatenate((diagonals, np.empty_like(diagonals)))
                        diagonals[n_diagonals] = z, y, lowest_bit(difference), lowest_bit(rest)
                        n_diagonals += 1
    return edges[:n_edges], diagonals[:n_diagonals]


@njit(cache=True, nogil=True)
def link(edges, n_slices):
    """Chain the edges of each slice. Returns for each slice its newest edge, and the chain.

    Chains go through half-edges 2k (at the first slice of edge k) and 2k + 1 (at the second).
    """
    newest = np.full(n_slices, -1, np.int64)
    earlier = np.empty(2 * edges.shape[0], np.int64)
    for k in range(edges.shape[0]):
        for side in range(2):
            earlier[2 * k + side] = newest[edges[k, side]]
            newest[edges[k, side]] = 2 * k + side
    return newest, earlier


@njit(cache=True, nogil=True)
def edge_along(z, member, edges, newest, earlier):
    """Find the edge of a slice along a member, or -1."""
    half = newest[z]
    while half >= 0:
        if edges[half // 2, 2] == member:
            return half // 2
        half = earlier[half]
    return np.int64(-1)


@njit(cache=True, nogil=True)
def single_logs(prior, sizes, logs, smalls, out):
    """Log of 1 + e of every slice as it is, X against a member that does not vary. out: OUT."""
    for z in range(out.shape[0]):
        out[z] = log_factor(prior, sizes[z, 0], sizes[z, 1], 0, 0, logs, smalls)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def count_changes(edges, n_live, n_members):
    """What merging the edges of each member changes in the number of slices that matter."""
    changes = np.zeros(n_members, np.int64)
    for k in range(edges.shape[0]):
        changes[edges[k, 2]] += 1 - (edges[k, 0] < n_live) - (edges[k, 1] < n_live)
    return changes


@njit(cache=True, nogil=True)
def add_diagonals(prior, sizes, n_live, edges, diagonals, alone, split, merged, logs, smalls, sums, counts):
    """Correct the sums for pairs of members where mergers meet.

    sums: IN and OUT, [i, j] for X against i without i and j. counts: IN and OUT, slices that
    matter, for i < j.
    """
    newest, earlier = link(edges, sizes.shape[0])
    empty = sizes.shape[0] - 1
    for k in range(diagonals.shape[0]):
        z, y, i, j = diagonals[k]
        z_i = edge_along(z, i, edges, newest, earlier)
        z_j = edge_along(z, j, edges, newest, earlier)
        y_i = edge_along(y, i, edges, newest, earlier)
        y_j = edge_along(y, j, edges, newest, earlier)
        a, b = empty, empty  # the corners next to z along i and along j
        if z_i >= 0:
            a = edges[z_i, 0] + edges[z_i, 1] - z
        if z_j >= 0:
            b = edges[z_j, 0] + edges[z_j, 1] - z
        if max(a, b) < empty and min(a, b) < z:
            continue  # the other diagonal of a full square speaks for it
        before = alone[z] + alone[y] + alone[a] + alone[b]
        n_before = np.int64(z < n_live) + (y < n_live) + (a < n_live) + (b < n_live)
        for_i, for_j, n_merged = before, before, n_before
        for e in (z_i, y_i):
            if e >= 0:
                for_i += split[e]
                for_j += merged[e]
                n_merged += 1 - (edges[e, 0] < n_live) - (edges[e, 1] < n_live)
        for e in (z_j, y_j):
            if e >= 0:
                for_i += merged[e]
                for_j += split[e]
                n_merged += 1 - (edges[e, 0] < n_live) - (edges[e, 1] < n_live)
        zb0, zb1 = sizes[z, 0] + sizes[b, 0], sizes[z, 1] + sizes[b, 1]
        ay0, ay1 = sizes[a, 0] + sizes[y, 0], sizes[a, 1] + sizes[y, 1]
        sums[i, j] += log_factor(prior, zb0, zb1, ay0, ay1, logs, smalls) - for_i
        za0, za1 = sizes[z, 0] + sizes[a, 0], sizes[z, 1] + sizes[a, 1]
        by0, by1 = sizes[b, 0] + sizes[y, 0], sizes[b, 1] + sizes[y, 1]
        sums[j, i] += log_factor(prior, za0, za1, by0, by1, logs, smalls) - for_j
        counts[i, j] += 1 - n_merged


@njit(cache=True, nogil=True)
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
    add_diagonals(prior, sizes, n_live, edges, diagonals, alone, split, merged, logs, smalls, sums, counts)
    for i in range(d):
        for j in range(i + 1, d):
            rest = prior[3] - prior[2] * counts[i, j]
            drops[j] += log_dependent(max(sums[i, j], 0.0) + rest)
            drops[i] += log_dependent(max(sums[j, i], 0.0) + rest)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def outside_logs(one, sizes, priors, logs, smalls, own, less, given0, given1):
    """Log of 1 + e of every live slice as it is, for one W.

    own, less: OUT, X against W with the prior of B and of B - b. given0, given1: OUT, X against
    a member that does not vary, given W = 0 and given W = 1.
    """
    for z in range(own.shape[0]):
        b0, b1 = one[z, 0], one[z, 1]
        a0, a1 = sizes[z, 0] - b0, sizes[z, 1] - b1
        own[z] = log_factor(priors[2], a0, a1, b0, b1, logs, smalls)
        less[z] = log_factor(priors[1], a0, a1, b0, b1, logs, smalls)
        given0[z] = log_factor(priors[2], a0, a1, 0, 0, logs, smalls)
        given1[z] = log_factor(priors[2], b0, b1, 0, 0, logs, smalls)


@njit(cache=True, nogil=True)
def outside_edges(one, sizes, n_live, edges, priors, logs, smalls, alone, without, with_w, counts):
    """Add what merging the edges of each member changes in the tests of one W.

    alone: IN, (less, given0, given1) from `outside_logs`. without, with_w: IN and OUT, for each
    member the logs of X against W given B - b, and of X against b given B - b + W. counts: IN
    and OUT, slices that matter for the latter.
    """
    less, given0, given1 = alone
    for k in range(edges.shape[0]):
        z, y, i = edges[k]
        b0, b1, d0, d1 = one[z, 0], one[z, 1], one[y, 0], one[y, 1]
        a0, a1 = sizes[z, 0] - b0, sizes[z, 1] - b1
        c0, c1 = sizes[y, 0] - d0, sizes[y, 1] - d1
        change = log_factor(priors[1], a0 + c0, a1 + c1, b0 + d0, b1 + d1, logs, smalls)
        change_w = log_factor(priors[2], a0, a1, c0, c1, logs, smalls)
        change_w += log_factor(priors[2], b0, b1, d0, d1, logs, smalls)
        counts[i] += np.int64(a0 + a1 + c0 + c1 >= 2) + (b0 + b1 + d0 + d1 >= 2)
        if z < n_live:
            change -= less[z]
            change_w -= given0[z] + given1[z]
            counts[i] -= np.int64(a0 + a1 >= 2) + (b0 + b1 >= 2)
        if y < n_live:
            change -= less[y]
            change_w -= given0[y] + given1[y]
            counts[i] -= np.int64(c0 + c1 >= 2) + (d0 + d1 >= 2)
        without[i] += change
        with_w[i] += change_w


@njit(cache=True, nogil=True)
def outside_terms(ones, sizes, n_live, edges, priors, logs, smalls, own, adds, drops):
    """Do all tests of the variables outside the blanket that need no joint counts.

    own: OUT, -log Pr(I(X, W | B)). adds: OUT, sums of log Pr(not I) for B + W. drops: IN and
    OUT, sums of log Pr(I) for B - b.
    """
    d = drops.shape[0]
    mergers = count_changes(edges, n_live, d)
    logs_own, less = np.empty(n_live), np.empty(n_live)
    given0, given1 = np.empty(n_live), np.empty(n_live)
    without, with_w, counts = np.empty(d), np.empty(d), np.empty(d, np.int64)
    for v in range(ones.shape[0]):
        outside_logs(ones[v], sizes, priors, logs, smalls, logs_own, less, given0, given1)
        own[v] = np.sum(logs_own) + priors[2, 3] - priors[2, 2] * n_live
        adds[v] = log_dependent(own[v])
        without[:] = np.sum(less)
        with_w[:] = np.sum(given0) + np.sum(given1)
        n_given = 0
        for z in range(n_live):
            n_one = ones[v, z, 0] + ones[v, z, 1]
            n_given += np.int64(n_one >= 2) + (sizes[z, 0] + sizes[z, 1] - n_one >= 2)
        counts[:] = n_given
        alone = (less, given0, given1)
        outside_edges(ones[v], sizes, n_live, edges, priors, logs, smalls, alone, without, with_w, counts)
        for i in range(d):
            drops[i] -= max(without[i], 0.0) + priors[1, 3] - priors[1, 2] * (n_live + mergers[i])
            adds[v] += log_dependent(max(with_w[i], 0.0) + priors[2, 3] - priors[2, 2] * counts[i])


@njit(cache=True, nogil=True)
def member_terms(keys, sizes, ones, n_large, n_live, priors, logs, smalls, own, adds, drops):
    """Do all tests but those of pairs outside the blanket; as in `binary_members`."""
    d = drops.shape[0]
    edges, diagonals = near_pairs(keys, d)
    drops[:] = 0.0
    total = one_member_terms(priors[1], sizes, n_live, edges, logs, smalls, drops)
    two_member_terms(priors[0], sizes, n_live, edges, diagonals, logs, smalls, drops)
    outside_terms(ones, sizes, n_live, edges, priors, logs, smalls, own, adds, drops)
    return total
