"""Order binary data by the slices of a blanket, packed into machine words.

A blanket's slices come in three kinds, numbered in this order:

- *large*: over 64 data points. The rows of each (slice, state of X) fill words
  of their own, one run of words for each binary digit of the weights.
- *small*: 2 to 64 data points, those of two last. One word holds the slice, X = 0 in the low bits.
- *dead*: a single data point, which says nothing about any pair given the slice.
"""

import numpy as np

from ibmap.kernels.bits import popcount
from ibmap.kernels.compiling import inner, kernel
from ibmap.kernels.counting import hash_keys

WORD = 64
ONE = np.uint64(1)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)


@inner
def number_keys(keys, n_bits, labels):
    """Number the distinct keys.

    keys: IN, key of each row, below 2**n_bits. labels: OUT, number of each row. Returns the
    distinct keys.
    """
    n_rows = keys.shape[0]
    if n_bits < 40 and (1 << n_bits) <= 4 * n_rows + 4096:
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


@kernel
def slice_rows(columns, weights, x, members, labels):
    """Number the slices of a blanket: large, then small, then dead.

    columns: IN, states 0 and 1 of each variable and row. weights: IN. labels: OUT, slice of
    each row. Returns the slices' keys, their sizes for X = 0 and 1 (with an empty slice at
    the end), and the numbers of large and of live slices.
    """
    n_rows = columns.shape[1]
    keys = np.zeros(n_rows, np.uint64)
    for k in range(members.shape[0]):
        column = columns[members[k]]
        for i in range(n_rows):
            keys[i] |= np.uint64(column[i]) << np.uint64(k)
    distinct = number_keys(keys, members.shape[0], labels)
    sums = np.zeros((distinct.shape[0], 2), np.int64)
    for i in range(n_rows):
        sums[labels[i], columns[x, i]] += weights[i]
    rank = np.empty(distinct.shape[0], np.int64)
    slice_keys = np.empty(distinct.shape[0], np.uint64)
    sizes = np.zeros((distinct.shape[0] + 1, 2), np.int32)
    found = 0
    n_large, n_live = 0, 0
    for low, high in ((WORD + 1, np.int64(1) << 62), (3, WORD), (2, 2), (0, 1)):
        for z in range(distinct.shape[0]):
            total = sums[z, 0] + sums[z, 1]
            if low <= total <= high:
                rank[z] = found
                slice_keys[found] = distinct[z]
                sizes[found, 0], sizes[found, 1] = sums[z, 0], sums[z, 1]
                found += 1
        if low > WORD:
            n_large = found
        if low >= 2:
            n_live = found
    for i in range(n_rows):
        labels[i] = rank[labels[i]]
    return slice_keys, sizes, n_large, n_live


@kernel
def place_large(labels, x_column, weights, n_large, n_planes):
    """Give each row of a large slice a slot in the words of its group.

    Returns the row in each slot, where each word's slots start, and where the words of each
    (slice, state of X, binary digit of the weights) start.
    """
    n_runs = 2 * n_large * n_planes
    fill = np.zeros(n_runs, np.int64)
    for i in range(labels.shape[0]):
        if labels[i] < n_large:
            group = 2 * labels[i] + x_column[i]
            for plane in range(n_planes):
                fill[group * n_planes + plane] += (weights[i] >> plane) & 1
    run_words = np.zeros(n_runs + 1, np.int64)
    for run in range(n_runs):
        run_words[run + 1] = run_words[run] + (fill[run] + WORD - 1) // WORD
    word_slots = np.zeros(run_words[n_runs] + 1, np.int64)
    slot = 0
    for run in range(n_runs):
        left = fill[run]
        fill[run] = slot
        for word in range(run_words[run], run_words[run + 1]):
            slot += min(left, WORD)
            left -= WORD
            word_slots[word + 1] = slot
    slot_rows = np.empty(slot, np.int64)
    for i in range(labels.shape[0]):
        if labels[i] < n_large:
            group = 2 * labels[i] + x_column[i]
            for plane in range(n_planes):
                if (weights[i] >> plane) & 1:
                    slot_rows[fill[group * n_planes + plane]] = i
                    fill[group * n_planes + plane] += 1
    return slot_rows, word_slots, run_words


