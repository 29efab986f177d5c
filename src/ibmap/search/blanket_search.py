"""The search for the most probable run of GS for one variable of a binary table, compiled.

The same search as `RunSearch`, over the same states, in `ibmap.kernels.run_search`.
Candidates tested given the same members are taken together, so a node here is a set of
members in the grow phase, and a question in the shrink phase.

It goes in two steps. The first trusts a guess: that what is to come costs nearly as much as the
likelier answers given the members so far. It expands few nodes and ends with a run that is good,
often the best. The second trusts nothing but bounds, and proves which run is the best.
"""

from __future__ import annotations

import math
import time
from itertools import count, pairwise
from typing import Any

import numpy as np

from ibmap.blankets.grow_shrink import GrowShrink, Phase
from ibmap.graph.closure import Assertion
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.protocol import ProbabilisticTest, Triplet
from ibmap.kernels import run_search as kernels
from ibmap.kernels.two_by_two import log_dependent
from ibmap.search.best_first import Allowance
from ibmap.search.blanket_inputs import data_of, prior_of
from ibmap.search.blanket_tables import SearchTables
from ibmap.search.operator_tree import rank_of
from ibmap.search.triplet_set import TripletSet
from ibmap.ties import TOLERANCE

MAX_VARIABLES = 64  # a set of variables is a word
CHUNK_SECONDS = 0.05  # between two readings of the clock
TRUST = 0.9  # how much of the guess the first step believes
GUESSED_NODES = 150  # that the first step expands, at most


def can_search(operator: Any, test: ProbabilisticTest) -> bool:
    """Tell whether the runs of an operator can be searched by the compiled search."""
    return (
        type(operator) is GrowShrink
        and operator.grow == "once"
        and type(test) is BayesianTest
        and test.columns is not None
        and test.n_variables <= MAX_VARIABLES
        and len(operator.candidates) == test.n_variables - 1
    )


