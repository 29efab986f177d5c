"""Structures: the graph, its closure, where to draw it."""

from ibmap.graph.graph import MarkovGraph, as_graph, named_graph

__all__ = ["MarkovGraph", "as_graph", "named_graph"]
