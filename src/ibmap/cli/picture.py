"""Draw a network as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibmap.cli.console import output, printable

if TYPE_CHECKING:
    from ibmap.graph import MarkovGraph


def print_drawing(graph: MarkovGraph) -> None:
    """Draw a network as text: a tree for each part, other edges in brackets."""
    from rich.text import Text
    from rich.tree import Tree

    console = output()
    for root, children, others in _spanning_trees(graph):
        branches = {root: Tree(Text(_leaf(graph, root, others)))}
        for child, parent in children:
            branches[child] = branches[parent].add(Text(_leaf(graph, child, others)))
        console.print(branches[root])


def _leaf(graph: MarkovGraph, x: int, others: dict[int, list[int]]) -> str:
    """Name a variable, with its edges that are not branches of the tree."""
    also = ", ".join(printable(graph.names[y]) for y in others.get(x, ()))
    return printable(graph.names[x]) + (f"  (and {also})" if also else "")


def _spanning_trees(graph: MarkovGraph) -> list[tuple[int, list[tuple[int, int]], dict[int, list[int]]]]:
    """Find for each part a root, pairs (child, parent) in order, and the other edges by their later end."""
    trees, seen = [], set[int]()
    by_degree = sorted(range(graph.n_variables), key=lambda x: (-len(graph.blanket(x)), x))
    for root in by_degree:
        if root in seen:
            continue
        seen.add(root)
        parents: dict[int, int] = {}
        queue = [root]
        for x in queue:
            fresh = [y for y in graph.blanket(x) if y not in seen]
            seen.update(fresh)
            parents |= dict.fromkeys(fresh, x)
            queue += fresh
        place = {x: k for k, x in enumerate(queue)}
        others: dict[int, list[int]] = {}
        for x in queue:
            also = [y for y in graph.blanket(x) if place[y] < place[x] and parents.get(x) != y]
            others |= {x: also} if also else {}
        trees.append((root, list(parents.items()), others))
    return trees
