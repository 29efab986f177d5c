"""Rows that say the same: how they are told apart, and whether there are enough of them to merge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

DENSE_FACTOR, DENSE_EXTRA = 4, 4096  # times the rows, and more: keys up to there are marked, others sorted
BLOCK = 1 << 17  # rows at once: what is made of them stays in the processor's cache
MANY_ROWS = 1 << 18  # from there on a part is looked at before all rows are compared
PART = 64  # one of so many possible rows is looked at
MIXING = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xFF51AFD7ED558CCD))  # odd, with bits all over

HOLE = np.uint64(1 << 16)  # no code


def n_dense(n_rows: int) -> int:
    """Tell up to where keys of so many rows are marked in a list, rather than sorted."""
    return DENSE_FACTOR * n_rows + DENSE_EXTRA


def close_gaps(keys: NDArray[np.int64], span: int) -> tuple[NDArray[np.int64], int]:
    """Renumber keys below `span` from 0 in their order; give the new ones and how many there are."""
    if span > n_dense(len(keys)):
        distinct, labels = np.unique(keys, return_inverse=True)
        return labels.reshape(-1), len(distinct)
    occurs = np.zeros(span, bool)
    occurs[keys] = True
    numbers = np.cumsum(occurs, dtype=np.int32 if span < 1 << 31 else np.int64)
    labels = numbers[keys].astype(np.int64)
    labels -= 1
    return labels, int(numbers[-1]) if span else 0


def blocks(n_rows: int, size: int = BLOCK) -> Iterator[slice]:
    """Cut rows into parts that are handled one after the other."""
    return (slice(begin, begin + size) for begin in range(0, n_rows, size))


def hardly_repeat(codes: NDArray[Any], missing: NDArray[np.bool_] | None, at_most: int) -> bool:
    """Tell whether far more rows differ than so many, from a part of all possible rows chosen by a hash."""
    if len(codes) < MANY_ROWS:
        return False
    found: list[NDArray[np.uint64]] = []
    for part in blocks(len(codes)):
        keys = _hashes(codes[part], None if missing is None else missing[part])
        found.append(np.unique(keys[keys < np.uint64(2**64 // PART)]))
    return PART * len(np.unique(np.concatenate(found))) > 2 * at_most


def _hashes(codes: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[np.uint64]:
    """Give a number of 64 bits for each row, evenly spread, the same for equal rows."""
    keys = np.zeros(len(codes), np.uint64)
    for k in range(codes.shape[1]):
        keys *= MIXING[0]
        keys += codes[:, k] if missing is None else np.where(missing[:, k], HOLE, codes[:, k])
    keys ^= keys >> np.uint64(33)
    keys *= MIXING[1]
    keys ^= keys >> np.uint64(33)
    keys *= MIXING[0]
    return keys
