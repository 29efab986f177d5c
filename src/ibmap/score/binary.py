"""The local IB-score of binary data: every change of a blanket from one sort of the rows.

See `ibmap.kernels.binary_members`. Columns with a single state are left out of the kernels: given anything,
they are independent of everything with the prior probability, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.binary_rows import MOST_MEMBERS, BinaryColumns
from ibmap.independence.posterior import log_complement
from ibmap.kernels import binary_members as kernels
from ibmap.kernels import slices
from ibmap.kernels.binary_pairs import sum_over_pairs
from ibmap.score.row_score import RowScore

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class BinaryScore:
    """The blanket closure's score of rows without weights and at most two states a column."""

    def __init__(self, test: BayesianTest) -> None:
        self.names = test.names
        self._by_rows = RowScore(test)
        self._prior = test.prior
        self._is_constant = test.table.cardinalities == 1
        self._position = np.cumsum(~self._is_constant) - 1  # among the columns that vary
        self._varying = np.flatnonzero(~self._is_constant)
        self._columns = test.columns or BinaryColumns(test.table, test.prior, self._varying)

    def term(self, x: int, blanket: tuple[int, ...], least: float = -math.inf) -> float:
        """Give the term of a variable for a blanket."""
        return self._by_rows.term(x, blanket, least)

    def changes(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable for its blanket and every single change of it."""
        others = np.ones(len(self.names), bool)
        others[x] = False
        if self._is_constant[x]:
            return self._prior_terms(blanket, others)
        members = self._position[[v for v in blanket if not self._is_constant[v]]].astype(np.int64)
        if len(members) > MOST_MEMBERS:
            return self._by_rows.changes(x, blanket)
        terms = self._varying_terms(int(self._position[x]), members)
        if len(self._varying) == len(self.names):
            return terms
        result = self._prior_terms(blanket, self._is_constant)
        result[self._varying] += terms
        result[self._is_constant] += terms[self._position[x]]
        return result

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give the terms of `changes`: one pass gives them all, unless the blanket is huge."""
        if len(blanket) > MOST_MEMBERS:
            return self._by_rows.bounds(x, blanket)
        return self.changes(x, blanket), np.ones(len(self.names), bool)

    def _varying_terms(self, x: int, members: Integers) -> Floats:
        """Give the terms of a column that varies, among those that do."""
        # Kernels are called one by one: one that calls them all would compile them all again.
        is_outside = np.ones(len(self._varying), bool)
        is_outside[members] = is_outside[x] = False
        members, outside = np.sort(members), np.flatnonzero(is_outside)
        tables, logs = self._columns.tables.around(len(members)), self._columns.tables.logs
        keys, sizes, n_live, rows = slices.sort_by_slice(self._columns.states, x, members)
        words, masks, starts = slices.place_slices(sizes)
        packed = slices.pack_slices(self._columns.row_bits, rows, sizes, starts, outside)
        ones = slices.count_ones(packed, words, masks)
        own, dropped, added = np.empty((3, len(outside)))
        shares, terms = np.empty((n_live, len(outside), 2)), np.empty(len(self._varying))
        kernels.own_tests(sizes, n_live, ones, tables, logs, own, dropped, added, shares)
        terms[x] = -own.sum()
        terms[outside] = _log_dependent(own)
        terms[outside] -= sum_over_pairs(packed, words, masks, sizes, n_live, ones, tables[3], logs)
        if len(members):
            sliced = keys, sizes, n_live, ones
            self._drop_members(x, members, outside, sliced, (dropped, added, shares), terms)
        return terms

    def _drop_members(
        self,
        x: int,
        members: Integers,
        outside: Integers,
        sliced: tuple[Any, ...],
        summed: tuple[Floats, Floats, Floats],
        terms: Floats,
    ) -> None:
        """Add to the terms what tests of members, and tests without one or two of them, say."""
        (keys, sizes, n_live, _), (dropped, added, shares) = sliced, summed
        tables, logs = self._columns.tables.around(len(members)), self._columns.tables.logs
        partners = kernels.find_partners(keys, len(members), *kernels.index_keys(keys))
        alone = [kernels.shares_alone(sizes, n_live, table, logs) for table in tables[:2]]
        tests = kernels.member_tests(keys, sizes, partners, alone[1], tables[1], logs)
        fewer = kernels.two_members_less(keys, sizes, partners, alone[0], tables[0], logs)
        kernels.merge_opposites(keys, sizes, partners, alone[0], tables[0], logs, fewer)
        without, given_one = np.full(len(members), dropped.sum()), np.tile(added, (len(members), 1))
        kernels.merge_partners(*sliced, partners, tables, logs, shares, without, given_one)
        terms[x] += _log_dependent(tests).sum()
        np.fill_diagonal(fewer, math.inf)  # no test of a member given itself
        terms[members] = _log_dependent(fewer).sum(axis=1) - tests - without
        terms[outside] += _log_dependent(given_one).sum(axis=0)

    def _prior_terms(self, blanket: Sequence[int], among: NDArray[np.bool_]) -> Floats:
        """Give the terms of all changes as if all columns of `among` were independent of everything."""
        log_p = math.log(self._prior.probability)
        odds = log_complement(log_p) - log_p
        inside = [v for v in blanket if among[v]]
        result = np.full(len(among), int(among.sum()) * log_p + len(inside) * odds)
        result[among] += odds
        result[inside] -= 2 * odds
        return result


def _log_dependent(minus_log_independent: Floats) -> Floats:
    """Give log(1 - p) from -log p, accurate at both ends."""
    p = np.exp(-minus_log_independent)
    return np.where(p > 0.6, np.log(-np.expm1(-minus_log_independent)), np.log1p(-np.minimum(p, 0.6)))
