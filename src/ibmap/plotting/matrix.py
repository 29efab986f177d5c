"""The adjacency matrix as a picture, ordered so that groups show as blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ibmap.graph.layout import block_order, find_groups, group_colour
from ibmap.options import as_choice
from ibmap.plotting.canvas import FAINT, INK, axes_or_new, set_title, shown
from ibmap.result.formats import Network, edge_weights, graph_of

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
        What to draw. If the evidence for edges is known, the darker the more.
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
    as_choice(order, "order", ("blocks", "columns"))
    graph, weights = graph_of(network), edge_weights(network)
    n = graph.n_variables
    places = block_order(graph.adjacency) if order == "blocks" else np.arange(n)
    top = max(weights.values(), default=0.0)
    shades = np.zeros((n, n))
    for i, j in graph.edges:
        known = np.sqrt(max(weights.get((i, j), 0.0), 0.0) / top) if top > 0 else 0.6
        shades[i, j] = shades[j, i] = 0.3 + 0.7 * known
    ax = axes_or_new(ax, SIZE)
    if n == 0:
        ax.set_axis_off()
        return ax
    ax.imshow(shades[np.ix_(places, places)], cmap="Blues", vmin=0, vmax=1.1, interpolation="nearest")
    if order == "blocks":
        _draw_blocks(ax, find_groups(graph.adjacency)[places])
    _write_names(ax, [shown(graph.names[k]) for k in places])
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
