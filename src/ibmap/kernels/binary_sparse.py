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

from ibmap.kernels.compiling import bare, inlined, inner, kernel
from ibmap.kernels.shares import HALF, LOW, OVER, index_of, large_share, slice_words
from ibmap.kernels.two_by_two import log_dependent

NOTHING = np.uint64(0)
CLIP = np.uint64(63)
MANY = 0xF0F0  # bits of a clipped word, or of a sum of four, with a count over 15


@bare
def alone_shares(words, prior, table, logs, smalls, alone):
    """Give the share of every slice as it is, X against a member that does not vary. alone: OUT."""
    for z in range(words.shape[0]):
        if words[z] & OVER == 0:
            alone[z] = table[index_of(words[z], NOTHING)]
        else:
            alone[z] = large_share(words[z], NOTHING, prior, logs, smalls)


@bare
def merge_edges(words, alone, edges, prior, table, logs, smalls, changes):
    """Give what merging each edge changes.

    edges: IN, rows (slice, slice, member). changes: OUT, X against the edge's member and X against
    another one; the last row is 0 and no edge.
    """
    changes[edges.shape[0], 0] = changes[edges.shape[0], 1] = 0.0
    for k in range(edges.shape[0]):
        z, y = edges[k, 0], edges[k, 1]
        before, both = alone[z] + alone[y], words[z] + words[y]
        if both & OVER == 0:
            changes[k, 0] = table[index_of(words[z], words[y])] - before
            changes[k, 1] = table[index_of(both, NOTHING)] - before
        else:
            changes[k, 0] = large_share(words[z], words[y], prior, logs, smalls) - before
            changes[k, 1] = large_share(both, NOTHING, prior, logs, smalls) - before


@bare
def place_neighbours(edges, beside):
    """Give the slice across the edge of each slice and member. beside: OUT, the last, empty one for none."""
    beside[:] = beside.shape[0] - 1
    for k in range(edges.shape[0]):
        z, y, i = edges[k, 0], edges[k, 1], edges[k, 2]
        beside[z, i], beside[y, i] = y, z


@bare
def place_edges(edges, at):
    """Give the edge of each slice and member. at: OUT, their number for none."""
    at[:] = edges.shape[0]
    for k in range(edges.shape[0]):
        at[edges[k, 0], edges[k, 2]] = at[edges[k, 1], edges[k, 2]] = k


@kernel
def member_terms(sizes, edges, prior, table, logs, smalls, drops):
    """Do the tests of X against each member given the others.

    sizes: IN, data points by slice and X. edges: IN, from `near_pairs`. table: IN, shares by this prior.
    drops: IN and OUT, gets log Pr(I(X, b | B - b)). Returns the sum of log Pr(not I(X, b | B - b)).
    """
    d, words = drops.shape[0], slice_words(sizes)
    alone, changes = np.empty(words.shape[0]), np.empty((edges.shape[0] + 1, 2))
    alone_shares(words, prior, table, logs, smalls, alone)
    merge_edges(words, alone, edges, prior, table, logs, smalls, changes)
    shares = np.full(d, np.sum(alone) + prior[3])
    for k in range(edges.shape[0]):
        shares[edges[k, 2]] += changes[k, 0]
    total = 0.0
    for i in range(d):
        total += log_dependent(shares[i])
        drops[i] -= shares[i]
    return total


@bare
def clip_words(words, clipped):
    """Write slices in two bytes, counts beyond 63 as 63: the sum of four shows a count over 15."""
    for z in range(words.shape[0]):
        clipped[z] = min(words[z] & LOW, CLIP) | min(words[z] >> HALF, CLIP) << np.uint64(8)


@inlined
def place_of(a, b):
    """Give the place in a table of X against Y, from clipped words of Y = 0 and of Y = 1."""
    return np.uint32(((a | a >> 4) & 0xFF) | ((b | b >> 4) & 0xFF) << 8)


@inlined
def square_change(z, y, a, b, table):
    """What merging a square changes in X against i beyond its edges, but for its slices alone.

    Clipped words of slices: z and a differ in i, z and b in j, y is opposite to z.
    """
    edges = table[place_of(z, a)] + table[place_of(b, y)]
    edges += table[place_of(z + b, 0)] + table[place_of(a + y, 0)]
    return table[place_of(z + b, a + y)] - edges


@bare
def sort_out(clipped, diagonals, beside, bare_ones, squares, corners, larger):
    """Tell diagonals apart. clipped: IN, from `clip_words`. beside: IN, from `place_neighbours`.

    bare_ones: OUT, numbers of diagonals without other corners. squares: OUT, of those with any, each
    square once. corners: OUT, of a square those next to its first slice, along either member. larger: OUT,
    numbers of either kind with a count over 15. Which it is cannot be foreseen: there is no
    branch. Returns how many there are of each.
    """
    n_bare, n_squares, n_larger, empty = 0, 0, 0, clipped.shape[0] - 1
    for k in range(diagonals.shape[0]):
        z, y = np.uint32(diagonals[k, 0]), np.uint32(diagonals[k, 1])
        a = np.uint32(beside[z, np.uint32(diagonals[k, 2])])
        b = np.uint32(beside[z, np.uint32(diagonals[k, 3])])
        is_small = int((clipped[z] + clipped[y] + clipped[a] + clipped[b]) & MANY == 0)
        is_bare = int(min(a, b) == empty)
        # the other diagonal of a full square speaks for it if it has the lowest slice
        is_told = int(max(a, b) == empty) | int(min(a, b) > z)
        bare_ones[n_bare] = squares[n_squares] = larger[n_larger] = k
        corners[n_squares, 0], corners[n_squares, 1] = a, b
        n_bare += is_small & is_bare
        n_squares += is_small & is_told & (1 - is_bare)
        n_larger += (1 - is_small) & is_told
    return n_bare, n_squares, n_larger


