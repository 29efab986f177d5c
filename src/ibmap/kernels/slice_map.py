"""A map of the slices that occur: a bit for each key there can be.

Slices that differ in given members are a fixed distance apart on the map, so the AND of
two of its words finds up to 64 pairs of them at once.
"""

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import bare, inlined, inner

WORD_BITS = 6  # of a key, within a word of the map
IN_WORD = np.uint64(63)
ONE = np.uint64(1)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
LOWER = np.array(  # the bits of a word whose places have bit 0, 1, ... clear
    [
        0x5555555555555555,
        0x3333333333333333,
        0x0F0F0F0F0F0F0F0F,
        0x00FF00FF00FF00FF,
        0x0000FFFF0000FFFF,
        0x00000000FFFFFFFF,
    ],
    np.uint64,
)


@inner
def map_slices(keys, n_members):
    """Make the map: (its words, slices in words before each one, slices in order of their keys)."""
    words = np.zeros(1 << max(n_members - WORD_BITS, 0), np.uint64)
    for key in keys:
        words[key >> np.uint64(WORD_BITS)] |= ONE << (key & IN_WORD)
    ranks = np.zeros(words.shape[0], np.int32)
    for w in range(1, words.shape[0]):
        ranks[w] = ranks[w - 1] + popcount(words[w - 1])
    slices = np.empty(keys.shape[0], np.int32)
    for z in range(keys.shape[0]):
        slices[rank_of(keys[z], words, ranks)] = z
    return words, ranks, slices


@inlined
def rank_of(key, words, ranks):
    """Give the number of slices with lower keys."""
    w = key >> np.uint64(WORD_BITS)
    return ranks[w] + popcount(words[w] & ((ONE << (key & IN_WORD)) - ONE))


@inlined
def highest_bit(word):
    """Give the position of the highest bit of a word that is not 0."""
    top = 0
    while word >> np.uint64(top + 1) != 0:
        top += 1
    return top


@inlined
def swapped(word, apart):
    """Exchange the bits of a word whose places differ as `apart` says."""
    for k in range(WORD_BITS):
        if (apart >> np.uint64(k)) & ONE:
            shift = ONE << np.uint64(k)
            word = (word & LOWER[k]) << shift | (word >> shift) & LOWER[k]
    return word


@bare
def pairs_apart(difference, slice_map, found, n_found):
    """List the pairs of slices whose keys differ in exactly some members.

    difference: IN, the bits of these. found: OUT, rows from `n_found` on have the two slices, the
    lower first, in front. Returns how many rows there are then.
    """
    words, ranks, slices = slice_map
    far, near = difference >> np.uint64(WORD_BITS), difference & IN_WORD
    # each pair from its lower key, which is clear where the highest bit differs
    top, half = (ONE << np.uint64(highest_bit(far)), FULL) if far else (FULL, LOWER[highest_bit(near)])
    for w in range(words.shape[0]):
        word = np.uint64(w)
        if word & top and far:
            continue
        left = words[word] & swapped(words[word ^ far], near) & half
        while left != 0:
            bit = left & (~left + ONE)
            left ^= bit
            z = slices[ranks[word] + popcount(words[word] & (bit - ONE))]
            key = word << np.uint64(WORD_BITS) | np.uint64(popcount(bit - ONE))
            y = slices[rank_of(key ^ difference, words, ranks)]
            found[n_found, 0], found[n_found, 1] = min(z, y), max(z, y)
            n_found += 1
    return n_found


@inner
def mapped_edges(keys, n_members):
    """List the pairs of slices that differ in one member: rows (slice, slice, member), lower first."""
    slice_map = map_slices(keys, n_members)
    edges, n_edges = np.empty((n_members * (keys.shape[0] // 2), 3), np.int32), 0
    for i in range(n_members):
        first = n_edges
        n_edges = pairs_apart(ONE << np.uint64(i), slice_map, edges, n_edges)
        edges[first:n_edges, 2] = i
    return edges[:n_edges]


@inner
def mapped_diagonals(keys, n_members):
    """List the pairs that differ in two: rows (slice, slice, member, member), lower first."""
    slice_map, n_pairs = map_slices(keys, n_members), n_members * (n_members - 1) // 2
    diagonals, n_diagonals = np.empty((n_pairs * (keys.shape[0] // 2), 4), np.int32), 0
    for i in range(n_members):
        for j in range(i):
            first, difference = n_diagonals, ONE << np.uint64(i) | ONE << np.uint64(j)
            n_diagonals = pairs_apart(difference, slice_map, diagonals, n_diagonals)
            diagonals[first:n_diagonals, 2] = j
            diagonals[first:n_diagonals, 3] = i
    return diagonals[:n_diagonals]
