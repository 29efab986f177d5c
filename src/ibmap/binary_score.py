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
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.binary_rows import BinaryColumns
from ibmap.independence.posterior import log_complement
from ibmap.kernels.binary_layout import MOST_MEMBERS
from ibmap.large_looks import LARGE, LargeLooks
from ibmap.options import n_cores
from ibmap.row_score import RowScore
from ibmap.sharing import Call, Work, alone
from ibmap.slice_logs import SliceLogs
from ibmap.small_looks import Crew, Request, SmallLooks
from ibmap.table_score import TableScore

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Bounds = tuple[Floats, NDArray[np.bool_]]
LookTogether = Callable[[Sequence[int], Sequence[tuple[int, ...]], Call], list[Bounds] | None]
MOST_TOGETHER = 8  # threads at small looks; those that wait for a core hold the others up
SUREST = 0.99  # prior of independence beyond which products of 1 + e lose digits of e in large blankets


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
        self._test, self._prior = test, test.prior
        table = test.table
        self._is_constant = table.cardinalities == 1
        self._all_exact = np.ones(len(self.names), bool)
        self._position = np.cumsum(~self._is_constant) - 1  # among the columns that vary
        self._varying = np.flatnonzero(~self._is_constant)
        packed = test.columns or BinaryColumns(table, test.prior, self._varying)
        tables, slice_logs = packed.factors, SliceLogs(*packed.factors.smalls)
        priors = np.array([tables.given(d).priors_around for d in range(LARGE)])
        self._large = LargeLooks(packed, slice_logs)
        self._small = SmallLooks(packed, (tables.logs, tables.smalls, tables.scaled), priors, slice_logs)

    @cached_property
    def _by_partitions(self) -> TableScore:
        """The same score, for priors near 1."""
        return TableScore(self._test)

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
        if len(members) > MOST_MEMBERS:
            return self._by_sweeps.changes(x, blanket)
        if len(members) >= LARGE and self._prior.probability > SUREST:
            return self._by_partitions.changes(x, blanket)
        position = int(self._position[x])
        if len(members) < LARGE:
            (inner,) = yield (partial(self._small.look, position, members),)
        else:
            inner = yield from self._large.look(position, members)
            if inner is None:
                inner = self._unmet(position, members)
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

    def _unmet(self, x: int, members: Integers) -> Floats:
        """Give the terms of a varying column where no two data points come together: the prior decides."""
        others = np.ones(len(self._varying), bool)
        others[x] = False
        return self._terms_of_constants(members, others)

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
        is_huge = len(blanket) > MOST_MEMBERS
        if is_huge and np.count_nonzero(~self._is_constant[list(blanket)]) > MOST_MEMBERS:
            return self._by_sweeps.bounds(x, blanket)
        changes = yield from self._look(x, blanket)
        return changes, self._all_exact