class BlanketSearch:
    """The search for the most probable run of GS for one binary variable."""

    def __init__(self, operator: GrowShrink, test: BayesianTest) -> None:
        assert test.columns is not None, "the table must be binary"
        self._operator = operator
        self._order = np.array(operator.candidates, np.int64)
        self._place = {y: k for k, y in enumerate(operator.candidates)}
        self._data = data_of(test.columns, operator.x, self._order)
        self._prior = prior_of(test.columns, len(self._order))
        self._lows = np.empty(len(self._order))
        self._tables = SearchTables(len(self._order))
        self._tables.begin()
        self._trust = TRUST
        self._best: tuple[float, tuple[int, ...], tuple[bool, ...]] = (math.inf, (), ())
        self._chunk = 64
        self.stopped = ""
        self._follow(())

    @property
    def n_expanded(self) -> int:
        """Nodes expanded so far."""
        return int(self._tables.counts[kernels.N_EXPANDED])

    @property
    def n_frontier(self) -> int:
        """Nodes on the frontier."""
        return self._tables.n_frontier

    @property
    def is_done(self) -> bool:
        """Whether no better run can be on the frontier."""
        return not self._trust and self._is_exhausted

    @property
    def _is_exhausted(self) -> bool:
        """Whether all on the frontier costs more than the best run, as far as is believed."""
        cheapest = self._tables.costs[kernels.CHEAPEST]
        return not self.n_frontier or bool(self._tables.heap[0][0] > cheapest + TOLERANCE)

    @property
    def n_bytes(self) -> int:
        """Memory of all tables."""
        return self._tables.n_bytes

    @property
    def lowest(self) -> float:
        """What the cheapest run costs at least."""
        if self._trust:
            return 0.0
        cheapest = float(self._tables.costs[kernels.CHEAPEST])
        return min(cheapest, float(self._tables.heap[0][0])) if self.n_frontier else cheapest

    @property
    def cost(self) -> float:
        """What the best run so far costs."""
        return self._best[0]

    @property
    def found(self) -> tuple[int, ...]:
        """The blanket of the best run so far, in order of inclusion."""
        return self._best[1]

    @property
    def closure(self) -> tuple[Assertion, ...]:
        """The assertions of the best run so far, in the order asked."""
        made = []
        state = self._operator.begin()
        for independent in self._best[2]:
            triplet = self._operator.question(state)
            assert triplet is not None, "more answers than questions"
            made.append(Assertion(*triplet, independent))
            state = self._operator.after(state, independent)
        return tuple(made)

    @property
    def tests(self) -> TripletSet:
        """The distinct tests made."""
        return TripletSet.from_words(self._operator.x, self._order, *self._tables.tests)

    def advance(self, allowance: Allowance | None = None) -> None:
        """Search until it is done or the allowance is used up."""
        n_nodes, n_bytes, deadline, watch = allowance or Allowance()
        last = math.inf if n_nodes is None else self.n_expanded + n_nodes
        while True:
            if watch is not None:
                watch()
            begun = time.monotonic()
            reason = self._advance_some(int(min(self._chunk, last - self.n_expanded)))
            seconds = time.monotonic() - begun
            self._chunk = max(16, int(self._chunk * (2 if seconds < CHUNK_SECONDS else 0.5)))
            if self.is_done:
                self._stop("optimum")
                return
            if reason in (kernels.MORE_NODES, kernels.MORE_ROWS):
                if not self._tables.make_room(reason, n_bytes):
                    self._stop("max_memory")
                    return
            elif self._trust and (self._is_exhausted or self.n_expanded >= GUESSED_NODES):
                self._begin_proof()
            if self.n_expanded >= last:
                self._stop("max_nodes")
                return
            if deadline is not None and time.monotonic() > deadline:
                self._stop("max_seconds")
                return

    def complete(self) -> None:
        """Complete the run at the lowest node of the frontier, by the likelier answers."""
        if not self._is_exhausted:
            self._take_winner()
            self._follow(self._answers(int(self._tables.heap[1][0])))

    def _advance_some(self, n_nodes: int) -> int:
        """Run the kernel for so many nodes."""
        tables = self._tables
        if self._trust:
            n_nodes = min(n_nodes, GUESSED_NODES - self.n_expanded)
        return int(
            kernels.advance(
                self._data,
                self._prior,
                (tables.nodes, tables.heap, tables.slots, tables.rows),
                tables.row_slots,
                tables.counts,
                tables.costs,
                TOLERANCE,
                self._trust,
                n_nodes,
            )
        )

    def _begin_proof(self) -> None:
        """Keep the best run found by guessing and begin anew without."""
        self.complete()
        self._take_winner()
        self._trust = 0.0
        self._tables.begin()

    def _stop(self, reason: str) -> None:
        """Take the best run from the kernel; let go of what a finished search does not need."""
        self.stopped = reason
        self._take_winner()
        if reason == "optimum":
            self._tables.release()

    def _take_winner(self) -> None:
        """Take the best run that the kernel has found, if any."""
        winner = int(self._tables.counts[kernels.WINNER])
        if winner >= 0:
            self._add_run(float(self._tables.costs[kernels.WINNING]), self._answers(winner))

    def _answers(self, node: int) -> tuple[bool, ...]:
        """Give the answers that lead to a node."""
        _, members, forms, parents = self._tables.nodes
        path = []
        while node >= 0:
            path.append(node)
            node = int(parents[node])
        path.reverse()
        grown = [k for k in path if forms[k] == kernels.GROWING]
        shrunk = path[len(grown) :]
        last = int(members[grown[-1]])
        n_asked = len(self._order) if shrunk else last.bit_length()
        growing = [not last >> k & 1 for k in range(n_asked)]
        sets = [int(members[k]) for k in shrunk]
        return tuple(growing + [a != b for a, b in pairwise(sets)])

    def _follow(self, answers: tuple[bool, ...]) -> None:
        """Complete a run by the likelier answers, independence where they are equal."""
        cost, made = 0.0, list(answers)
        state: Phase = self._operator.begin()
        for step in count():
            triplet = self._operator.question(state)
            if triplet is None:
                break
            independent = self._price(state, triplet)
            dependent = -float(log_dependent(independent))
            if step == len(made):
                made.append(independent <= dependent + TOLERANCE)
            cost += independent if made[step] else dependent
            state = self._operator.after(state, made[step])
        costs = self._tables.costs
        costs[kernels.CHEAPEST] = min(costs[kernels.CHEAPEST], cost)
        self._add_run(cost, tuple(made))

    def _price(self, state: Phase, triplet: Triplet) -> float:
        """Look up what it costs to answer that a triplet is independent."""
        tables = self._tables
        if tables.counts[kernels.N_ROWS] == len(tables.rows[0]):
            tables.make_room(kernels.MORE_ROWS, None)
        given = self._as_word(triplet.given)
        wanted = self._as_word(self._operator.upcoming(state))
        where = (tables.rows, tables.row_slots, tables.counts)
        row = kernels.find_row(self._data, self._prior, *where, given, wanted, self._lows, False)
        return float(tables.rows[1][row, self._place[triplet.y]])

    def _as_word(self, variables: tuple[int, ...]) -> np.uint64:
        """Write a set of candidates as the kernel does."""
        return np.uint64(sum(1 << self._place[z] for z in variables))

    def _add_run(self, cost: float, answers: tuple[bool, ...]) -> None:
        """Keep a run if it is the best so far, or as good and its blanket ranks lower."""
        state: Phase = self._operator.begin()
        for independent in answers:
            state = self._operator.after(state, independent)
        blanket = self._operator.outcome(state)
        is_equal = abs(cost - self._best[0]) <= TOLERANCE
        if cost < self._best[0] - TOLERANCE or (is_equal and rank_of(blanket) < rank_of(self._best[1])):
            self._best = (cost, blanket, answers)
