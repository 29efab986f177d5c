"""Draw a learned network beside the truth: as text, and as a picture."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

from ibmap.cli.console import output, printable

if TYPE_CHECKING:
    import networkx as nx

    from ibmap.graph import MarkovGraph
    from ibmap.metrics import EdgeComparison

INK, PAPER, FAINT = "#1f2a36", "#ffffff", "#5b6875"
STYLES = {  # of each kind of edge: colour, line, words
    "shared": (INK, "solid", "learned, and true"),
    "missing": ("#c2410c", (0, (5, 3)), "true, but not learned"),
    "extra": ("#2563eb", (0, (1.5, 2)), "learned, but not true"),
}

Positions = dict[str, tuple[float, float]]


def print_drawing(graph: MarkovGraph) -> None:
    """Draw a network as text: a tree for each part, other edges in brackets.

    Parameters
    ----------
    graph : MarkovGraph
        The network.
    """
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


def _spanning_trees(
    graph: MarkovGraph,
) -> list[tuple[int, list[tuple[int, int]], dict[int, list[int]]]]:
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


def draw_picture(edges: EdgeComparison, graph: MarkovGraph, title: str) -> bytes:
    """Draw a learned network over the truth as a PNG picture.

    Parameters
    ----------
    edges : EdgeComparison
        What was learned, beside the truth.
    graph : MarkovGraph
        Gives the variables.
    title : str
        Above the picture.

    Returns
    -------
    bytes
        The picture.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    """
    import networkx as nx
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    union = nx.Graph()
    union.add_nodes_from(graph.names)
    union.add_edges_from([*edges.shared, *edges.missing, *edges.extra])
    positions = _layout(union)
    figure = Figure(figsize=(9, 5), facecolor=PAPER, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for kind in STYLES:
        _draw_edges(axes, positions, kind, getattr(edges, kind))
    for name, (x, y) in positions.items():
        frame = {"boxstyle": "round,pad=0.45", "facecolor": "#eef2f6", "edgecolor": INK, "linewidth": 1.1}
        axes.text(
            x, y, printable(name), ha="center", va="center", color=INK, fontsize=11, bbox=frame, zorder=3
        )
    _finish(axes, positions, title)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Software": "ibmap"})
    return buffer.getvalue()


def _draw_edges(axes: Any, positions: Positions, kind: str, edges: tuple[tuple[str, str], ...]) -> None:
    """Draw the edges of one kind, and its entry in the legend."""
    colour, line, words = STYLES[kind]
    count = len(edges)
    axes.plot([], [], color=colour, linestyle=line, linewidth=2.2, label=f"{words} ({count})")
    for ends in edges:
        (x0, y0), (x1, y1) = (positions[end] for end in ends)
        axes.plot([x0, x1], [y0, y1], color=colour, linestyle=line, linewidth=2.2, zorder=2)


def _finish(axes: Any, positions: Positions, title: str) -> None:
    """Set limits, title and legend."""
    xs, ys = zip(*positions.values(), strict=True)
    axes.set_xlim(min(xs) - 0.55, max(xs) + 0.55)
    axes.set_ylim(min(ys) - 0.15, max(ys) + 0.15)
    axes.set_axis_off()
    axes.set_title(printable(title), color=INK, fontsize=14, loc="left", pad=12, fontweight="bold")
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.01),
        ncols=3,
        frameon=False,
        fontsize=10.5,
        labelcolor=FAINT,
        handlelength=2.8,
    )


def _layout(graph: nx.Graph) -> Positions:
    """Place each connected part on its own, the largest first, single variables below."""
    import networkx as nx

    positions: Positions = {}
    parts = sorted(nx.connected_components(graph), key=lambda part: (-len(part), min(part)))
    alone = [name for part in parts if len(part) == 1 for name in part]
    left = 0.0
    for part in (part for part in parts if len(part) > 1):
        width, height = 0.55 * math.sqrt(len(part)), 0.5
        for name, (x, y) in _place(graph.subgraph(sorted(part))).items():
            positions[name] = (left + width * (1 + x), height * y)
        left += 2 * width + 1.0
    middle = max(left - 1.0, 0.0) / 2
    bottom = min((y for _, y in positions.values()), default=0.4)
    for k, name in enumerate(alone):
        positions[name] = (middle + 0.8 * (k - (len(alone) - 1) / 2), bottom - 0.4)
    return positions


def _place(part: nx.Graph) -> Positions:
    """Spread a connected part over the square from -1 to 1, its longest direction across."""
    import networkx as nx
    import numpy as np

    first = nx.planar_layout(part) if nx.is_planar(part) else None  # so that no edges cross for nothing
    found = nx.kamada_kawai_layout(part, pos=first)
    points = np.array([found[name] for name in part])
    points -= points.mean(axis=0)
    points = points @ np.linalg.svd(points, full_matrices=False)[2].T
    points -= (points.max(axis=0) + points.min(axis=0)) / 2
    reach = np.abs(points).max(axis=0)
    scale = np.where(reach > 0.05 * reach.max(), reach, 1.0)
    return {name: (float(x), float(y)) for name, (x, y) in zip(part, points / scale, strict=True)}
