"""Find near slices where nearly all are like one slice or like its opposite, as in an ordered state.

A slice's *deviations* are the members in which it differs from the first slice, or from the opposite of
that, whichever are fewer. Of two slices on the same side that differ in one or two members

- one deviates in one or two members more than the other: take these away and look for the rest,
- or each deviates in one that the other does not: take these away and what is left is equal.

Slices on different sides are not near if they deviate in few members. So the work grows with the square
of the deviations, not of the members.
"""

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import bare, inlined, inner, kernel
from ibmap.kernels.slice_map import with_room

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
ONE = np.uint64(1)
NONE = np.int32(-1)


@inlined
def lowest_bit(word):
    """Give the position of the lowest bit of a word."""
    return popcount((word & (~word + ONE)) - ONE)


@bare
def deviate(keys, n_members, tags):
    """Write down deviations, and the side in the bit above the members. tags: OUT.

    Returns the pairs of deviations there are, single ones included, or -1 if the sides come near.
    """
    full = (ONE << np.uint64(n_members)) - ONE
    n_pairs, most, most_opposite = 0, 0, 0
    for z in range(keys.shape[0]):
        tag = keys[z] ^ keys[0]
        n = popcount(tag)
        if 2 * n > n_members:
            tag, n = (tag ^ full) | (full + ONE), n_members - n
            most_opposite = max(most_opposite, n)
        else:
            most = max(most, n)
        tags[z] = tag
        n_pairs += n * (n + 1) // 2
    return n_pairs if most + most_opposite < n_members - 2 else -1


@inlined
def slot_of(tag, shift):
    """Give the place of a tag in a map."""
    return (tag * GOLDEN) >> shift


@bare
def map_tags(tags, shift, heads):
    """Put slices where their tags belong, or behind. heads: OUT, the slice at each place, or -1."""
    heads[:] = NONE
    last = np.uint64(heads.shape[0] - 1)
    for z in range(tags.shape[0]):
        slot = slot_of(tags[z], shift)
        while heads[slot] != NONE:
            slot = (slot + ONE) & last
        heads[slot] = z


@inlined
def slice_with(tag, tags, shift, heads):
    """Find the slice that has a tag, or -1."""
    last = np.uint64(heads.shape[0] - 1)
    slot = slot_of(tag, shift)
    while heads[slot] != NONE and tags[np.uint32(heads[slot])] != tag:
        slot = (slot + ONE) & last
    return heads[slot]


@inlined
def write_pair(found, n_found, z, y):
    """Write down a pair of slices, the lower first."""
    found[n_found, 0], found[n_found, 1] = min(z, y), max(z, y)


@bare
def pairs_within(tags, members, shift, heads, edges, diagonals):
    """List the pairs of slices one of which deviates wherever the other does.

    members: IN, the bits of all. edges, diagonals: OUT. Returns how many there are of each.
    """
    n_edges, n_diagonals = 0, 0
    for z in range(tags.shape[0]):
        left = tags[z] & members
        while left != 0:
            bit = left & (~left + ONE)
            left ^= bit
            y, i, rest = slice_with(tags[z] ^ bit, tags, shift, heads), popcount(bit - ONE), left
            if y != NONE:
                write_pair(edges, n_edges, z, y)
                edges[n_edges, 2] = i
                n_edges += 1
            while rest != 0:
                other = rest & (~rest + ONE)
                rest ^= other
                y = slice_with(tags[z] ^ bit ^ other, tags, shift, heads)
                if y != NONE:
                    write_pair(diagonals, n_diagonals, z, y)
                    diagonals[n_diagonals, 2], diagonals[n_diagonals, 3] = i, popcount(other - ONE)
                    n_diagonals += 1
    return n_edges, n_diagonals


