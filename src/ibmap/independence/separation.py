"""The perfect test: it asks a known graph by vertex separation."""

from __future__ import annotations

import math
from typing import Any

from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.protocol import Answer, LogProbabilities, ProbabilisticTest, Triplet


class SeparationTest(ProbabilisticTest):
    """A test that is always right about a known structure.

    Parameters
    ----------
    graph : MarkovGraph, networkx.Graph or array_like
        The true structure.

    Examples
    --------
    >>> test = SeparationTest(MarkovGraph.from_edges(3, [(0, 1), (1, 2)]))
    >>> test.is_independent(0, 2), test.is_independent(0, 2, given=[1])
    (False, True)
    """

    def __init__(self, graph: Any) -> None:
        self.graph = graph if isinstance(graph, MarkovGraph) else as_graph(graph, _names_of(graph))
        super().__init__(self.graph.names)

    def log_posteriors(self, triplet: Triplet) -> LogProbabilities:
        """Give certainty: log 1 for the truth and log 0 for its opposite."""
        independent = self.graph.separated(*triplet)
        return LogProbabilities(0.0, -math.inf) if independent else LogProbabilities(-math.inf, 0.0)

    def _answer(self, triplet: Triplet) -> Answer:
        """Read the verdict off the graph."""
        return Answer(self.graph.separated(*triplet), self.log_posteriors(triplet).independent)


def _names_of(graph: Any) -> tuple[str, ...]:
    """Name the variables of a networkx graph or a matrix."""
    if hasattr(graph, "nodes"):
        return tuple(str(node) for node in graph.nodes())
    return tuple(f"x{k}" for k in range(len(graph)))
