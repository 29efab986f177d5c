"""Tests told what is known of pairs: a settled pair is not tested, others may have a prior of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from copy import copy
from typing import Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ibmap.errors import KnowledgeError
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.link_test import LinkTest
from ibmap.independence.memo import Key
from ibmap.independence.protocol import (
    Answer,
    IndependenceTest,
    LogProbabilities,
    ProbabilisticTest,
    Triplet,
)

T = TypeVar("T", bound=IndependenceTest)
JOINED, APART = Answer(False, -math.inf), Answer(True, 0.0)


def known_test(test: T, knowledge: Knowledge) -> T:
    """Let a test go by what is known; the test itself if nothing is."""
    if not knowledge:
        return test
    kind = KnownProbabilities if isinstance(test, ProbabilisticTest) else KnownTest
    return cast("T", kind(test, knowledge))


class KnownTest(IndependenceTest):
    """Answers settled pairs without the data, and leaves the others to a test."""

    def __init__(self, test: IndependenceTest, knowledge: Knowledge) -> None:
        super().__init__(test.names)
        self.test, self.knowledge = test, knowledge
        self._by_prior: dict[float, IndependenceTest] = {}
        for p in sorted({*knowledge.priors.values()}):
            self._by_prior[p] = _with_prior(test, p)

    @property
    def n_tests(self) -> int:
        """Number of distinct questions asked of the data so far."""
        return sum(test.n_tests for test in self._tests)

    @property
    def asked_keys(self) -> Set[Key]:
        """The distinct questions asked of the data so far."""
        return frozenset().union(*(test.asked_keys for test in self._tests))

    @property
    def _tests(self) -> list[IndependenceTest]:
        return [self.test, *self._by_prior.values()]

    def of_pair(self, x: int, y: int) -> IndependenceTest:
        """Give the test that tests a pair: that with its prior."""
        return self._by_prior.get(self.knowledge.priors.get((min(x, y), max(x, y)), math.nan), self.test)

    def ask_triplet(self, triplet: Triplet) -> Answer:
        """Answer by what is known, else by the test."""
        is_joined = self.knowledge.settled(triplet.x, triplet.y)
        if is_joined is not None:
            return JOINED if is_joined else APART
        return self.of_pair(triplet.x, triplet.y).ask_triplet(triplet)

    def ask_each(
        self, x: int, candidates: Sequence[int], given: tuple[int, ...], until_dependent: bool = False
    ) -> list[Answer]:
        """Test one variable against others in turn; of what is known of none, all at once."""
        if x not in self.knowledge.said:
            return self.test.ask_each(x, candidates, given, until_dependent)
        answers: list[Answer] = []
        for y in candidates:
            answers.append(self.ask_triplet(Triplet(x, y, given)))
            if until_dependent and not answers[-1].independent:
                break
        return answers

    def apart(self) -> Self | None:
        """Give the same test with a memory of its own, for another thread."""
        test, others = self.test.apart(), {p: each.apart() for p, each in self._by_prior.items()}
        if test is None or not all(others.values()):
            return None
        twin = copy(self)
        twin.test, twin._by_prior = test, {p: each for p, each in others.items() if each is not None}
        return twin

    def remember(self, other: Self) -> None:
        """Count what another has been asked as if it had been asked here."""
        for own, each in zip(self._tests, other._tests, strict=True):
            own.remember(each)

    def lifted(self, x: int, y: int) -> Self:
        """Give the same test without what is known of whether one pair is joined."""
        twin = copy(self)
        twin.knowledge = self.knowledge.lifted(x, y)
        return twin

    def _answer(self, triplet: Triplet) -> Answer:
        """Leave it to the test."""
        return self.ask_triplet(triplet)


class KnownProbabilities(KnownTest, ProbabilisticTest):
    """The same for a test that gives probabilities: settled pairs have those of 0 and 1."""

    def log_posteriors(self, triplet: Triplet) -> LogProbabilities:
        """Give both log posteriors of a numbered triplet, without counting it."""
        is_joined = self.knowledge.settled(triplet.x, triplet.y)
        if is_joined is not None:
            return LogProbabilities(-math.inf, 0.0) if is_joined else LogProbabilities(0.0, -math.inf)
        test = self.of_pair(triplet.x, triplet.y)
        assert isinstance(test, ProbabilisticTest)
        return test.log_posteriors(triplet)

    def each_log_posterior(
        self, x: int, others: Sequence[int], given: tuple[int, ...]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give both log posteriors of one variable and others whose pairs are open, uncounted."""
        found = np.zeros((2, len(others)))
        tests = [self.of_pair(x, y) for y in others]
        for test in {id(each): each for each in tests}.values():
            places = [k for k, each in enumerate(tests) if each is test]
            asked = [others[k] for k in places]
            row = getattr(test, "row", None)
            if row is not None:
                found[:, places] = row(x, given).log_posteriors(asked)
            else:
                assert isinstance(test, ProbabilisticTest)
                found[:, places] = np.array([test.log_posteriors(Triplet(x, y, given)) for y in asked]).T
        return found[0], found[1]


def _with_prior(test: IndependenceTest, p: float) -> IndependenceTest:
    """Give the same test for pairs that are joined with a prior probability."""
    if isinstance(test, LinkTest):
        return test.with_odds(math.log(p) - math.log1p(-p))
    from ibmap.independence.bayesian import BayesianTest  # loads kernels

    if type(test) is not BayesianTest:
        msg = (
            f"edge_prior takes a test with a prior (bayesian, pairwise, or the recommended learner's), not a "
            f"{type(test).__name__}; leave it out, or say require and forbid"
        )
        raise KnowledgeError(msg)
    prior = test.prior
    return BayesianTest(test.table, 1 - p, prior.hyperparameters, prior.slices, prior.equivalent_sample_size)
