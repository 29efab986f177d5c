"""Order binary data by the slices of a blanket, and place its rows in machine words.

A blanket's slices are numbered from large to small, and among those of one size by how many
data points have X = 0. There are these kinds:

- *huge*: over 1000 data points, and *large*: 65 to 1000. The rows of each (slice, state of X) fill
  words of their own, one run of words for each binary digit of the weights.
- *small*: 8 to 64 data points. A word for each slice, X = 0 in the low bits.
- *tiny*: 2 to 7 data points. A byte for each slice, X = 0 in the low bits.
- *dead*: a single data point, which says nothing about any pair given the slice. Its row is enough.

The *live* slices are all but the dead. See `ibmap.kernels.binary_packing` for the words themselves.
"""

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import bare, inlined, inner, kernel
from ibmap.kernels.counting import hash_keys

WORD = 64
MOST_MEMBERS = 63  # of a blanket: a slice's key is one machine word
LARGE = 1000  # data points up to which Bayes factors are products of scaled factors
TINY = 7  # data points up to which the patterns of all variables are counted
LANE = 8  # bits for a tiny slice
LANES = WORD // LANE
N_SHAPES = 2 + WORD * (WORD + 1)
NO_ROW = -1
WORK_OF_WORD, WORK_OF_SLICE = 0.4, 5.0  # nanoseconds a pair, in large slices: as measured, on average
ONE = np.uint64(1)


@inlined
def is_dense(n_bits, n_rows):
    """Tell whether a table of all keys is faster than a hash."""
    return n_bits < 40 and (1 << n_bits) <= 4 * n_rows + 4096


@inner
def number_keys(keys, n_bits, labels):
    """Number the distinct keys.

    keys: IN, key of each row, below 2**n_bits. labels: OUT, number of each row. Returns the
    distinct keys.
    """
    n_rows = keys.shape[0]
    if is_dense(n_bits, n_rows):
        number = np.full(1 << n_bits, -1, np.int64)
        for i in range(n_rows):
            number[keys[i]] = 0
        distinct = np.empty(min(1 << n_bits, n_rows), np.uint64)
        found = 0
        for key in range(number.shape[0]):
            if number[key] == 0:
                number[key] = found
                distinct[found] = key
                found += 1
        for i in range(n_rows):
            labels[i] = number[keys[i]]
        return distinct[:found]
    return hash_keys(keys, labels)


@bare
def word_of(given):
    """Give the bits of some variables in the one word of a row that has them all, and which; else -1."""
    mask, word = np.uint64(0), given[0] // WORD if given.shape[0] else 0
    for z in given:
        mask |= ONE << np.uint64(z % WORD)
        word = word if z // WORD == word else -1
    return mask, word


@bare
def close_ranks(wide, mask, keys):
    """Move the bits of a mask together, a run of neighbours at a time. wide: IN. keys: OUT."""
    keys[:] = 0
    n_moved = 0
    while mask != 0:
        lowest = mask & (~mask + ONE)
        run = mask & ~(mask + lowest)
        shift = np.uint64(popcount(lowest - ONE) - n_moved)
        for i in range(wide.shape[0]):
            keys[i] |= (wide[i] & run) >> shift
        n_moved += popcount(run)
        mask ^= run


@inner
def number_members(columns, row_bits, members, labels):
    """Number the states of some variables in the rows. labels: OUT. Returns their keys, a bit for each.

    columns, row_bits: IN, states of each variable and row, and those of a row, 64 variables to a word.
    """
    n_rows, n_bits = columns.shape[1], members.shape[0]
    keys = np.zeros(n_rows, np.uint64)
    mask, word = word_of(members)
    if word < 0:
        for k in range(n_bits):
            column = columns[members[k]]
            for i in range(n_rows):
                keys[i] |= np.uint64(column[i]) << np.uint64(k)
        return number_keys(keys, n_bits, labels)
    if is_dense(n_bits, n_rows):
        close_ranks(row_bits[word], mask, keys)
        return number_keys(keys, n_bits, labels)
    for i in range(n_rows):
        keys[i] = row_bits[word, i] & mask
    wide = hash_keys(keys, labels)
    close_ranks(wide, mask, keys[: wide.shape[0]])
    return keys[: wide.shape[0]]


@inlined
def shape_number(low, high):
    """Number the shapes of slices in their order; all huge ones have the first, all large ones the next."""
    if low + high > WORD:
        return int(low + high <= LARGE)
    return 2 + (WORD - low - high) * (WORD + 1) + low


@inner
def order_slices(sums, rank):
    """Put slices in order of their shapes.

    sums: IN, data points by slice and state of X. rank: OUT, place of each slice. Returns how
    many slices there are up to the last huge, large, small, and live one.
    """
    starts = np.zeros(N_SHAPES + 1, np.int64)
    for z in range(sums.shape[0]):
        starts[shape_number(sums[z, 0], sums[z, 1]) + 1] += 1
    for k in range(N_SHAPES):
        starts[k + 1] += starts[k]
    ends = np.empty(4, np.int64)
    for kind, most in enumerate((LARGE, WORD, TINY, 1)):
        ends[kind] = starts[shape_number(0, most)]
    for z in range(sums.shape[0]):
        shape = shape_number(sums[z, 0], sums[z, 1])
        rank[z] = starts[shape]
        starts[shape] += 1
    return ends


