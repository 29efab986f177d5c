"""Hill climbing by a score of whole structures: the best of all single flips, as in IBMAP-HC."""

from __future__ import annotations

from ibmap.graph import MarkovGraph
from ibmap.progress import Callback, Monitor
from ibmap.score.graph_score import GraphScore
from ibmap.search.climb import Flip
from ibmap.search.found import Found, Watch
from ibmap.search.hill_climbing import best_flip
from ibmap.search.limits import Limits
from ibmap.ties import TOLERANCE


def graph_climb(
    score: GraphScore,
    start: MarkovGraph,
    *,
    limits: Limits | None = None,
    callback: Callback | Monitor | None = None,
) -> Found:
    """Flip the best edge until no flip improves the score; ties go to the lowest pair."""
    watch = Watch(limits, callback)
    graph, trace, n_iterations = start, list[Flip](), 0
    while (stopped := watch.stop(len(trace))) is None:
        x, y, gain = best_flip(score.gains(graph))
        n_iterations += 1
        if not gain > TOLERANCE:
            stopped = "optimum"
            break
        graph = graph.flip(x, y)
        trace.append(Flip(x, y, graph.has_edge(x, y), gain, score.total(graph)))
        watch.tell(len(trace), trace[-1].score)
    return Found(graph, score.total(graph), tuple(trace), n_iterations, stopped)
