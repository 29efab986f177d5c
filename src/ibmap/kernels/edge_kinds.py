"""Put the edges of a large blanket, pairs of slices that differ in one member, in order of their kind.

By how many data points both slices have together: what that changes in the tests of the variables
outside the blanket is worked out in another way for each.

- `LONE`: one data point each (`lone_edges`),
- `HALF`: at most 15 of each state of X, a live slice and a dead one (`small_outside`),
- `SMALL`: as many, two live ones (there too),
- `POINT`: more, a live slice and a dead one (`point_edges`),
- `WORD`: two live ones, at most 64 (`word_edges`),
- `MEDIUM`: at most 1000, alike (`medium_edges`),
- `HUGE`: more (`huge_edges`).

With prior odds for which products of 1000 data points would not stay finite the bound is 64.
"""

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.shares import MOST
from ibmap.kernels.two_by_two import SMALL as MOST_IN_WORD

LONE, HALF, SMALL, POINT, WORD, MEDIUM, HUGE = range(7)
KINDS = 7


@bare
def kind_of(z, y, sizes, most, n_live):
    """Give the kind of an edge, z < y."""
    low, high = sizes[z, 0] + sizes[y, 0], sizes[z, 1] + sizes[y, 1]
    if z >= n_live:
        return LONE
    if max(low, high) <= MOST:
        return HALF if y >= n_live else SMALL
    if y >= n_live:
        return POINT
    if low + high <= MOST_IN_WORD:
        return WORD
    return MEDIUM if low + high <= most else HUGE


@inner
def parted(edges, sizes, most, n_live, n_members):
    """Put edges in order of their member and kind. most: IN, data points up to which edges are medium.

    Returns them in that order, and where each group starts: those of member i and a kind
    in entry `KINDS` i + kind.
    """
    starts = np.zeros(KINDS * n_members + 2, np.int64)
    kinds = np.empty(edges.shape[0], np.int64)
    for k in range(edges.shape[0]):
        kinds[k] = KINDS * edges[k, 2] + kind_of(edges[k, 0], edges[k, 1], sizes, most, n_live)
        starts[kinds[k] + 2] += 1
    for group in range(2, starts.shape[0]):
        starts[group] += starts[group - 1]
    ordered = np.empty_like(edges)
    for k in range(edges.shape[0]):
        place = starts[kinds[k] + 1]
        starts[kinds[k] + 1] += 1
        for column in range(3):
            ordered[place, column] = edges[k, column]
    return ordered, starts[:-1]


@inlined
def bounds(groups, i, kind):
    """Tell where the edges of a member and a kind start and end."""
    group = KINDS * i + kind
    return groups[group], groups[group + 1]


@bare
def mark(edges, groups, kind, is_wanted):
    """Mark the slices that have an edge of a kind. is_wanted: IN and OUT."""
    for i in range(groups.shape[0] // KINDS):
        first, last = bounds(groups, i, kind)
        for k in range(first, last):
            is_wanted[edges[k, 0]] = is_wanted[edges[k, 1]] = True
