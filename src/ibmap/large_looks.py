"""Looks at large blankets of binary data: the rows sorted and packed, and parts that threads can share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.binary_rows import BinaryColumns
from ibmap.kernels import binary_layout, binary_pairs, large_layout, slice_patterns, slice_products
from ibmap.kernels.binary_outside import MOST_LOG_ODDS
from ibmap.kernels.small_layout import FEW as FEW_SLICES
from ibmap.large_blankets import BlanketSlices, LargeBlankets, Near, find_near
from ibmap.sharing import Call, Work
from ibmap.slice_logs import SliceLogs, pattern_starts

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
WORK_OF_PART, MAX_PARTS = 2e5, 4  # nanoseconds of a part worth handing over, and how many there are at most


class LargeLooks:
    """Gives every change of a large blanket.

    Parameters
    ----------
    columns : BinaryColumns
        The data, of columns that vary.
    slice_logs : SliceLogs
        Tables of tiny slices.
    """

    def __init__(self, columns: BinaryColumns, slice_logs: SliceLogs) -> None:
        self._data, self._tables, self._slice_logs = columns, columns.factors, slice_logs
        self._n_planes = max(int(columns.weights.max(initial=1)).bit_length(), 1)
        self._blankets = LargeBlankets(columns.factors)

    def look(self, x: int, members: Integers) -> Work[Floats | None]:
        """Look at a blanket, in parts that threads can share.

        Parameters
        ----------
        x : int
            The variable.
        members : ndarray
            Its blanket, sorted.

        Returns
        -------
        Work
            Its result is the terms by the variable flipped, that of the blanket as it is in place x. None if
            no two data points come together: the prior decides.
        """
        n = len(self._data.states)
        sliced = self.slice_rows(x, members)
        if sliced.is_silent:
            return None
        is_outside = np.ones(n, bool)
        is_outside[x] = is_outside[members] = False
        outside = np.flatnonzero(is_outside)
        slices = self._pack(x, sliced, outside)
        (term, adds, drops), sums = yield from self._parts(slices, len(members))
        result = np.empty(n)
        result[x], result[outside], result[members] = term, adds - sums, drops
        return result

    def slice_rows(self, x: int, members: Integers) -> SlicedRows:
        """Sort the rows by slice and X.

        Parameters
        ----------
        x : int
            The variable.
        members : ndarray
            Its blanket, sorted.

        Returns
        -------
        SlicedRows
            The slices.
        """
        data = self._data
        labels = np.empty(len(data.weights), np.int64)
        keys, sizes, ends = binary_layout.slice_rows(
            data.states, data.row_bits, data.weights, x, members, labels
        )
        return SlicedRows(labels, keys, sizes, tuple(ends.tolist()), find_near(keys, len(members)))

    def _pack(self, x: int, sliced: SlicedRows, outside: Integers) -> _Slices:
        """Pack the columns outside the blanket."""
        data, (labels, keys, sizes, ends, near) = self._data, sliced
        n_huge, n_large, n_small, n_live = ends
        if n_live - n_small < FEW_SLICES:
            n_small = n_live
        packed = large_layout.lay_out(
            data.states,
            data.row_bits,
            data.weights,
            self._n_planes,
            x,
            labels,
            sizes,
            (n_large, n_small, n_live),
            outside,
            MAX_PARTS,
            WORK_OF_PART,
        )
        run_words, words_large, words, ones, lone, cuts = packed
        return _Slices(
            keys=keys,
            sizes=sizes,
            n_huge=n_huge,
            n_large=n_large,
            n_small=n_small,
            n_live=n_live,
            near=near,
            ones=ones,
            lone=lone,
            outside=outside,
            words_large=words_large,
            run_words=run_words,
            words=words,
            cuts=cuts.tolist(),
        )

    def _parts(self, slices: _Slices, d: int) -> Work[tuple[Any, ...]]:
        """Carry out the parts of a look that do not depend on each other, the longest named first."""
        priors = self._tables.given(d).priors_around
        n, pairs = len(slices.ones), self._pair_parts(slices, priors[3])
        first, second, *sums = yield *self._blankets.parts(slices, d, priors), *pairs
        return self._blankets.sum_up(first, second), sum(sums, np.full(n, (n - 1) * priors[3, 3]))

    def _pair_parts(self, slices: _Slices, prior: Floats) -> list[Call]:
        """Cut the sums of -log Pr(I(X, Y | B + W)) over Y for every W into parts, the longest first."""
        cuts = [(first, last) for first, last in pairwise(slices.cuts) if first < last]
        parts: list[Call] = [partial(self._large_sums, slices, prior, *cut) for cut in cuts[:-1]]
        return [*parts, partial(self._last_sums, slices, prior, cuts[-1:])]

    def _last_sums(self, slices: _Slices, prior: Floats, cuts: list[tuple[int, int]]) -> Floats:
        """Add up the last part of the large slices, if there are any, and all that are not."""
        sums = self._small_sums(slices, prior)
        return sums + self._large_sums(slices, prior, *cuts[0]) if cuts else sums

    def _large_sums(self, slices: _Slices, prior: Floats, first: int, last: int) -> Floats:
        """Add up huge and large slices."""
        words, runs, ones, sizes = slices.words_large, slices.run_words, slices.ones, slices.sizes
        n_huge = slices.n_huge if prior[0] < MOST_LOG_ODDS else last  # products would not stay finite
        huge, sums = min(max(n_huge, first), last), np.zeros(len(slices.ones))
        if huge > first:
            binary_pairs.huge_sums(
                words, runs[first:huge], first, ones, sizes, prior, self._tables.logs, sums
            )
        if last > huge:
            tables = self._tables.logs, self._tables.scaled
            binary_pairs.large_sums(words, runs[huge:last], huge, ones, sizes, prior, *tables, sums)
        return sums

    def _small_sums(self, slices: _Slices, prior: Floats) -> Floats:
        """Add up slices of few data points."""
        words, sums = slices.words, np.zeros(len(slices.ones))
        large, small, live = slices.n_large, slices.n_small, slices.n_live
        if small > large:
            sizes = slices.sizes[large:small]
            slice_products.product_sums(words, sizes, prior[1], prior[2], self._tables.smalls, sums)
        if live > small:
            sizes, table = slices.sizes[small:live], self._slice_logs.given(prior[1], prior[2])
            slice_patterns.pattern_sums(words, small - large, sizes, table, pattern_starts(), sums)
        return sums


class SlicedRows(NamedTuple):
    """The rows by slice of a blanket: the slice of each; the keys, sizes, kinds of slices; the near ones."""

    labels: Integers
    keys: NDArray[np.uint64]
    sizes: NDArray[np.int32]
    ends: tuple[int, ...]
    near: Near

    @property
    def is_silent(self) -> bool:
        """Whether no slice has two data points, not even once two members are dropped: the prior decides."""
        return self.ends[-1] == 0 and self.near.is_empty


@dataclass(frozen=True, eq=False)
class _Slices(BlanketSlices):
    """The data sorted by slice of a blanket and X; see `ibmap.kernels.binary_layout`.

    Slices up to `n_small` that are not large have a word each, from there to `n_live` a byte each.
    """

    n_small: int
    words_large: NDArray[np.uint64]
    run_words: Integers
    words: NDArray[np.uint64]
    cuts: list[int]
