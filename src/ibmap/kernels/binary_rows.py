"""One binary variable against many others given a set."""

import numpy as np

from ibmap.kernels.compiling import kernel
from ibmap.kernels.slices import count_ones, pack_slices
from ibmap.kernels.two_by_two import MINUS_LOG_P, share


@kernel
def count_row(row_bits, rows, sizes, words, masks, starts, candidates):
    """Count the rows of each slice in which each candidate is 1, by slice, candidate and X.

    rows, sizes: IN, by `slices.sort_by_slice`, of the slices with two rows or more. words, masks, starts:
    IN, by `slices.place_slices`. candidates: IN, sorted.
    """
    return count_ones(pack_slices(row_bits, rows, sizes, starts, candidates), words, masks)


@kernel
def test_row(sizes, ones, order, table, logs, most, found):
    """-log Pr(I(X, Y | Z)) of candidates in a given order, up to the first over `most`; return of how many.

    ones: IN, by `count_row`. order: IN, places of the candidates. found: OUT.
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
