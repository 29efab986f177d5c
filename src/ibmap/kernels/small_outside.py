"""Tests of the variables outside a large blanket in its small slices, by tables of shares.

A slice is small with at most 15 data points of each state of X. What a variable W does
in it is a byte: the data points with W = 1 and X = 0, and with W = 1 and X = 1, four bits each; the
byte of the slice less that of W = 1 is that of W = 0. Two bytes are an index of a table of shares.
"""

import numpy as np

from ibmap.kernels.compiling import bare, inner
from ibmap.kernels.shares import BITS, MOST

BYTE = np.uint32(2 * BITS)
N_BYTES = 1 << (2 * BITS)
WORD = 64
ONE = np.uint64(1)


@bare
def fill_bytes(ones, sizes, n_live, bytes_of, slice_bytes):
    """Write what the variables do in each live slice. ones: IN, data points with state 1, by variable.

    bytes_of: OUT, by slice and variable. slice_bytes: OUT, of all slices. Both without meaning unless a
    slice is small.
    """
    for v in range(ones.shape[0]):
        for z in range(n_live):
            bytes_of[z, v] = ones[v, z, 0] | ones[v, z, 1] << BITS
    for z in range(sizes.shape[0]):
        slice_bytes[z] = sizes[z, 0] | sizes[z, 1] << BITS


@bare
def fill_lone_bytes(z, lone, outside, n_live, slice_bytes, bytes_of):
    """Write what the variables do in a dead slice: the byte of the slice, or nothing."""
    for v in range(outside.shape[0]):
        states = lone[outside[v] // WORD, z - n_live]
        state = (states >> np.uint64(outside[v] % WORD)) & ONE
        bytes_of[z, v] = slice_bytes[z] * np.uint8(state)


@bare
def small_slices_alone(bytes_of, slice_bytes, sizes, n_live, same, less, own, given, with_w, without):
    """Sum the shares of the small slices as they are.

    same, less: IN, tables for sets of as many members and of one less. own: OUT, X against each W
    given B. given: OUT, X against a member that does not vary, given B - b + W. with_w: OUT, the
    latter by slice and W. without: OUT, X against W given B - b, by slice, for all W together.
    """
    own[:] = 0.0
    given[:] = 0.0
    for z in range(n_live):
        without[z] = 0.0
        if max(sizes[z, 0], sizes[z, 1]) > MOST:
            continue
        size = np.uint32(slice_bytes[z])
        for v in range(own.shape[0]):
            one = np.uint32(bytes_of[z, v])
            zero = size - one
            with_w[z, v] = same[zero] + same[one]
            given[v] += with_w[z, v]
            own[v] += same[zero | one << BYTE]
            without[z] += less[zero | one << BYTE]


@inner
def point_changes(same):
    """Tabulate what one data point of another state of a member changes in its test.

    By the data point's state of X, and by the byte of what is there.
    """
    changes = np.empty((2, N_BYTES))
    for x in range(2):
        for byte in range(N_BYTES):
            changes[x, byte] = same[byte + (N_BYTES << (BITS * x))] - same[byte]
    return changes


@bare
def merge_half(edges, bytes_of, slice_bytes, sizes, changes, less, without, given):
    """Add what merging the edges of a member b changes, of a live slice and a dead one.

    changes: IN, from `point_changes`. given: IN and OUT, X against b given B - b + W, by W. Returns the
    change of X against W given B - b, for all W together. The rest as for `small_slices_alone`.
    """
    change = 0.0
    for k in range(edges.shape[0]):
        z, y = edges[k, 0], edges[k, 1]
        size, by_byte = np.uint32(slice_bytes[z]), changes[np.uint32(sizes[y, 1])]
        merged = size + np.uint32(slice_bytes[y])
        for v in range(given.shape[0]):
            one, other = np.uint32(bytes_of[z, v]), np.uint32(bytes_of[y, v])
            given[v] += by_byte[one if other else size - one]
            ones = one + other
            change += less[ones | (merged - ones) << BYTE]
        change -= without[z]
    return change


@bare
def merge_small(edges, bytes_of, slice_bytes, same, less, with_w, without, given):
    """Add what merging the edges of a member b changes, of two live slices; see `merge_half`."""
    change = 0.0
    for k in range(edges.shape[0]):
        z, y = edges[k, 0], edges[k, 1]
        merged = np.uint32(slice_bytes[z]) + np.uint32(slice_bytes[y])
        sizes = np.uint32(slice_bytes[z]) | np.uint32(slice_bytes[y]) << BYTE
        for v in range(given.shape[0]):
            one, other = np.uint32(bytes_of[z, v]), np.uint32(bytes_of[y, v])
            ones = one | other << BYTE
            given[v] += same[ones] + same[sizes - ones]
            change += less[one + other | (merged - one - other) << BYTE]
        change -= without[z] + without[y]
        for v in range(given.shape[0]):
            given[v] -= with_w[z, v] + with_w[y, v]
    return change