@bare
def add_bare_ones(clipped, diagonals, numbers, table, sums):
    """Add what diagonals without other corners change. sums: IN and OUT."""
    for k in numbers:
        z, y, i, j = clipped[diagonals[k, 0]], clipped[diagonals[k, 1]], diagonals[k, 2], diagonals[k, 3]
        change = table[place_of(z, y)] - table[place_of(z, 0)] - table[place_of(y, 0)]
        sums[i, j] += change
        sums[j, i] += change


@bare
def add_squares(clipped, diagonals, squares, corners, table, sums):
    """Add what diagonals with other corners change, beyond their edges. sums: IN and OUT."""
    for s in range(squares.shape[0]):
        k = squares[s]
        z, y, i, j = clipped[diagonals[k, 0]], clipped[diagonals[k, 1]], diagonals[k, 2], diagonals[k, 3]
        a, b = clipped[corners[s, 0]], clipped[corners[s, 1]]
        slices = table[place_of(z, 0)] + table[place_of(y, 0)] + table[place_of(a, 0)] + table[place_of(b, 0)]
        sums[i, j] += slices + square_change(z, y, a, b, table)
        sums[j, i] += slices + square_change(z, y, b, a, table)


@bare
def add_larger(words, alone, diagonals, numbers, changes, at, beside, prior, logs, smalls, sums):
    """Add what larger diagonals of both kinds change. changes: IN, from `merge_edges`. sums: IN and OUT."""
    for k in numbers:
        z, y, i, j = diagonals[k, 0], diagonals[k, 1], diagonals[k, 2], diagonals[k, 3]
        z_i, z_j, y_i, y_j = at[z, i], at[z, j], at[y, i], at[y, j]
        a, b = beside[z, i], beside[z, j]
        slices = alone[z] + alone[y] + alone[a] + alone[b]
        of_i = large_share(words[z] + words[b], words[a] + words[y], prior, logs, smalls) - slices
        of_j = large_share(words[z] + words[a], words[b] + words[y], prior, logs, smalls) - slices
        sums[i, j] += of_i - changes[z_i, 0] - changes[y_i, 0] - changes[z_j, 1] - changes[y_j, 1]
        sums[j, i] += of_j - changes[z_i, 1] - changes[y_i, 1] - changes[z_j, 0] - changes[y_j, 0]


@inner
def near_changes(words, alone, edges, changes, diagonals, prior, table, logs, smalls, sums):
    """Sum what diagonals change beyond edges. sums: IN and OUT, by the member tested and the other one."""
    most, beside = diagonals.shape[0] + 1, np.empty((words.shape[0], sums.shape[0]), np.int32)
    place_neighbours(edges, beside)
    clipped, corners = np.empty(words.shape[0], np.int32), np.empty((most, 2), np.int32)
    clip_words(words, clipped)
    bare_ones, squares, larger = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    n_bare, n_squares, n_larger = sort_out(clipped, diagonals, beside, bare_ones, squares, corners, larger)
    add_bare_ones(clipped, diagonals, bare_ones[:n_bare], table, sums)
    add_squares(clipped, diagonals, squares[:n_squares], corners, table, sums)
    if n_larger:
        at = np.empty_like(beside)
        place_edges(edges, at)
        larger = larger[:n_larger]
        add_larger(words, alone, diagonals, larger, changes, at, beside, prior, logs, smalls, sums)


@kernel
def pair_terms(sizes, edges, diagonals, prior, table, logs, smalls, drops):
    """Add log Pr(not I(X, b | B - b - b')) to the term without b', for all b, b'.

    sizes: IN, data points by slice and X. edges, diagonals: IN, from `near_pairs`. table: IN, shares
    by this prior. drops: IN and OUT.
    """
    d, n, words = drops.shape[0], edges.shape[0], slice_words(sizes)
    alone, changes = np.empty(words.shape[0]), np.empty((n + 1, 2))
    alone_shares(words, prior, table, logs, smalls, alone)
    merge_edges(words, alone, edges, prior, table, logs, smalls, changes)
    sums = np.zeros((d, d))
    near_changes(words, alone, edges, changes, diagonals, prior, table, logs, smalls, sums)
    as_split, as_merged = np.full(d, np.sum(alone) + prior[3]), np.zeros(d)
    for k in range(n):
        as_split[edges[k, 2]] += changes[k, 0]
        as_merged[edges[k, 2]] += changes[k, 1]
    for i in range(d):
        for j in range(d):
            if i != j:
                drops[j] += log_dependent(as_split[i] + as_merged[j] + sums[i, j])
