"""The local IB-score of binary data: every change of a blanket from one pass.

The rows are sorted by slice of the blanket and by X and packed into machine
words; see `ibmap.kernels.binary_layout`, `binary_pairs` and `binary_members`.
Columns with a single state are left out of the kernels: given anything, they
are independent of everything with the prior probability, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.binary_rows import BinaryColumns, log_tables
from ibmap.independence.posterior import Prior, log_complement
from ibmap.kernels import (
    binary_layout,
    binary_packing,
    binary_pairs,
    slice_patterns,
    slice_products,
)
from ibmap.kernels.binary_outside import MOST_LOG_ODDS
from ibmap.kernels.small_layout import FEW as FEW_SLICES
from ibmap.kernels.small_layout import WORK_OF_SLICE, WORK_OF_WORD
from ibmap.kernels.two_by_two import SMALL
from ibmap.large_blankets import LARGE, BlanketSlices, LargeBlankets, Near, find_near
from ibmap.options import n_cores
from ibmap.row_score import RowScore
from ibmap.sharing import Call, Work, alone
from ibmap.slice_logs import SliceLogs, pattern_starts
from ibmap.small_looks import Crew, Request, SmallLooks

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bounds = tuple[Floats, NDArray[np.bool_]]
LookTogether = Callable[[Sequence[int], Sequence[tuple[int, ...]], Call], list[Bounds] | None]
WORK_OF_PART, MAX_PARTS = 2e5, 4  # a part worth handing over, and how many there are at most
MOST_TOGETHER = 8  # threads at small looks; those that wait for a core hold the others up
MAX_BLANKET = 63  # a slice's key is one machine word


class BinaryScore:
    """The blanket closure's score of a table with at most two states a column.

    Parameters
    ----------
    test : BayesianTest
        The test, with integer hyperparameters and the prior split over all slices.
    """

    def __init__(self, test: BayesianTest) -> None:
        self.names = test.names
        self._by_sweeps = RowScore(test)
        self._prior = test.prior
        table = test.table
        self._is_constant = table.cardinalities == 1
        self._all_exact = np.ones(len(self.names), bool)
        self._position = np.cumsum(~self._is_constant) - 1  # among the columns that vary
        self._varying = np.flatnonzero(~self._is_constant)
        packed = test.columns or BinaryColumns(table, test.prior, self._varying)
        self._columns, self._row_bits = packed.states, packed.row_bits
        self._weights, self._tables = packed.weights, packed.tables
        self._n_planes = max(int(table.weights.max(initial=1)).bit_length(), 1)
        self._small_tables = small_tables(test.prior)
        self._priors: dict[int, Floats] = {}
        self._scaled_tables = scaled_tables(*self._tables)
        self._slice_logs = SliceLogs(*self._small_tables)
        tables = self._tables, self._small_tables, self._scaled_tables
        gamma, alpha, _ = test.prior.dirichlet(2, 2, 1)
        self._large = LargeBlankets(*tables, (float(gamma), float(alpha)))
        priors = np.array([self._slice_priors(d) for d in range(LARGE)])
        self._small = SmallLooks(packed, tables, priors, self._slice_logs)

    def term(self, x: int, blanket: tuple[int, ...]) -> float:
        """Give the term of a variable for a blanket.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        float
            Natural log.
        """
        return self._by_sweeps.term(x, blanket)

    def changes(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable for its blanket and every single change of it.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        ndarray of shape (n_variables,)
            Entry y for the blanket with y flipped, entry x for the blanket as it is.
        """
        return alone(self._look(x, blanket))

    def _look(self, x: int, blanket: tuple[int, ...]) -> Work[Floats]:
        """Give `changes`, its parts to be shared."""
        if self._is_constant[x]:
            return self._constant_changes(x, blanket)
        members = self._members(blanket)
        if len(members) > MAX_BLANKET:
            return self._by_sweeps.changes(x, blanket)
        position = int(self._position[x])
        if len(members) < LARGE:
            (inner,) = yield (partial(self._small.look, position, members),)
        else:
            inner = yield from self._changes(position, members)
        return self._with_constants(x, blanket, inner)

    def _members(self, blanket: tuple[int, ...]) -> Integers:
        """Give the places of a blanket's members among the columns that vary."""
        members = np.array(sorted(blanket), np.int64)
        return (
            members
            if len(self._varying) == len(self.names)
            else self._position[members[~self._is_constant[members]]]
        )

    def _with_constants(self, x: int, blanket: tuple[int, ...], inner: Floats) -> Floats:
        """Add what the constant columns do to the terms of a varying one among the varying ones."""
        if len(self._varying) == len(self.names):
            return inner
        result = self._terms_of_constants(blanket, self._is_constant)
        result[self._varying] += inner
        result[self._is_constant] += inner[self._position[x]]
        return result

    def _constant_changes(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a constant column: the prior decides."""
        others = np.ones(len(self.names), bool)
        others[x] = False
        return self._terms_of_constants(blanket, others)

    def _terms_of_constants(self, blanket: Sequence[int] | Integers, among: NDArray[np.bool_]) -> Floats:
        """Give the terms of all changes as if those among whom one looks were independent of everything."""
        log_p = math.log(self._prior.probability)
        odds = log_complement(log_p) - log_p
        inside = [v for v in blanket if among[v]]
        result = np.full(len(among), int(among.sum()) * log_p + len(inside) * odds)
        result[among] += odds
        result[inside] -= 2 * odds
        return result

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give the terms of `changes`: one pass gives them all, unless the blanket is huge.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        upper, is_exact : ndarray
            The terms, all exact up to 63 members; beyond that as in `RowScore`.
        """
        return alone(self.shared_bounds(x, blanket))

    @contextmanager
    def together(self, n_threads: int) -> Iterator[LookTogether]:
        """Have threads that look at blankets of few members together.

        Parameters
        ----------
        n_threads : int
            All threads, the caller's included.

        Yields
        ------
        callable
            Takes some variables, their blankets, and a call to make beside. Gives the `bounds` of
            each; None, without the call, if a blanket has too many members.
        """
        with self._small.crew(min(n_threads, n_cores(), MOST_TOGETHER)) as crew:
            yield partial(self._look_together, crew)

    def _look_together(
        self, crew: Crew, variables: Sequence[int], blankets: Sequence[tuple[int, ...]], beside: Call
    ) -> list[Bounds] | None:
        """Look at blankets of few members; see `together`."""
        members = [self._members(blanket) for blanket in blankets]
        if self._is_constant[list(variables)].any() or any(len(each) >= LARGE for each in members):
            return None
        requests = [Request(int(self._position[x]), each) for x, each in zip(variables, members, strict=True)]
        looks = zip(variables, blankets, crew.look(requests, beside), strict=True)
        return [(self._with_constants(x, blanket, terms), self._all_exact) for x, blanket, terms in looks]

    def shared_bounds(self, x: int, blanket: tuple[int, ...]) -> Work[tuple[Floats, NDArray[np.bool_]]]:
        """Give `bounds` as a work, whose parts threads can share.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        Work
            Its result is that of `bounds`.
        """
        is_huge = len(blanket) > MAX_BLANKET
        if is_huge and np.count_nonzero(~self._is_constant[list(blanket)]) > MAX_BLANKET:
            return self._by_sweeps.bounds(x, blanket)
        changes = yield from self._look(x, blanket)
        return changes, self._all_exact

    def _changes(self, x: int, members: Integers) -> Work[Floats]:
        """Do the same for a varying column among the varying ones, with a large blanket."""
        n, d = len(self._columns), len(members)
        sliced = self._slice_rows(x, members)
        is_other = np.ones(n, bool)
        is_other[x] = False
        if sliced.is_silent:
            return self._terms_of_constants(members, is_other)
        is_other[members] = False
        outside = np.flatnonzero(is_other)
        slices = self._pack(x, sliced, outside)
        priors = self._slice_priors(d)
        (term, adds, drops), sums = yield from self._parts(slices, d, priors)
        result = np.empty(n)
        result[x] = term
        result[outside] = adds - sums
        result[members] = drops
        return result

    def _parts(self, slices: _Slices, d: int, priors: Floats) -> Work[tuple[Any, ...]]:
        """Carry out the parts of a look that do not depend on each other, the longest named first."""
        n, pairs = len(slices.ones), self._pair_parts(slices, priors[3])
        first, second, *sums = yield *self._large.parts(slices, d, priors), *pairs
        return self._large.sum_up(first, second), sum(sums, np.full(n, (n - 1) * priors[3, 3]))

    def _slice_priors(self, d: int) -> Floats:
        """Give the prior of a slice given two members less up to one variable more, a row each.

        A row is log-odds and odds of dependence in a slice, -log p / K and -log p.
        """
        priors = self._priors.get(d)
        if priors is None:
            rows = [self._slice_prior(size) for size in range(d - 2, d + 2)]
            priors = self._priors[d] = np.array(rows)
        return priors

    def _slice_prior(self, n_given: int) -> tuple[float, float, float, float]:
        """Give a row of `_slice_priors`."""
        n_slices = 1 << max(n_given, 0)
        log_odds = self._prior.log_slice_odds(n_slices)
        minus_log_p = -math.log(self._prior.probability)
        return log_odds, math.exp(log_odds), minus_log_p / n_slices, minus_log_p

    def _slice_rows(self, x: int, members: Integers) -> _SlicedRows:
        """Sort the rows by slice and X."""
        labels = np.empty(len(self._weights), np.int64)
        keys, sizes, ends = binary_layout.slice_rows(self._columns, self._weights, x, members, labels)
        return _SlicedRows(labels, keys, sizes, tuple(map(int, ends)), find_near(keys, len(members)))

    def _pack(self, x: int, sliced: _SlicedRows, outside: Integers) -> _Slices:
        """Pack the columns outside the blanket."""
        column, weights = self._columns[x], self._weights
        labels, keys, sizes, (n_huge, n_large, n_small, n_live), near = sliced
        if n_live - n_small < FEW_SLICES:
            n_small = n_live
        slots, run_words = binary_layout.place_large(labels, column, weights, sizes, n_large, self._n_planes)
        words_large = binary_packing.pack(self._row_bits, slots, outside)
        places = (n_large, n_small, n_live)
        slots, lone_rows = binary_layout.place_small(labels, column, weights, sizes, places)
        words = binary_packing.pack(self._row_bits, slots, outside)
        ones = np.empty((len(outside), n_live, 2), np.int32)
        binary_packing.count_ones(words_large, run_words, words, sizes, places, ones)
        return _Slices(
            keys=keys,
            sizes=sizes,
            n_huge=n_huge,
            n_large=n_large,
            n_small=n_small,
            n_live=n_live,
            near=near,
            ones=ones,
            lone=self._row_bits.take(lone_rows, axis=1),
            outside=outside,
            words_large=words_large,
            run_words=run_words,
            words=words,
        )

    def _pair_parts(self, slices: _Slices, prior: Floats) -> list[Call]:
        """Cut the sums of -log Pr(I(X, Y | B + W)) over Y for every W into parts, the longest first."""
        cuts = self._cuts(slices)
        parts: list[Call] = [partial(self._large_sums, slices, prior, *cut) for cut in pairwise(cuts)]
        if slices.n_live > slices.n_large:
            parts.append(partial(self._small_sums, slices, prior))
        return parts

    def _cuts(self, slices: _Slices) -> list[int]:
        """Cut the large slices into parts of about equal work, by what there is to do alone."""
        n, runs = len(slices.ones), slices.run_words
        if not len(runs):
            return []
        work = n * n * np.cumsum(WORK_OF_WORD * (runs[:, 1, -1] - runs[:, 0, 0]) + WORK_OF_SLICE)
        n_parts = min(1 + int(work[-1] / WORK_OF_PART), MAX_PARTS)
        return [0, *np.searchsorted(work, work[-1] * np.arange(1, n_parts) / n_parts).tolist(), len(runs)]

    def _large_sums(self, slices: _Slices, prior: Floats, first: int, last: int) -> Floats:
        """Add up huge and large slices."""
        words, runs, ones, sizes = slices.words_large, slices.run_words, slices.ones, slices.sizes
        n_huge = slices.n_huge if prior[0] < MOST_LOG_ODDS else last  # products would not stay finite
        huge, sums = min(max(n_huge, first), last), np.zeros(len(slices.ones))
        if huge > first:
            binary_pairs.huge_sums(words, runs[first:huge], first, ones, sizes, prior, self._tables, sums)
        if last > huge:
            tables = self._tables, self._scaled_tables
            binary_pairs.large_sums(words, runs[huge:last], huge, ones, sizes, prior, *tables, sums)
        return sums

    def _small_sums(self, slices: _Slices, prior: Floats) -> Floats:
        """Add up slices of few data points."""
        words, sums = slices.words, np.zeros(len(slices.ones))
        large, small, live = slices.n_large, slices.n_small, slices.n_live
        if small > large:
            sizes = slices.sizes[large:small]
            slice_products.product_sums(words, sizes, prior[1], prior[2], self._small_tables, sums)
        if live > small:
            sizes, table = slices.sizes[small:live], self._slice_logs.given(prior[1], prior[2])
            slice_patterns.pattern_sums(words, small - large, sizes, table, pattern_starts(), sums)
        return sums


class _SlicedRows(NamedTuple):
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


def small_tables(prior: Prior) -> tuple[Floats, Floats, Floats]:
    """Tabulate the factors of the Bayes factor of slices of at most 64 data points.

    Parameters
    ----------
    prior : Prior
        With integer hyperparameters.

    Returns
    -------
    columns, rows, totals : ndarray
        Of the two cells of a column (flat, 65 x 65), of a row, and of a whole slice.
    """
    cell, side, total = log_tables(2 * SMALL, prior)
    counts = np.arange(SMALL + 1)
    columns = np.exp(cell[counts[:, None]] + cell[counts] - side[counts[:, None] + counts])
    return columns.ravel(), np.exp(-side[counts]), np.exp(total[counts])


def scaled_tables(cell: Floats, side: Floats, total: Floats) -> tuple[Floats, Floats, Floats]:
    """Tabulate the factors of the Bayes factor of large slices, scaled by powers that cancel.

    Parameters
    ----------
    cell, side, total : ndarray
        Logs by count, of a cell, of a row or column, and of a whole slice.

    Returns
    -------
    cells, sides, totals : ndarray
        For counts a and b a column's share is ``cells[a] * cells[b] * sides[a + b]``, that of two rows
        ``sides[a] * sides[b] * totals[a + b]``, up to a large slice. Unscaled they are factorials, far
        too large for a number.
    """
    counts = np.arange(min(binary_layout.LARGE + 1, len(cell)))
    powers = counts * (math.log(binary_layout.LARGE) - 1)  # those of the largest factorial are about 1
    return np.exp(cell[counts] - powers), np.exp(powers - side[counts]), np.exp(total[counts] - powers)
