"""The cost of a hill climb in distinct tests of independence.

A climb that scores every flip makes a huge number of tests, most of them
many times over. The distinct ones are counted exactly without being listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.graph.knowledge import Knowledge
from ibmap.independence.memo import Key
from ibmap.independence.protocol import Triplet

WORD = (1 << 64) - 1


class DistinctTests:
    """Count the distinct tests of blankets and all their single changes."""

    def __init__(self, n_variables: int) -> None:
        self._n = n_variables
        self._sets = np.zeros((16, n_variables // 64 + 1), np.uint64)
        self._earlier = np.full(16, -1, np.int64)
        self._newest = np.full(n_variables, -1, np.int64)
        self._marks = np.zeros(n_variables + 1, bool)
        self._n_blankets = 0
        self.n_tests = 0
        self.knowledge: Knowledge | None = None  # of its pairs: the settled ones are not tested
        self._listed: dict[tuple[int, tuple[int, ...]], None] = {}

    def count(self, x: int, blanket: Iterable[int]) -> None:
        """Count the tests of a blanket of `x` and all its single changes; list them if something is known."""
        from ibmap.kernels.distinct import count_fresh

        if self.knowledge is not None and x in self.knowledge.said:
            self._listed[x, tuple(blanket)] = None
            return
        center = self._words(blanket)
        self.n_tests += int(count_fresh(x, center, self._sets, self._newest, self._earlier, self._marks))
        self._remember(x, center)

    def count_other(self, triplets: Set[Key]) -> int:
        """Count the triplets that are not counted yet."""
        from ibmap.kernels.distinct import count_other

        others: Set[Key] = {*triplets, *self._tests_listed()} if self._listed else triplets
        rows: dict[tuple[int, ...], int] = {}
        flat = (v for x, y, given in others for v in (x, y, rows.setdefault(given, len(rows))))
        tests = np.fromiter(flat, np.int64, 3 * len(others)).reshape(-1, 3)
        givens = np.empty((len(rows), self._sets.shape[1]), np.uint64)
        for given, k in rows.items():
            givens[k] = self._words(given)
        return int(count_other(tests, givens, self._sets, self._newest, self._earlier))

    def _tests_listed(self) -> Iterator[Triplet]:
        """List the tests of variables of which something is known: of open pairs, given what is allowed."""
        for x, blanket in self._listed:
            assert self.knowledge is not None
            others = np.flatnonzero(self.knowledge.is_open(x)).tolist()
            for changed in {blanket, *(tuple(sorted({*blanket} ^ {w})) for w in others)}:
                for y in others:
                    yield Triplet(x, y, tuple(z for z in changed if z != y)).canonical()

    def state(self) -> dict[str, NDArray[Any]]:
        """Give all that is known, to be restored later."""
        return {
            "sets": self._sets[: self._n_blankets].copy(),
            "earlier": self._earlier[: self._n_blankets].copy(),
            "newest": self._newest.copy(),
            "n_tests": np.array([self.n_tests], np.int64),
            "listed": np.array([v for x, blanket in self._listed for v in (x, *blanket, -1)], np.int64),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, NDArray[Any]]) -> DistinctTests:
        """Restore what `state` gave; a state whose chains of blankets lead nowhere is refused."""
        tests = cls(len(state["newest"]))
        n_blankets = len(state["sets"])
        is_chain = (state["earlier"] >= -1) & (state["earlier"] < np.arange(n_blankets))
        is_end = (state["newest"] >= -1) & (state["newest"] < n_blankets)
        if not is_chain.all() or not is_end.all() or state["n_tests"][0] < 0:
            msg = "the blankets counted so far do not follow each other"
            raise ValueError(msg)
        while len(tests._sets) < n_blankets:
            tests._grow()
        tests._sets[:n_blankets], tests._earlier[:n_blankets] = state["sets"], state["earlier"]
        tests._newest[:] = state["newest"]
        tests._n_blankets, tests.n_tests = n_blankets, int(state["n_tests"][0])
        look: list[int] = []
        for v in state["listed"].tolist():
            if v >= 0:
                look.append(v)
                continue
            if not look or max(look) >= tests._n:
                msg = f"a blanket of {len(state['newest'])} variables holds others"
                raise ValueError(msg)
            tests._listed[look[0], tuple(look[1:])] = None
            look = []
        return tests

    def _words(self, variables: Iterable[int]) -> NDArray[np.uint64]:
        """Write a set of variables as bits."""
        bits = 0
        for v in variables:
            bits |= 1 << v
        return np.array([bits >> 64 * w & WORD for w in range(self._sets.shape[1])], np.uint64)

    def _remember(self, x: int, center: NDArray[np.uint64]) -> None:
        """Append a blanket to the chain of its variable."""
        if self._n_blankets == len(self._sets):
            self._grow()
        self._sets[self._n_blankets] = center
        self._earlier[self._n_blankets] = self._newest[x]
        self._newest[x] = self._n_blankets
        self._n_blankets += 1

    def _grow(self) -> None:
        """Make room for twice as many blankets."""
        self._sets = np.concatenate([self._sets, np.zeros_like(self._sets)])
        self._earlier = np.concatenate([self._earlier, np.full_like(self._earlier, -1)])
