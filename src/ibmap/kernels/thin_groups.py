"""Groups of few rows against all variables outside at once, as they are and split by each of these.

What dropping a member makes one slice is a *group* (`blanket_slices`). Row by row, log(h / g)
grows by the logarithm of

    (R + i) (C + i) / (A + i)  *  (1 + n_xy) / ((r + n_x) (c + n_y)),

with the counts among the rows before it, Dirichlet parameters 1, r and c of cells, rows and
columns, and their sums A, R and C. For X against W that runs over the group, for X against the member
dropped over the rows of each state of W, where a first row multiplies by 1. States of W are bytes, compared
eight to a word, so that rows which share no state with one before cost nothing but the comparison.
"""

from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.thin_slices import CARRY, LOW, THIN

# The states of variables outside by row of the table, as words and as bytes; which bytes are variables.
ByteRows = namedtuple("ByteRows", "words bytes is_real")
# A group: its rows, their states by word and row, of X, and the slices they are from. Scratch: which rows
# before have the same X, as masks; counts of rows before with the same W, and of these with the same X,
# slice, and both, as words and as bytes; by kind of W what X alone multiplies by; by W counts of X and W,
# and of W; by W and state what it multiplies by; variables of which a row before has the state; the states
# with two rows. Found: factors 1 + e of X against W, and the member in the states of W, and how many of
# these have two rows.
ThinGroup = namedtuple(
    "ThinGroup",
    "rows words x slices same_x count_words counts scales above below ratios shared touched own split n_live",
)


@inner
def new_thin_group(n_words, n_kinds, n_states):
    """Make room for a group. n_kinds, n_states: IN, kinds of variables outside, the most states of one."""
    n, count_words = 8 * n_words, np.zeros(4 * n_words, np.uint64)
    return ThinGroup(
        np.empty(THIN, np.int32), np.empty((n_words, THIN), np.uint64),
        np.empty(THIN, np.int64), np.empty(THIN, np.int64),
        np.empty(THIN, np.uint64),
        count_words.reshape(4, n_words), count_words.view(np.uint8).reshape(4, n), np.empty(n_kinds),
        np.empty(n), np.empty(n), np.ones((n, n_states)), np.empty(n, np.int32),
        np.empty((THIN * n + 1, 2), np.int32),
        np.empty(n), np.empty(n), np.empty(n, np.int64),
    )  # fmt: skip


