"""Find the slices of a large blanket that differ in one or two members.

With few members slices are found on a map of all keys (`slice_map`), and where most are alike
by their deviations (`deviations`). Else members are put into five parts. Two slices that differ
in two members at most agree on three parts at least, so only slices that agree on three parts are
compared: ten rounds, one for each choice of three. A pair is taken in the round of the three
lowest parts it agrees on. For few slices of many members three parts will do, of which they agree
on one: three rounds, which are slow if many slices are alike.
Whether a pair is taken cannot be foreseen, so it is always written down and the
place kept if it is: there is no branch.
"""

import numpy as np

from ibmap.kernels.compiling import bare, inner, kernel
from ibmap.kernels.deviations import deviate, lowest_bit, pairs_by_deviations
from ibmap.kernels.slice_map import mapped_diagonals, mapped_edges

MAPPED = 128  # keys for each slice, of which a map is small enough
ALIKE = 16  # pairs of deviations for each slice, up to which taking them away is faster
FEW = 512  # slices, of which all pairs can be compared
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
ONE = np.uint64(1)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


@inner
def parts_of(n_members, n_parts):
    """Divide the members; give each part's bits."""
    parts = np.zeros(n_parts, np.uint64)
    for i in range(n_members):
        parts[i * n_parts // n_members] |= ONE << np.uint64(i)
    return parts


@inner
def rounds_of_one(n_members):
    """List the choices of one part in three, as `rounds_of_three` does."""
    parts = parts_of(n_members, 3)
    rounds = np.full((3, 3), FULL)
    for k in range(3):
        rounds[k, 0] = parts[k]
        for part in range(k):
            rounds[k, 1 + part] = parts[part]
    return rounds


@inner
def rounds_of_three(n_members):
    """List the choices of three parts in five: what slices agree on, and two parts where they differ.

    The latter are the parts below the highest chosen that are not chosen, or all members.
    """
    parts = parts_of(n_members, 5)
    rounds = np.full((10, 3), FULL)
    n_rounds = 0
    for i in range(5):
        for j in range(i + 1, 5):
            for k in range(j + 1, 5):
                rounds[n_rounds, 0] = parts[i] | parts[j] | parts[k]
                n_below = 0
                for part in range(k):
                    if part not in (i, j):
                        n_below += 1
                        rounds[n_rounds, n_below] = parts[part]
                n_rounds += 1
    return rounds


@bare
def sort_by_bucket(keys, mask, n_bits, starts, slices, sorted_keys):
    """Sort slices by a hash of their masked keys.

    starts: OUT, where each bucket starts. slices, sorted_keys: OUT, in that order.
    """
    shift = np.uint64(64 - n_bits)
    starts[:] = 0
    for z in range(keys.shape[0]):
        starts[np.int64(((keys[z] & mask) * GOLDEN) >> shift) + 2] += 1
    for k in range(2, starts.shape[0]):
        starts[k] += starts[k - 1]
    for z in range(keys.shape[0]):
        bucket = np.int64(((keys[z] & mask) * GOLDEN) >> shift) + 1
        slices[starts[bucket]] = z
        sorted_keys[starts[bucket]] = keys[z]
        starts[bucket] += 1


@inner
def pairs_of_round(agreed, starts, slices, keys, found, differences, n_found):
    """Add the pairs of one round to those found.

    agreed: IN, a row of `rounds_of_three` or `rounds_of_one`. starts, slices, keys: IN, from
    `sort_by_bucket`. found, differences: IN and OUT, rows (slice, slice) and the members that
    differ. Returns both, with more room where needed, and how many there are.
    """
    for bucket in range(starts.shape[0] - 2):
        last = starts[bucket + 1]
        for p in range(starts[bucket], last):
            if n_found + last - p > found.shape[0]:
                room = found.shape[0] + last - p
                found = np.concatenate((found, np.empty((room, 2), np.int32)))
                differences = np.concatenate((differences, np.empty(room, np.uint64)))
            for q in range(p + 1, last):
                difference = keys[p] ^ keys[q]
                rest = difference & (difference - ONE)
                too_far = (rest & (rest - ONE)) | (difference & agreed[0])
                is_wanted = np.int64(too_far == 0)
                is_wanted &= np.int64(difference & agreed[1] != 0) & np.int64(difference & agreed[2] != 0)
                found[n_found, 0], found[n_found, 1] = slices[p], slices[q]
                differences[n_found] = difference
                n_found += is_wanted
    return found, differences, n_found


@inner
def pairs_by_parts(keys, n_members):
    """Do what `near_pairs` does for many members, of which slices have any states."""
    n, n_bits = keys.shape[0], 4
    while (2 << n_bits) < n:
        n_bits += 1
    starts = np.empty((1 << n_bits) + 2, np.int32)
    slices, sorted_keys = np.empty(n, np.int32), np.empty(n, np.uint64)
    found, differences, n_found = np.empty((4 * n, 2), np.int32), np.empty(4 * n, np.uint64), 0
    is_told_by_third = n <= FEW and n >> (n_members // 3) == 0
    rounds = rounds_of_one(n_members) if is_told_by_third else rounds_of_three(n_members)
    for k in range(rounds.shape[0]):
        sort_by_bucket(keys, rounds[k, 0], n_bits, starts, slices, sorted_keys)
        found, differences, n_found = pairs_of_round(
            rounds[k], starts, slices, sorted_keys, found, differences, n_found
        )
    edges, n_edges = np.empty((n_found, 3), np.int32), 0
    diagonals, n_diagonals = np.empty((n_found, 4), np.int32), 0
    for k in range(n_found):
        low, high = min(found[k, 0], found[k, 1]), max(found[k, 0], found[k, 1])
        rest = differences[k] & (differences[k] - ONE)
        if rest == 0:
            edges[n_edges, 0], edges[n_edges, 1] = low, high
            edges[n_edges, 2] = lowest_bit(differences[k])
            n_edges += 1
        else:
            diagonals[n_diagonals, 0], diagonals[n_diagonals, 1] = low, high
            diagonals[n_diagonals, 2], diagonals[n_diagonals, 3] = (
                lowest_bit(differences[k]),
                lowest_bit(rest),
            )
            n_diagonals += 1
    return edges[:n_edges], diagonals[:n_diagonals]


@kernel
def list_edges(keys, n_members):
    """List the pairs of slices that differ in one member, of few members: rows (slice, slice, member)."""
    return mapped_edges(keys, n_members)


@kernel
def near_pairs(keys, n_members):
    """List the pairs of slices that differ in one or two members.

    Returns rows (slice, slice, member) and rows (slice, slice, member, member), the lower
    number first.
    """
    if (1 << min(n_members, 40)) <= MAPPED * keys.shape[0]:
        return mapped_edges(keys, n_members), mapped_diagonals(keys, n_members)
    tags = np.empty(keys.shape[0], np.uint64)
    n_pairs = deviate(keys, n_members, tags)
    if 0 <= n_pairs <= ALIKE * keys.shape[0]:
        return pairs_by_deviations(tags, n_members, n_pairs)
    return pairs_by_parts(keys, n_members)
