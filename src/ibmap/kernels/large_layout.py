"""Sort and pack the data for a look at a large blanket, in one call."""

from typing import Any, NamedTuple

import numpy as np

from ibmap.kernels.binary_layout import cut_runs, place_large, place_small, slice_rows
from ibmap.kernels.binary_packing import count_ones, pack
from ibmap.kernels.compiling import bare, inner, kernel
from ibmap.kernels.near_pairs import list_edges, near_pairs

MOST_IN_GRID = 40  # members up to which all keys can be counted


class Layout(NamedTuple):
    """The data sorted by slice of a blanket and X, and packed; see `binary_layout`.

    Parameters
    ----------
    keys : ndarray
        States of the members in each slice, a bit each.
    sizes : ndarray
        Data points by slice and X, with an empty slice at the end.
    ends : tuple of int
        Slices of over 1000 data points, over 64; up to the last that has a word of its own, others having a
        byte; and over one.
    edges : ndarray
        Pairs of slices that differ in one member: rows (slice, slice, member).
    diagonals : ndarray
        Those that differ in two: rows (slice, slice, member, member).
    is_grid : bool
        Whether diagonals were not looked for, since it is faster to walk through all keys.
    outside : ndarray
        The variables outside the blanket.
    run_words, words_large : ndarray
        Runs of words of slices of over 64 data points, and their words.
    words : ndarray
        Those of the other live slices.
    ones : ndarray
        Data points with state 1 by variable outside, live slice and X.
    lone : ndarray
        States of all variables in each slice of one data point, 64 variables to a word.
    cuts : ndarray
        Where to cut the slices of over 64 data points into parts of about equal work.
    """

    keys: Any
    sizes: Any
    ends: tuple[int, int, int, int]
    edges: Any
    diagonals: Any
    is_grid: bool
    outside: Any
    run_words: Any
    words_large: Any
    words: Any
    ones: Any
    lone: Any
    cuts: Any

    @property
    def is_silent(self) -> bool:
        """Whether no slice has two data points, not even once two members are dropped: the prior decides."""
        return self.ends[-1] == 0 and not (self.is_grid or len(self.edges) or len(self.diagonals))


@inner
def pick_rows(row_bits, rows):
    """Copy the bits of some rows."""
    picked = np.empty((row_bits.shape[0], rows.shape[0]), np.uint64)
    for part in range(row_bits.shape[0]):
        for k in range(rows.shape[0]):
            picked[part, k] = row_bits[part, rows[k]]
    return picked


@inner
def list_outside(n, x, members):
    """List all variables but X and some others, which are sorted."""
    outside = np.empty(n - 1 - members.shape[0], np.int64)
    n_outside, passed = 0, 0
    for v in range(n):
        if passed < members.shape[0] and members[passed] == v:
            passed += 1
        elif v != x:
            outside[n_outside] = v
            n_outside += 1
    return outside


@inner
def find_near(keys, n_members, grid):
    """Find the slices that come together when a member is dropped, or two.

    grid: IN, keys for each slice up to which diagonals are not listed. Returns edges, diagonals, and
    whether these were not.
    """
    if n_members < MOST_IN_GRID and (1 << n_members) <= grid * keys.shape[0]:
        return list_edges(keys, n_members), np.empty((0, 4), np.int32), True
    edges, diagonals = near_pairs(keys, n_members)
    return edges, diagonals, False


@bare
def end_words(ends, few):
    """Tell up to which slice each has a word of its own; all if only a few have not."""
    return ends[3] if ends[3] - ends[2] < few else ends[2]


@kernel
def lay_out(columns, row_bits, weights, n_planes, x, members, grid, few, n_parts, work_of_part):
    """Sort the rows by the slices of a blanket, and pack the variables outside it in their order.

    columns, row_bits, weights: IN, as for `slice_rows`. n_planes: IN, binary digits of the weights. members:
    IN, the blanket, sorted. grid: IN, as for `find_near`. few: IN, tiny slices from which on they are
    packed as bytes. n_parts, work_of_part: IN, how many parts of the large slices there are at most, and
    nanoseconds of one. Returns a `Layout`, without words if the prior decides.
    """
    labels = np.empty(columns.shape[1], np.int64)
    keys, sizes, kinds = slice_rows(columns, row_bits, weights, x, members, labels)
    edges, diagonals, is_grid = find_near(keys, members.shape[0], grid)
    n_huge, n_large, n_small, n_live = kinds[0], kinds[1], end_words(kinds, few), kinds[3]
    outside = list_outside(columns.shape[0], x, members)
    if n_live == 0 and not is_grid and edges.shape[0] + diagonals.shape[0] == 0:
        labels, outside, sizes = labels[:0], outside[:0], sizes[-1:]
    slots, run_words = place_large(labels, columns[x], weights, sizes, n_large, n_planes)
    words_large = pack(row_bits, slots, outside)
    ends = (n_large, n_small, n_live)
    slots, lone_rows = place_small(labels, columns[x], weights, sizes, ends)
    words = pack(row_bits, slots, outside)
    ones = np.empty((outside.shape[0], n_live, 2), np.int32)
    count_ones(words_large, run_words, words, sizes, ends, ones)
    cuts = np.empty(n_parts + 1, np.int64)
    cut_runs(run_words, outside.shape[0], work_of_part, cuts)
    return Layout(
        keys,
        sizes,
        (n_huge, n_large, n_small, n_live),
        edges,
        diagonals,
        is_grid,
        outside,
        run_words,
        words_large,
        words,
        ones,
        pick_rows(row_bits, lone_rows),
        cuts,
    )
