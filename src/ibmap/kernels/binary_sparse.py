"""Tests without one or two members of a large blanket, whose slices are mostly alone.

With many members hardly any two slices differ in one or two members only, and
dropping those merges no others. A test is a sum of shares over slices (`shares`), so it is the
sum over all slices as they are, plus what each merger changes:

- *edges* are pairs of slices that differ in one member,
- *diagonals* are pairs that differ in two.

Dropping b merges the edges of b. Dropping b and b' merges the edges of b, those
of b', and the diagonals of both, together with the corners that occur: a *square*, of up to four slices.

Let D(p, q) be the share of X against a member that is 0 in slice p and 1 in slice q, less the shares of
p and of q alone. A square of slices z, a, b, y, where z and a differ in i as b and y do, changes

    D(z + b, a + y) - D(z, a) - D(b, y)

in the test of X against i, beyond what edges change; D is 0 where a slice is empty.
"""

import math

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner, kernel
from ibmap.kernels.shares import (
    BYTE,
    HALF,
    LOW,
    MANY,
    NOTHING,
    OVER,
    TWO_BYTES,
    column_factor,
    fill_codes,
    huge_factor,
    index_of,
    is_huge,
    large_share,
    row_factor,
    slice_words,
    spill,
)
from ibmap.kernels.two_by_two import log_dependent

STEP = np.uint32(1 << 10)  # what tells diagonals of a square apart is added up from this bit of codes on
PLAIN, LATER, EARLIER = 3, 4, 6  # of the two slices of a diagonal, and of the slices beside its first one
REPEATED = np.uint32(16 << 10)  # bit of the sum if both of the latter exist, one of which comes first


@inlined
def share_of(a, b, prior, table, logs, smalls):
    """Give a share, from the words of Y = 0 and of Y = 1."""
    if (a + b) & OVER == 0:
        return table[index_of(a, b)]
    return large_share(a, b, prior, logs, smalls)


@bare
def alone_shares(words, prior, table, logs, smalls, alone):
    """Give the share of every slice as it is, X against a member that does not vary. alone: OUT."""
    total = 0.0
    for z in range(words.shape[0]):
        alone[z] = share_of(words[z], NOTHING, prior, table, logs, smalls)
        total += alone[z]
    return total


@kernel
def member_terms(sizes, edges, prior, table, logs, smalls, drops):
    """Do the tests of X against each member given the others.

    sizes: IN, data points by slice and X. edges: IN, from `near_pairs`. table: IN, shares by this prior.
    drops: IN and OUT, gets log Pr(I(X, b | B - b)). Returns the sum of log Pr(not I(X, b | B - b)).
    """
    words, alone = slice_words(sizes), np.empty(sizes.shape[0])
    shares = np.full(drops.shape[0], alone_shares(words, prior, table, logs, smalls, alone) + prior[3])
    for k in range(edges.shape[0]):
        z, y = edges[k, 0], edges[k, 1]
        merged = share_of(words[z], words[y], prior, table, logs, smalls)
        shares[edges[k, 2]] += merged - alone[z] - alone[y]
    total = 0.0
    for i in range(drops.shape[0]):
        total += log_dependent(shares[i])
        drops[i] -= shares[i]
    return total


@bare
def merge_edges(words, alone, edges, prior, table, changes, logs, smalls, split, merged, as_split, as_merged):
    """Merge the slices of each edge.

    edges: IN, rows (slice, slice, member). changes: IN, D of small slices. split: OUT, D of its slices.
    merged: OUT, the share of both as one. as_split, as_merged: IN and OUT, get what this changes, by member.
    """
    for k in range(edges.shape[0]):
        z, y, i = words[edges[k, 0]], words[edges[k, 1]], edges[k, 2]
        before = alone[edges[k, 0]] + alone[edges[k, 1]]
        if (z + y) & OVER == 0:
            split[k], merged[k] = changes[index_of(z, y)], table[index_of(z + y, NOTHING)]
        else:
            split[k] = large_share(z, y, prior, logs, smalls) - before
            merged[k] = large_share(z + y, NOTHING, prior, logs, smalls)
        as_split[i] += split[k]
        as_merged[i] += merged[k] - before


@bare
def place_codes(edges, codes, beside):
    """Give the code of the slice across the edge of each slice and member.

    codes: IN and OUT, get what tells diagonals apart. beside: IN and OUT, stays 0 for none.
    """
    for k in range(edges.shape[0]):
        z, y, i = edges[k, 0], edges[k, 1], edges[k, 2]
        beside[z, i], beside[y, i] = codes[y] + STEP * LATER, codes[z] + STEP * EARLIER
    for z in range(codes.shape[0]):
        codes[z] += STEP * PLAIN


