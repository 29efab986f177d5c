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


@bare
def swap_within(words, near, swapped):
    """Exchange the bits of each word whose places differ as `near` says. swapped: OUT."""
    for w in range(words.shape[0]):
        swapped[w] = words[w]
    for k in range(WORD_BITS):
        if (near >> np.uint64(k)) & ONE:
            lower, shift = LOWER[k], ONE << np.uint64(k)
            for w in range(words.shape[0]):
                swapped[w] = (swapped[w] & lower) << shift | (swapped[w] >> shift) & lower


@bare
def pairs_apart(difference, half, slice_map, swapped, found, n_found):
    """List the pairs of slices whose keys differ in exactly some members.

    difference: IN, the bits of these. half: IN, the bits of a word from which to look. swapped: IN, from
    `swap_within` for those within a word. found: OUT, rows from `n_found` on have the two slices, the
    lower first, in front. Returns how many rows there are then.
    """
    words, ranks, slices = slice_map
    far, n_words = difference >> np.uint64(WORD_BITS), words.shape[0]
    step = n_words  # each pair once: from its lower word, or from one half of its word
    while far != 0 and np.uint64(step) > far:
        step >>= 1
    for first in range(0, n_words, 2 * step):
        for w in range(first, min(first + step, n_words)):
            word = np.uint64(w)
            left = words[word] & swapped[word ^ far] & half
            while left != 0:
                bit = left & (~left + ONE)
                left ^= bit
                z = slices[ranks[word] + popcount(words[word] & (bit - ONE))]
                key = word << np.uint64(WORD_BITS) | np.uint64(popcount(bit - ONE))
                y = slices[rank_of(key ^ difference, words, ranks)]
                found[n_found, 0], found[n_found, 1] = min(z, y), max(z, y)
                n_found += 1
    return n_found


@bare
def pairs_in(i, j, half, slice_map, swapped, found, n_found):
    """List the pairs that differ in one member, i = j, or in two, j < i, with these behind."""
    difference = ONE << np.uint64(i) | ONE << np.uint64(j)
    last = pairs_apart(difference, half, slice_map, swapped, found, n_found)
    for k in range(n_found, last):
        found[k, 2], found[k, found.shape[1] - 1] = j, i
    return last


@inner
def mapped_edges(keys, n_members):
    """List the pairs of slices that differ in one member: rows (slice, slice, member), lower first."""
    slice_map = map_slices(keys, n_members)
    words = slice_map[0]
    found, swapped, n_found = np.empty((n_members * (keys.shape[0] // 2), 3), np.int32), words.copy(), 0
    for i in range(min(WORD_BITS, n_members)):
        swap_within(words, ONE << np.uint64(i), swapped)
        n_found = pairs_in(i, i, LOWER[i], slice_map, swapped, found, n_found)
    for i in range(WORD_BITS, n_members):
        n_found = pairs_in(i, i, FULL, slice_map, words, found, n_found)
    return found[:n_found]


@inner
def mapped_diagonals(keys, n_members):
    """List the pairs that differ in two: rows (slice, slice, member, member), lower first."""
    slice_map, n_pairs = map_slices(keys, n_members), n_members * (n_members - 1) // 2
    words = slice_map[0]
    found, swapped, n_found = np.empty((n_pairs * (keys.shape[0] // 2), 4), np.int32), words.copy(), 0
    for j in range(min(WORD_BITS, n_members)):
        swap_within(words, ONE << np.uint64(j), swapped)
        for i in range(WORD_BITS, n_members):
            n_found = pairs_in(i, j, FULL, slice_map, swapped, found, n_found)
        for i in range(j + 1, min(WORD_BITS, n_members)):
            swap_within(words, ONE << np.uint64(i) | ONE << np.uint64(j), swapped)
            n_found = pairs_in(i, j, LOWER[i], slice_map, swapped, found, n_found)
    for i in range(WORD_BITS, n_members):
        for j in range(WORD_BITS, i):
            n_found = pairs_in(i, j, FULL, slice_map, words, found, n_found)
    return found[:n_found]
