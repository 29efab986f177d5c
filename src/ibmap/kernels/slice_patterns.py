"""Tiny slices: all tests of X against Y given B + W from the patterns of the variables.

A variable's pattern in a slice of r data points is a word of r bits. How much a slice
adds to a test is tabulated by the patterns of Y and of W, and only the sum over all Y is wanted: so
the variables with each pattern are counted, and the counts are multiplied by the table, once for
all W with the same pattern. A pattern and its negation say the same: it is turned to begin with
0, and that bit is left out. Eight slices are done at once, a byte of a word each.
"""

import numpy as np

from ibmap.kernels.binary_layout import LANE, LANES, TINY
from ibmap.kernels.compiling import inner, kernel

FIRST_BITS = np.uint64(0x0101010101010101)
BYTE = np.uint64(0xFF)
ONE = np.uint64(1)
N_PATTERNS = 1 << (TINY - 1)


@inner
def whole_lanes(sizes, first):
    """Mark the bits of eight tiny slices (or those that are left) in a word."""
    whole = np.uint64(0)
    for lane in range(min(LANES, sizes.shape[0] - first)):
        n_points = np.uint64(sizes[first + lane, 0] + sizes[first + lane, 1])
        whole |= ((ONE << n_points) - ONE) << np.uint64(lane * LANE)
    return whole


@inner
def count_patterns(words, whole, patterns, counts):
    """Count the variables with each pattern in each of eight slices.

    words: IN, of each variable. whole: IN, the bits in use. patterns: OUT, those of each variable,
    turned, in bytes. counts: OUT, (slices, patterns).
    """
    for lane in range(LANES):
        for pattern in range(N_PATTERNS):
            counts[lane, pattern] = 0
    for v in range(words.shape[0]):
        turned = ((words[v] ^ (words[v] & FIRST_BITS) * BYTE) & whole) >> ONE
        patterns[v] = turned
        for lane in range(LANES):
            counts[lane, (turned >> np.uint64(lane * LANE)) & BYTE] += 1


@inner
def add_by_pattern(patterns, by_pattern, sums):
    """Add to each variable's sum what eight slices give for its patterns."""
    for v in range(patterns.shape[0]):
        total = 0.0
        for lane in range(LANES):
            total += by_pattern[lane, (patterns[v] >> np.uint64(lane * LANE)) & BYTE]
        sums[v] += total


@inner
def sum_over_patterns(counts, table, n_patterns, sums):
    """Sum the table over all Y but W itself, by W's pattern.

    counts: IN, variables with each pattern. table: IN, flat, by Y's pattern (row) and by W's.
    sums: OUT, by W's pattern. W is the same in the whole of each part, as the first pattern is.
    """
    for w in range(n_patterns):
        sums[w] = (counts[0] - 1) * table[w]
    for y in range(1, n_patterns):
        count = float(counts[y])
        if count > 0.0:
            row = table[y * n_patterns : (y + 1) * n_patterns]
            for w in range(n_patterns):
                sums[w] += count * row[w]


@kernel
def pattern_sums(words, first_word, sizes, table, starts, sums):
    """Add what tiny slices add to the tests of X against Y given B + W, summed over Y, for every W.

    words: IN, those from `first_word` on have eight tiny slices each, (words, variables). sizes: IN,
    of the tiny slices, by X. table, starts: IN, what a slice adds by patterns, and where a shape's
    entries start. sums: IN and OUT, one entry for each variable outside the blanket.
    """
    patterns, counts = np.empty(words.shape[1], np.uint64), np.empty((LANES, N_PATTERNS), np.int64)
    by_pattern = np.zeros((LANES, N_PATTERNS))
    for first in range(0, sizes.shape[0], LANES):
        word = words[first_word + first // LANES]
        count_patterns(word, whole_lanes(sizes, first), patterns, counts)
        for lane in range(LANES):
            if first + lane < sizes.shape[0]:
                low, high = sizes[first + lane]
                n_patterns = 1 << (low + high - 1)
                sum_over_patterns(counts[lane], table[starts[low, high] :], n_patterns, by_pattern[lane])
            else:
                by_pattern[lane, 0] = 0.0
        add_by_pattern(patterns, by_pattern, sums)
