"""The numbers taken of every learned structure."""

from __future__ import annotations

from functools import partial

from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.metrics.distances import (
    N_TRIPLETS,
    EdgeComparison,
    compare_edges,
    draw_triplets,
    edge_hamming,
    independence_hamming,
)
from ibmap.reproduce.cautious import CautiousTest
from ibmap.reproduce.study import Instance, Metric


def edge_errors(graph: MarkovGraph, instance: Instance, seed: int) -> float:
    """Count wrong edges."""
    return float(edge_hamming(graph, instance.reference))


def independence_errors(graph: MarkovGraph, instance: Instance, seed: int) -> float:
    """Give the share of 2000 independences that are wrong."""
    return independence_hamming(graph, instance.reference, random_state=seed)


def cautious_independence_errors(graph: MarkovGraph, instance: Instance, seed: int) -> float:
    """Give the share of 2000 independences that a table denies, trusted only where it has the rows."""
    if not isinstance(instance.reference, EncodedTable):
        msg = "this metric needs a table, and the problem's reference is a structure; use INDEPENDENCES"
        raise InvalidOptionError(msg)
    test = CautiousTest(instance.reference)
    triplets = draw_triplets(graph.n_variables, N_TRIPLETS, seed)
    wrong = [graph.separated(*each) != test.ask_triplet(each).independent for each in triplets]
    return sum(wrong) / len(wrong)


def edge_share(graph: MarkovGraph, instance: Instance, seed: int, share: str) -> float:
    """Give a share that tells how many edges are right."""
    return float(getattr(_compared(graph, instance), share))


def _compared(graph: MarkovGraph, instance: Instance) -> EdgeComparison:
    if not isinstance(instance.reference, MarkovGraph):
        msg = "this metric compares edges, and the problem's reference is a table; use INDEPENDENCES"
        raise InvalidOptionError(msg)
    return compare_edges(graph, instance.reference)


EDGES = Metric("edge_errors", edge_errors)
INDEPENDENCES = Metric("independence_errors", independence_errors)
CAUTIOUS_INDEPENDENCES = Metric("cautious_independence_errors", cautious_independence_errors)
PRECISION = Metric("precision", partial(edge_share, share="precision"))
RECALL = Metric("recall", partial(edge_share, share="recall"))
F1 = Metric("f1", partial(edge_share, share="f1"))
