"""Beam search: several structures ascend side by side, by any local score.

The paper names local beam search as future work and leaves its details open. Here all single flips of
all structures of the beam compete for the places of the next one, a structure is never visited twice, and
the search ends after `patience` levels in a row without a new best. A beam of one without patience
is IBMAP-HC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.graph import MarkovGraph
from ibmap.progress import Callback, Monitor
from ibmap.score import LocalScore, total_score
from ibmap.search.climb import Flip
from ibmap.search.cost import DistinctTests
from ibmap.search.found import Found, Watch
from ibmap.search.limits import Limits
from ibmap.ties import TOLERANCE, order_with_ties

Floats = NDArray[np.float64]


class _Node(NamedTuple):
    """A structure of the beam."""

    graph: MarkovGraph
    score: float
    trace: tuple[Flip, ...]


class Beam(NamedTuple):
    """How wide a beam is, and for how many levels it goes on without a new best."""

    width: int = 5
    patience: int = 1


def beam_search(
    score: LocalScore,
    start: MarkovGraph,
    beam: Beam | None = None,
    *,
    limits: Limits | None = None,
    callback: Callback | Monitor | None = None,
    tests: DistinctTests | None = None,
) -> Found:
    """Keep the best `width` structures of each level; `tests` counts what the IB-score asks."""
    beam, watch = beam or Beam(), Watch(limits, callback)
    changes = _Changes(score, tests or DistinctTests(start.n_variables))
    best = _Node(start, total_score(score, start), ())
    level, visited = [best], {start.adjacency.tobytes()}
    n_seen, n_levels, n_idle = 0, 0, 0
    while (stopped := watch.stop(n_levels)) is None:
        n_seen += len(level)
        successors = [each for node in level for each in changes.successors(node, beam.width, visited)]
        level = _best_of(successors, beam.width)
        visited |= {node.graph.adjacency.tobytes() for node in level}
        n_levels += 1
        is_better = bool(level) and level[0].score > best.score + TOLERANCE
        best, n_idle = (level[0], 0) if is_better else (best, n_idle + 1)
        if not level or n_idle > beam.patience:
            stopped = "optimum"
            break
        watch.tell(n_levels, best.score, changes.tests.n_tests)
    return Found(best.graph, total_score(score, best.graph), best.trace, n_seen, stopped)


class _Changes:
    """The changes of blankets, each asked for once: structures of a beam share most of their blankets."""

    def __init__(self, score: LocalScore, tests: DistinctTests) -> None:
        self.score, self.tests = score, tests
        self._kept: dict[tuple[int, tuple[int, ...]], Floats] = {}

    def successors(self, node: _Node, width: int, visited: set[bytes]) -> Iterator[_Node]:
        """Make the best neighbours of a structure, as many as may have a place in the beam."""
        n = node.graph.n_variables
        rows = np.array([self._row(x, node.graph.blanket(x)) for x in range(n)])
        gains = rows - rows.diagonal()[:, None]
        x, y = np.triu_indices(n, 1)
        values, n_made = (gains + gains.T)[x, y], 0
        for k in order_with_ties(-values):
            if values[k] == -np.inf:  # against what is known
                return
            graph = node.graph.flip(int(x[k]), int(y[k]))
            if graph.adjacency.tobytes() not in visited:
                after = node.score + float(values[k])
                flip = Flip(
                    int(x[k]), int(y[k]), graph.has_edge(int(x[k]), int(y[k])), float(values[k]), after
                )
                yield _Node(graph, after, (*node.trace, flip))
                n_made += 1
            if n_made == width:
                return

    def _row(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable for its blanket and every single change of it."""
        if (x, blanket) not in self._kept:
            self._kept[x, blanket] = self.score.changes(x, blanket)
            self.tests.count(x, blanket)
        return self._kept[x, blanket]


def _best_of(nodes: list[_Node], width: int) -> list[_Node]:
    """Keep the best structures, each once; of equal scores the earlier one."""
    kept: dict[bytes, _Node] = {}
    for k in order_with_ties(-np.array([node.score for node in nodes])):
        kept.setdefault(nodes[k].graph.adjacency.tobytes(), nodes[k])
        if len(kept) == width:
            break
    return list(kept.values())
