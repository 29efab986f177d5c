"""Pack the data for a look at a large blanket, in one call."""

import numpy as np

from ibmap.kernels.binary_layout import cut_runs, place_large, place_small
from ibmap.kernels.binary_packing import count_ones, pack
from ibmap.kernels.compiling import inner, kernel


@inner
def pick_rows(row_bits, rows):
    """Copy the bits of some rows."""
    picked = np.empty((row_bits.shape[0], rows.shape[0]), np.uint64)
    for part in range(row_bits.shape[0]):
        for k in range(rows.shape[0]):
            picked[part, k] = row_bits[part, rows[k]]
    return picked


@kernel
def lay_out(columns, row_bits, weights, n_planes, x, labels, sizes, ends, outside, n_parts, work_of_part):
    """Pack the variables outside a blanket in the order of its slices, and count their ones.

    columns, row_bits, weights, labels, sizes: IN, as for `slice_rows`. n_planes: IN, binary digits of the
    weights. ends: IN, as for `place_small`. outside: IN, the variables. n_parts, work_of_part: IN, how many
    parts of the large slices there are at most, and nanoseconds of one. Returns the runs of words of large
    slices, their words and those of the others; the ones; the bits of the rows of dead slices; and where to
    cut the large slices.
    """
    n_large, _, n_live = ends
    slots, run_words = place_large(labels, columns[x], weights, sizes, n_large, n_planes)
    words_large = pack(row_bits, slots, outside)
    slots, lone_rows = place_small(labels, columns[x], weights, sizes, ends)
    words = pack(row_bits, slots, outside)
    ones = np.empty((outside.shape[0], n_live, 2), np.int32)
    count_ones(words_large, run_words, words, sizes, ends, ones)
    cuts = np.empty(n_parts + 1, np.int64)
    cut_runs(run_words, outside.shape[0], work_of_part, cuts)
    return run_words, words_large, words, ones, pick_rows(row_bits, lone_rows), cuts
