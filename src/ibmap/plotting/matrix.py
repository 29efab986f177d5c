"""The adjacency matrix as a picture, ordered so that groups show as blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ibmap.graph.layout import block_order, find_groups, group_colour
from ibmap.graph.layout.overview import overview
from ibmap.options import as_choice
from ibmap.plotting.canvas import FAINT, INK, axes_or_new, need_matplotlib, set_title, shown
from ibmap.plotting.network import SIGNS
from ibmap.plotting.overview import has_many
from ibmap.result.formats import Network, edge_relations, edge_shares, graph_of, weight_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_NAMED = 80  # variables up to which names stand at the sides
SIZE = (7.5, 7.5)


def plot_matrix(
    network: Network, ax: Axes | None = None, *, order: str = "blocks", title: str | None = None
) -> Axes:
    """Draw the adjacency matrix of a network.

    Parameters
    ----------
    network : SearchResult or MarkovGraph
        What to draw. The darker a mark, the stronger the relation, in the colour of its sign; or, if that is
        not known, the more evidence there is for the edge. If there are over 400 variables, groups by groups.
    ax : matplotlib.axes.Axes, optional
        Where to draw; on a new figure by default.
    order : {"blocks", "columns"}
        Variables that belong together side by side, or as in the table.
    title : str, optional
        Above the drawing.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from ibmap import MarkovGraph
    >>> ax = Figure().add_subplot()
    >>> plot_matrix(MarkovGraph.from_edges(3, [(0, 2)]), ax, order="columns") is ax
    True
    """
    need_matplotlib()
    from matplotlib.colors import to_rgb

    as_choice(order, "order", ("blocks", "columns"))
    if has_many(network):
        return _plot_groups(network, axes_or_new(ax, SIZE), title)
    graph, weights = graph_of(network), weight_matrix(network)
    n = graph.n_variables
    places = block_order(graph.adjacency, weights) if order == "blocks" else np.arange(n)
    marks = np.ones((n, n, 3))
    shares, relations = edge_shares(network), edge_relations(network)
    for edge in graph.edges:
        colour = np.array(to_rgb(SIGNS[int(relations.get(edge, {}).get("sign", 1))][0]))
        marks[edge] = marks[edge[::-1]] = 1 - (0.3 + 0.7 * shares.get(edge, 0.6)) * (1 - colour)
    ax = axes_or_new(ax, SIZE)
    if n == 0:
        ax.set_axis_off()
        return ax
    ax.imshow(marks[np.ix_(places, places)], interpolation="nearest")
    if order == "blocks":
        _draw_blocks(ax, find_groups(graph.adjacency, weights)[places])
    _write_names(ax, [shown(graph.names[k]) for k in places])
    set_title(ax, title)
    return ax


def _plot_groups(network: Network, ax: Axes, title: str | None) -> Axes:
    """Draw groups by groups in place of many variables: the darker, the more of the pairs are joined."""
    graph = graph_of(network)
    many = overview(graph.adjacency, weight_matrix(network))
    sizes = many.radii**2
    pairs = np.outer(sizes, sizes) - np.diag(sizes * (sizes + 1) / 2)
    share = np.sqrt(many.between / np.maximum(pairs, 1))
    ax.imshow(share, cmap="Blues", vmin=0, interpolation="nearest")
    labels = [many.label(k, graph.names) for k in range(len(sizes))]
    _write_names(ax, [f"{shown(name, 12)} {more}" for name, more in labels])
    caption = f"{graph.n_variables:,} variables in groups: the darker, the more of the pairs are joined"
    ax.set_xlabel(caption, color=FAINT)
    set_title(ax, title)
    return ax


def _draw_blocks(ax: Axes, groups: np.ndarray) -> None:
    """Frame each group."""
    from matplotlib.patches import Rectangle

    for group in range(groups.max(initial=-1) + 1):
        members = np.flatnonzero(groups == group)
        start, size = members[0] - 0.5, len(members)
        colour = group_colour(group)
        ax.add_patch(Rectangle((start, start), size, size, fill=False, edgecolor=colour, linewidth=1.6))


def _write_names(ax: Axes, names: list[str]) -> None:
    """Write the names at the left and the top, if there is room."""
    n = len(names)
    for spine in ax.spines.values():
        spine.set_color("#d9dde2")
    if not 0 < n <= MAX_NAMED:
        ax.set_xticks([])
        ax.set_yticks([])
        return
    size = 10 if n <= 25 else 6.5 if n <= 50 else 5
    ax.xaxis.tick_top()
    ax.set_xticks(range(n), names, rotation=90, fontsize=size, color=INK)
    ax.set_yticks(range(n), names, fontsize=size, color=INK)
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        label.set_parse_math(False)
    ax.tick_params(length=0, color=FAINT)
    ax.set_xticks(np.arange(n + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(n + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="#eceff2", linewidth=0.6)
    ax.tick_params(which="minor", length=0)
