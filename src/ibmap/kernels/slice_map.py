"""A map of the slices that occur: a bit for each key there can be.

Slices that differ in given members are a fixed distance apart on the map, so the AND of
two of its words finds up to 64 pairs of them at once. Of a large map most words are empty: those
that are not are listed, and only these are looked at.
Which words have pairs, and how many, cannot be foreseen, so each is always written down and
its place kept if it is wanted: there is no branch.
"""

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import bare, inner

WORD_BITS = 6  # of a key, within a word of the map
ROOM = 24  # rows for each slice to begin with
IN_WORD = np.uint64(63)
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
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
def with_room(rows, n_rows, n_more):
    """Give rows as they are if there is room for more of them, else copied to where there is."""
    if n_rows + n_more <= rows.shape[0]:
        return rows
    larger = np.empty((2 * n_rows + n_more, rows.shape[1]), np.int32)
    for k in range(n_rows):
        for column in range(rows.shape[1]):
            larger[k, column] = rows[k, column]
    return larger


@bare
def fill_map(keys, words, filled, slices):
    """Make the map. words: IN and OUT, empty before. filled: OUT, the words that are not empty, in order.

    slices: OUT, the slice of each key that occurs. Returns how many words are not empty.
    """
    for z in range(keys.shape[0]):
        words[keys[z] >> np.uint64(WORD_BITS)] |= ONE << (keys[z] & IN_WORD)
        slices[keys[z]] = z
    n = ZERO
    for w in range(words.shape[0]):
        filled[n] = w
        n += np.uint64(words[w] != 0)
    return np.int64(n)


@bare
def shared_words(words, filled, listed, masks):
    """List the words with two slices or more. listed, masks: OUT, which and what they are."""
    n = ZERO
    for w in filled:
        mask = words[w]
        listed[n], masks[n] = w, mask
        n += np.uint64(mask & (mask - ONE) != 0)
    return np.int64(n)


@bare
def lower_words(words, filled, far, listed, masks):
    """List the words without a bit in their number. far: IN, the bit. listed, masks: OUT."""
    n = ZERO
    for w in filled:
        listed[n], masks[n] = w, words[w]
        n += np.uint64(np.uint64(w) & far == 0)
    return np.int64(n)


@bare
def link_words(words, far, listed, masks, partners, n_listed):
    """Keep the words whose partners are not empty.

    far: IN, the bit in which the numbers of the two differ. listed, masks: IN and OUT. partners: OUT.
    """
    n = ZERO
    for k in range(n_listed):
        w = listed[k]
        partner = words[np.uint64(w) ^ far]
        listed[n], masks[n], partners[n] = w, masks[k], partner
        n += np.uint64(partner != 0)
    return np.int64(n)


@bare
def swap_places(words, k, n, swapped):
    """Exchange the bits of words whose places differ in bit k. swapped: OUT."""
    lower, shift = LOWER[k], ONE << np.uint64(k)
    for w in range(n):
        swapped[w] = (words[w] & lower) << shift | (words[w] >> shift) & lower


@bare
def common_bits(listed, masks, partners, half, n_listed, at, common):
    """List the words that have bits in common with their partners. half: IN, the bits to look at.

    at, common: OUT, which words and which bits. Returns how many.
    """
    n = ZERO
    for k in range(n_listed):
        both = masks[k] & partners[k] & half
        at[n], common[n] = listed[k], both
        n += np.uint64(both != 0)
    return np.int64(n)


@bare
def common_far(words, far, listed, masks, n_listed, at, common):
    """Do what `common_bits` does with partners whose numbers differ in the bits `far`."""
    n = ZERO
    for k in range(n_listed):
        both = masks[k] & words[np.uint64(listed[k]) ^ far]
        at[n], common[n] = listed[k], both
        n += np.uint64(both != 0)
    return np.int64(n)


@bare
def write_firsts(i, j, at, common, n, slices, found, n_found):
    """List a pair of each word, as `write_pairs` does. at, common: IN and OUT, those with more remain.

    Returns how many these are.
    """
    difference, last, n_left = ONE << np.uint64(i) | ONE << np.uint64(j), np.uint64(found.shape[1] - 1), ZERO
    for k in range(n):
        w, left = at[k], common[k]
        rest, p = left & (left - ONE), np.uint64(n_found + k)
        key = np.uint64(w) << np.uint64(WORD_BITS) | np.uint64(popcount(~left & (left - ONE)))
        z, y = slices[key], slices[key ^ difference]
        found[p, ZERO], found[p, ONE], found[p, TWO], found[p, last] = min(z, y), max(z, y), j, i
        at[n_left], common[n_left] = w, rest
        n_left += np.uint64(rest != 0)
    return np.int64(n_left)