@bare
def sort_out(codes, beside, diagonals, squares, larger):
    """Tell diagonals apart. codes, beside: IN, from `place_codes`.

    squares: OUT, of small ones a byte for each slice z, a, b, y and for each member. larger: OUT, numbers of
    diagonals with a count over 15. A full square is told by the diagonal that has its lowest slice. Which
    it is cannot be foreseen: there is no branch. Returns how many there are of each.
    """
    n_squares, n_larger, eight = np.uint64(0), np.uint64(0), np.uint32(8)
    for k in range(diagonals.shape[0]):
        first, second = np.uint32(diagonals[k, 0]), np.uint32(diagonals[k, 1])
        i, j = np.uint32(diagonals[k, 2]), np.uint32(diagonals[k, 3])
        z, y, a, b = codes[first], codes[second], beside[first, i], beside[first, j]
        total = z + y + a + b
        larger[n_larger] = k
        n_larger += np.uint64(total & REPEATED == 0) & np.uint64(total & MANY != 0)
        slices = (z & BYTE) | (a & BYTE) << eight | (b & BYTE) << np.uint32(16) | (y & BYTE) << np.uint32(24)
        squares[n_squares] = np.uint64(slices) | np.uint64(i | j << eight) << HALF
        n_squares += np.uint64(total & (REPEATED | MANY) == 0)
    return n_squares, n_larger


@inlined
def add_both(members, of_i, of_j, sums):
    """Add to the sums of X against i without j and of X against j without i. sums: IN and OUT."""
    i, j = members & np.uint64(0xFF), members >> np.uint64(8)
    sums[i, j] += of_i
    sums[j, i] += of_j


@inlined
def square_change(slices, table):
    """Give what a small square changes in X against i, from its slices z, a, b, y, a byte each."""
    first, second = slices & TWO_BYTES, slices >> np.uint32(16)
    return table[first + second] - table[first] - table[second]


@bare
def add_squares(squares, table, sums):
    """Add what small diagonals change beyond edges. table: IN, D of small slices. sums: IN and OUT."""
    members, of_i, of_j, eight = NOTHING, 0.0, 0.0, np.uint32(8)
    for k in range(squares.shape[0]):
        if squares[k] >> HALF != members:  # mostly those of one pair of members come together
            add_both(members, of_i, of_j, sums)
            members, of_i, of_j = squares[k] >> HALF, 0.0, 0.0
        slices = np.uint32(squares[k] & LOW)
        a, b = slices & (BYTE << eight), slices & (BYTE << np.uint32(16))
        of_i += square_change(slices, table)
        of_j += square_change(np.uint32((slices ^ a ^ b) | a << eight | b >> eight), table)
    add_both(members, of_i, of_j, sums)


@bare
def place_edges(edges, at):
    """Give the edge of each slice and member. at: OUT, for none their number and that of the slice."""
    for z in range(at.shape[0]):
        for i in range(at.shape[1]):
            at[z, i] = edges.shape[0] + z
    for k in range(edges.shape[0]):
        at[edges[k, 0], edges[k, 2]] = at[edges[k, 1], edges[k, 2]] = k


@bare
def join_edges(words, edges, alone, scaled, joined, columns, split, merged):
    """Give the slices of each edge together, then, as if they were edges, those alone.

    joined: OUT, words. columns: OUT, their factors of e, if not huge. split, merged: IN and OUT, from
    `merge_edges`, get the slices.
    """
    n = edges.shape[0]
    for k in range(n):
        joined[k] = words[edges[k, 0]] + words[edges[k, 1]]
    for z in range(words.shape[0]):
        joined[n + z], split[n + z], merged[n + z] = words[z], 0.0, alone[z]
    for k in range(joined.shape[0]):
        columns[k] = 0.0 if is_huge(joined[k]) else column_factor(joined[k], scaled)


@inlined
def multiply(factor, i, j, products, sums):
    """Multiply a factor into exp(sums[i, j]) products[i, j]."""
    products[i, j], sums[i, j] = spill(products[i, j] * factor, sums[i, j])


