"""Looks at binary blankets of at most seven members, without a step back to the interpreter.

A look is cut into its layout and parts that do not depend on each other. Threads take looks from a board
that all read; each lays its own out and does its parts, which are in its cache, until there are none, and
then takes parts of the others. The cuts do not depend on who takes what, and what the parts add is summed
in a fixed order, so results do not either. Helpers wait for looks on the board for a while, since to wake a
sleeping thread takes as long as a part.
"""

from functools import cache
from typing import Any, NamedTuple

from ibmap.kernels.atomics import fetch_add, load, rest, store
from ibmap.kernels.binary_members import inside_terms
from ibmap.kernels.binary_outside import MOST_LOG_ODDS, outside_terms
from ibmap.kernels.binary_pairs import huge_sums, large_sums
from ibmap.kernels.by_address import address_of, call_at
from ibmap.kernels.compiling import bare_kernel, copied
from ibmap.kernels.slice_patterns import pattern_sums
from ibmap.kernels.slice_products import product_sums
from ibmap.kernels.small_layout import (
    HUGE_END,
    LARGE_END,
    LARGE_WORDS,
    LIVE_END,
    MANY_MEMBERS,
    N_CUTS,
    N_OUTSIDE,
    N_SLICES,
    N_WORDS,
    SMALL_END,
    lay_out,
)

OUTSIDE, SMALL, INSIDE = N_CUTS, N_CUTS + 2, N_CUTS + 3
N_PARTS = N_CUTS + 4
COUNT = 32  # bits for looks taken: how many there are is in the same word, so that both change at once
TAKEN = (1 << COUNT) - 1
NEXT, N_DONE, IS_OVER, PART = 0, 8, 16, 24  # on the board, in cache lines of their own; a part for each room
LINE = 8


class Parts(NamedTuple):
    """Addresses of the kernels that do the parts of a look."""

    lay_out: int
    large_sums: int
    huge_sums: int
    product_sums: int
    pattern_sums: int
    inside_terms: int
    outside_terms: int


class Data(NamedTuple):
    """What all looks at a table share.

    columns: (variables, rows) states. row_bits: see `binary_packing`. weights, is_weighted: data points of
    each row. logs, smalls, scaled: tables of Bayes factors. priors: (members, 4, 4), by size of the blanket
    as in `outside_terms`, with that of one more. patterns, pattern_starts: tables of tiny slices, for the
    largest blankets. parts: see there.
    """

    columns: Any
    row_bits: Any
    weights: Any
    is_weighted: bool
    logs: tuple[Any, ...]
    smalls: tuple[Any, ...]
    scaled: tuple[Any, ...]
    priors: Any
    patterns: Any
    pattern_starts: Any
    parts: Parts


class Room(NamedTuple):
    """Where a look is at work; see `small_layout`. The last ones are what its parts find."""

    request: Any
    outside: Any
    groups: Any
    quarters: Any
    group_sums: Any
    fill: Any
    slots: Any
    words: Any
    keys: Any
    sizes: Any
    sizes_in_words: Any
    ones: Any
    ones_in_words: Any
    run_words: Any
    ends: Any
    cuts: Any
    sums: Any
    own: Any
    adds: Any
    drops: Any
    inside: Any
    result: Any


@copied
def add_large(data, rooms, k, part):
    """Add up the tests of pairs outside in some huge and large slices."""
    ends, sizes, n, n_ones = (
        rooms.ends[k],
        rooms.sizes[k],
        rooms.ends[k, N_OUTSIDE],
        rooms.ends[k, N_SLICES] + 1,
    )
    first, last, sums = rooms.cuts[k, part], rooms.cuts[k, part + 1], rooms.sums[k, part, :n]
    words = rooms.words[k, : ends[LARGE_WORDS] * n].reshape((ends[LARGE_WORDS], n))
    ones = rooms.ones[k, : 2 * n * n_ones].reshape((n, n_ones, 2))
    prior, runs = data.priors[rooms.request[k, 1], 3], rooms.run_words[k]
    n_huge = ends[HUGE_END] if prior[0] < MOST_LOG_ODDS else last  # products would not stay finite
    huge = min(max(n_huge, first), last)
    sums[:] = 0.0
    if huge > first:
        slices = (words, runs[first:huge], first, ones, sizes, prior, data.logs, sums)
        call_at(data.parts.huge_sums, huge_sums, slices)
    if last > huge:
        others = (words, runs[huge:last], huge, ones, sizes, prior, data.logs, data.scaled, sums)
        call_at(data.parts.large_sums, large_sums, others)


@copied
def add_small(data, rooms, k):
    """Add up the tests of pairs outside in the other slices."""
    n_members, ends, sizes, n = rooms.request[k, 1], rooms.ends[k], rooms.sizes[k], rooms.ends[k, N_OUTSIDE]
    large, small, live, sums = ends[LARGE_END], ends[SMALL_END], ends[LIVE_END], rooms.sums[k, N_CUTS, :n]
    words = rooms.words[k, ends[LARGE_WORDS] * n : ends[N_WORDS] * n].reshape(
        (ends[N_WORDS] - ends[LARGE_WORDS], n)
    )
    odds, unseen = data.priors[n_members, 3, 1], data.priors[n_members, 3, 2]
    sums[:] = 0.0
    if small > large:
        slices = (words, sizes[large:small], odds, unseen, data.smalls, sums)
        call_at(data.parts.product_sums, product_sums, slices)
    if live > small:
        table = data.patterns[n_members - MANY_MEMBERS]
        others = (words, small - large, sizes[small:live], table, data.pattern_starts, sums)
        call_at(data.parts.pattern_sums, pattern_sums, others)