@bare
def write_pairs(i, j, at, common, n, slices, found, n_found):
    """List the pairs that differ in one member, i = j, or in two, j < i.

    at, common: IN, from `common_bits`; spent after. found: OUT, rows from `n_found` on. Returns how many
    rows there are then.
    """
    while n > 0:
        n_left = write_firsts(i, j, at, common, n, slices, found, n_found)
        n_found, n = n_found + n, n_left
    return n_found


@bare
def edges_of(i, half, n_listed, slices, lists, found, n_found):
    """List the pairs of slices that differ in a member, in words and their partners."""
    listed, masks, partners, _, at, common = lists
    n = common_bits(listed, masks, partners, half, n_listed, at, common)
    return write_pairs(i, i, at, common, n, slices, found, n_found)


@bare
def near_diagonals(i, half, n_listed, slices, lists, found, n_found):
    """List those that differ in a member and in another within a word, below it."""
    listed, masks, partners, swapped, at, common = lists
    for j in range(min(i, WORD_BITS)):
        swap_places(partners, j, n_listed, swapped)
        n = common_bits(listed, masks, swapped, half, n_listed, at, common)
        n_found = write_pairs(i, j, at, common, n, slices, found, n_found)
    return n_found


@bare
def far_diagonals(i, n_listed, words, slices, lists, found, n_found):
    """List those that differ in a member and in another below it, neither of them within a word."""
    listed, masks, _, _, at, common = lists
    for j in range(WORD_BITS, i):
        far = ONE << np.uint64(i - WORD_BITS) | ONE << np.uint64(j - WORD_BITS)
        n = common_far(words, far, listed, masks, n_listed, at, common)
        n_found = write_pairs(i, j, at, common, n, slices, found, n_found)
    return n_found


@bare
def pairs_within(i, n_shared, slices, lists, most, edges, n_edges, diagonals, n_diagonals):
    """List the pairs that differ in a member within a word. lists: IN, has the words with two slices or more.

    most: IN, in how many members pairs may differ, 1 or 2. edges, diagonals: OUT, rows from `n_edges` and
    `n_diagonals` on. Returns how many there are then.
    """
    swap_places(lists[1], i, n_shared, lists[2])
    n_edges = edges_of(i, LOWER[i], n_shared, slices, lists, edges, n_edges)
    if most > 1:
        n_diagonals = near_diagonals(i, LOWER[i], n_shared, slices, lists, diagonals, n_diagonals)
    return n_edges, n_diagonals


@bare
def pairs_beyond(i, words, filled, slices, lists, most, edges, n_edges, diagonals, n_diagonals):
    """List the pairs that differ in a member beyond a word, and in one below it; see `pairs_within`."""
    far = ONE << np.uint64(i - WORD_BITS)
    n = lower_words(words, filled, far, lists[0], lists[1])
    if most > 1:
        n_diagonals = far_diagonals(i, n, words, slices, lists, diagonals, n_diagonals)
    n = link_words(words, far, lists[0], lists[1], lists[2], n)
    n_edges = edges_of(i, FULL, n, slices, lists, edges, n_edges)
    if most > 1:
        n_diagonals = near_diagonals(i, FULL, n, slices, lists, diagonals, n_diagonals)
    return n_edges, n_diagonals


@inner
def make_lists(n):
    """Make room for words, what they are, their partners, these swapped, and what they have in common."""
    listed, masks, partners = np.empty(n, np.uint32), np.empty(n, np.uint64), np.empty(n, np.uint64)
    return listed, masks, partners, np.empty(n, np.uint64), np.empty(n, np.uint32), np.empty(n, np.uint64)


@inner
def mapped_pairs(keys, n_members, most):
    """List the pairs of slices that differ in one member, and in two if `most` is 2; see `near_pairs`."""
    n_half, words = keys.shape[0] // 2, np.zeros(1 << max(n_members - WORD_BITS, 0), np.uint64)
    lists, slices = make_lists(min(words.shape[0], keys.shape[0]) + 1), np.empty(1 << n_members, np.int32)
    filled = np.empty_like(lists[0])
    filled = filled[: fill_map(keys, words, filled, slices)]
    edges, n_edges = np.empty((n_members * n_half, 3), np.int32), np.int64(0)
    diagonals, n_diagonals = np.empty((ROOM * keys.shape[0] * (most - 1), 4), np.int32), np.int64(0)
    n_shared = shared_words(words, filled, lists[0], lists[1])
    for i in range(n_members):
        diagonals = with_room(diagonals, n_diagonals, i * n_half * (most - 1))
        if i < WORD_BITS:
            n_edges, n_diagonals = pairs_within(
                i, n_shared, slices, lists, most, edges, n_edges, diagonals, n_diagonals
            )
        else:
            n_edges, n_diagonals = pairs_beyond(
                i, words, filled, slices, lists, most, edges, n_edges, diagonals, n_diagonals
            )
    return edges[:n_edges], diagonals[:n_diagonals]
