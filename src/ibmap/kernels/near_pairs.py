"""Find the slices of a large blanket that differ in one or two members.

With few members slices are found on a map of all keys (`slice_map`), and where most are alike
by their deviations (`deviations`). Else members are put into four parts. Two slices that differ
in two members at most agree on two parts at least, so only slices that agree on two parts are
compared: six rounds, one for each choice of two. A pair is taken in the round of the two
lowest parts it agrees on.
Slices that agree are a bucket of unforeseeable size. So each is compared with the next one in its bucket,
then with the one behind that, and so on, while a list is kept of those that still have one. Whether a pair
is taken cannot be foreseen either, so it is always written down and the place kept if it is:
there is no branch.
"""

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import bare, inlined, inner, kernel
from ibmap.kernels.deviations import deviate, lowest_bit, pairs_by_deviations
from ibmap.kernels.slice_map import mapped_pairs, with_room

MAPPED = 512  # keys for each slice, of which a map is small enough
MOST_MAPPED = 22  # members: the table of a map with more is new memory each time, which is slow to get
ALIKE = 16  # pairs of deviations for each slice, up to which taking them away is faster
PARTS = 4
SAMPLE = 512  # slices that tell how evenly they divide over a member
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


@inner
def by_balance(keys, n_members):
    """Put the members in order of how evenly some slices divide over their states, the most even first."""
    n = min(keys.shape[0], SAMPLE)
    uneven, order = np.empty(n_members, np.int64), np.arange(n_members)
    for i in range(n_members):
        n_ones = np.int64(0)
        for z in range(n):
            n_ones += np.int64((keys[z] >> np.uint64(i)) & ONE)
        uneven[i] = abs(2 * n_ones - n)
        k = i
        while k > 0 and uneven[order[k - 1]] > uneven[i]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
    return order


@inner
def parts_of(keys, n_members):
    """Divide the members, so that slices differ in each part about as much; give each part's bits."""
    parts, order = np.zeros(PARTS, np.uint64), by_balance(keys, n_members)
    for k in range(n_members):
        parts[k % PARTS] |= ONE << np.uint64(order[k])
    return parts


@inner
def rounds_of(keys, n_members):
    """List the choices of two parts: what slices agree on, and two parts where they differ.

    The latter are the parts below the higher one chosen that are not chosen, or all members.
    """
    parts, rounds, n_rounds = parts_of(keys, n_members), np.full((6, 3), FULL), 0
    for j in range(PARTS):
        for i in range(j):
            rounds[n_rounds, 0] = parts[i] | parts[j]
            n_below = 0
            for part in range(j):
                if part != i:
                    n_below += 1
                    rounds[n_rounds, n_below] = parts[part]
            n_rounds += 1
    return rounds


@inlined
def bucket_of(key, mask, shift):
    """Give the bucket of a key: a hash of its masked bits."""
    return ((key & mask) * GOLDEN) >> shift


@bare
def sort_by_bucket(keys, mask, shift, starts, slices, sorted_keys):
    """Sort slices by their buckets.

    starts: OUT, where each bucket starts. slices, sorted_keys: OUT, in that order.
    """
    starts[:] = 0
    for z in range(keys.shape[0]):
        starts[bucket_of(keys[z], mask, shift) + TWO] += 1
    for k in range(2, starts.shape[0]):
        starts[k] += starts[k - 1]
    for z in range(keys.shape[0]):
        bucket = bucket_of(keys[z], mask, shift) + ONE
        to = starts[bucket]
        slices[to], sorted_keys[to] = z, keys[z]
        starts[bucket] = to + 1


@bare
def list_followed(keys, mask, shift, starts, n_behind, followed):
    """List the sorted slices that are not the last of their bucket.

    n_behind: OUT, how many are behind each in its bucket. followed: OUT. Returns how many are listed.
    """
    n = ZERO
    for p in range(keys.shape[0]):
        n_behind[p] = starts[bucket_of(keys[p], mask, shift) + ONE] - p - 1
        followed[n] = p
        n += np.uint64(n_behind[p] != 0)
    return np.int64(n)


@bare
def compare_ahead(step, keys, n_behind, followed, n_followed, hits, n_hits):
    """Compare listed slices with those some steps behind.

    followed: IN and OUT, those that have one still further behind remain. hits: OUT, places and steps of
    the pairs that differ in two members at most. Returns how many there are of both.
    """
    n_left, n, ahead = ZERO, np.uint64(n_hits), np.uint64(step) << HALF
    for k in range(n_followed):
        p = followed[k]
        difference = keys[p] ^ keys[p + np.uint32(step)]
        rest = difference & (difference - ONE)
        hits[n] = np.uint64(p) | ahead
        n += np.uint64(rest & (rest - ONE) == 0)
        followed[n_left] = p
        n_left += np.uint64(n_behind[p] > np.uint32(step))
    return np.int64(n_left), np.int64(n)