@bare
def add_larger(diagonals, larger, at, joined, columns, split, merged, prior, scaled, huge, products, sums):
    """Add what larger diagonals change beyond edges: their shares as factors, and logs of what they replace.

    larger: IN, their numbers. at: IN, from `place_edges`. huge: OUT, numbers of those whose shares are
    missing. products, sums: IN and OUT. Returns how many are missing.
    """
    n_huge = np.uint64(0)
    for k in larger:
        row = np.uint32(k)
        z, y = np.uint32(diagonals[row, 0]), np.uint32(diagonals[row, 1])
        i, j = np.uint32(diagonals[row, 2]), np.uint32(diagonals[row, 3])
        z_i, z_j, y_i, y_j = at[z, i], at[z, j], at[y, i], at[y, j]
        square = joined[z_i] + joined[y_i]
        rows = row_factor(square, prior, scaled)
        huge[n_huge] = k
        n_huge += np.uint64(rows == 0.0)
        sums[i, j] -= split[z_i] + split[y_i] + merged[z_j] + merged[y_j] + prior[2]
        sums[j, i] -= split[z_j] + split[y_j] + merged[z_i] + merged[y_i] + prior[2]
        multiply(1.0 + rows * columns[z_j] * columns[y_j], i, j, products, sums)
        multiply(1.0 + rows * columns[z_i] * columns[y_i], j, i, products, sums)
    return n_huge


@bare
def add_huge(diagonals, huge, at, joined, prior, logs, products, sums):
    """Add the shares that `add_larger` has left out."""
    for k in huge:
        z, y = diagonals[k, 0], diagonals[k, 1]
        first, second = np.uint32(diagonals[k, 2]), np.uint32(diagonals[k, 3])
        for i, j in ((first, second), (second, first)):
            factor, log_rest = huge_factor(joined[at[z, j]], joined[at[y, j]], prior, logs)
            sums[i, j] += log_rest
            multiply(factor, i, j, products, sums)


@inner
def merge_larger(words, edges, alone, split, merged, diagonals, larger, at, prior, logs, scaled, sums):
    """Sum what larger diagonals change beyond edges.

    larger: IN, their numbers. at: OUT, room for `place_edges`. sums: IN and OUT.
    """
    n, d = edges.shape[0] + words.shape[0], sums.shape[0]
    products, huge = np.ones((d, d)), np.empty(larger.shape[0], np.int32)
    place_edges(edges, at)
    joined, columns = np.empty(n, np.uint64), np.empty(n)
    join_edges(words, edges, alone, scaled, joined, columns, split, merged)
    n_huge = add_larger(
        diagonals, larger, at, joined, columns, split, merged, prior, scaled, huge, products, sums
    )
    add_huge(diagonals, huge[:n_huge], at, joined, prior, logs, products, sums)
    for i in range(d):
        for j in range(d):
            sums[i, j] += math.log(products[i, j])


@inner
def merge_small(words, edges, diagonals, beside, table, sums):
    """Sum what small diagonals change beyond edges; give the numbers of larger ones.

    beside: IN and OUT, zeros for `place_codes`. sums: IN and OUT.
    """
    codes, squares = np.empty(words.shape[0], np.uint32), np.empty(diagonals.shape[0] + 1, np.uint64)
    larger = np.empty(diagonals.shape[0] + 1, np.int32)
    fill_codes(words, codes)
    place_codes(edges, codes, beside)
    n_squares, n_larger = sort_out(codes, beside, diagonals, squares, larger)
    add_squares(squares[:n_squares], table, sums)
    return larger[:n_larger]


@kernel
def pair_terms(sizes, edges, diagonals, prior, table, changes, logs, smalls, scaled, drops):
    """Add log Pr(not I(X, b | B - b - b')) to the term without b', for all b, b'.

    sizes: IN, data points by slice and X. edges, diagonals: IN, from `near_pairs`. table, changes: IN, shares
    by this prior, and D. drops: IN and OUT.
    """
    d, n, words = drops.shape[0], edges.shape[0] + sizes.shape[0], slice_words(sizes)
    alone, split, merged = np.empty(words.shape[0]), np.empty(n), np.empty(n)
    as_split = np.full(d, alone_shares(words, prior, table, logs, smalls, alone) + prior[3])
    as_merged, sums = np.zeros(d), np.zeros((d, d))
    tables = prior, table, changes, logs, smalls
    merge_edges(words, alone, edges, *tables, split, merged, as_split, as_merged)
    beside = np.zeros((words.shape[0], d), np.uint32)
    larger = merge_small(words, edges, diagonals, beside, changes, sums)
    if larger.shape[0]:
        merge_larger(words, edges, alone, split, merged, diagonals, larger, beside, prior, logs, scaled, sums)
    for i in range(d):
        for j in range(d):
            if i != j:
                drops[j] += log_dependent(as_split[i] + as_merged[j] + sums[i, j])