@bare
def take_one(tags, members, shift, starts, slices, lefts):
    """Sort what is left of slices without one deviation by its place in a map.

    starts: OUT, where each place starts. slices, lefts: OUT, whose and what is left.
    """
    starts[:] = 0
    for z in range(tags.shape[0]):
        left = tags[z] & members
        while left != 0:
            bit = left & (~left + ONE)
            left ^= bit
            starts[slot_of(tags[z] ^ bit, shift) + np.uint64(2)] += 1
    for k in range(2, starts.shape[0]):
        starts[k] += starts[k - 1]
    for z in range(tags.shape[0]):
        left = tags[z] & members
        while left != 0:
            bit = left & (~left + ONE)
            left ^= bit
            place = slot_of(tags[z] ^ bit, shift) + ONE
            slices[starts[place]], lefts[starts[place]] = z, tags[z] ^ bit
            starts[place] += 1


@bare
def pairs_beside(tags, starts, slices, lefts, diagonals, n_diagonals):
    """Add the pairs each of which deviates in one member where the other does not. Returns how many then.

    starts, slices, lefts: IN, from `take_one`. diagonals: IN and OUT.
    """
    for slot in range(starts.shape[0] - 2):
        for p in range(starts[slot], starts[slot + 1]):
            for q in range(starts[slot], p):
                if lefts[p] == lefts[q]:
                    z, y = slices[p], slices[q]
                    write_pair(diagonals, n_diagonals, z, y)
                    i, j = lowest_bit(tags[z] ^ lefts[p]), lowest_bit(tags[y] ^ lefts[q])
                    diagonals[n_diagonals, 2], diagonals[n_diagonals, 3] = min(i, j), max(i, j)
                    n_diagonals += 1
    return n_diagonals


@inner
def most_pairs(starts):
    """Bound the pairs that have the same place."""
    n = 0
    for slot in range(starts.shape[0] - 2):
        size = starts[slot + 1] - starts[slot]
        n += size * (size - 1) // 2
    return n


@inner
def bits_for(n):
    """Give the bits of a map's places, twice as many as `n` at least."""
    n_bits = 4
    while (1 << n_bits) < 2 * n:
        n_bits += 1
    return n_bits


@inner
def pairs_by_deviations(tags, n_members, n_pairs):
    """List the pairs of slices that differ in one or two members, as `near_pairs` does.

    tags, n_pairs: IN, from `deviate`.
    """
    members, n_single = (ONE << np.uint64(n_members)) - ONE, 0
    for tag in tags:
        n_single += popcount(tag & members)
    n_bits = bits_for(n_single)
    starts = np.empty((1 << n_bits) + 2, np.int32)
    slices, lefts = np.empty(n_single, np.int32), np.empty(n_single, np.uint64)
    take_one(tags, members, np.uint64(64 - n_bits), starts, slices, lefts)
    edges = np.empty((n_single, 3), np.int32)
    diagonals = np.empty((n_pairs - n_single + most_pairs(starts), 4), np.int32)
    n_bits = bits_for(tags.shape[0])
    heads, shift = np.empty(1 << n_bits, np.int32), np.uint64(64 - n_bits)
    map_tags(tags, shift, heads)
    n_edges, n_diagonals = pairs_within(tags, members, shift, heads, edges, diagonals)
    n_diagonals = pairs_beside(tags, starts, slices, lefts, diagonals, n_diagonals)
    return edges[:n_edges], diagonals[:n_diagonals]


@kernel
def hashed_edges(keys, n_members):
    """List the pairs of slices that differ in one member: rows (slice, slice, member), lower first."""
    n_bits = bits_for(keys.shape[0])
    heads, shift = np.empty(1 << n_bits, np.int32), np.uint64(64 - n_bits)
    map_tags(keys, shift, heads)
    edges, n_edges = np.empty((keys.shape[0] + n_members, 3), np.int32), 0
    for z in range(keys.shape[0]):
        edges = with_room(edges, n_edges, n_members)
        for i in range(n_members):
            bit = ONE << np.uint64(i)
            y = slice_with(keys[z] | bit, keys, shift, heads) if keys[z] & bit == 0 else NONE
            if y != NONE:
                write_pair(edges, n_edges, z, y)
                edges[n_edges, 2] = i
                n_edges += 1
    return edges[:n_edges]
