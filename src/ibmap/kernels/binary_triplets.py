"""Single tests of binary variables, each given a small set of its own, with what they have to go by."""

import numpy as np

from ibmap.kernels.binary_rows import largest_set, mask_expected, row_minus_log_p, split_rows
from ibmap.kernels.compiling import kernel


@kernel
def all_triplets(columns, everything, pairs, starts, members, log_odds, logs, minus_log_p, counts, smallest):
    """-log Pr(I(X, Y | Z)) of triplets over the slices that matter, and what the expected counts are like.

    columns, everything: IN, packed columns, and a mask of all rows. pairs: IN, X and Y of each triplet.
    starts, members: IN, set k is ``members[starts[k]:starts[k + 1]]``. log_odds: IN, of dependence in a
    slice, for each. minus_log_p: OUT. counts: OUT, (slices that matter, their data points, and as from
    `add_expected`). smallest: OUT, expected count.
    """
    n_masks = 1 << largest_set(starts)
    masks, sizes = np.empty((n_masks, 2, columns.shape[1]), np.uint64), np.empty((n_masks, 2), np.int64)
    for k in range(pairs.shape[0]):
        given = members[starts[k] : starts[k + 1]]
        n = split_rows(columns, everything, given, pairs[k, 0], masks, sizes)
        own, found = (masks[:n], sizes[:n]), minus_log_p[k : k + 1]
        row_minus_log_p(columns, *own, pairs[k, 1:], log_odds[k], logs, np.inf, found)
        counts[k, 0], counts[k, 1:] = n, 0
        for s in range(n):
            counts[k, 1] += sizes[s, 0] + sizes[s, 1]
        smallest[k] = mask_expected(columns, *own, pairs[k, 1], counts[k, 2:])
