"""The local IB-score of tests that ask regressions: one logistic fit for each blanket.

The fit of X on its blanket B serves all n - 1 assertions of X's term: what each variable
outside would add, and what each member gives. The test by itself asks both variables of a pair; here
each variable's term asks its own regression, so over the n(n - 1) assertions of a structure both are
asked as well.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from copy import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ibmap.graph.candidates import Candidates
from ibmap.graph.closure import changed_blankets
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.link_test import LinkTest
from ibmap.independence.regression import Ask, ask_all
from ibmap.pools.protocol import Pool

Floats = NDArray[np.float64]
Question = tuple[int, tuple[int, ...]]  # a variable and its blanket

MEMORY = 1 << 28  # bytes of Bayes factors remembered at most


class PairwiseScore:
    """The blanket closure's score of a test that asks regressions."""

    def __init__(
        self, test: LinkTest, knowledge: Knowledge | None = None, candidates: Candidates | None = None
    ) -> None:
        self.names = test.names
        self.log_prior_odds = test.log_prior_odds
        self.knowledge = knowledge or None
        self._regressions = test.regressions
        self.candidates = candidates or Candidates(len(self.names))  # others are taken as not linked
        self.ask: Ask = ask_all
        self.compile_after: int | None = None  # fits, after which a small table is taken as a hard one
        self._asked: set[Question] = set()
        self._weighed, self._total = list[int](), [0, 0]  # assertions of each fit; fits summed, and their sum
        self._known: OrderedDict[Question, Floats] = OrderedDict()
        mean_size = 1 + self.candidates.sizes.mean() if self.names else 1
        self._capacity = max(int(MEMORY / (24 * mean_size)), 64)

    def with_prior(self, prior: float) -> Self:
        """Give the same score with another prior probability of independence; fits are shared."""
        twin = copy(self)
        twin.log_prior_odds = math.log1p(-prior) - math.log(prior)
        return twin

    @property
    def n_tests(self) -> int:
        """Assertions weighed so far: a fit weighs one for every candidate that is not settled."""
        n_summed = len(self._weighed)
        self._total[:] = n_summed, self._total[1] + sum(self._weighed[self._total[0] : n_summed])
        return self._total[1]

    def _n_open(self, x: int) -> int:
        """Count the candidates of a variable whose link is not settled."""
        said = {} if self.knowledge is None else self.knowledge.said.get(x, {})
        settled = [y for y, odds in said.items() if math.isinf(odds)]
        return int(self.candidates.sizes[x]) - sum(self.candidates.place(x, y) >= 0 for y in settled)

    def lifted(self, x: int, y: int) -> Self:
        """Give the same score without what is known of whether one pair is joined."""
        twin = copy(self)
        twin.knowledge = None if self.knowledge is None else self.knowledge.lifted(x, y)
        return twin

    def log_factors(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the log Bayes factor of a link of x with each of its candidates, given its blanket."""
        factors: Floats = self._factors(x, blanket)[0]
        return factors

    def evidence(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the log-odds of a link of x with each of its candidates; infinite where it is known."""
        return self.log_factors(x, blanket) + self._prior_odds(x)

    def evidences(self, questions: Sequence[Question], pool: Pool) -> list[Floats]:
        """Give the evidence on several variables and their blankets."""
        found = zip(questions, self.all_factors(questions, pool), strict=True)
        return [factors + self._prior_odds(x) for (x, _), factors in found]

    def all_factors(self, questions: Sequence[Question], pool: Pool) -> list[Floats]:
        """Give `log_factors` of several variables and their blankets; a pool makes the fits not known yet."""
        known = {each: self._known[each] for each in questions if each in self._known}
        new = [each for each in dict.fromkeys(questions) if each not in known]
        if new:
            asked = [(x, blanket, self._row(x)) for x, blanket in new]
            found = self.ask(self._regressions.fits, asked, pool)
            known |= {each: self._remember(each, own) for each, own in zip(new, found, strict=True)}
        return [known[each][0] for each in questions]

    def _prior_odds(self, x: int) -> Floats | float:
        """Give the prior log-odds of the links of x: what is known, else those of all pairs."""
        if self.knowledge is None or x not in self.knowledge.said:
            return self.log_prior_odds
        return self.knowledge.log_odds(x, self.log_prior_odds)[self.candidates.row(x)]

    def opinions(self, x: int, blanket: tuple[int, ...], y: int) -> dict[str, float]:
        """Give the log-odds of one link by each model the test averages over; nothing if there is one."""
        if not self._regressions.has_tables:
            return {}
        _, main, tables = (self._factors(x, blanket) + self._prior_odds(x))[:, self.candidates.place(x, y)]
        if math.isnan(tables):  # where numbers are, full tables have no meaning
            return {}
        return {"main effects": float(main), "full tables": float(tables)}

    def _factors(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give log Bayes factors by model and variable; the same question is often asked again."""
        known = self._known.get((x, blanket))
        if known is None:
            found = self._regressions.fits.log_bayes_factors(x, blanket, self._row(x))
            known = self._remember((x, blanket), found)
        return known

    def _row(self, x: int) -> NDArray[np.int64] | None:
        """Give the candidates of a variable; None for all."""
        return None if self.candidates.is_all else self.candidates.row(x)

    def _remember(self, question: Question, found: Floats) -> Floats:
        """Keep what a fit says, in place of the oldest if there are many, and count what it weighed."""
        if question not in self._asked:
            self._asked.add(question)
            self._weighed.append(self._n_open(question[0]))
            if len(self._asked) == self.compile_after:
                self._regressions.compile()
        self._known[question] = found
        if len(self._known) > self._capacity:
            self._known.popitem(last=False)
        return found

    def term(self, x: int, blanket: tuple[int, ...], least: float = -math.inf) -> float:
        """Give the term of a variable for a blanket."""
        own = self.candidates.place(x, x)
        return term_of(self.evidence(x, blanket), own, self.candidates.places(x, blanket))

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


def term_of(evidence: Floats, x: int, blanket: Sequence[int]) -> float:
    """Sum the log posteriors of what a blanket says: members are linked, all others are not."""
    # x, blanket: their places in the row of candidates that the evidence is of
    against = evidence.copy()
    against[list(blanket)] *= -1
    against[x] = -np.inf
    return -float(np.logaddexp(0.0, against).sum())
