"""A local score that is told what is known of pairs.

What is known of a pair concerns the terms of its two variables alone: the terms of all others are as ever. A
structure against what is known is impossible. With tests, the assertions about settled pairs are certain
and not tested, and pairs with a prior of their own are tested with it.
"""

from __future__ import annotations

import math
from copy import copy
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from ibmap.graph.closure import changed_blankets
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.known import KnownProbabilities

if TYPE_CHECKING:
    from ibmap.score.local import LocalScore

Floats = NDArray[np.float64]


class KnownScore:
    """A score within what is known; `test` weighs the variables of which something is, if it has tests."""

    def __init__(
        self, score: LocalScore, knowledge: Knowledge, test: KnownProbabilities | None = None
    ) -> None:
        self.names, self.knowledge = score.names, knowledge
        self._score, self._test = score, test

    def term(self, x: int, blanket: tuple[int, ...], least: float = -math.inf) -> float:
        """Give the term of a variable for a blanket; minus infinity if it is against what is known."""
        if x not in self.knowledge.said:
            return self._score.term(x, blanket, least)
        if not self.knowledge.allows(x, blanket):
            return -math.inf
        return (
            self._score.term(x, blanket, least) if self._test is None else self._weigh(self._test, x, blanket)
        )

    def changes(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable for its blanket and every single change of it."""
        if x not in self.knowledge.said:
            return self._score.changes(x, blanket)
        return np.array([self.term(x, each) for each in changed_blankets(x, blanket, len(self.names))])

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give what the terms of `changes` are at most."""
        if x not in self.knowledge.said:
            return self._score.bounds(x, blanket)
        return self.changes(x, blanket), np.ones(len(self.names), bool)

    def lifted(self, x: int, y: int) -> Self:
        """Give the same score without what is known of whether one pair is joined."""
        twin = copy(self)
        twin.knowledge = self.knowledge.lifted(x, y)
        twin._test = None if self._test is None else self._test.lifted(x, y)
        return twin

    def _weigh(self, test: KnownProbabilities, x: int, blanket: tuple[int, ...]) -> float:
        """Sum the log posteriors of what a blanket says of the pairs that are open."""
        is_open = self.knowledge.is_open(x)
        members = [b for b in blanket if is_open[b]]
        is_open[members] = False
        logs = test.each_log_posterior(x, np.flatnonzero(is_open).tolist(), blanket)[0].tolist()
        for b in members:
            logs.append(float(test.each_log_posterior(x, [b], tuple(z for z in blanket if z != b))[1][0]))
        return math.fsum(logs)
