"""All runs of an algorithm as a tree, and the search for the most probable one."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Generic, TypeVar

from ibmap.blankets.operator import Operator
from ibmap.graph import MarkovGraph
from ibmap.graph.closure import Assertion
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.protocol import ProbabilisticTest, Triplet
from ibmap.search.best_first import BestFirst
from ibmap.search.triplet_set import TripletSet

State = TypeVar("State", bound=Hashable)
TEST_BYTES = 300  # of a remembered test, measured


class OperatorTree(Generic[State]):
    """All runs of an operator as a tree whose branches cost what their answers are unlikely."""

    def __init__(self, operator: Operator[State, Any], test: ProbabilisticTest) -> None:
        self._operator, self._test = operator, test
        self._upcoming = getattr(operator, "upcoming", None) if hasattr(test, "row") else None
        self._costs: dict[Triplet, tuple[float, float]] = {}

    @property
    def tests(self) -> TripletSet:
        """The distinct tests made."""
        known: Knowledge | None = getattr(self._test, "knowledge", None)
        tested = (each for each in self._costs if known is None or known.settled(each.x, each.y) is None)
        return TripletSet.from_triplets(tested, self._test.n_variables)

    @property
    def n_bytes(self) -> int:
        """Memory of the tests remembered, estimated from their number."""
        return TEST_BYTES * len(self._costs)

    def root(self) -> State:
        """Give the state before any assertion."""
        return self._operator.begin()

    def branches(self, state: State) -> list[tuple[float, State]]:
        """Take both answers to the question of a state."""
        triplet = self._operator.question(state)
        if triplet is None:
            return []
        costs = self._costs_of(triplet, state)
        answers = zip(costs, (True, False), strict=True)
        return [(cost, self._operator.after(state, answer)) for cost, answer in answers if cost < math.inf]

    def bound(self, state: State) -> float:
        """Tell nothing about what remains."""
        return 0.0

    def rank(self, leaf: State) -> Any:
        """Prefer few edges, then the lowest columns."""
        return rank_of(self._operator.outcome(leaf))

    def closure(self, path: Iterable[State]) -> tuple[Assertion, ...]:
        """Give the assertions of a run."""
        return tuple(self._assertion(state, following) for state, following in pairwise(path))

    def _assertion(self, state: State, following: State) -> Assertion:
        """Tell which answer leads from a state to the next; the cheaper one if both do."""
        triplet = self._operator.question(state)
        assert triplet is not None, "a run ends where nothing is asked"
        costs = zip(self._costs_of(triplet, state), (True, False), strict=True)
        leading = [(cost, not yes) for cost, yes in costs if self._operator.after(state, yes) == following]
        return Assertion(*triplet, not min(leading)[1])

    def _costs_of(self, triplet: Triplet, state: State) -> tuple[float, float]:
        """Look up or work out the costs of both answers."""
        key = triplet.canonical()
        costs = self._costs.get(key)
        if costs is not None:
            return costs
        if self._upcoming is None:
            independent, dependent = self._test.log_posteriors(key)
            costs = self._costs[key] = (-independent, -dependent)
            return costs
        self._test_row(triplet.x, self._upcoming(state), triplet.given)
        return self._costs[key]

    def _test_row(self, x: int, partners: Sequence[int], given: tuple[int, ...]) -> None:
        """Test X against all it would be asked with next, given the same set."""
        found = self._test.row(x, given).log_posteriors(partners)  # type: ignore[attr-defined]
        for y, independent, dependent in zip(partners, *(values.tolist() for values in found), strict=True):
            self._costs[Triplet(x, y, given).canonical()] = (-independent, -dependent)


class RunSearch(BestFirst[State]):
    """The search for the most probable run of any operator."""

    def __init__(self, operator: Operator[State, Any], test: ProbabilisticTest) -> None:
        self._operator = operator
        self._runs = OperatorTree(operator, test)
        super().__init__(self._runs)

    @property
    def found(self) -> Any:
        """What the best run so far found."""
        return self._operator.outcome(self.leaf)

    @property
    def closure(self) -> tuple[Assertion, ...]:
        """The assertions of the best run so far, in the order asked."""
        return self._runs.closure(self.path())

    @property
    def tests(self) -> TripletSet:
        """The distinct tests made."""
        return self._runs.tests


def rank_of(found: Any) -> tuple[int, Any]:
    """Give what decides between things found that cost the same."""
    parts = found.edges if isinstance(found, MarkovGraph) else tuple(sorted(found))
    return len(parts), parts
