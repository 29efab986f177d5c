"""IBMAP-HHC: flip the pair whose two assertions are least probable, until that does not improve the score.

F. Schlüter, F. Bromberg, A. Edera, "The IBMAP approach for Markov network structure learning", Annals of
Mathematics and Artificial Intelligence 72, 2014. It begins without edges. One flip is tried where IBMAP-HC
weighs all n(n-1)/2, so that it takes O(n^2 + M n) tests for M ascents.

For scores that are not made of assertions, the posterior of what a blanket says of a link is read off the
score itself: its log-odds are by how much the variable's term gains or loses if the link is flipped there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ibmap.graph import MarkovGraph
from ibmap.progress import Callback, Monitor
from ibmap.score import LocalScore, TestScore, flip_gain, total_score
from ibmap.score.blanket_rows import BlanketRows
from ibmap.search.climb import Flip
from ibmap.search.found import Found, Watch
from ibmap.search.hill_climbing import best_flip
from ibmap.search.limits import Limits
from ibmap.ties import TOLERANCE

Floats = NDArray[np.float64]
Odds = Callable[[int, tuple[int, ...]], Floats]


@runtime_checkable
class _Evident(Protocol):
    """A score that gives the log-odds of every link of a variable."""

    def evidence(self, x: int, blanket: tuple[int, ...]) -> Floats: ...


def link_odds(score: LocalScore) -> Odds:
    """Give what tells the log-odds of each link of a variable, given the rest of its blanket."""
    if isinstance(score, _Evident):
        return score.evidence
    if isinstance(score, TestScore):
        return BlanketRows(score.test).odds

    def from_changes(x: int, blanket: tuple[int, ...]) -> Floats:
        changes = score.changes(x, blanket)
        odds = changes - changes[x]
        odds[list(blanket)] *= -1
        return np.asarray(odds)

    return from_changes


def heuristic_climb(
    score: LocalScore,
    start: MarkovGraph,
    *,
    odds: Odds | None = None,
    limits: Limits | None = None,
    callback: Callback | Monitor | None = None,
) -> Found:
    """Flip the least probable pair while that improves the score.

    `odds` are those of links; by default `link_odds` gives them. Ties go to the lowest pair.
    """
    odds, watch = odds or link_odds(score), Watch(limits, callback)
    graph, total, trace = start, total_score(score, start), list[Flip]()
    n = start.n_variables
    logs = np.zeros((n, n))  # of what the blanket of x asserts about y
    stale: tuple[int, ...] = tuple(range(n))
    while True:
        for v in stale:
            logs[v] = _asserted(odds(v, graph.blanket(v)), graph.blanket(v), v)
        if (stopped := watch.stop(len(trace))) is not None:
            break
        pair = _least_probable(logs)
        if pair is None or not (gain := flip_gain(score, graph, *pair)) > TOLERANCE:
            stopped = "finished"
            break
        graph, total, stale = graph.flip(*pair), total + gain, pair
        trace.append(Flip(*pair, graph.has_edge(*pair), gain, total))
        watch.tell(len(trace), total)
    n_iterations = len(trace) + (stopped == "finished")
    return Found(graph, total_score(score, graph), tuple(trace), n_iterations, stopped)


def _asserted(odds: Floats, blanket: tuple[int, ...], x: int) -> Floats:
    """Give the log posterior of what a blanket asserts, from the log-odds of links."""
    against = odds.copy()
    against[list(blanket)] *= -1
    row = -np.logaddexp(0.0, against)
    row[x] = 0.0
    return np.asarray(row)


def _least_probable(logs: Floats) -> tuple[int, int] | None:
    """Find the pair whose two assertions have the smallest product."""
    against = -(logs + logs.T)
    np.fill_diagonal(against, -np.inf)
    x, y, worst = best_flip(against)
    return None if worst == -np.inf else (x, y)
