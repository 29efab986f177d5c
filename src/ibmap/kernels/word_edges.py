"""Tests of the variables outside a large blanket where two live slices have up to 64 data points together.

As in `medium_edges`, but what depends on two counts is looked up at once, by their *place* in a table of
65 x 65. A slice is a word with the places of its cells with W = 0 and with W = 1, so that adding words merges
slices.
"""

import math

import numpy as np

from ibmap.kernels.compiling import bare, inlined
from ibmap.kernels.medium_edges import absorb
from ibmap.kernels.shares import MOST
from ibmap.kernels.two_by_two import SIDE

HALF = np.uint32(16)
LOW = np.uint32(0xFFFF)


@bare
def fill_words(slices, cells, words):
    """Write the words of some slices. words: OUT."""
    for z in slices:
        words[z] = cells[z, 0] * SIDE + cells[z, 1] | (cells[z, 2] * SIDE + cells[z, 3]) << HALF


@inlined
def placed_factor(columns, place, placed):
    """Give the factor of a slice from its columns' entries and the place of its counts of X = 0 and X = 1."""
    return placed[place, 0] + columns * placed[place, 1]


@bare
def word_slices_alone(slices, sizes, words, columns, placed, of_slices, alone):
    """Do the tests of one W over some slices as they are, as `medium_slices_alone` does.

    columns: IN, entries of columns by place. placed: IN, for sets of as many members, what is added to the
    columns' entries and what multiplies them before, by place. alone: OUT, as there.
    """
    own, own_less, given, log_own, log_less, log_given = 1.0, 1.0, 1.0, 0.0, 0.0, 0.0
    for z in slices:
        a, b = words[z] & LOW, words[z] >> HALF
        of_0, of_1 = columns[a], columns[b]
        both = placed_factor(of_0, a, placed) * placed_factor(of_1, b, placed)
        without = of_slices[z, 0] + of_0 * of_1 * of_slices[z, 1]
        inverse = 1.0 / (both * without)
        alone[z, 0], alone[z, 1], alone[z, 2], alone[z, 3] = of_0, of_1, inverse * without, inverse * both
        if max(sizes[z, 0], sizes[z, 1]) > MOST:
            whole = of_slices[z, 2] + of_0 * of_1 * of_slices[z, 3]
            own, log_own = absorb(own, log_own, whole)
            own_less, log_less = absorb(own_less, log_less, without)
            given, log_given = absorb(given, log_given, both)
    return log_own + math.log(own), log_less + math.log(own_less), log_given + math.log(given)


@bare
def merge_words(edges, of_edges, words, columns, placed, alone):
    """What merging edges changes in the tests of one W, as `merge_medium` gives it."""
    change, change_w, log_change, log_change_w = 1.0, 1.0, 0.0, 0.0
    for k in range(edges.shape[0]):
        z, y = np.uint32(edges[k, 0]), np.uint32(edges[k, 1])
        both = words[z] + words[y]
        a, b = both & LOW, both >> HALF
        merged = of_edges[k, 0] + columns[a] * columns[b] * of_edges[k, 1]
        given_0 = placed_factor(alone[z, 0] * alone[y, 0], a, placed)
        given_1 = placed_factor(alone[z, 1] * alone[y, 1], b, placed)
        change, log_change = absorb(change, log_change, merged * (alone[z, 3] * alone[y, 3]))
        ratio = (given_0 * given_1) * (alone[z, 2] * alone[y, 2])
        change_w, log_change_w = absorb(change_w, log_change_w, ratio)
    return log_change + math.log(change), log_change_w + math.log(change_w)