@copied
def test_inside(data, rooms, k):
    """Do the tests that need no variable outside."""
    n_members, ends, n = rooms.request[k, 1], rooms.ends[k], rooms.ends[k, N_SLICES]
    keys, sizes, drops = rooms.keys[k, :n], rooms.sizes[k, : n + 1], rooms.drops[k, 0, :n_members]
    priors = data.priors[n_members]
    arguments = (
        keys,
        sizes,
        ends[LARGE_END],
        ends[LIVE_END],
        priors,
        data.logs,
        data.smalls,
        rooms.inside[k : k + 1],
        drops,
    )
    call_at(data.parts.inside_terms, inside_terms, arguments)


@copied
def test_outside(data, rooms, k, half):
    """Do the tests of half of the variables outside, alone."""
    n_members, n, n_slices = rooms.request[k, 1], rooms.ends[k, N_OUTSIDE], rooms.ends[k, N_SLICES]
    first, last = (0, n // 2) if half == 0 else (n // 2, n)
    arguments = (
        rooms.keys[k, :n_slices],
        rooms.sizes[k, : n_slices + 1],
        rooms.ones[k, : 2 * n * (n_slices + 1)].reshape((n, n_slices + 1, 2))[first:last],
        rooms.ends[k, HUGE_END],
        rooms.ends[k, LIVE_END],
        data.priors[n_members],
        data.logs,
        data.smalls,
        data.scaled,
        rooms.own[k, first:last],
        rooms.adds[k, first:last],
        rooms.drops[k, 1 + half, :n_members],
    )
    call_at(data.parts.outside_terms, outside_terms, arguments)


@copied
def sum_up(data, rooms, k):
    """Put the terms of all changes together from what the parts found."""
    request, result, n, outside = (
        rooms.request[k],
        rooms.result[k],
        rooms.ends[k, N_OUTSIDE],
        rooms.outside[k],
    )
    x, minus_log_p = request[0], data.priors[request[1], 3, 3]
    result[x] = rooms.inside[k]
    for v in range(n):
        result[x] -= rooms.own[k, v]
        pairs = (n - 1) * minus_log_p
        for part in range(N_CUTS + 1):
            pairs += rooms.sums[k, part, v]
        result[outside[v]] = rooms.adds[k, v] - pairs
    for i in range(request[1]):
        result[request[2 + i]] = rooms.drops[k, 0, i] + rooms.drops[k, 1, i] + rooms.drops[k, 2, i]


@copied
def offer(n_looks, board):
    """Offer some looks; earlier ones are all done."""
    store(board, N_DONE, 0)
    store(board, NEXT, n_looks << COUNT)


@copied
def take_look(board):
    """Take the next look; negative if there is none."""
    offered = load(board, NEXT)
    if (offered & TAKEN) < (offered >> COUNT):
        offered = fetch_add(board, NEXT, 1)
    k = offered & TAKEN
    return k if k < offered >> COUNT else -1


@copied
def take_part(board, k):
    """Take the next part of a look that is laid out; negative if there is none."""
    part = load(board, PART + LINE * k)
    if part < N_PARTS:
        part = fetch_add(board, PART + LINE * k, 1)
    return part if part < N_PARTS else -1


@copied
def take_any_part(board, first, n_rooms):
    """Take a part of a look, or else of another one; give it (negative if there is none) and its look."""
    part, k = -1, first
    for step in range(n_rooms):
        k = (first + step) % n_rooms
        part = take_part(board, k)
        if part >= 0:
            break
    return part, k


@bare_kernel
def look(n_offered, n_looks, patience, data, rooms, board):
    """Look at all changes of some blankets, or help with it.

    n_offered: IN, how many looks to offer to all, each asked for in its room; 0 for none. n_looks: IN, how
    many have been offered that are to be done on return. A helper gives 0, and returns when there was
    nothing to do so many times, or all is over: at once if `patience` is negative. rooms: IN and OUT, see
    `Room`; its results are the terms. board: IN and OUT, shared by those who look at the same rooms; all
    parts of all rooms are taken before and after.
    """
    if n_offered > 0:
        offer(n_offered, board)
    n_left, own, waited = n_looks * N_PARTS, 0, 0
    while waited <= patience and load(board, IS_OVER) == 0:
        part = take_part(board, own)
        k = own if part >= 0 else take_look(board)
        if part < 0 and k >= 0:
            table = (data.columns, data.row_bits, data.weights, data.is_weighted, rooms, k)
            call_at(data.parts.lay_out, lay_out, table)
            store(board, PART + LINE * k, 0)
            own, waited = k, 0
            continue
        if part < 0:
            part, k = take_any_part(board, own, rooms.request.shape[0])
        if part < 0:
            if n_looks == 0 or load(board, N_DONE) == n_left:
                waited += 1
            rest()
            continue
        waited = 0
        if part < N_CUTS:
            add_large(data, rooms, k, part)
        elif part == SMALL:
            add_small(data, rooms, k)
        elif part == INSIDE:
            test_inside(data, rooms, k)
        else:
            test_outside(data, rooms, k, part - OUTSIDE)
        fetch_add(board, N_DONE, 1)
    for k in range(n_looks):
        sum_up(data, rooms, k)


@cache
def find_parts() -> Parts:
    """Give the addresses of the parts, compiled or loaded for that.

    Returns
    -------
    Parts
        The same for all tables.
    """
    return Parts(
        lay_out=address_of(lay_out),
        large_sums=address_of(large_sums),
        huge_sums=address_of(huge_sums),
        product_sums=address_of(product_sums),
        pattern_sums=address_of(pattern_sums),
        inside_terms=address_of(inside_terms),
        outside_terms=address_of(outside_terms),
    )