@inner
def byte_rows(data, outside, rows):
    """Put the states of variables outside next to each other. rows: IN, those that are needed."""
    n_rows, n_words = data.codes.shape[0], (outside.shape[0] + 7) // 8
    words, is_real = np.empty(n_rows * n_words, np.uint64), np.zeros(n_words, np.uint64)
    states = words.view(np.uint8).reshape(n_rows, 8 * n_words)
    for k in range(outside.shape[0]):
        is_real[k // 8] |= np.uint64(1) << np.uint64(8 * (k % 8))
        codes = data.codes[:, outside[k]]
        for row in rows:
            states[row, k] = codes[row]
    return ByteRows(words.reshape(n_rows, n_words), states, is_real)


@inlined
def load_slice(slices, s, number, x_codes, outside, n_rows, group):
    """Put the rows of a slice behind the first `n_rows` of a group; return how many there are then.

    number: IN, tells the slices of a group apart. outside: IN, from `byte_rows`. group: IN and OUT.
    """
    for k in range(slices.starts[s], slices.starts[s + 1]):
        row = np.uint32(slices.rows[k])
        group.rows[n_rows], group.x[n_rows], group.slices[n_rows] = row, x_codes[row], number
        for q in range(group.words.shape[0]):
            group.words[q, n_rows] = outside.words[row, q]
        n_rows += 1
    return n_rows


@inlined
def count_before(i, ends, is_real, group):
    """Count the rows before row i that have its states; return with how many it has X in common.

    ends: IN, the first row of its slice, and the first of these with its X.
    """
    words, x, same_x, (first, begin) = group.words, group.x, group.same_x, ends
    n_x, none = i - begin, np.uint64(0)
    for j in range(first):
        is_same = np.int64(x[j] == x[i])
        n_x += is_same
        same_x[j] = none - np.uint64(is_same)
    for q in range(words.shape[0]):
        n, in_x, in_slice, in_both = none, none, none, none
        own, real = words[q, i], is_real[q]
        for j in range(first):
            equal = ~(((words[q, j] ^ own) + LOW) >> CARRY) & real
            n += equal
            in_x += equal & same_x[j]
        for j in range(first, begin):
            in_slice += ~(((words[q, j] ^ own) + LOW) >> CARRY) & real
        for j in range(begin, i):
            in_both += ~(((words[q, j] ^ own) + LOW) >> CARRY) & real
        in_slice += in_both
        group.count_words[0, q], group.count_words[1, q] = n + in_slice, in_x + in_both
        group.count_words[2, q], group.count_words[3, q] = in_slice, in_both
    return n_x


@inlined
def multiply_states(i, outside, member, group, n_touched):
    """Multiply in what row i gives to its state of each W that a row before has too.

    member: IN, numbers of the member. Returns how many states have two rows or more.
    """
    counts, ratios, touched, own = group.counts, group.ratios, group.touched, outside.bytes[group.rows[i]]
    sizes, rows, columns, columns_at = member.sizes, member.rows, member.columns, group.shared
    n_shared = 0
    for column in range(columns_at.shape[0]):
        columns_at[n_shared] = column
        n_shared += counts[0, column] > 0
    for e in range(n_shared):
        k = np.uint32(columns_at[e])
        state, n = np.uint32(own[k]), np.uint32(counts[0, k])
        touched[n_touched, 0], touched[n_touched, 1] = k, state
        n_touched += n == 1
        ratio = sizes[n] * rows[np.uint32(counts[1, k])] * columns[np.uint32(counts[2, k])]
        ratios[k, state] *= ratio * (1.0 + counts[3, k])
    return n_touched


@inlined
def weigh_two(outside, member, group):
    """Do what `weigh_thin` does for a group of two rows: only which states are equal counts."""
    same_x, same_slice = np.int64(group.x[0] == group.x[1]), np.int64(group.slices[0] == group.slices[1])
    for q in range(group.words.shape[0]):
        differs = ((group.words[q, 0] ^ group.words[q, 1]) + LOW) >> CARRY
        group.count_words[0, q] = ~differs & outside.is_real[q]
    equal, n_live = group.counts[0], group.n_live
    apart, together, split = member.own_apart[same_x], member.own_together[same_x], member.split
    for k in range(group.own.shape[0]):
        is_equal = float(equal[k])
        group.own[k] = apart[k] + is_equal * together[k]
        group.split[k] = 1.0 + is_equal * split[same_x, same_slice, k]
        n_live[k] = equal[k]


@inlined
def weigh_thin(n_rows, outside, others, member, group):
    """Weigh a group against all W, and against the member dropped in all states of W.

    outside: IN, from `byte_rows`. others, member: IN, numbers of the variables outside and of the member
    (`thin_numbers`). group: IN and OUT.
    """
    above, below, scales, counts, n_touched = group.above, group.below, group.scales, group.counts, 0
    for k in range(above.shape[0]):
        above[k] = below[k] = 1.0
    for d in range(scales.shape[0]):
        scales[d] = others.scales[d, 0] * others.rows[d, 0]
    first, begin = 0, 0
    for i in range(1, n_rows):
        if group.slices[i] != group.slices[i - 1]:
            first = begin = i
        elif group.x[i] != group.x[i - 1]:
            begin = i
        n_x = count_before(i, (first, begin), outside.is_real, group)
        for d in range(scales.shape[0]):
            scales[d] *= others.scales[d, i] * others.rows[d, n_x]
        for k in range(above.shape[0]):
            above[k] *= 1.0 + float(counts[1, k])
            below[k] *= 1.0 + float(counts[0, k]) * others.inverse
        n_touched = multiply_states(i, outside, member, group, n_touched)
    for k in range(above.shape[0]):
        group.own[k] = 1.0 + member.own_odds * scales[others.kinds[k]] * above[k] / below[k]
        group.split[k], group.n_live[k] = 1.0, 0
    for t in range(n_touched):
        w, state = np.uint32(group.touched[t, 0]), np.uint32(group.touched[t, 1])
        group.split[w] *= 1.0 + member.split_odds[w] * group.ratios[w, state]
        group.n_live[w] += 1
        group.ratios[w, state] = 1.0