@bare
def find_hits(step, keys, n_behind, followed, n_followed, hits):
    """Compare listed slices from some steps on until all is done or there is no room for hits.

    Returns the next step, how many slices are left, and how many hits there are.
    """
    n_hits = np.int64(0)
    while n_followed > 0 and n_hits + n_followed <= hits.shape[0]:
        n_followed, n_hits = compare_ahead(step, keys, n_behind, followed, n_followed, hits, n_hits)
        step += 1
    return step, n_followed, n_hits


@bare
def write_hits(agreed, keys, slices, hits, edges, n_edges, diagonals, n_diagonals):
    """Add the pairs of one round to those found.

    agreed: IN, a row of `rounds_of`. hits: IN, from `find_hits`. edges, diagonals: OUT, rows from
    `n_edges` and `n_diagonals` on. Returns how many there are then.
    """
    e, d = np.uint64(n_edges), np.uint64(n_diagonals)
    same, below, also_below = agreed[0], agreed[1], agreed[2]
    for hit in hits:
        p, q = hit & LOW, (hit & LOW) + (hit >> HALF)
        low, high = min(slices[p], slices[q]), max(slices[p], slices[q])
        difference = keys[p] ^ keys[q]
        rest = difference & (difference - ONE)
        i = lowest_bit(difference)
        edges[e, ZERO], edges[e, ONE], edges[e, TWO] = low, high, i
        diagonals[d, ZERO], diagonals[d, ONE], diagonals[d, TWO] = low, high, i
        diagonals[d, THREE] = popcount(rest - ONE)
        is_wanted = np.uint64(difference & below != 0) & np.uint64(difference & also_below != 0)
        is_wanted &= np.uint64(difference & same == 0)
        e += is_wanted & np.uint64(rest == 0)
        d += is_wanted & np.uint64(rest != 0)
    return np.int64(e), np.int64(d)


@inner
def pairs_by_parts(keys, n_members):
    """Do what `near_pairs` does for many members, of which slices have any states."""
    n, n_bits = keys.shape[0], 4
    while (2 << n_bits) < n:
        n_bits += 1
    shift, starts = np.uint64(64 - n_bits), np.empty((1 << n_bits) + 2, np.uint32)
    slices, sorted_keys = np.empty(n, np.int32), np.empty(n, np.uint64)
    n_behind, followed, hits = np.empty(n, np.uint32), np.empty(n, np.uint32), np.empty(4 * n, np.uint64)
    edges, diagonals = np.empty((n, 3), np.int32), np.empty((2 * n, 4), np.int32)
    n_edges, n_diagonals, rounds = np.int64(0), np.int64(0), rounds_of(keys, n_members)
    for k in range(rounds.shape[0]):
        sort_by_bucket(keys, rounds[k, 0], shift, starts, slices, sorted_keys)
        n_left = list_followed(sorted_keys, rounds[k, 0], shift, starts, n_behind, followed)
        step = np.int64(1)
        while n_left > 0:
            step, n_left, n_hits = find_hits(step, sorted_keys, n_behind, followed, n_left, hits)
            edges, diagonals = with_room(edges, n_edges, n_hits), with_room(diagonals, n_diagonals, n_hits)
            n_edges, n_diagonals = write_hits(
                rounds[k], sorted_keys, slices, hits[:n_hits], edges, n_edges, diagonals, n_diagonals
            )
    return edges[:n_edges], diagonals[:n_diagonals]


@kernel
def is_mapped(n_members, n_slices):
    """Tell whether a map of all keys is small enough."""
    return n_members <= MOST_MAPPED and (1 << n_members) <= MAPPED * n_slices


@kernel
def list_edges(keys, n_members):
    """List the pairs of slices that differ in one member, of few members: rows (slice, slice, member)."""
    return mapped_pairs(keys, n_members, np.int64(1))[0]


@kernel
def near_pairs(keys, n_members):
    """List the pairs of slices that differ in one or two members.

    Returns rows (slice, slice, member) and rows (slice, slice, member, member), the lower
    number first.
    """
    if is_mapped(n_members, keys.shape[0]):
        return mapped_pairs(keys, n_members, np.int64(2))
    tags = np.empty(keys.shape[0], np.uint64)
    n_pairs = deviate(keys, n_members, tags)
    if 0 <= n_pairs <= ALIKE * keys.shape[0]:
        return pairs_by_deviations(tags, n_members, n_pairs)
    return pairs_by_parts(keys, n_members)
