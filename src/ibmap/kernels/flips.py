"""What every flip of a pair gains, and which is the best."""

import numpy as np

from ibmap.kernels.compiling import bare_kernel


@bare_kernel
def update_gains(x, changes, gains):
    """Work out what all flips that touch one variable gain.

    x: IN. changes: IN, entry (x, y) is the term of x with y flipped in its blanket, entry (x, x) that of the
    blanket as it is. gains: IN and OUT, row and column x; minus infinity for a flip to what is impossible.
    """
    for y in range(gains.shape[0]):
        gain = -np.inf
        if y != x and min(changes[x, y], changes[y, x]) > -np.inf:
            gain = (changes[x, y] - changes[x, x]) + (changes[y, x] - changes[y, y])
        gains[x, y] = gain
        gains[y, x] = gain


@bare_kernel
def first_best(gains, tolerance):
    """Find the first of the flips, row by row, whose gain is nearly the best; negative if there is none."""
    n = gains.shape[0]
    best = -np.inf
    for x in range(n):
        for y in range(n):
            best = max(best, gains[x, y])
    for x in range(n if best > -np.inf else 0):
        for y in range(n):
            if gains[x, y] >= best - tolerance:
                return x * n + y
    return -1
