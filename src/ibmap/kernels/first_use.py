"""The kernels that climbs by small blankets need, with the types of their arguments: compiled at first use.

In groups, the longest first. The kernels of one group call the same inner kernels, which are
compiled once for all of them; groups have none worth mentioning in common, so that processes can
compile them side by side (`ibmap.kernels.ahead`).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from numba import boolean, float64, int32, int64, types, uint8, uint16, uint64

from ibmap.kernels import (
    binary_members,
    binary_outside,
    binary_pairs,
    binary_rows,
    binary_triplets,
    context,
    counting,
    distinct,
    expected_counts,
    flips,
    look,
    one_against_many,
    outside_pairs,
    slice_patterns,
    slice_products,
    small_layout,
    small_look,
    sparse_members,
    waiting,
)

Group = tuple[tuple[Any, tuple[Any, ...]], ...]  # kernels, each with the types of its arguments


def structure(kind: Any, *fields: Any) -> Any:
    """Give the type of a named tuple.

    Parameters
    ----------
    kind : type
        Its class.
    *fields : type
        The types of its fields.

    Returns
    -------
    numba.types.Type
        The type.
    """
    return types.BaseTuple.from_types(fields, kind)


NUMBERS, FLOATS, WORDS = int64[::1], float64[::1], uint64[::1]
NUMBERS2, FLOATS2, WORDS2 = int64[:, ::1], float64[:, ::1], uint64[:, ::1]
NUMBERS3 = int64[:, :, ::1]
STATES2, ROWS, COUNTS2, COUNTS3 = uint8[:, ::1], int32[::1], int32[:, ::1], int32[:, :, ::1]
TABLES = types.UniTuple(FLOATS, 3)
SEEN = (WORDS, WORDS2, NUMBERS, NUMBERS)  # a set, all sets, the newest, the earlier

BETWEEN_LOOKS: Group = (
    (distinct.count_fresh, (int64, *SEEN, boolean[::1])),
    (distinct.count_other, (NUMBERS2, WORDS2, *SEEN[1:])),
    (flips.update_gains, (int64, FLOATS2, FLOATS2)),
    (flips.first_best, (FLOATS2, float64)),
    (waiting.wait_for_change, (NUMBERS, int64, int64)),
)

BINARY_DATA = structure(
    small_look.Data,
    STATES2,  # columns
    WORDS2,  # row_bits
    NUMBERS,  # weights
    boolean,  # is_weighted
    TABLES,  # logs
    TABLES,  # smalls
    TABLES,  # scaled
    float64[:, :, ::1],  # priors
    FLOATS2,  # patterns
    NUMBERS2,  # pattern_starts
    types.NamedUniTuple(int64, len(small_look.Parts._fields), small_look.Parts),  # parts
)
ROOMS = structure(
    small_look.Room,
    NUMBERS2,  # request
    NUMBERS2,  # outside
    STATES2,  # groups
    NUMBERS3,  # quarters
    NUMBERS2,  # group_sums
    NUMBERS3,  # fill
    COUNTS2,  # slots
    WORDS2,  # words
    WORDS2,  # keys
    COUNTS3,  # sizes
    WORDS2,  # sizes_in_words
    COUNTS2,  # ones
    WORDS2,  # ones_in_words
    int64[:, :, :, ::1],  # run_words
    NUMBERS2,  # ends
    NUMBERS2,  # cuts
    float64[:, :, ::1],  # sums
    FLOATS2,  # own
    FLOATS2,  # adds
    float64[:, :, ::1],  # drops
    FLOATS,  # inside
    FLOATS2,  # result
)
PAIRS = (
    WORDS2,
    NUMBERS3,
    int64,
    COUNTS3,
    COUNTS2,
    FLOATS,
    TABLES,
)  # words, runs, first, ones, sizes, prior, logs

BINARY: tuple[Group, ...] = (
    ((small_layout.lay_out, (STATES2, WORDS2, NUMBERS, boolean, ROOMS, int64)),),
    (
        (
            binary_outside.outside_terms,
            (WORDS, COUNTS2, COUNTS3, int64, int64, FLOATS2, TABLES, TABLES, TABLES, FLOATS, FLOATS, FLOATS),
        ),
        (
            binary_members.inside_terms,
            (WORDS, COUNTS2, int64, int64, FLOATS2, TABLES, TABLES, FLOATS, FLOATS),
        ),
    ),
    (
        (binary_pairs.large_sums, (*PAIRS, TABLES, FLOATS)),
        (binary_pairs.huge_sums, (*PAIRS, FLOATS)),
    ),
    ((small_look.look, (int64, int64, int64, BINARY_DATA, ROOMS, NUMBERS)),),
    ((binary_rows.number_slices, (STATES2, WORDS2, NUMBERS, int64, NUMBERS, ROWS, ROWS)),),
    (
        (slice_products.product_sums, (WORDS2, COUNTS2, float64, float64, TABLES, FLOATS)),
        (slice_patterns.pattern_sums, (WORDS2, int64, COUNTS2, FLOATS, NUMBERS2, FLOATS)),
    ),
    (
        (
            binary_rows.group_minus_log_p,
            (STATES2, ROWS, ROWS, NUMBERS2, NUMBERS, NUMBERS, float64, TABLES, float64, FLOATS),
        ),
    ),
    BETWEEN_LOOKS,
    ((binary_rows.group_expected, (STATES2, ROWS, ROWS, NUMBERS2, NUMBERS, int64, NUMBERS)),),
)

DATA = structure(context.Data, types.Array(uint16, 2, "F"), NUMBERS, FLOATS, NUMBERS, uint8[:, :, ::1])
PRIOR = structure(context.PriorNumbers, float64, float64, boolean, boolean, FLOATS)
CONTEXT = structure(context.Context, ROWS, ROWS, int64, float64, float64)
QUESTION = structure(look.Question, int64, NUMBERS, NUMBERS)

ANY_STATES: tuple[Group, ...] = (
    (
        (context.all_given, (DATA, int64, NUMBERS)),
        (one_against_many.test_all, (CONTEXT, DATA, PRIOR, int64, NUMBERS, FLOATS, FLOATS)),
        (look.member_terms, (DATA, PRIOR, QUESTION, FLOATS)),
        (look.between_members, (DATA, PRIOR, QUESTION, FLOATS)),
    ),
    ((outside_pairs.outside_terms, (CONTEXT, DATA, PRIOR, QUESTION, FLOATS)),),
    ((counting.number_slices, (uint16[:, ::1], NUMBERS, NUMBERS, NUMBERS)),),
    ((expected_counts.add_expected, (CONTEXT, DATA, int64, int64, NUMBERS)),),
    BETWEEN_LOOKS,
)

MANY_ROWS: Group = (
    (sparse_members.sparse_member_terms, (CONTEXT, DATA, PRIOR, QUESTION, boolean, FLOATS)),
)  # large blankets
MANY_TERMS: Group = (
    (look.own_tests, (DATA, PRIOR, QUESTION, FLOATS, FLOATS)),
    (look.one_term, (DATA, PRIOR, QUESTION)),
)  # bounds, and the terms they do not rule out

SINGLE_TESTS: Group = (
    (
        binary_triplets.all_triplets,
        (WORDS2, WORDS, NUMBERS2, NUMBERS, NUMBERS, FLOATS, TABLES, FLOATS, NUMBERS2, FLOATS),
    ),
    (binary_rows.split_rows, (WORDS2, WORDS, NUMBERS, int64, uint64[:, :, ::1], NUMBERS2)),
)
BINARY_UNWEIGHTED = (*BINARY[:4], SINGLE_TESTS, *BINARY[4:-1])
GROUPS = tuple(dict.fromkeys((*BINARY_UNWEIGHTED, *BINARY, *ANY_STATES, MANY_ROWS, MANY_TERMS)))


def listed_types(kernel: Any) -> tuple[Any, ...]:
    """Give the types a kernel is listed with.

    Parameters
    ----------
    kernel : callable
        One of those of `GROUPS`.

    Returns
    -------
    tuple of numba.types.Type
        Of its arguments.

    Raises
    ------
    LookupError
        If it is not there.
    """
    for group in GROUPS:
        for listed, kinds in group:
            if listed is kernel:
                return kinds
    message = f"{kernel} is not listed"
    raise LookupError(message)


def missing(groups: tuple[Group, ...]) -> list[int]:
    """List groups with kernels that no earlier run has left compiled.

    Parameters
    ----------
    groups : tuple of Group
        `BINARY`, `ANY_STATES`, or others.

    Returns
    -------
    list of int
        Their places in `GROUPS`, in order.
    """
    return [GROUPS.index(group) for group in groups if not all(is_kept(kernel) for kernel, _ in group)]


def is_kept(kernel: Any) -> bool:
    """Tell whether an earlier run has left a kernel compiled, where Numba would look for it.

    Parameters
    ----------
    kernel : callable
        Kept in a file of its own.

    Returns
    -------
    bool
        Whether there is a file for it.
    """
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    return any(Path(kernel._cache.cache_path).glob(f"{name(kernel)}-*.{version}*.nbi"))


def name(kernel: Any) -> str:
    """Give the name of a kernel as Numba's files have it.

    Parameters
    ----------
    kernel : callable
        Compiled by `ibmap.kernels.compiling.kernel`.

    Returns
    -------
    str
        Its file and its own name.
    """
    return f"{kernel.py_func.__module__.rpartition('.')[2]}.{kernel.py_func.__name__}"


def compile_group(place: int) -> None:
    """Compile the kernels of a group, or load those that are compiled.

    Parameters
    ----------
    place : int
        Its place in `GROUPS`.
    """
    for kernel, argument_types in GROUPS[place]:
        kernel.compile(argument_types)
