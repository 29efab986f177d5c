"""Random restarts: climbs by any local score from several starts, of which the best is kept.

The paper climbs once. A restart begins with the best structure so far, some of whose pairs are flipped at
random (`"shaken"`), or with a random structure of as many edges (`"random"`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ibmap.graph import MarkovGraph
from ibmap.graph.knowledge import Knowledge
from ibmap.progress import Callback, Monitor
from ibmap.score import LocalScore, knowledge_of
from ibmap.search.cost import DistinctTests
from ibmap.search.found import Found, Watch
from ibmap.search.hill_climbing import hill_climb
from ibmap.search.limits import Limits
from ibmap.ties import TOLERANCE


class Restarts(NamedTuple):
    """How many restarts there are, of which kind, and how many pairs a shaken one flips."""

    n_restarts: int = 5
    kind: str = "shaken"
    n_shaken: int = 5


def climb_with_restarts(
    score: LocalScore,
    start: MarkovGraph,
    rng: np.random.Generator,
    restarts: Restarts | None = None,
    *,
    limits: Limits | None = None,
    callback: Callback | Monitor | None = None,
    n_threads: int = 1,
    tests: DistinctTests | None = None,
) -> Found:
    """Climb from the start, then from each restart; the trace is that of the climb that won."""
    restarts, watch = restarts or Restarts(), Watch(limits, callback)
    tests = tests or DistinctTests(start.n_variables)
    knowledge = knowledge_of(score) or Knowledge(start.names)
    best, n_iterations = None, 0
    for _ in range(restarts.n_restarts + 1):
        begin = start if best is None else _begin(best.graph, rng, restarts, knowledge)
        climb = hill_climb(
            score, begin, limits=watch.left(), n_threads=n_threads, callback=watch.monitor, tests=tests
        )
        n_iterations += climb.n_iterations
        if best is None or climb.score > best.score + TOLERANCE:
            best = climb
        if climb.stopped not in ("optimum", "max_ascents"):
            return Found(best.graph, best.score, best.trace, n_iterations, climb.stopped)
    assert best is not None
    return Found(best.graph, best.score, best.trace, n_iterations, best.stopped)


def _begin(
    best: MarkovGraph, rng: np.random.Generator, restarts: Restarts, knowledge: Knowledge
) -> MarkovGraph:
    """Make the structure that a restart begins with."""
    x, y = np.nonzero(np.triu(knowledge.open_pairs, 1))
    size = restarts.n_shaken if restarts.kind == "shaken" else best.n_edges
    chosen = rng.permutation(len(x))[:size]
    adjacency = best.adjacency.copy() if restarts.kind == "shaken" else np.zeros_like(best.adjacency)
    adjacency[x[chosen], y[chosen]] ^= True
    adjacency[y[chosen], x[chosen]] ^= True
    return MarkovGraph(knowledge.applied(adjacency), best.names)
