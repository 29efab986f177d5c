"""The tests that the changes of a blanket need, from the counts of its slices: no data is read.

Dropping a member merges slices whose keys differ in that member alone: its *partners*. A test is the sum
over all slices as they are, plus what each merger changes. So where few slices have a partner little is to
be done.
"""

import numpy as np

from ibmap.kernels.compiling import kernel
from ibmap.kernels.slices import GOLDEN, ONE
from ibmap.kernels.two_by_two import MINUS_LOG_P, NONE, share


@kernel
def test_row(sizes, ones, order, table, logs, most, found):
    """-log Pr(I(X, Y | Z)) of candidates in a given order, up to the first over `most`; return of how many.

    ones: IN, by `slices.count_ones`. order: IN, places of the candidates. found: OUT.
    """
    for k in range(order.shape[0]):
        total = table[MINUS_LOG_P]
        for s in range(sizes.shape[0]):
            one0, one1 = np.uint64(ones[s, order[k], 0]), np.uint64(ones[s, order[k], 1])
            total += share(sizes[s, 0] - one0, sizes[s, 1] - one1, one0, one1, table, logs)
        found[k] = total
        if total > most:
            return k + 1
    return order.shape[0]


@kernel
def index_keys(keys):
    """Make a hash table of keys: the slice in each place or -1, and bits that tell which are taken."""
    n_slots = 64
    while n_slots < 8 * keys.shape[0]:
        n_slots *= 2
    slots, taken = np.full(n_slots, -1, np.int32), np.zeros(n_slots // 64, np.uint64)
    for s in range(keys.shape[0]):
        k = place_of(keys[s], n_slots)
        while slots[k] >= 0:
            k = (k + 1) % n_slots
        slots[k] = s
        taken[k // 64] |= ONE << np.uint64(k % 64)
    return slots, taken


@kernel
def place_of(key, n_slots):
    """Give the first place where a key may be."""
    mixed = (key ^ (key >> np.uint64(32))) * GOLDEN
    return np.int64((mixed >> np.uint64(20)) & np.uint64(n_slots - 1))


@kernel
def find_key(key, keys, slots, taken):
    """Find the slice with a key; -1 if there is none."""
    k = place_of(key, slots.shape[0])
    while (taken[k // 64] >> np.uint64(k % 64)) & ONE:
        if keys[slots[k]] == key:
            return np.int64(slots[k])
        k = (k + 1) % slots.shape[0]
    return np.int64(-1)


@kernel
def find_partners(keys, n_members, slots, taken):
    """Find the slice that differs from each slice in each member alone; -1 if there is none."""
    partners = np.empty((keys.shape[0], n_members), np.int32)
    for s in range(keys.shape[0]):
        for b in range(n_members):
            partners[s, b] = find_key(keys[s] ^ (ONE << np.uint64(b)), keys, slots, taken)
    return partners


@kernel
def own_tests(sizes, n_live, ones, tables, logs, own, dropped, added, shares):
    """Test X against the variables outside given the blanket; add up what mergers change.

    tables: IN, given two members less up to one more. own: OUT, -log Pr(X and V are independent given B).
    dropped: OUT, the same with the prior of one member less. added: OUT, -log Pr(X and a member that is the
    same everywhere in a slice are independent given the others and V). shares: OUT, of the last two, by
    slice.
    """
    fewer, given = tables[1], tables[2]
    for v in range(ones.shape[1]):
        own[v], dropped[v], added[v] = given[MINUS_LOG_P], fewer[MINUS_LOG_P], given[MINUS_LOG_P]
    for s in range(n_live):
        n0, n1 = sizes[s, 0], sizes[s, 1]
        whole = share(n0, n1, NONE, NONE, given, logs)
        whole_fewer = share(n0, n1, NONE, NONE, fewer, logs)
        for v in range(ones.shape[1]):
            v0, v1 = np.uint64(ones[s, v, 0]), np.uint64(ones[s, v, 1])
            z0, z1 = n0 - v0, n1 - v1
            if v0 + v1 == NONE or z0 + z1 == NONE:
                own[v] += whole
                shares[s, v, 0], shares[s, v, 1] = whole_fewer, whole
            else:
                own[v] += share(v0, v1, z0, z1, given, logs)
                shares[s, v, 0] = share(v0, v1, z0, z1, fewer, logs)
                one = share(v0, v1, NONE, NONE, given, logs)
                shares[s, v, 1] = one + share(z0, z1, NONE, NONE, given, logs)
            dropped[v] += shares[s, v, 0]
            added[v] += shares[s, v, 1]


@kernel
def merge_partners(keys, sizes, n_live, ones, partners, tables, logs, shares, dropped, added):
    """Add what dropping each member changes.

    dropped: IN and OUT, by member, the sum over V of -log Pr(X and V are independent given B without it).
    added: IN and OUT, by member and V, -log Pr(X and the member are independent given the others and V).
    """
    fewer, given = tables[1], tables[2]
    for s in range(keys.shape[0]):
        for b in range(partners.shape[1]):
            t = np.int64(partners[s, b])
            if t < 0 or (keys[s] >> np.uint64(b)) & ONE:
                continue
            s0, s1, t0, t1 = sizes[s, 0], sizes[s, 1], sizes[t, 0], sizes[t, 1]
            n0, n1 = s0 + t0, s1 + t1
            apart = share(s0, s1, t0, t1, given, logs)
            together = share(n0, n1, NONE, NONE, fewer, logs)
            for v in range(ones.shape[1]):
                a0, a1 = np.uint64(ones[s, v, 0]), np.uint64(ones[s, v, 1])
                b0, b1 = np.uint64(ones[t, v, 0]), np.uint64(ones[t, v, 1])
                m0, m1 = a0 + b0, a1 + b1
                if m0 + m1 == NONE or m0 + m1 == n0 + n1:
                    change, merged = apart, together
                else:
                    change = share(a0, a1, b0, b1, given, logs)
                    change += share(s0 - a0, s1 - a1, t0 - b0, t1 - b1, given, logs)
                    merged = share(m0, m1, n0 - m0, n1 - m1, fewer, logs)
                if s < n_live:
                    change -= shares[s, v, 1]
                    merged -= shares[s, v, 0]
                if t < n_live:
                    change -= shares[t, v, 1]
                    merged -= shares[t, v, 0]
                added[b, v] += change
                dropped[b] += merged


@kernel
def shares_alone(sizes, n_live, table, logs):
    """Give the share of each slice in which a member is the same everywhere."""
    alone = np.zeros(sizes.shape[0])
    for s in range(n_live):
        alone[s] = share(sizes[s, 0], sizes[s, 1], NONE, NONE, table, logs)
    return alone


@kernel
def member_tests(keys, sizes, partners, alone, table, logs):
    """Test X against each member given the others: give -log Pr(I). alone: IN, by `shares_alone`."""
    found = np.full(partners.shape[1], table[MINUS_LOG_P] + alone.sum())
    for s in range(keys.shape[0]):
        for b in range(partners.shape[1]):
            t = np.int64(partners[s, b])
            if t >= 0 and not (keys[s] >> np.uint64(b)) & ONE:
                both = share(sizes[s, 0], sizes[s, 1], sizes[t, 0], sizes[t, 1], table, logs)
                found[b] += both - alone[s] - alone[t]
    return found


@kernel
def two_members_less(keys, sizes, partners, alone, table, logs):
    """Test X against each member given the others without one more: -log Pr(I) by member dropped and tested.

    Without members B and C up to four slices come together. Two of them differ in one member alone, or they
    differ in both and those between them do not occur. alone: IN, by `shares_alone`.
    """
    n_members, n_slices = partners.shape[1], keys.shape[0]
    found, group = np.full((n_members, n_members), table[MINUS_LOG_P] + alone.sum()), np.empty(4, np.int64)
    for s in range(n_slices):
        for b in range(n_members):
            t = np.int64(partners[s, b])
            if t < 0 or (keys[s] >> np.uint64(b)) & ONE:
                continue
            s0, s1, t0, t1 = sizes[s, 0], sizes[s, 1], sizes[t, 0], sizes[t, 1]
            before = alone[s] + alone[t]
            together = share(s0 + t0, s1 + t1, NONE, NONE, table, logs) - before
            apart = share(s0, s1, t0, t1, table, logs) - before
            for c in range(n_members):
                over_s, over_t = np.int64(partners[s, c]), np.int64(partners[t, c])
                if c == b:
                    continue
                if over_s < 0 and over_t < 0:
                    found[b, c] += together
                    found[c, b] += apart
                elif b < c and (over_s < 0 or over_t < 0 or not (keys[s] >> np.uint64(c)) & ONE):
                    group[0], group[1], group[2], group[3] = s, over_s, t, over_t
                    merge_group(b, c, group, alone, sizes, table, logs, found)
    return found


@kernel
def merge_opposites(keys, sizes, partners, alone, table, logs, found):
    """Add what merging two slices changes that differ in two members, where those between do not occur.

    A slice and a member give the key of a slice between it and others; slices with such a key in common are
    listed together. found: IN and OUT.
    """
    n_members, n_slices = partners.shape[1], keys.shape[0]
    n_heads = 64
    while n_heads < n_members * n_slices:
        n_heads *= 2
    heads, earlier = np.full(n_heads, -1, np.int32), np.empty(n_slices * 64, np.int32)
    group = np.full(4, -1, np.int64)
    for s in range(n_slices):
        for b in range(n_members):
            if partners[s, b] >= 0:
                continue
            between = keys[s] ^ (ONE << np.uint64(b))
            head = place_of(between, n_heads)
            entry = np.int64(heads[head])
            while entry >= 0:
                t, c = entry >> 6, entry & 63
                is_same = keys[t] ^ (ONE << np.uint64(c)) == between
                if is_same and c < b and partners[s, c] < 0:  # c > b: the same two, met in the other key
                    group[0], group[3] = s, t
                    merge_group(b, c, group, alone, sizes, table, logs, found)
                entry = np.int64(earlier[entry])
            earlier[s << 6 | b] = heads[head]
            heads[head] = s << 6 | b


@kernel
def merge_group(b, c, group, alone, sizes, table, logs, found):
    """Add what merging slices changes in the tests of C without B, and of B without C.

    group: IN, slices by whether they differ from the first in C (1), B (2) or both (3); -1 if missing.
    found: IN and OUT.
    """
    before, a0, a1, b0, b1, c0, c1, d0, d1 = 0.0, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE
    if group[0] >= 0:
        a0, a1, before = sizes[group[0], 0], sizes[group[0], 1], before + alone[group[0]]
    if group[1] >= 0:
        b0, b1, before = sizes[group[1], 0], sizes[group[1], 1], before + alone[group[1]]
    if group[2] >= 0:
        c0, c1, before = sizes[group[2], 0], sizes[group[2], 1], before + alone[group[2]]
    if group[3] >= 0:
        d0, d1, before = sizes[group[3], 0], sizes[group[3], 1], before + alone[group[3]]
    found[b, c] += share(a0 + c0, a1 + c1, b0 + d0, b1 + d1, table, logs) - before
    found[c, b] += share(a0 + b0, a1 + b1, c0 + d0, c1 + d1, table, logs) - before
