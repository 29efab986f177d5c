"""Order binary data by the slices of a blanket of at most seven members, and pack it.

The slices and words are those of `ibmap.kernels.binary_layout`. Since a byte holds the members' states and
that of X, a row's *group*, nothing needs to be hashed, and a row finds its place in one step.
A look has room of its own, from `ibmap.small_looks`, made once.
"""

import numpy as np

from ibmap.kernels.binary_layout import LANE, LARGE, NO_ROW, TINY, WORD, cut_runs, shape_number
from ibmap.kernels.binary_packing import count_bits, count_ones, pack_words
from ibmap.kernels.compiling import bare, bare_part

N_CUTS = 4  # parts of the pairs in large slices
WORK_OF_PART = 4e4  # nanoseconds of a part worth handing over
N_KEYS = 128  # slices of a blanket of seven
N_QUARTERS = 4
FEW = 64  # so few tiny slices are multiplied out as small ones are
MANY_MEMBERS = 6  # from here on a blanket can have more of them
HUGE_END, LARGE_END, SMALL_END, LIVE_END, N_SLICES, LARGE_WORDS, N_WORDS, N_OUTSIDE = range(8)


@bare
def group_rows(columns, x, members, groups):
    """Write the members' states and that of X, which comes lowest, as a byte for each row."""
    column = columns[x]
    for i in range(groups.shape[0]):
        groups[i] = column[i]
    for k in range(members.shape[0]):
        column, bit = columns[members[k]], np.uint8(2 << k)
        for i in range(groups.shape[0]):
            groups[i] |= (np.uint8(0) - column[i]) & bit


@bare
def count_groups(groups, weights, is_weighted, counts, sums):
    """Count the data points of each group; without weights, also those in each quarter of the rows.

    Quarters are counted side by side, since to add to a number just written has to wait for it. counts:
    OUT, (quarters, groups). sums: OUT.
    """
    quarter = 0 if is_weighted else groups.shape[0] // N_QUARTERS
    counts[:, : sums.shape[0]] = 0
    for i in range(quarter):
        counts[0, groups[i]] += 1
        counts[1, groups[quarter + i]] += 1
        counts[2, groups[2 * quarter + i]] += 1
        counts[3, groups[3 * quarter + i]] += 1
    for g in range(sums.shape[0]):
        sums[g] = counts[0, g] + counts[1, g] + counts[2, g] + counts[3, g]
    for i in range(N_QUARTERS * quarter, groups.shape[0]):
        sums[groups[i]] += weights[i]


