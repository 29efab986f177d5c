"""Groups of slices that agree on some members, split by one member after another.

Slices are in any order, each with the number of its group; those that are alone in
their group are forgotten, and those of groups with so few data points that their Bayes
factors are next to nothing against the prior (`negligible`). Loops over slices have no
branches that depend on the data.
"""

from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inner
from ibmap.kernels.context import Context
from ibmap.kernels.partition import by_label, split_labels

MARKS = 1 << 20  # groups and states told apart at a time
MANY = 3  # members from which on they are put into words
COUNT = (1 << 32) - 1  # the bits of a mark that count

SliceGroups = namedtuple("SliceGroups", "slices labels n_labels")


@inner
def new_marks(table):
    """Make room for marks: a count and a number for each group and state at hand, all 0."""
    n_states = table.cardinalities.max()
    return np.zeros(max(min(MARKS, (table.codes.shape[0] // 2 + 1) * n_states), n_states), np.int64)


@inner
def undivided(table):
    """Take all slices as one group, or none if there is nothing to take together."""
    n_slices = table.codes.shape[0]
    if n_slices < 2:
        n_slices = 0
    slices = np.arange(n_slices).astype(np.int32)
    return SliceGroups(slices, np.zeros(n_slices, np.int64), min(n_slices, 1))


@inner
def narrowed_groups(groups, codes, n_states, weights, least, marks):
    """Split groups by one more member, and forget those of less than `least`.

    codes, n_states: IN, of the member. weights: IN, what a slice counts for, or none if each is 1. marks:
    scratch, 0 before and after.
    """
    slices, n = groups.slices, groups.slices.shape[0]
    kept, kept_labels, keys = np.empty_like(slices), np.empty_like(groups.labels), np.empty(n, np.int64)
    n_kept, n_labels = 0, 0
    for k in range(n):
        keys[k] = groups.labels[k] * n_states + codes[np.uint32(slices[k])]
    for first in range(0, groups.n_labels * n_states, marks.shape[0]):
        last = first + marks.shape[0]
        for k in range(n):
            if first <= keys[k] < last:
                marks[np.uint64(keys[k] - first)] += weights[slices[k]] if weights.shape[0] > 0 else 1
        for k in range(n):
            if first <= keys[k] < last:
                mark = marks[np.uint64(keys[k] - first)]
                is_kept, number = (mark & COUNT) >= least, mark >> 32
                is_new = is_kept & (number == 0)
                n_labels += is_new
                number += is_new * n_labels
                marks[np.uint64(keys[k] - first)] = (number << 32) | (mark & COUNT)
                kept[n_kept], kept_labels[n_kept] = slices[k], number - 1
                n_kept += is_kept
        for k in range(n):
            if first <= keys[k] < last:
                marks[np.uint64(keys[k] - first)] = 0
    return SliceGroups(kept[:n_kept], kept_labels[:n_kept], n_labels)


@inner
def narrowed_by(groups, table, first, last, marks):
    """Split groups by some members: `first` to `last` - 1. marks: scratch of `narrowed_groups`."""
    if last - first >= MANY:
        slices, labels, n_labels, _ = split_labels(
            groups.slices, groups.labels, groups.n_labels,
            table.codes, np.arange(first, last), table.cardinalities, table.weights, table.least,
        )  # fmt: skip
        return SliceGroups(slices, labels, n_labels)
    for p in range(first, last):
        codes, n_states = table.codes[:, p], table.cardinalities[p]
        groups = narrowed_groups(groups, codes, n_states, table.weights, table.least, marks)
    return groups


@inner
def find_varying(groups, codes, first, last):
    """Tell in which groups any of the members `first` to `last` - 1 varies. codes: IN, a row a slice."""
    slices, labels = groups.slices, groups.labels
    found, heads = np.zeros(groups.n_labels, np.bool_), np.full(groups.n_labels, -1, np.int32)
    for k in range(slices.shape[0]):
        label = labels[k]
        if heads[label] < 0:
            heads[label] = slices[k]
        elif not found[label]:
            p = first
            while p < last and codes[slices[k], p] == codes[heads[label], p]:
                p += 1
            found[label] = p < last
    return found


@inner
def mixed(groups, codes, ranges):
    """Give the groups in which members of both ranges vary. ranges: IN, first, last, first, last."""
    one = find_varying(groups, codes, ranges[0], ranges[1])
    two = find_varying(groups, codes, ranges[2], ranges[3])
    numbers, n_labels, n_kept = np.empty(groups.n_labels, np.int64), 0, 0
    for label in range(groups.n_labels):
        is_kept = one[label] & two[label]
        numbers[label] = n_labels if is_kept else -1
        n_labels += is_kept
    kept, kept_labels = np.empty_like(groups.slices), np.empty_like(groups.labels)
    for k in range(groups.slices.shape[0]):
        number = numbers[groups.labels[k]]
        kept[n_kept], kept_labels[n_kept] = groups.slices[k], number
        n_kept += number >= 0
    return SliceGroups(kept[:n_kept], kept_labels[:n_kept], n_labels)


@inner
def as_partition(groups):
    """Give groups as a partition of the slices in them."""
    rows, starts = by_label(groups.slices, groups.labels, groups.n_labels)
    return Context(rows, starts, 0, 0.0, 1.0)
