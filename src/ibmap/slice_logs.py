"""Tabulate what slices of few data points add to -log Pr(I), for binary X and Y.

A slice adds log(1 + e), where e is its Bayes factor times the prior odds of dependence in
one slice. A slice without two data points adds -log(p) / K, so the tables have the
difference from that. Their entries depend on the counts alone, and on the odds, that is on how
many variables are given.
"""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from ibmap.kernels.binary_layout import TINY

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
SIDE = 65  # the tables of columns have counts up to 64
N_ONES = np.array([pattern.bit_count() for pattern in range(1 << TINY)])
N_UNINFORMATIVE = 5  # entries of the slices with no data point, and with one


class SliceLogs:
    """The tables of one prior, each made when it is first asked for.

    Parameters
    ----------
    columns, rows, totals : ndarray
        Factors of the Bayes factor of small slices: of the two cells of a column (flat, 65 x 65),
        of a row, and of a whole slice.
    """

    def __init__(self, columns: Floats, rows: Floats, totals: Floats) -> None:
        self._factors = columns.reshape(SIDE, SIDE), rows, totals
        self._tables: dict[float, Floats] = {}

    def given(self, odds: float, unseen: float) -> Floats:
        """Tabulate what tiny slices add beyond what an unseen slice does.

        Parameters
        ----------
        odds : float
            Prior odds of dependence in one slice.
        unseen : float
            What an unseen slice adds, log(1 + odds).

        Returns
        -------
        ndarray
            Flat, by shape and patterns: see `pattern_starts`. The same object for the same odds.
        """
        if odds not in self._tables:
            counted = np.log1p(odds * self._ratios) - unseen
            counted[:N_UNINFORMATIVE] = 0.0
            given_one, given_zero = pattern_places()
            self._tables[odds] = counted[given_one] + counted[given_zero]
        return self._tables[odds]

    @cached_property
    def _ratios(self) -> Floats:
        """Bayes factors of tiny slices."""
        return slice_ratios(*self._factors)


def slice_ratios(columns: Floats, rows: Floats, totals: Floats) -> Floats:
    """Tabulate the Bayes factor of slices of at most `TINY` data points.

    Parameters
    ----------
    columns, rows, totals : ndarray
        The factors, as for `SliceLogs`, the first as a matrix.

    Returns
    -------
    ndarray
        Flat, for a slice with s0 data points of X = 0 and s1 of X = 1, of which b0 and b1 have
        Y = 1, in place ``slice_starts()[s0, s1] + b0 + b1 * (s0 + 1)``.
    """
    parts = []
    for size in range(TINY + 1):
        for s0 in range(size + 1):
            s1 = size - s0
            with_one = columns[: s0 + 1, : s1 + 1]
            whole = totals[size] * rows[s0] * rows[s1]
            parts.append((whole * with_one * with_one[::-1, ::-1]).T.ravel())
    return np.concatenate(parts)


@cache
def slice_starts() -> Integers:
    """Give the place of the first entry of a slice's shape in the tables of counts.

    Returns
    -------
    ndarray
        By how many data points have X = 0 and X = 1.

    Examples
    --------
    >>> slice_starts()[:3, :3].tolist()
    [[0, 1, 5], [3, 8, 19], [12, 25, 48]]
    """
    starts = np.zeros((TINY + 1, TINY + 1), np.int64)
    place = 0
    for size in range(TINY + 1):
        for s0 in range(size + 1):
            starts[s0, size - s0] = place
            place += (s0 + 1) * (size - s0 + 1)
    return starts


@cache
def pattern_starts() -> Integers:
    """Give the place of the first entry of a tiny slice's shape in the tables of patterns.

    The pattern of a variable in a slice has a bit for each data point, those of X = 0 first. It
    is turned to begin with 0 (Y and its negation say the same), and that bit is left out. A
    shape's entries are a matrix: of Y's pattern (row) and of W's (column), W parting the slice.

    Returns
    -------
    ndarray
        By how many data points have X = 0 and X = 1.

    Examples
    --------
    >>> pattern_starts()[:4, :4].tolist()
    [[0, 0, 0, 12], [0, 4, 28, 140], [8, 44, 204, 908], [60, 268, 1164, 5004]]
    """
    starts = np.zeros((TINY + 1, TINY + 1), np.int64)
    place = 0
    for size in range(2, TINY + 1):
        for s0 in range(size + 1):
            starts[s0, size - s0] = place
            place += 4 ** (size - 1)
    return starts


def n_patterns() -> int:
    """Count the entries of the tables of patterns.

    Returns
    -------
    int
        Of all shapes.
    """
    return sum((size + 1) * 4 ** (size - 1) for size in range(2, TINY + 1))


@cache
def pattern_places() -> tuple[Integers, Integers]:
    """Find the entries of the counts that make up the tables of patterns.

    Returns
    -------
    given_one, given_zero : ndarray
        Places among the counts of the part with W = 1 and of the part with W = 0.
    """
    places: tuple[list[Integers], list[Integers]] = [], []
    for size in range(2, TINY + 1):
        turned = np.arange(1 << (size - 1)) << 1
        y, w = turned[:, None], turned[None, :]
        for s0 in range(size + 1):
            low, high = (1 << s0) - 1, ((1 << size) - 1) ^ ((1 << s0) - 1)
            for part, of_part in zip((w, ~w), places, strict=True):
                n_low, n_high = N_ONES[part & low], N_ONES[part & high]
                one = N_ONES[y & part & low] + N_ONES[y & part & high] * (n_low + 1)
                of_part.append((slice_starts()[n_low, n_high] + one).ravel())
    return np.concatenate(places[0]), np.concatenate(places[1])
