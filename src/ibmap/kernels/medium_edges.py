"""Tests of the variables outside a large blanket where two live slices have up to 1000 data points together.

A slice's e is a product of entries of scaled tables by count (`ibmap.independence.slice_tables`):

    odds cell[a0] cell[a1] side[a0 + a1] cell[b0] cell[b1] side[b0 + b1] side[a0 + b0] side[a1 + b1] total[n]

for cells (a0, a1) and (b0, b1) of two columns. Three entries are those of a column, which is the same when
a slice is joined by another for a test of their member. Its *factor* is (1 + e) p^(1 / K), or 1 with fewer
than two data points; p^(1 / K) and odds p^(1 / K) total[n] are tabulated by count for a prior: `bases` and
`weights`.
"""

import math

import numpy as np

from ibmap.kernels.compiling import bare, inlined
from ibmap.kernels.shares import MOST, column

SPILL = 1e100  # products are moved to a logarithm beyond this, and below its inverse


@inlined
def absorb(product, log_product, ratio):
    """Multiply a ratio into product and exp(log_product), so that neither leaves the range of numbers."""
    if ratio > SPILL or ratio < 1.0 / SPILL:
        return product, log_product + math.log(ratio)
    product *= ratio
    if product > SPILL or product < 1.0 / SPILL:
        return 1.0, log_product + math.log(product)
    return product, log_product


@inlined
def factor(columns, n0, n1, side, prior):
    """Give the factor of a slice from its columns' entries and its counts of X = 0 and X = 1."""
    bases, weights = prior
    return bases[n0 + n1] + columns * (side[n0] * weights[n0 + n1] * side[n1])


@bare
def fill_cells(slices, ones, sizes, cells):
    """Put the counts of some live slices together: W = 0 for X = 0 and 1, W = 1 for both. cells: OUT."""
    for z in slices:
        b0, b1 = ones[z, 0], ones[z, 1]
        cells[z, 0], cells[z, 1], cells[z, 2], cells[z, 3] = sizes[z, 0] - b0, sizes[z, 1] - b1, b0, b1


@bare
def fill_slice_factors(slices, sizes, scaled, same, less, of_slices):
    """Give what the factors of X against W in some slices have that depends on no W.

    same, less: IN, bases and weights for sets of as many members and of one less. of_slices: OUT, what is
    added to the columns' entries, and what multiplies them before, for one less and for as many.
    """
    _, side, _ = scaled
    for z in slices:
        n0, n1 = np.uint32(sizes[z, 0]), np.uint32(sizes[z, 1])
        of_slices[z, 0], of_slices[z, 1] = less[0][n0 + n1], side[n0] * less[1][n0 + n1] * side[n1]
        of_slices[z, 2], of_slices[z, 3] = same[0][n0 + n1], side[n0] * same[1][n0 + n1] * side[n1]


@bare
def fill_edge_factors(edges, sizes, scaled, less, of_edges):
    """Give the same of the slices that some edges merge, for one member less. of_edges: OUT."""
    _, side, _ = scaled
    for k in range(edges.shape[0]):
        n0 = np.uint32(sizes[edges[k, 0], 0] + sizes[edges[k, 1], 0])
        n1 = np.uint32(sizes[edges[k, 0], 1] + sizes[edges[k, 1], 1])
        of_edges[k, 0], of_edges[k, 1] = less[0][n0 + n1], side[n0] * less[1][n0 + n1] * side[n1]


@bare
def medium_slices_alone(slices, cells, scaled, same, of_slices, alone):
    """Do the tests of one W over some slices as they are; those that are small do not count.

    same: IN, bases and weights for sets of as many members. of_slices: IN, see above. alone: OUT, of each
    slice the entries of its columns W = 0 and W = 1, and the inverse factors of X against a member that does
    not vary, given W, and of X against W given B - b. Returns the shares of X against W given B, given B - b,
    and of X against a member given B - b + W.
    """
    own, own_less, given, log_own, log_less, log_given = 1.0, 1.0, 1.0, 0.0, 0.0, 0.0
    cell, side, _ = scaled
    for z in slices:
        a0, a1 = np.uint32(cells[z, 0]), np.uint32(cells[z, 1])
        b0, b1 = np.uint32(cells[z, 2]), np.uint32(cells[z, 3])
        of_0, of_1 = column(a0, a1, cell, side), column(b0, b1, cell, side)
        both = factor(of_0, a0, a1, side, same) * factor(of_1, b0, b1, side, same)
        without = of_slices[z, 0] + of_0 * of_1 * of_slices[z, 1]
        inverse = 1.0 / (both * without)
        alone[z, 0], alone[z, 1], alone[z, 2], alone[z, 3] = of_0, of_1, inverse * without, inverse * both
        if max(a0 + b0, a1 + b1) > MOST:
            whole = of_slices[z, 2] + of_0 * of_1 * of_slices[z, 3]
            own, log_own = absorb(own, log_own, whole)
            own_less, log_less = absorb(own_less, log_less, without)
            given, log_given = absorb(given, log_given, both)
    return log_own + math.log(own), log_less + math.log(own_less), log_given + math.log(given)


@bare
def merge_medium(edges, of_edges, cells, scaled, same, alone):
    """What merging edges changes in the tests of one W; of_edges, cells, alone: IN, from the above.

    Returns the change of the shares of X against W given B - b and of X against b given B - b + W.
    """
    change, change_w, log_change, log_change_w = 1.0, 1.0, 0.0, 0.0
    cell, side, _ = scaled
    for k in range(edges.shape[0]):
        z, y = np.uint32(edges[k, 0]), np.uint32(edges[k, 1])
        a0, a1 = np.uint32(cells[z, 0] + cells[y, 0]), np.uint32(cells[z, 1] + cells[y, 1])
        b0, b1 = np.uint32(cells[z, 2] + cells[y, 2]), np.uint32(cells[z, 3] + cells[y, 3])
        columns = column(a0, a1, cell, side) * column(b0, b1, cell, side)
        merged = of_edges[k, 0] + columns * of_edges[k, 1]
        given_0 = factor(alone[z, 0] * alone[y, 0], a0, a1, side, same)
        given_1 = factor(alone[z, 1] * alone[y, 1], b0, b1, side, same)
        change, log_change = absorb(change, log_change, merged * (alone[z, 3] * alone[y, 3]))
        ratio = (given_0 * given_1) * (alone[z, 2] * alone[y, 2])
        change_w, log_change_w = absorb(change_w, log_change_w, ratio)
    return log_change + math.log(change), log_change_w + math.log(change_w)
