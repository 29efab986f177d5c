"""Pack the columns of binary data into machine words, in the order of a blanket's slices.

`ibmap.kernels.binary_layout` says which row is behind each bit. Rows are packed 64 variables to a
word once for all; 64 of them are a matrix of bits, and its transpose has 64 rows of each variable.
"""

import numpy as np

from ibmap.kernels.binary_layout import LANE, LANES, WORD
from ibmap.kernels.bits import M1, M2, M4, popcount
from ibmap.kernels.compiling import bare, inlined, inner, kernel

HALF = WORD // 2
ONE = np.uint64(1)
BYTE = np.uint64(0xFF)
ZERO = np.uint64(0)


@kernel
def pack_rows(columns, row_bits):
    """Pack the states of each row, 64 variables to a word. row_bits: OUT, zero before."""
    for v in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            row_bits[v // WORD, i] |= np.uint64(columns[v, i]) << np.uint64(v % WORD)


@inlined
def shuffle(rows, shuffled, shift, mask):
    """Swap the blocks of bits of a width in rows k and k + 32, and put these rows side by side.

    rows: IN. shuffled: OUT. shift: IN, the width. mask: IN, every other block of that width.
    """
    for k in range(HALF):
        swap = ((rows[k] >> shift) ^ rows[k + HALF]) & mask
        shuffled[2 * k] = rows[k] ^ (swap << shift)
        shuffled[2 * k + 1] = rows[k + HALF] ^ swap


@kernel
def transpose(block, scratch):
    """Transpose a 64 x 64 matrix of bits: halves, quarters, ... change places.

    After six shuffles each row is back where it was. block: IN and OUT. scratch: OUT, as large.
    """
    shuffle(block, scratch, np.uint64(32), np.uint64(0x00000000FFFFFFFF))
    shuffle(scratch, block, np.uint64(16), np.uint64(0x0000FFFF0000FFFF))
    shuffle(block, scratch, np.uint64(8), np.uint64(0x00FF00FF00FF00FF))
    shuffle(scratch, block, np.uint64(4), M4)
    shuffle(block, scratch, np.uint64(2), M2)
    shuffle(scratch, block, np.uint64(1), M1)


@kernel
def pack(row_bits, slots, outside):
    """Write the columns wanted into words, 64 rows and 64 columns at a time.

    row_bits: IN, for each 64 variables the bits of each row. slots: IN, the row behind each
    bit, negative for none. outside: IN, the variables wanted, in order. Returns their words, those
    of the same bits side by side.
    """
    words = np.empty((slots.shape[0] // WORD, outside.shape[0]), np.uint64)
    pack_words(row_bits, slots, outside, words)
    return words


@bare
def gather_rows(bits, slots, block):
    """Copy the bits of the rows behind 64 slots, none for an empty slot. block: OUT."""
    for k in range(WORD):
        row = slots[k]
        bit = bits[max(row, 0)]
        block[k] = bit if row >= 0 else ZERO


@bare
def pick(block, positions, words):
    """Copy the words wanted. words: OUT."""
    for v in range(positions.shape[0]):
        words[v] = block[positions[v]]


@inner
def pack_words(row_bits, slots, outside, words):
    """Do the same in words there are. words: OUT."""
    n, n_parts = outside.shape[0], row_bits.shape[0]
    block, scratch = np.empty(WORD, np.uint64), np.empty(WORD, np.uint64)
    starts, positions = np.zeros(n_parts + 1, np.int64), np.empty(n, np.uint64)
    for v in range(n):
        starts[outside[v] // WORD + 1 :] = v + 1
        positions[v] = outside[v] % WORD
    for w in range(words.shape[0]):
        for part in range(n_parts):
            first, last = starts[part], starts[part + 1]
            if first < last:
                gather_rows(row_bits[part], slots[w * WORD : (w + 1) * WORD], block)
                transpose(block, scratch)
                pick(block, positions[first:last], words[w, first:last])


@bare
def count_group(words, runs, counts):
    """Count the ones of every variable in a group of a large slice; runs, as for `count_large`."""
    for v in range(counts.shape[0]):
        counts[v] = 0
    for plane in range(runs.shape[0] - 2, -1, -1):
        for v in range(counts.shape[0]):
            counts[v] *= 2
        for w in range(runs[plane], runs[plane + 1]):
            row = words[w]
            for v in range(counts.shape[0]):
                counts[v] += popcount(row[v])


@inner
def count_large(words, run_words, ones):
    """Count the ones of every variable in the large slices."""
    counts = np.empty(ones.shape[0], np.int64)
    for z in range(run_words.shape[0]):
        for x in range(2):
            count_group(words, run_words[z, x], counts)
            for v in range(ones.shape[0]):
                ones[v, z, x] = counts[v]


@bare
def count_words(words, sizes, first, last, ones):
    """Count the ones of every variable in slices with a word each: those from `first` to `last`."""
    for z in range(first, last):
        high = WORD - sizes[z, 0]
        for v in range(ones.shape[0]):
            bits = words[z - first, v]
            total = popcount(bits)
            low = popcount(bits << np.uint64(high)) if high < WORD else 0
            ones[v, z, 0], ones[v, z, 1] = low, total - low


@inner
def lane_masks(sizes):
    """Mark the bits of X = 0 in words of eight slices."""
    masks = np.zeros((sizes.shape[0] + LANES - 1) // LANES, np.uint64)
    for t in range(sizes.shape[0]):
        masks[t // LANES] |= ((ONE << np.uint64(sizes[t, 0])) - ONE) << np.uint64(t % LANES * LANE)
    return masks


@inlined
def count_lanes(word):
    """Count the bits of each byte of a word."""
    word = word - ((word >> ONE) & M1)
    word = (word & M2) + ((word >> np.uint64(2)) & M2)
    return (word + (word >> np.uint64(4))) & M4


@inlined
def write_lanes(low, high, n_lanes, counts):
    """Write the bytes of two words as the counts of so many slices."""
    for lane in range(n_lanes):
        counts[lane, 0] = (low >> np.uint64(lane * LANE)) & BYTE
        counts[lane, 1] = (high >> np.uint64(lane * LANE)) & BYTE


@inner
def count_bytes(words, first_word, sizes, first, last, ones):
    """Count the ones of every variable in slices with a byte each: those from `first` to `last`."""
    masks = lane_masks(sizes[first:last])
    for v in range(ones.shape[0]):
        for k in range(masks.shape[0]):
            bits, start = words[first_word + k, v], first + k * LANES
            low, high = count_lanes(bits & masks[k]), count_lanes(bits & ~masks[k])
            if start + LANES <= last:
                write_lanes(low, high, LANES, ones[v, start:])
            else:
                write_lanes(low, high, last - start, ones[v, start:])


@kernel
def count_ones(words_large, run_words, words, sizes, ends, ones):
    """Count the ones of every packed variable in every live slice.

    words_large, run_words: IN, the words of large slices, (words, variables), and where those of each
    group start. words: IN, those of the others. sizes: IN, data points by slice and state of X. ends:
    IN, as for `place_small`. ones: OUT, (variables, slices, 2) data points with state 1, by state of X.
    """
    n_large, n_words, n_live = ends
    count_large(words_large, run_words, ones)
    count_words(words, sizes, n_large, n_words, ones)
    count_bytes(words, n_words - n_large, sizes, n_words, n_live, ones)


@inlined
def spread_bits(bits, sizes, counts):
    """Write sizes where a bit is 1, and zeros elsewhere."""
    for k in range(counts.shape[0]):
        counts[k] = sizes[k] & (ZERO - ((bits >> np.uint64(k)) & ONE))


@bare
def count_bits(words, sizes, first, ones):
    """Tell where variables are one in slices with a bit each: those from `first` on, and an empty one.

    A data point is counted for its state of X, as in the sizes: both counts are one word there.
    """
    last = sizes.shape[0] - 1
    for v in range(ones.shape[0]):
        for start in range(first, last, WORD):
            stop = min(start + WORD, last)
            spread_bits(words[(start - first) // WORD, v], sizes[start:stop], ones[v, start:stop])
        ones[v, last] = 0
