"""What writing and reading networks share."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ibmap.graph import MarkovGraph
from ibmap.graph.layout import MANY, Weights
from ibmap.result import SearchResult
from ibmap.result.provenance import Provenance
from ibmap.result.relating import edge_attributes

Network = SearchResult | MarkovGraph

LONG_SUFFIXES = (".adjacency.csv", ".matrix.csv", ".edges.csv")
NETWORK_SUFFIXES = (".json", ".graphml", ".dot", ".gv", ".csv", *LONG_SUFFIXES)
EDGE_HEADER = ["source", "target", "weight"]
R_HEADER = ["from", "to", "weight"]
SURE_HEADERS = (["probability", "verdict"], ["frequency", "verdict"])
RELATION_HEADER = ["strength", "sign", "share", "odds_ratio"]


def suffix_of(path: str | Path) -> str:
    """Find which of the known extensions a name ends in."""
    name = Path(path).name.lower()
    return next((each for each in LONG_SUFFIXES if name.endswith(each)), Path(name).suffix)


def graph_of(network: Network) -> MarkovGraph:
    """Give the structure alone."""
    return network.graph if isinstance(network, SearchResult) else network


def as_result(network: Network) -> SearchResult:
    """Give a result; that of a bare graph says that it was given, not learned."""
    if isinstance(network, SearchResult):
        return network
    from ibmap import __version__

    provenance = Provenance(__version__, "given", {}, "", 0, 0, 0.0)
    return SearchResult(network, ((),) * network.n_variables, provenance, 0)


def edge_weights(network: Network) -> dict[tuple[int, int], float]:
    """Give the loss of log-score without each edge, where it is known."""
    evidence = network.evidence if isinstance(network, SearchResult) else ()
    return {(pair.x, pair.y): pair.loss for pair in evidence if pair.is_edge}


def edge_chances(network: Network) -> tuple[str, dict[tuple[int, int], tuple[float, str]]]:
    """Give what is known of how sure the edges are: its name, and value and verdict of each edge."""
    sure = network.confidence if isinstance(network, SearchResult) else None
    if sure is None:
        return "probability", {}
    words = sure.verdicts
    return sure.kind, {
        edge: (float(sure.edge_probabilities[edge]), str(words[edge])) for edge in graph_of(network).edges
    }


def edge_relations(network: Network) -> dict[tuple[int, int], dict[str, float]]:
    """Give what is known of how the ends of each edge are related."""
    return edge_attributes(network) if isinstance(network, SearchResult) else {}


def edge_shares(network: Network) -> dict[tuple[int, int], float]:
    """Give each edge a weight from 0 to 1: its strength, or its evidence; empty if neither is known."""
    strengths = {edge: abs(own["strength"]) for edge, own in edge_relations(network).items()}
    losses = edge_weights(network)
    top = max(losses.values(), default=0.0)
    if strengths or top <= 0:
        return strengths
    return {edge: math.sqrt(max(loss, 0.0) / top) for edge, loss in losses.items()}


def weight_matrix(network: Network) -> Weights | None:
    """Give the weights of edges as layouts take them, of many no matrix; None if they are not known."""
    shares, n = edge_shares(network), graph_of(network).n_variables
    if not shares:
        return None
    if n > MANY:
        return shares
    matrix = np.zeros((n, n))
    for (x, y), share in shares.items():
        matrix[x, y] = matrix[y, x] = share
    return matrix
