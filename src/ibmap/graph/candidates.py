"""Which pairs may be joined: for each variable a sorted row of candidates, itself among them.

All pairs are the usual case. Where there are very many variables a screen leaves a few candidates each, and
all that a climb keeps is as long as these rows are.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class Candidates:
    """Rows of candidates behind one another; y is in the row of x if and only if x is in that of y."""

    def __init__(self, n_variables: int, rows: tuple[Integers, Integers] | None = None) -> None:
        self.n_variables, self._everyone = n_variables, np.arange(n_variables)
        self.is_all = rows is None
        self.begins = np.arange(n_variables + 1) * n_variables if rows is None else rows[1]
        if rows is not None:
            self.others = rows[0]

    @classmethod
    def from_pairs(cls, n_variables: int, x: Integers, y: Integers) -> Candidates:
        """Make rows of pairs, given in any order and direction."""
        own = np.arange(n_variables)
        keys = np.unique(np.concatenate((x * n_variables + y, y * n_variables + x, own * (n_variables + 1))))
        begins = np.searchsorted(keys, np.arange(n_variables + 1) * n_variables)
        return cls(n_variables, (keys % n_variables, begins))

    @cached_property
    def others(self) -> Integers:
        """All rows behind one another."""
        return np.tile(self._everyone, self.n_variables)

    @property
    def n_pairs(self) -> int:
        """Number of pairs that may be joined."""
        return int(self.sizes.sum()) // 2

    @cached_property
    def sizes(self) -> Integers:
        """The number of candidates of each variable."""
        return np.diff(self.begins) - 1

    @cached_property
    def firsts(self) -> Integers:
        """The variable in whose row each entry stands."""
        return np.repeat(np.arange(self.n_variables), np.diff(self.begins))

    @cached_property
    def mirrored(self) -> Integers:
        """For the entry of y in the row of x, where that of x in the row of y is."""
        return np.argsort(self.others, kind="stable")

    def span(self, x: int) -> slice:
        """Tell where the row of a variable is."""
        return slice(int(self.begins[x]), int(self.begins[x + 1]))

    def row(self, x: int) -> Integers:
        """Give the candidates of a variable, itself among them."""
        return self._everyone if self.is_all else self.others[self.begins[x] : self.begins[x + 1]]

    def place(self, x: int, y: int) -> int:
        """Tell where y is in the row of x; -1 if it is no candidate."""
        if self.is_all:
            return y
        row = self.row(x)
        k = int(row.searchsorted(y))
        return k if k < len(row) and row[k] == y else -1

    def places(self, x: int, members: Iterable[int]) -> list[int]:
        """Tell where some candidates are in the row of x."""
        return list(members) if self.is_all else [self.place(x, y) for y in members]

    def entry(self, x: int, y: int) -> int:
        """Tell where y, a candidate of x, is among all entries."""
        return int(self.begins[x]) + self.place(x, y)

    def joining(self, *pairs: Iterable[tuple[int, int]]) -> Candidates:
        """Give the same with pairs added."""
        if self.is_all:
            return self
        more = np.array(list(chain.from_iterable(pairs)), np.int64).reshape(-1, 2)
        x, y = np.append(self.firsts, more[:, 0]), np.append(self.others, more[:, 1])
        return Candidates.from_pairs(self.n_variables, x, y)