@kernel
def place_small(labels, x_column, weights, sizes, n_large, n_live):
    """Give each data point of a small slice a bit of its word.

    Returns the row behind each bit, where each slice's bits start, and the mask of X = 0.
    """
    n_small = n_live - n_large
    starts = np.zeros(n_small + 1, np.int64)
    masks = np.empty(n_small, np.uint64)
    fill = np.empty((n_small, 2), np.int64)
    for s in range(n_small):
        low, high = sizes[n_large + s]
        fill[s, 0], fill[s, 1] = starts[s], starts[s] + low
        starts[s + 1] = starts[s] + low + high
        masks[s] = FULL if low == WORD else (ONE << np.uint64(low)) - ONE
    bit_rows = np.empty(starts[n_small], np.int64)
    for i in range(labels.shape[0]):
        s = labels[i] - n_large
        if 0 <= s < n_small:
            for _ in range(weights[i]):
                bit_rows[fill[s, x_column[i]]] = i
                fill[s, x_column[i]] += 1
    return bit_rows, starts, masks


@kernel
def transpose(block):
    """Transpose a 64 x 64 matrix of bits in place: halves, quarters, ... change places."""
    mask = np.uint64(0x00000000FFFFFFFF)
    width = 32
    while width > 0:
        shift = np.uint64(width)
        k = 0
        while k < WORD:
            swap = ((block[k] >> shift) ^ block[k + width]) & mask
            block[k + width] ^= swap
            block[k] ^= swap << shift
            k = (k + width + 1) & ~width
        width >>= 1
        mask ^= mask << np.uint64(width)


@inner
def pack_words(row_bits, slot_rows, word_slots, positions, words):
    """Write the columns wanted into words, 64 rows and 64 columns at a time.

    row_bits: IN, for each 64 variables the bits of each row. positions: IN, where each
    variable goes, or -1. words: OUT, (variables outside the blanket, words).
    """
    block = np.empty(WORD, np.uint64)
    for w in range(words.shape[1]):
        first, last = word_slots[w], word_slots[w + 1]
        for part in range(row_bits.shape[0]):
            bits = row_bits[part]
            for k in range(last - first):
                block[k] = bits[slot_rows[first + k]]
            for k in range(last - first, WORD):
                block[k] = np.uint64(0)
            transpose(block)
            base = part * WORD
            for k in range(min(WORD, positions.shape[0] - base)):
                if positions[base + k] >= 0:
                    words[positions[base + k], w] = block[k]


@inner
def count_ones(run_words, n_planes, masks, bits_large, bits_small, ones):
    """Count the ones of every packed variable in every live slice.

    ones: OUT, (variables, slices + 1, 2) data points with state 1, by state of X.
    """
    n_runs = run_words.shape[0] - 1
    n_large = n_runs // (2 * n_planes)
    for v in range(ones.shape[0]):
        for run in range(n_runs):
            total = 0
            for w in range(run_words[run], run_words[run + 1]):
                total += popcount(bits_large[v, w])
            group = run // n_planes
            ones[v, group // 2, group % 2] += total << (run % n_planes)
        for s in range(masks.shape[0]):
            low = popcount(bits_small[v, s] & masks[s])
            ones[v, n_large + s, 0] = low
            ones[v, n_large + s, 1] = popcount(bits_small[v, s]) - low


@kernel
def pack(columns, row_bits, outside, x, where, out):
    """Pack the variables outside the blanket and count their ones in every slice.

    columns, row_bits: IN, the data by column and by row. where: IN, (slice of each row, number
    of live slices, what `place_large` and `place_small` gave, binary digits of the weights).
    out: OUT, (words of the large slices, of the small ones, counts of ones).
    """
    labels, n_live, large, small, n_planes = where
    bits_large, bits_small, ones = out
    slot_rows, word_slots, run_words = large
    bit_rows, starts, masks = small
    positions = np.full(columns.shape[0], -1, np.int64)
    for v in range(outside.shape[0]):
        positions[outside[v]] = v
    pack_words(row_bits, slot_rows, word_slots, positions, bits_large)
    pack_words(row_bits, bit_rows, starts, positions, bits_small)
    ones[:] = 0
    count_ones(run_words, n_planes, masks, bits_large, bits_small, ones)
    for i in range(labels.shape[0]):
        if labels[i] >= n_live:
            for v in range(outside.shape[0]):
                ones[v, labels[i], columns[x, i]] = columns[outside[v], i]


@kernel
def pack_rows(columns, row_bits):
    """Pack the states of each row, 64 variables to a word. row_bits: OUT, zero before."""
    for v in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            row_bits[v // WORD, i] |= np.uint64(columns[v, i]) << np.uint64(v % WORD)