@bare
def order_slices(sums, keys, sizes):
    """List the slices that occur, from large to small as in `binary_layout`, and an empty one at the end.

    sums: IN, data points by group. keys, sizes: OUT. Returns how many there are.
    """
    n = 0
    for key in range(sums.shape[0] // 2):
        low, high = sums[2 * key], sums[2 * key + 1]
        if low + high > 0:
            shape, z = shape_number(low, high), n
            while z > 0 and shape_number(np.int64(sizes[z - 1, 0]), np.int64(sizes[z - 1, 1])) > shape:
                keys[z], sizes[z, 0], sizes[z, 1] = keys[z - 1], sizes[z - 1, 0], sizes[z - 1, 1]
                z -= 1
            keys[z], sizes[z, 0], sizes[z, 1] = key, low, high
            n += 1
    sizes[n, 0] = sizes[n, 1] = 0
    return n


@bare
def find_ends(sizes, n, ends):
    """Count the slices up to the last huge, large, small and live one. ends: OUT."""
    for kind in range(HUGE_END, N_SLICES):
        ends[kind] = 0
    for z in range(n):
        size = sizes[z, 0] + sizes[z, 1]
        ends[HUGE_END] += size > LARGE
        ends[LARGE_END] += size > WORD
        ends[SMALL_END] += size > TINY
        ends[LIVE_END] += size > 1
    ends[N_SLICES] = n
    if ends[LIVE_END] - ends[SMALL_END] < FEW:
        ends[SMALL_END] = ends[LIVE_END]


@bare
def count_digits(groups, weights, is_weighted, sums, fill):
    """Count the rows of each group with each binary digit of the weights. fill: OUT, (groups, digits)."""
    for g in range(sums.shape[0]):
        for plane in range(fill.shape[1]):
            fill[g, plane] = 0 if is_weighted else sums[g]
    if is_weighted:
        for i in range(groups.shape[0]):
            for plane in range(fill.shape[1]):
                fill[groups[i], plane] += (weights[i] >> plane) & 1


@bare
def start_large(keys, fill, run_words):
    """Give the rows of each huge or large group, and each digit, words of their own.

    fill: IN and OUT, from the number of rows to the first slot. run_words: OUT, as from
    `binary_layout.place_large`. Returns the number of words.
    """
    word = 0
    for z in range(run_words.shape[0]):
        for x in range(2):
            g = 2 * keys[z] + x
            for plane in range(fill.shape[1]):
                run_words[z, x, plane] = word
                n_words = (fill[g, plane] + WORD - 1) // WORD
                fill[g, plane] = word * WORD
                word += n_words
            run_words[z, x, fill.shape[1]] = word
    return word


@bare
def start_others(keys, sizes, ends, word, fill):
    """Give each small slice a word, each tiny one a byte, each dead one a bit, from a word on.

    fill: OUT, the first slot of each group. Returns the number of all words.
    """
    slot = word * WORD
    for z in range(ends[LARGE_END], ends[N_SLICES]):
        if z in (ends[SMALL_END], ends[LIVE_END]):
            slot = (slot + WORD - 1) // WORD * WORD
        g = 2 * keys[z]
        fill[g, 0], fill[g + 1, 0] = slot, slot + sizes[z, 0]
        slot += WORD if z < ends[SMALL_END] else (LANE if z < ends[LIVE_END] else 1)
    return (slot + WORD - 1) // WORD


@bare
def place_rows(groups, counts, sums, fill, slots):
    """Put every row into the next slot of its group, the quarters side by side as in `count_groups`.

    counts: IN and OUT, rows of each quarter and group. fill: IN and OUT. slots: OUT.
    """
    quarter = groups.shape[0] // N_QUARTERS
    for g in range(sums.shape[0]):
        for q in range(N_QUARTERS):
            counts[q, g], fill[g, 0] = fill[g, 0], fill[g, 0] + counts[q, g]
    for i in range(quarter):
        for q in range(N_QUARTERS):
            row = q * quarter + i
            g = groups[row]
            slots[counts[q, g]] = row
            counts[q, g] += 1
    for i in range(N_QUARTERS * quarter, groups.shape[0]):
        slots[fill[groups[i], 0]] = i
        fill[groups[i], 0] += 1


@bare
def place_weighted_rows(groups, weights, sums, fill, slots):
    """Do the same for rows with weights: a slot for each digit, or data point where there are few."""
    for i in range(groups.shape[0]):
        g = groups[i]
        if sums[g & 254] + sums[g | 1] > WORD:
            for plane in range(fill.shape[1]):
                if (weights[i] >> plane) & 1:
                    slots[fill[g, plane]] = i
                    fill[g, plane] += 1
        else:
            for _ in range(weights[i]):
                slots[fill[g, 0]] = i
                fill[g, 0] += 1


@bare
def place(groups, weights, is_weighted, counts, sums, keys, sizes, ends, fill, run_words, slots):
    """Give every row its slots. Returns the number of words of large slices, and of all."""
    count_digits(groups, weights, is_weighted, sums, fill)
    n_large = start_large(keys, fill, run_words)
    n_words = start_others(keys, sizes, ends, n_large, fill)
    for slot in range(n_words * WORD):
        slots[slot] = NO_ROW
    if is_weighted:
        place_weighted_rows(groups, weights, sums, fill, slots)
    else:
        place_rows(groups, counts, sums, fill, slots)
    return n_large, n_words


@bare
def list_outside(x, members, outside):
    """List the variables that are neither X nor members. outside: OUT. Returns how many there are."""
    n, k = 0, 0
    for v in range(outside.shape[0]):
        if k < members.shape[0] and members[k] == v:
            k += 1
        elif v != x:
            outside[n] = v
            n += 1
    return n


@bare_part
def lay_out(columns, row_bits, weights, is_weighted, rooms, k):
    """Sort and pack the data for a look, count the ones of the variables outside, and cut it into parts.

    columns, row_bits, weights, is_weighted, rooms: as for `ibmap.kernels.small_look`. k: IN, which look.
    """
    x, n_members = rooms.request[k, 0], rooms.request[k, 1]
    members, outside, groups = rooms.request[k, 2 : 2 + n_members], rooms.outside[k], rooms.groups[k]
    counts, sums = rooms.quarters[k], rooms.group_sums[k, : 2 << n_members]
    keys, sizes, ends = rooms.keys[k], rooms.sizes[k], rooms.ends[k]
    group_rows(columns, x, members, groups)
    count_groups(groups, weights, is_weighted, counts, sums)
    n, n_outside = order_slices(sums, keys, sizes), list_outside(x, members, outside)
    find_ends(sizes, n, ends)
    run_words, slots = rooms.run_words[k, : ends[LARGE_END]], rooms.slots[k]
    n_large, n_words = place(
        groups, weights, is_weighted, counts, sums, keys, sizes, ends, rooms.fill[k], run_words, slots
    )
    ends[LARGE_WORDS], ends[N_WORDS], ends[N_OUTSIDE] = n_large, n_words, n_outside
    cut_runs(run_words, n_outside, WORK_OF_PART, rooms.cuts[k])
    words = rooms.words[k, : n_words * n_outside].reshape((n_words, n_outside))
    pack_words(row_bits, slots[: n_words * WORD], outside[:n_outside], words)
    n_ones = n_outside * (n + 1)
    ones = rooms.ones[k, : 2 * n_ones].reshape((n_outside, n + 1, 2))
    ones_in_words = rooms.ones_in_words[k, :n_ones].reshape((n_outside, n + 1))
    places = ends[LARGE_END], ends[SMALL_END], ends[LIVE_END]
    count_ones(words[:n_large], run_words, words[n_large:], sizes[: n + 1], places, ones)
    first = n_words - (n - ends[LIVE_END] + WORD - 1) // WORD  # of the words of dead slices
    count_bits(words[first:], rooms.sizes_in_words[k, : n + 1], ends[LIVE_END], ones_in_words)
