"""The sets of variables that get a potential: edges, or maximal cliques."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice

from ibmap.errors import TooLargeError
from ibmap.graph import MarkovGraph

MAX_CLIQUE_CELLS = 2**10  # of one potential: ten variables of two states
MAX_CLIQUES = 20_000


def pairwise_scopes(graph: MarkovGraph) -> list[tuple[int, ...]]:
    """List the edges, and the variables without any."""
    alone = [(v,) for v in range(graph.n_variables) if not graph.adjacency[v].any()]
    return [*alone, *graph.edges]


def clique_scopes(
    graph: MarkovGraph, cardinalities: Sequence[int], max_cells: int = MAX_CLIQUE_CELLS
) -> list[tuple[int, ...]]:
    """List the maximal cliques."""
    import networkx as nx

    numbered = nx.Graph()
    numbered.add_nodes_from(range(graph.n_variables))
    numbered.add_edges_from(graph.edges)
    advice = "take pairwise potentials instead (potentials='pairwise', command line: --potentials pairwise)"
    found = []
    for clique in islice(nx.find_cliques(numbered), MAX_CLIQUES + 1):
        n_cells = math.prod(int(cardinalities[v]) for v in clique)
        if n_cells > max_cells:
            names = ", ".join(graph.names[v] for v in sorted(clique)[:6])
            msg = (
                f"the {len(clique)} variables {names}, ... are all joined: their potential would have "
                f"{n_cells:.4g} cells, more than {max_cells}; {advice}"
            )
            raise TooLargeError(msg)
        found.append(tuple(sorted(clique)))
    if len(found) > MAX_CLIQUES:
        msg = f"the graph has more than {MAX_CLIQUES} maximal cliques; {advice}"
        raise TooLargeError(msg)
    return sorted(found)
