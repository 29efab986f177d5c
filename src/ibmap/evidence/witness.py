"""A table and the tests on it: what they say of pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable
from ibmap.evidence.counts import count_slices
from ibmap.evidence.statements import Statement, Verdict
from ibmap.graph import MarkovGraph
from ibmap.independence.link_test import LinkTest
from ibmap.independence.posterior import softplus
from ibmap.independence.protocol import ProbabilisticTest, Triplet
from ibmap.score import LocalScore, flip_gain, flip_gains, knowledge_of, local_score
from ibmap.score.pairwise import PairwiseScore

if TYPE_CHECKING:  # their kernels are loaded by tests that need them
    from ibmap.independence.bayesian import BayesianTest
    from ibmap.independence.binary_rows import BinaryColumns
    from ibmap.independence.binary_triplets import Findings
    from ibmap.independence.rows import Row

MAX_VARIABLES = 100  # up to which all pairs are weighed; it costs n^3 tests


class Witness:
    """A table and the tests on it, which give the evidence on pairs."""

    def __init__(
        self, table: EncodedTable, tests: Mapping[str, ProbabilisticTest], score: LocalScore | None = None
    ) -> None:
        self.table = table.distinct or table
        self.tests = dict(tests)
        first, *others = self.tests.items()
        self._scores = {first[0]: score or local_score(first[1])}
        self._scores |= {name: PairwiseScore(test) for name, test in others if isinstance(test, LinkTest)}

    def apart(self) -> Witness | None:
        """Give the same witness for another thread; None if threads cannot share its tests."""
        tests = {name: test.apart() for name, test in self.tests.items()}
        if not all(tests.values()):
            return None
        twin = copy(self)
        twin.tests = {name: test for name, test in tests.items() if test is not None}
        return twin

    @property
    def _score(self) -> LocalScore:
        """The score by the first test."""
        return next(iter(self._scores.values()))

    @property
    def columns(self) -> BinaryColumns | None:
        """The table as bits, if the first test works on them."""
        first = self._bayesian
        return None if first is None else first.columns

    @property
    def _bayesian(self) -> BayesianTest | None:
        """The first test if it is the Bayesian one on this table."""
        first = next(iter(self.tests.values()))
        if isinstance(first, LinkTest):
            return None
        from ibmap.independence.bayesian import BayesianTest

        return first if isinstance(first, BayesianTest) and first.table is self.table else None

    def statements(self, graph: MarkovGraph, x: int, y: int) -> tuple[Statement, Statement]:
        """Give what the closure says of a pair, with the evidence."""
        return self.all_statements(graph, [(x, y)])[0]

    def all_statements(
        self, graph: MarkovGraph, pairs: Sequence[tuple[int, int]], n_threads: int = 1
    ) -> list[tuple[Statement, Statement]]:
        """Give what the closure says of some pairs, with the evidence."""
        blankets = {v: graph.blanket(v) for v in {v for pair in pairs for v in pair}}
        triplets = [
            Triplet(x, y, tuple(z for z in blankets[x] if z != y))
            for pair in pairs
            for x, y in (pair, pair[::-1])
        ]
        columns = self.columns
        found: Sequence[Findings | None] = [None] * len(triplets)
        if columns is not None:
            from ibmap.independence.binary_triplets import find

            found = find(columns, [each.canonical() for each in triplets], n_threads)
        made = [self._statement(graph, each, known) for each, known in zip(triplets, found, strict=True)]
        return list(zip(made[::2], made[1::2], strict=True))

    def loss(self, graph: MarkovGraph, x: int, y: int) -> float:
        """Give how much the score falls if a pair is flipped, by the data even if the pair is settled."""
        return -flip_gain(_lifted(self._score, x, y), graph, x, y)

    def with_required(
        self, graph: MarkovGraph, gains: Mapping[tuple[int, int], float]
    ) -> Mapping[tuple[int, int], float]:
        """Add to gains what the data say of flipping each edge that is required."""
        known = knowledge_of(self._score)
        if known is None:
            return gains
        return {**gains, **{pair: -self.loss(graph, *pair) for pair in known.required}}

    def gains_of(self, graph: MarkovGraph, x: int) -> NDArray[np.float64]:
        """Give what the score gains by each flip that touches one variable."""
        gains = np.full((graph.n_variables, graph.n_variables), -np.inf)
        own = self._score.changes(x, graph.blanket(x))
        for y in range(graph.n_variables):
            if y != x:
                after = self._score.term(y, graph.flip(x, y).blanket(y))
                change = own[y] - own[x] + after - self._score.term(y, graph.blanket(y))
                gains[x, y] = gains[y, x] = change
        return gains

    def gains(self, graph: MarkovGraph) -> NDArray[np.float64]:
        """Give what the score gains by flipping each pair, or each edge if there are many variables."""
        if graph.n_variables <= MAX_VARIABLES:
            return flip_gains(self._score, graph)
        gains = np.full((graph.n_variables, graph.n_variables), -np.inf)
        for x, y in graph.edges:
            gains[x, y] = gains[y, x] = flip_gain(self._score, graph, x, y)
        return gains

    def _statement(self, graph: MarkovGraph, triplet: Triplet, known: Findings | None) -> Statement:
        """Give what the blanket of one variable says. known: what the first test finds, if that is known."""
        verdicts: list[Verdict] = []
        for name, own in self.tests.items():
            score, test = (_lifted(each, triplet.x, triplet.y) for each in (self._scores.get(name), own))
            if isinstance(score, PairwiseScore):  # what the score itself goes by
                verdicts += _verdicts(name, score, triplet.x, graph.blanket(triplet.x), triplet.y)
            else:
                both = known[:2] if known is not None and not verdicts else test.log_posteriors(triplet)
                verdicts.append(Verdict(name, *both))
        counts = count_slices(self.table, triplet, known or self._row(triplet))
        is_independent = not graph.adjacency[triplet.x, triplet.y]
        return Statement(*triplet, is_independent, tuple(verdicts), counts)

    def _row(self, triplet: Triplet) -> Row | None:
        """Give the data as the first test has just sliced it for a triplet, if it did."""
        first = self._bayesian
        if first is None:
            return None
        x, _, given = triplet.canonical()
        return first.kept_row(x, given)


def _lifted(told: Any, x: int, y: int) -> Any:
    """Give a score or a test without what is known of whether a pair is joined: what the data say."""
    known = knowledge_of(told)
    return told if known is None or known.settled(x, y) is None else told.lifted(x, y)


def _verdicts(name: str, score: PairwiseScore, x: int, blanket: tuple[int, ...], y: int) -> list[Verdict]:
    """Give what the regression of one variable says of a link, and each model by itself."""
    log_odds = {
        name: float(score.evidence(x, blanket)[score.candidates.place(x, y)]),
        **score.opinions(x, blanket, y),
    }
    return [Verdict(each, -softplus(e), -softplus(-e)) for each, e in log_odds.items()]
