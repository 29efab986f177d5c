"""A network with its evidence as notebooks show it."""

from __future__ import annotations

from collections.abc import Sequence

from ibmap.evidence.pairs import PairEvidence
from ibmap.evidence.words import in_words
from ibmap.graph import MarkovGraph
from ibmap.graph.layout import network_html, network_svg

N_STRONGEST = 6
HEADING = ("Strongest edges", "", "Loss", "Without it the structure is")


def evidence_html(
    graph: MarkovGraph, evidence: Sequence[PairEvidence], facts: Sequence[tuple[str, str]]
) -> str:
    """Draw a network above its figures and its strongest edges."""
    joined = [pair for pair in evidence if pair.is_edge]
    drawing = network_svg(graph.names, graph.adjacency, {(pair.x, pair.y): pair.loss for pair in joined})
    size = [("Variables", f"{graph.n_variables:,}"), ("Edges", f"{graph.n_edges:,}")]
    rows = [
        (graph.names[pair.x], graph.names[pair.y], f"{pair.loss:,.2f}", in_words(pair.loss))
        for pair in joined[:N_STRONGEST]
    ]
    return network_html(drawing, [*size, *facts], [HEADING, *rows] if rows else ())