@kernel
def slice_rows(columns, row_bits, weights, x, members, labels):
    """Number the slices of a blanket from large to small.

    columns, row_bits: IN, as for `number_members`. weights: IN. labels: OUT, slice of each row. Returns the
    slices' keys, their sizes for X = 0 and 1 (with an empty slice at the end), and what `order_slices` gives.
    """
    n_rows = columns.shape[1]
    distinct = number_members(columns, row_bits, members, labels)
    sums = np.zeros((distinct.shape[0], 2), np.int64)
    for i in range(n_rows):
        sums[labels[i], columns[x, i]] += weights[i]
    rank = np.empty(distinct.shape[0], np.int64)
    ends = order_slices(sums, rank)
    slice_keys = np.empty(distinct.shape[0], np.uint64)
    sizes = np.zeros((distinct.shape[0] + 1, 2), np.int32)
    for z in range(distinct.shape[0]):
        slice_keys[rank[z]] = distinct[z]
        sizes[rank[z], 0], sizes[rank[z], 1] = sums[z, 0], sums[z, 1]
    for i in range(n_rows):
        labels[i] = rank[labels[i]]
    return slice_keys, sizes, ends


@bare
def place_runs(fill, run_words):
    """Give each run its words, and set `fill` from its number of rows to its first slot.

    run_words: OUT, where the words of each (slice, state of X, binary digit of the weights) start, and
    those of each (slice, state of X) end. Returns the number of words.
    """
    word = 0
    for z in range(fill.shape[0]):
        for x in range(2):
            for plane in range(fill.shape[2]):
                run_words[z, x, plane] = word
                n_words = (fill[z, x, plane] + WORD - 1) // WORD
                fill[z, x, plane] = word * WORD
                word += n_words
            run_words[z, x, fill.shape[2]] = word
    return word


@bare
def count_digits(labels, x_column, weights, fill):
    """Count the rows of each large slice and state of X with each binary digit of the weights."""
    for i in range(labels.shape[0]):
        if labels[i] < fill.shape[0]:
            for plane in range(fill.shape[2]):
                fill[labels[i], x_column[i], plane] += (weights[i] >> plane) & 1


@kernel
def place_large(labels, x_column, weights, sizes, n_large, n_planes):
    """Give each row of a huge or large slice a slot in the words of its group.

    Returns the row in each slot (or `NO_ROW`), 64 to a word, and the run of words of each (slice,
    state of X, binary digit of the weights): where it starts, and where the last of a group ends.
    """
    fill = np.zeros((n_large, 2, n_planes), np.int64)
    if n_planes == 1:
        for z in range(n_large):
            fill[z, 0, 0], fill[z, 1, 0] = sizes[z, 0], sizes[z, 1]
    else:
        count_digits(labels, x_column, weights, fill)
    run_words = np.empty((n_large, 2, n_planes + 1), np.int64)
    slots = np.full(place_runs(fill, run_words) * WORD, NO_ROW, np.int32)
    if n_large > 0:
        for i in range(labels.shape[0]):
            if labels[i] < n_large:
                for plane in range(n_planes):
                    if (weights[i] >> plane) & 1:
                        slots[fill[labels[i], x_column[i], plane]] = i
                        fill[labels[i], x_column[i], plane] += 1
    return slots, run_words


@inner
def first_slots(n_whole, n_tiny):
    """Give the first slot of each slice: of a word, or of a byte. The last entry is where the words end."""
    starts = np.empty(n_whole + n_tiny + 1, np.int64)
    bytes_start = n_whole * WORD
    for s in range(n_whole):
        starts[s] = s * WORD
    for t in range(n_tiny):
        starts[n_whole + t] = bytes_start + t * LANE
    starts[-1] = bytes_start + (n_tiny + LANES - 1) // LANES * WORD
    return starts


@kernel
def place_small(labels, x_column, weights, sizes, ends):
    """Give each data point of the live slices that are not large a slot.

    ends: IN, how many slices there are up to the last large one, the last with a word of its
    own, and the last with a byte. Returns the row in each slot (or `NO_ROW`), 64 to a word, and the row of
    each dead slice.
    """
    n_large, n_words, n_live = ends
    starts = first_slots(n_words - n_large, n_live - n_words)
    fill = np.empty((starts.shape[0] - 1, 2), np.int64)
    for s in range(fill.shape[0]):
        fill[s, 0], fill[s, 1] = starts[s], starts[s] + sizes[n_large + s, 0]
    slots, lone_rows = np.full(starts[-1], NO_ROW, np.int32), np.empty(sizes.shape[0] - 1 - n_live, np.int32)
    for i in range(labels.shape[0]):
        if labels[i] >= n_live:
            lone_rows[labels[i] - n_live] = i
        elif labels[i] >= n_large:
            s = labels[i] - n_large
            for _ in range(weights[i]):
                slots[fill[s, x_column[i]]] = i
                fill[s, x_column[i]] += 1
    return slots, lone_rows


@bare
def cut_runs(run_words, n_outside, work_of_part, cuts):
    """Cut the large slices into parts of about equal work. run_words: IN, of these slices. cuts: OUT."""
    n, n_pairs = run_words.shape[0], n_outside * n_outside
    whole = 0.0
    for z in range(n):
        whole += n_pairs * (WORK_OF_WORD * (run_words[z, 1, -1] - run_words[z, 0, 0]) + WORK_OF_SLICE)
    n_parts, part, done = min(1 + int(whole / work_of_part), cuts.shape[0] - 1), 1, 0.0
    cuts[0] = 0
    for z in range(n):
        done += n_pairs * (WORK_OF_WORD * (run_words[z, 1, -1] - run_words[z, 0, 0]) + WORK_OF_SLICE)
        while part < n_parts and done * n_parts >= part * whole:
            cuts[part] = z + 1
            part += 1
    for later in range(part, cuts.shape[0]):
        cuts[later] = n
