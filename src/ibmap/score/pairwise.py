"""The local IB-score of tests that ask regressions: one logistic fit for each blanket.

The fit of X on its blanket B serves all n - 1 assertions of X's term: what each variable
outside would add, and what each member gives. The test by itself asks both variables of a pair; here
each variable's term asks its own regression, so over the n(n - 1) assertions of a structure both are
asked as well.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ibmap.graph.closure import changed_blankets
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.link_test import LinkTest

Floats = NDArray[np.float64]

MEMORY = 1 << 28  # bytes of Bayes factors remembered at most


class PairwiseScore:
    """The blanket closure's score of a test that asks regressions."""

    def __init__(self, test: LinkTest, knowledge: Knowledge | None = None) -> None:
        self.names = test.names
        self.log_prior_odds = test.log_prior_odds
        self.knowledge = knowledge or None
        self._regressions = test.regressions
        self._asked: set[tuple[int, tuple[int, ...]]] = set()
        self._known: OrderedDict[tuple[int, tuple[int, ...]], Floats] = OrderedDict()
        self._capacity = max(MEMORY // (24 * len(self.names)), 64)

    def with_prior(self, prior: float) -> Self:
        """Give the same score with another prior probability of independence; fits are shared."""
        twin = copy(self)
        twin.log_prior_odds = math.log1p(-prior) - math.log(prior)
        return twin

    @property
    def n_tests(self) -> int:
        """Assertions weighed so far: a fit weighs one for every other variable."""
        n_asked = len(self._asked) * (len(self.names) - 1)
        if self.knowledge is None:
            return n_asked
        settled = {x: sum(map(math.isinf, own.values())) for x, own in self.knowledge.said.items()}
        return n_asked - sum(settled.get(x, 0) for x, _ in self._asked)

    def lifted(self, x: int, y: int) -> Self:
        """Give the same score without what is known of whether one pair is joined."""
        twin = copy(self)
        twin.knowledge = None if self.knowledge is None else self.knowledge.lifted(x, y)
        return twin

    def log_factors(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the log Bayes factor of a link of x with every other variable, given its blanket."""
        factors: Floats = self._factors(x, blanket)[0]
        return factors

    def evidence(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the log-odds of a link of x with every other variable; infinite where it is known."""
        return self.log_factors(x, blanket) + self._prior_odds(x)

    def _prior_odds(self, x: int) -> Floats | float:
        """Give the prior log-odds of the links of x: what is known, else those of all pairs."""
        if self.knowledge is None or x not in self.knowledge.said:
            return self.log_prior_odds
        return self.knowledge.log_odds(x, self.log_prior_odds)

    def opinions(self, x: int, blanket: tuple[int, ...], y: int) -> dict[str, float]:
        """Give the log-odds of one link by each model the test averages over; nothing if there is one."""
        if not self._regressions.has_tables:
            return {}
        _, main, tables = (self._factors(x, blanket) + self._prior_odds(x))[:, y]
        if math.isnan(tables):  # where numbers are, full tables have no meaning
            return {}
        return {"main effects": float(main), "full tables": float(tables)}

    def _factors(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give log Bayes factors by model and variable; the same question is often asked again."""
        known = self._known.get((x, blanket))
        if known is None:
            self._asked.add((x, blanket))
            known = self._regressions.log_bayes_factors(x, blanket)
            self._known[x, blanket] = known
            if len(self._known) > self._capacity:
                self._known.popitem(last=False)
        return known

    def term(self, x: int, blanket: tuple[int, ...], least: float = -math.inf) -> float:
        """Give the term of a variable for a blanket."""
        return term_of(self.evidence(x, blanket), x, blanket)

    def changes(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable for its blanket and every single change of it."""
        changed = changed_blankets(x, blanket, len(self.names))
        if self.knowledge is None:
            return np.array([self.term(x, each) for each in changed])
        allows = self.knowledge.allows
        return np.array([self.term(x, each) if allows(x, each) else -math.inf for each in changed])

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give the terms of `changes`, all exact."""
        return self.changes(x, blanket), np.ones(len(self.names), bool)


def term_of(evidence: Floats, x: int, blanket: tuple[int, ...]) -> float:
    """Sum the log posteriors of what a blanket says: members are linked, all others are not."""
    against = evidence.copy()
    against[list(blanket)] *= -1
    against[x] = -np.inf
    return -float(np.logaddexp(0.0, against).sum())
