"""Tests without one or two members of a large blanket, whose slices are mostly alone.

With many members hardly any two slices differ in one or two members only, and
dropping those merges no others. A test is a sum of shares over slices (`shares`), so it is the
sum over all slices as they are, plus what each merger changes:

- *edges* are pairs of slices that differ in one member,
- *diagonals* are pairs that differ in two.

Dropping b merges the edges of b. Dropping b and b' merges the edges of b, those
of b', and the diagonals of both, together with the corners that occur.
"""

import numpy as np

from ibmap.kernels.compiling import bare, inlined, kernel
from ibmap.kernels.shares import OVER, index_of, large_share, slice_words
from ibmap.kernels.two_by_two import log_dependent

NOTHING = np.uint64(0)


@bare
def alone_shares(words, prior, table, logs, smalls, alone):
    """Give the share of every slice as it is, X against a member that does not vary. alone: OUT."""
    for z in range(words.shape[0]):
        if words[z] & OVER == 0:
            alone[z] = table[index_of(words[z], NOTHING)]
        else:
            alone[z] = large_share(words[z], NOTHING, prior, logs, smalls)


@bare
def merge_edges(words, alone, edges, prior, table, logs, smalls, changes, at):
    """Give what merging each edge changes, and where it is.

    edges: IN, rows (slice, slice, member). changes: OUT, X against the edge's member and X against
    another one; the last row is 0 and no edge. at: OUT, edge of each member and slice, or the last.
    """
    at[:] = none = edges.shape[0]
    changes[none, 0] = changes[none, 1] = 0.0
    for k in range(edges.shape[0]):
        z, y = edges[k, 0], edges[k, 1]
        before, both = alone[z] + alone[y], words[z] + words[y]
        if both & OVER == 0:
            changes[k, 0] = table[index_of(words[z], words[y])] - before
            changes[k, 1] = table[index_of(both, NOTHING)] - before
        else:
            changes[k, 0] = large_share(words[z], words[y], prior, logs, smalls) - before
            changes[k, 1] = large_share(both, NOTHING, prior, logs, smalls) - before
        at[edges[k, 2], z] = at[edges[k, 2], y] = k


@kernel
def member_terms(sizes, edges, prior, table, logs, smalls, drops):
    """Do the tests of X against each member given the others.

    sizes: IN, data points by slice and X. edges: IN, from `near_pairs`. table: IN, shares by this prior.
    drops: IN and OUT, gets log Pr(I(X, b | B - b)). Returns the sum of log Pr(not I(X, b | B - b)).
    """
    d, words = drops.shape[0], slice_words(sizes)
    alone, changes = np.empty(words.shape[0]), np.empty((edges.shape[0] + 1, 2))
    alone_shares(words, prior, table, logs, smalls, alone)
    at = np.empty((d, words.shape[0]), np.int32)
    merge_edges(words, alone, edges, prior, table, logs, smalls, changes, at)
    shares = np.full(d, np.sum(alone) + prior[3])
    for k in range(edges.shape[0]):
        shares[edges[k, 2]] += changes[k, 0]
    total = 0.0
    for i in range(d):
        total += log_dependent(shares[i])
        drops[i] -= shares[i]
    return total


@inlined
def square_change(z, y, a, b, table):
    """What merging a square changes in X against i beyond its edges, but for its slices alone.

    Words of slices: z and a differ in i, z and b in j, y is opposite to z.
    """
    edges = table[index_of(z, a)] + table[index_of(b, y)]
    edges += table[index_of(z + b, NOTHING)] + table[index_of(a + y, NOTHING)]
    return table[index_of(z + b, a + y)] - edges


