"""What a single change of a blanket does to a fit: its cells, its design, and where it begins.

A member taken out leaves the cells as they are and loses its columns of the design (what the fit had
makes no good beginning without it: intercepts that made up for a strong effect); one put in
splits every cell by its states, and the counts of the new cells are common bits of two columns.
"""

import numpy as np

from ibmap.kernels.cell_bits import count_with
from ibmap.kernels.compiling import inner
from ibmap.kernels.logistic import n_scores, score_of


@inner
def without(members, b):
    """List the members but one."""
    others = np.empty(members.shape[0] - 1, np.int64)
    k = 0
    for c in members:
        if c != b:
            others[k] = c
            k += 1
    return others


@inner
def with_one_more(members, w):
    """List the members and one more."""
    more = np.empty(members.shape[0] + 1, np.int64)
    for k in range(members.shape[0]):
        more[k] = members[k]
    more[members.shape[0]] = w
    return more


@inner
def is_among(members, y):
    """Tell whether a variable is a member."""
    for b in members:
        if b == y:
            return True
    return False


@inner
def dropped(members, b, design, setup):
    """Give the design of a blanket without one member."""
    n_states, ordered, _starts = setup
    at, size = 1, 0
    for c in members:
        if c == b:
            size = n_scores(n_states[b], ordered[b])
            break
        at += n_scores(n_states[c], ordered[c])
    smaller = np.empty((design.shape[0], design.shape[1] - size))
    for c in range(design.shape[0]):
        for q in range(smaller.shape[1]):
            smaller[c, q] = design[c, q if q < at else q + size]
    return smaller


@inner
def split_cells(w, totals, counts, design, packed, setup):
    """Split every cell by the states of one more variable; its columns come last in the design."""
    n_states, ordered, starts = setup
    bits, word_cells, word_values = packed
    n_cells, n_columns = counts.shape
    k = n_states[w]
    size = n_scores(k, ordered[w])
    parts = np.zeros((k, n_cells, n_columns))
    part_totals = np.zeros((k, n_cells))
    for c in range(n_cells):
        part_totals[0, c] = totals[c]
        for j in range(n_columns):
            parts[0, c, j] = counts[c, j]
    for a in range(1, k):
        count_with(bits, word_cells, word_values, starts[w] + a - 1, parts[a])
        for c in range(n_cells):
            part_totals[a, c] = parts[a, c, starts[w] + a - 1]
            part_totals[0, c] -= part_totals[a, c]
            for j in range(n_columns):
                parts[0, c, j] -= parts[a, c, j]
    n_used = 0
    for a in range(k):
        for c in range(n_cells):
            n_used += part_totals[a, c] > 0
    new_totals, new_counts = np.empty(n_used), np.empty((n_used, n_columns))
    new_design = np.empty((n_used, design.shape[1] + size))
    at = 0
    for c in range(n_cells):
        for a in range(k):
            if part_totals[a, c] > 0:
                new_totals[at] = part_totals[a, c]
                for j in range(n_columns):
                    new_counts[at, j] = parts[a, c, j]
                for q in range(design.shape[1]):
                    new_design[at, q] = design[c, q]
                for e in range(size):
                    score = score_of(ordered[w], a - 1, e) if a > 0 else 0.0
                    new_design[at, design.shape[1] + e] = score
                at += 1
    return new_totals, new_counts, new_design


@inner
def grown(x, w, n_columns, theta, setup):
    """Give the parameters of a blanket with one more member, its slopes zero."""
    n_states, ordered, _starts = setup
    n_intercepts, n_slopes = n_states[x] - 1, n_scores(n_states[x], ordered[x])
    size, width = n_scores(n_states[w], ordered[w]), n_columns - 1
    longer = np.zeros(n_intercepts + n_slopes * (width + size))
    for k in range(n_intercepts):
        longer[k] = theta[k]
    for d in range(n_slopes):
        for q in range(width):
            longer[n_intercepts + d * (width + size) + q] = theta[n_intercepts + d * width + q]
    return longer
