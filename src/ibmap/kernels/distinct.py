"""Count the distinct tests behind a hill climb without listing them.

Looking at every change of the blanket B of X asks, for each other variable Y,
about the pair {X, Y} given every set within one change of B - Y: a ball of
radius one whose centre is B - Y. The distinct tests of a search are the union
of these balls, and two balls meet only if their centres differ in at most two
variables. Sets are rows of 64-bit words.
"""

import numpy as np

from ibmap.kernels.compiling import kernel
from ibmap.kernels.slices import ONE, n_bits


@kernel
def differences(a, b, x, y, found):
    """List up to two variables, other than x and y, in one set alone; return how many there are, at most 3.

    a, b: IN, sets. found: OUT.
    """
    n_found = 0
    for w in range(a.shape[0]):
        word = a[w] ^ b[w]
        for v in (x, y):
            if v // 64 == w:
                word &= ~(ONE << np.uint64(v % 64))
        while word != 0:
            if n_found == 2:
                return 3
            found[n_found] = w * 64 + n_bits((word - ONE) & ~word)
            n_found += 1
            word &= word - ONE
    return n_found


@kernel
def mark_overlap(center, others, newest, earlier, x, y, marks):
    """Mark the points of one ball that earlier balls of the pair cover.

    newest, earlier: IN, chain through the rows of `others` (-1 ends it). marks: OUT, entry w
    for the centre with w changed, the last entry for the centre itself. Returns False when
    an earlier ball has the same centre.
    """
    found = np.empty(2, np.int64)
    k = newest
    while k >= 0:
        distance = differences(center, others[k], x, y, found)
        if distance == 0:
            return False
        if distance == 1:
            marks[found[0]] = True
            marks[-1] = True
        elif distance == 2:
            marks[found[0]] = True
            marks[found[1]] = True
        k = earlier[k]
    return True


@kernel
def count_fresh(x, center, sets, newest, earlier, marks):
    """Count the tests of one look at the changes of X's blanket not asked before.

    center: IN, the blanket. sets, newest, earlier: IN, blankets looked at before, chained
    by variable. marks: scratch of n + 1 entries.
    """
    n = newest.shape[0]
    fresh = 0
    for y in range(n):
        if y == x:
            continue
        marks[:] = False
        if mark_overlap(center, sets, newest[x], earlier, x, y, marks) and mark_overlap(
            center, sets, newest[y], earlier, x, y, marks
        ):
            fresh += n - 1
            for w in range(n + 1):
                fresh -= marks[w]
    return fresh


@kernel
def is_covered(x, y, given, sets, newest, earlier):
    """Tell whether a test of x and y given a set belongs to any look so far."""
    found = np.empty(2, np.int64)
    for start in (newest[x], newest[y]):
        k = start
        while k >= 0:
            if differences(given, sets[k], x, y, found) <= 1:
                return True
            k = earlier[k]
    return False


@kernel
def count_other(tests, givens, sets, newest, earlier):
    """Count the tests that belong to no look so far. tests: IN, rows (x, y, row of `givens`)."""
    n_other = 0
    for t in range(tests.shape[0]):
        x, y, given = tests[t]
        n_other += not is_covered(x, y, givens[given], sets, newest, earlier)
    return n_other
