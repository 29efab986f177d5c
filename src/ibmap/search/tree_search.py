"""IBMAP-TS: the most probable of all runs of an independence-based algorithm.

Every triplet an algorithm asks branches into both answers; the cost of an answer
is minus the log of its posterior. The cheapest path from the root to a leaf is the
run whose assertions have the highest product of posteriors, and the score of the
structure it ends with.

An algorithm made of independent parts (`InTurn`: GSMN, one
part a variable) is searched part by part. Its cost is a sum over the parts, and
every combination of runs of the parts is a run, so the cheapest run is made of the
cheapest run of each part: n small searches instead of one of their product.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

from ibmap.blankets.grow_shrink import GrowShrink
from ibmap.blankets.operator import InTurn, Operator
from ibmap.errors import StopSearch
from ibmap.graph.closure import Assertion
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.known import KnownProbabilities
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.search.blanket_search import BlanketSearch, can_search
from ibmap.search.budget import Budget, Resumable, share
from ibmap.search.operator_tree import RunSearch
from ibmap.search.triplet_set import TripletSet

TELL_SECONDS = 0.1


class TreeProgress(NamedTuple):
    """What a callback gets: where a tree search stands."""

    # `done` of `total` parts are searched to their end; `n_frontier` states wait in the others. The
    # structure found so far costs `cost`, the cheapest at least `bound`.

    phase: str
    done: int
    total: int
    n_nodes: int
    n_frontier: int
    cost: float
    bound: float
    seconds: float


Callback = Callable[[TreeProgress], None]


@dataclass(frozen=True)
class TreeSearch:
    """The outcome of a tree search."""

    found: Any  # what the best run found: a structure, or a blanket
    score: float  # sum of the log posteriors of its assertions
    bound: float  # no run has a higher score; the score itself if the search was not cut short
    closure: tuple[Assertion, ...]  # the assertions of the run, in the order asked
    n_nodes: int  # states whose question was branched on
    n_frontier: int  # states left when the search was cut short
    stopped: str  # {"optimum", "max_nodes", "max_seconds", "max_memory", "interrupted"}: why it ended
    tests: TripletSet  # the distinct tests it rests on

    @property
    def gap(self) -> float:
        """How far the score can be from the best, at most."""
        return max(self.bound - self.score, 0.0)


class PartSearch(Resumable, Protocol):
    """The search for the most probable run of one part."""

    @property
    def cost(self) -> float:
        """What the best run so far costs."""
        ...

    @property
    def lowest(self) -> float:
        """What the cheapest run costs at least."""
        ...

    @property
    def n_frontier(self) -> int:
        """States on the frontier."""
        ...

    @property
    def found(self) -> Any:
        """What the best run so far found."""
        ...

    @property
    def closure(self) -> tuple[Assertion, ...]:
        """The assertions of the best run so far."""
        ...

    @property
    def tests(self) -> TripletSet:
        """The distinct tests made."""
        ...

    def complete(self) -> None:
        """Complete the run at the lowest state of the frontier, by the likelier answers."""
        ...


def tree_search(
    operator: Operator[Any, Any],
    test: ProbabilisticTest,
    *,
    budget: Budget | None = None,
    n_threads: int = 1,
    callback: Callback | None = None,
) -> TreeSearch:
    """Find the run of an algorithm whose assertions have the highest product of posteriors."""
    # Among runs within 1e-9 of the best the one with the fewest edges wins, then the one with the
    # lowest: for parts, each blanket by itself.
    parts, join = (operator.parts, operator.join) if isinstance(operator, InTurn) else ((operator,), _only)
    searches = [search_of(part, test) for part in parts]
    watch = _Watch(searches, callback)
    try:
        stopped = share(searches, budget or Budget(), n_threads, watch)
    except KeyboardInterrupt:
        stopped = "interrupted"
    for search in searches:
        if not search.is_done:
            search.complete()
    watch.tell()
    return TreeSearch(
        found=join(tuple(search.found for search in searches)),
        score=-math.fsum(search.cost for search in searches),
        bound=-math.fsum(min(search.lowest, search.cost) for search in searches),
        closure=tuple(assertion for search in searches for assertion in search.closure),
        n_nodes=sum(search.n_expanded for search in searches),
        n_frontier=sum(search.n_frontier for search in searches if not search.is_done),
        stopped=stopped,
        tests=TripletSet.join([search.tests for search in searches]),
    )


def search_of(part: Operator[Any, Any], test: ProbabilisticTest) -> PartSearch:
    """Choose how to search the runs of a part."""
    if (
        isinstance(test, KnownProbabilities)
        and isinstance(part, GrowShrink)
        and part.x not in test.knowledge.said
    ):
        return search_of(part, cast("ProbabilisticTest", test.test))
    if isinstance(part, GrowShrink) and isinstance(test, BayesianTest) and can_search(part, test):
        return BlanketSearch(part, test)
    return RunSearch(part, test)


def _only(found: tuple[Any, ...]) -> Any:
    """Give what the only part found."""
    return found[0]


class _Watch:
    """Called while searches advance: passes the progress on, now and then."""

    def __init__(self, searches: Sequence[PartSearch], callback: Callback | None) -> None:
        self._searches, self._callback = searches, callback
        self._lock = threading.Lock()
        self._is_stopped = False
        self._begun = self._told = time.monotonic()

    def __call__(self) -> None:
        """Tell the callback, if it is time."""
        if self._callback is not None and time.monotonic() - self._told > TELL_SECONDS:
            with self._lock:
                self.tell()
        if self._is_stopped:
            raise KeyboardInterrupt  # ends the round as Ctrl-C does

    def tell(self) -> None:
        """Tell the callback where the searches stand."""
        self._told = time.monotonic()
        if self._callback is None or self._is_stopped:
            return
        pending = [search for search in self._searches if not search.is_done]
        progress = TreeProgress(
            phase="searching",
            done=len(self._searches) - len(pending),
            total=len(self._searches),
            n_nodes=sum(search.n_expanded for search in self._searches),
            n_frontier=sum(search.n_frontier for search in pending),
            cost=math.fsum(search.cost for search in self._searches),
            bound=math.fsum(min(search.lowest, search.cost) for search in self._searches),
            seconds=self._told - self._begun,
        )
        try:
            self._callback(progress)
        except StopSearch:
            self._is_stopped = True
