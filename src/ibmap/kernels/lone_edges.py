"""Tests of the variables outside a large blanket where two slices of one data point each come together.

There are few outcomes: X is the same in both or not, and W is. So edges are counted, for 64 variables at
once, by counters whose binary digits are words: bit v of word k is digit k of the counter of variable v.
"""

import numpy as np

from ibmap.kernels.compiling import bare

DIGITS = 8
FULL_COUNT = 255  # edges after which counters are emptied
WORD = 64
ONE = np.uint64(1)
POINTS = (1, 16)  # bytes of a slice with one data point, by its state of X; see `small_outside`
ABOVE = 256  # the second byte of an index of a table of shares


@bare
def add_ones(bits, digits):
    """Add one to the counters of the variables whose bit is set. digits: IN and OUT."""
    for k in range(DIGITS):
        carry = digits[k] & bits
        digits[k] ^= bits
        bits = carry


@bare
def empty_counters(digits, counts):
    """Move counters to other counts. digits: IN and OUT, zero then. counts: IN and OUT, by variable."""
    for k in range(DIGITS):
        for v in range(WORD):
            counts[v] += np.int64((digits[k] >> np.uint64(v)) & ONE) << k
        digits[k] = 0


@bare
def count_alike(edges, n_live, sizes, lone, digits, counts):
    """Count the edges whose two data points have the same state of each variable.

    lone: IN, states of 64 variables in each dead slice. digits: IN and OUT, zero before and after. counts: IN
    and OUT, where X differs (1) or not (0), by variable.
    """
    n = 0
    for k in range(edges.shape[0]):
        z, y = edges[k, 0], edges[k, 1]
        differs = np.uint32(sizes[z, 0] ^ sizes[y, 0])
        add_ones(~(lone[z - n_live] ^ lone[y - n_live]), digits[differs])
        n += 1
        if n == FULL_COUNT or k == edges.shape[0] - 1:
            empty_counters(digits[0], counts[0])
            empty_counters(digits[1], counts[1])
            n = 0


@bare
def count_differing(edges, sizes):
    """Count the edges whose two data points differ in X."""
    n = 0
    for k in range(edges.shape[0]):
        n += sizes[edges[k, 0], 0] ^ sizes[edges[k, 1], 0]
    return n


@bare
def merge_lone(edges, n_live, sizes, lone, outside, same, less, digits, counts, given):
    """Add what merging the edges of a member b changes, of two dead slices each.

    lone: IN, for each 64 variables their states in each dead slice. outside: IN, which variables are wanted.
    digits, counts: scratch, the former zero before and after. given: IN and OUT, X against b given
    B - b + W, by W. Returns the change of X against W given B - b, for all W together.
    """
    n, m, n_differing, change = edges.shape[0], outside.shape[0], count_differing(edges, sizes), 0.0
    counts[:] = 0
    for part in range(lone.shape[0]):
        first = part * WORD
        count_alike(edges, n_live, sizes, lone[part], digits, counts[:, first : first + WORD])
    for differs in range(2):
        share, n_alike = same[POINTS[0] + POINTS[differs] * ABOVE], 0
        for v in range(m):
            n_alike += counts[differs, outside[v]]
            given[v] += share * counts[differs, outside[v]]
        n_all = m * (n_differing if differs else n - n_differing)
        change += n_alike * less[POINTS[0] + POINTS[differs]]
        change += (n_all - n_alike) * less[POINTS[0] + POINTS[differs] * ABOVE]
    return change