@bare
def add_diagonals(words, alone, diagonals, at, none, prior, table, logs, smalls, sums, squares):
    """Add what diagonals without other corners change to the sums.

    diagonals: IN, rows (slice, slice, member, member). at, none: IN, edges of each member and slice,
    and what stands for none. squares: OUT, the other diagonals. Returns how many there are.
    """
    n_squares = 0
    for k in range(diagonals.shape[0]):
        z, y, i, j = diagonals[k, 0], diagonals[k, 1], diagonals[k, 2], diagonals[k, 3]
        if at[i, z] != none or at[j, z] != none:
            squares[n_squares] = k
            n_squares += 1
            continue
        change = -alone[z] - alone[y]
        if (words[z] | words[y]) & OVER == 0:
            change += table[index_of(words[z], words[y])]
        else:
            change += large_share(words[z], words[y], prior, logs, smalls)
        sums[i, j] += change
        sums[j, i] += change
    return n_squares


@bare
def add_squares(words, alone, diagonals, squares, edges, changes, at, prior, table, logs, smalls, sums):
    """Add what diagonals with other corners change, beyond their edges.

    squares: IN, numbers of such diagonals. changes, at: IN, from `merge_edges`.
    """
    none, empty = edges.shape[0], words.shape[0] - 1
    for k in squares:
        z, y, i, j = diagonals[k, 0], diagonals[k, 1], diagonals[k, 2], diagonals[k, 3]
        z_i, z_j, y_i, y_j = at[i, z], at[j, z], at[i, y], at[j, y]
        # the corners next to z along i and along j
        a = edges[z_i, 0] + edges[z_i, 1] - z if z_i != none else empty
        b = edges[z_j, 0] + edges[z_j, 1] - z if z_j != none else empty
        if max(a, b) < empty and min(a, b) < z:
            continue  # the other diagonal of a full square speaks for it
        slices = alone[z] + alone[y] + alone[a] + alone[b]
        w_z, w_y, w_a, w_b = words[z], words[y], words[a], words[b]
        if (w_z + w_y + w_a + w_b) & OVER == 0:
            sums[i, j] += slices + square_change(w_z, w_y, w_a, w_b, table)
            sums[j, i] += slices + square_change(w_z, w_y, w_b, w_a, table)
            continue
        of_i = large_share(w_z + w_b, w_a + w_y, prior, logs, smalls) - slices
        of_j = large_share(w_z + w_a, w_b + w_y, prior, logs, smalls) - slices
        sums[i, j] += of_i - changes[z_i, 0] - changes[y_i, 0] - changes[z_j, 1] - changes[y_j, 1]
        sums[j, i] += of_j - changes[z_i, 1] - changes[y_i, 1] - changes[z_j, 0] - changes[y_j, 0]


@kernel
def pair_terms(sizes, edges, diagonals, prior, table, logs, smalls, drops):
    """Add log Pr(not I(X, b | B - b - b')) to the term without b', for all b, b'.

    sizes: IN, data points by slice and X. edges, diagonals: IN, from `near_pairs`. table: IN, shares
    by this prior. drops: IN and OUT.
    """
    d, n, words = drops.shape[0], edges.shape[0], slice_words(sizes)
    alone, changes = np.empty(words.shape[0]), np.empty((n + 1, 2))
    at, squares = np.empty((d, words.shape[0]), np.int32), np.empty(diagonals.shape[0], np.int32)
    alone_shares(words, prior, table, logs, smalls, alone)
    merge_edges(words, alone, edges, prior, table, logs, smalls, changes, at)
    sums, as_split, as_merged = np.zeros((d, d)), np.full(d, np.sum(alone) + prior[3]), np.zeros(d)
    for k in range(n):
        as_split[edges[k, 2]] += changes[k, 0]
        as_merged[edges[k, 2]] += changes[k, 1]
    n_squares = add_diagonals(words, alone, diagonals, at, n, prior, table, logs, smalls, sums, squares)
    add_squares(
        words, alone, diagonals, squares[:n_squares], edges, changes, at, prior, table, logs, smalls, sums
    )
    for i in range(d):
        for j in range(d):
            if i != j:
                drops[j] += log_dependent(as_split[i] + as_merged[j] + sums[i, j])
