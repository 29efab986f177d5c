"""The local IB-score of binary data: every change of a blanket from one sort of the rows.

See `ibmap.kernels.binary_changes`. Columns with a single state are left out of the kernels: given anything,
they are independent of everything with the prior probability, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.binary_rows import MOST_MEMBERS, BinaryColumns
from ibmap.independence.posterior import log_complement
from ibmap.kernels import binary_changes as kernels
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
        columns, is_outside = self._columns, np.ones(len(self._varying), bool)
        is_outside[members] = is_outside[x] = False
        tables, terms = columns.tables, np.empty(len(self._varying))
        sets = np.sort(members), np.flatnonzero(is_outside)
        data = columns.states, columns.row_bits
        kernels.blanket_changes(*data, x, *sets, tables.around(len(members)), tables.logs, terms)
        return terms

    def _prior_terms(self, blanket: Sequence[int], among: NDArray[np.bool_]) -> Floats:
        """Give the terms of all changes as if all columns of `among` were independent of everything."""
        log_p = math.log(self._prior.probability)
        odds = log_complement(log_p) - log_p
        inside = [v for v in blanket if among[v]]
        result = np.full(len(among), int(among.sum()) * log_p + len(inside) * odds)
        result[among] += odds
        result[inside] -= 2 * odds
        return result
