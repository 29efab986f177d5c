"""A network drawn: variables as boxes or dots, edges as lines whose width tells strength or evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ibmap.graph.layout import MANY, Weights, find_groups, group_colour, place
from ibmap.options import as_choice
from ibmap.plotting.canvas import FAINT, INK, LINE, axes_or_new, set_title, shown, write_text
from ibmap.plotting.overview import draw_overview, has_many
from ibmap.result.formats import Network, edge_relations, edge_weights, graph_of, weight_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ibmap.graph import MarkovGraph

COLOURS = ("group", "degree", "none")
SIGNS = {1: ("#2166ac", "positive"), -1: ("#b2182b", "negative"), 0: (LINE, "no sign")}  # safe for any eyes
MAX_BOXES = 30  # variables up to which names stand in boxes
SIZE = (9.0, 6.0)
MARGINS = np.array([0.9, 0.6])  # around a drawing, in lengths of an edge
N_PUSHES = 100


def plot_network(
    network: Network,
    ax: Axes | None = None,
    *,
    layout: str = "stress",
    colour: str = "group",
    lines: str = "strength",
    title: str | None = None,
) -> Axes:
    """Draw a network.

    Parameters
    ----------
    network : SearchResult or MarkovGraph
        What to draw; if there are over 400 variables, their groups as circles.
    ax : matplotlib.axes.Axes, optional
        Where to draw; on a new figure by default.
    layout : {"stress", "circle", "spring"}
        See `ibmap.graph.layout.place`.
    colour : {"group", "degree", "none"}
        What the colour of a variable tells.
    lines : {"strength", "evidence"}
        What the width of a line tells: how strong the relation is, with its sign as colour, or how much
        evidence there is for the edge. Evidence, if relations are not known.
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
    >>> plot_network(MarkovGraph.from_edges(3, [(0, 1)]), ax, layout="circle") is ax
    True
    """
    as_choice(colour, "colour", COLOURS)
    as_choice(lines, "lines", ("strength", "evidence"))
    ax = axes_or_new(ax, SIZE)
    if has_many(network):
        draw_overview(ax, network, title)
        return ax
    graph, weights = graph_of(network), weight_matrix(network)
    points = with_room(ax, place(graph.adjacency, layout, weights), graph.names)
    relations = edge_relations(network) if lines == "strength" else {}
    if relations:
        draw_relations(ax, points, relations)
    else:
        draw_lines(ax, points, graph.edges, LINE, widths=line_widths(network))
    draw_variables(ax, points, graph.names, _colours(graph, colour, weights))
    frame(ax, points)
    set_title(ax, title)
    return ax


def line_widths(network: Network) -> list[float]:
    """Choose the width of each edge's line by its evidence."""
    graph, weights = graph_of(network), edge_weights(network)
    top = max(weights.values(), default=0.0)
    if top <= 0:
        return [1.6] * graph.n_edges
    widest = 4.0 if graph.n_variables <= MAX_BOXES else 2.0
    return [0.8 + widest * float(np.sqrt(max(weights.get(edge, 0.0), 0.0) / top)) for edge in graph.edges]


def draw_relations(
    ax: Axes, points: NDArray[np.float64], relations: Mapping[tuple[int, int], Mapping[str, float]]
) -> None:
    """Draw edges as wide as they are strong, in the colour of their sign, with a legend."""
    widest = 9.0 if len(points) <= MAX_BOXES else 5.0
    for sign, (colour, words) in SIGNS.items():
        own = {edge: abs(told["strength"]) for edge, told in relations.items() if told["sign"] == sign}
        draw_lines(ax, points, [*own], colour, widths=[0.8 + widest * each for each in own.values()] or 1.0)
        if own:
            ax.plot([], [], color=colour, linewidth=2.4, label=f"{words} ({len(own)})")
    for strength in (0.1, 0.5):
        ax.plot([], [], color=LINE, linewidth=0.8 + widest * strength, label=f"strength {strength}")
    legend(ax, 5)


def legend(ax: Axes, n_columns: int) -> None:
    """Say below the drawing what lines tell."""
    ax.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.01), ncols=n_columns, frameon=False, fontsize=10.5,
        labelcolor=FAINT, handlelength=2.8,
    )  # fmt: skip


def draw_lines(
    ax: Axes,
    points: NDArray[np.float64],
    edges: Sequence[tuple[int, int]],
    colour: str,
    *,
    widths: Sequence[float] | float = 2.2,
    line: Any = "solid",
) -> None:
    """Draw edges."""
    from matplotlib.collections import LineCollection

    ends = [points[list(edge)] for edge in edges]
    ax.add_collection(LineCollection(ends, colors=colour, linewidths=widths, linestyles=[line], zorder=2))


def draw_variables(
    ax: Axes, points: NDArray[np.float64], names: Sequence[str], colours: Sequence[str] | None = None
) -> None:
    """Draw variables: names in boxes if there are few, dots with small names, of very many dots."""
    if len(names) > MANY:
        ax.scatter(points[:, 0], points[:, 1], s=2, c=colours or INK, zorder=3, linewidths=0)
        return
    if len(names) <= MAX_BOXES:
        _draw_boxes(ax, points, names, colours or [INK] * len(names))
        return
    across, up = points[:, 0], points[:, 1]
    ax.scatter(across, up, s=60, c=colours or INK, edgecolors="white", zorder=3, linewidths=0.8)
    size = 7.0 if len(names) <= 80 else 5.5
    for name, (x, y) in zip(names, points, strict=True):
        write_text(ax, x, y - 0.2, shown(name), fontsize=size, va="top", zorder=4)


def with_room(ax: Axes, points: NDArray[np.float64], names: Sequence[str]) -> NDArray[np.float64]:
    """Move variables apart whose boxes would overlap."""
    n = len(names)
    if not 1 < n <= MAX_BOXES:
        return points
    size, longest = _lettering(n)
    inches = np.array(ax.bbox.size) / ax.figure.dpi
    unit = inches / (np.ptp(points, axis=0) + 2 * MARGINS)  # of one length of an edge
    widths = np.array([len(shown(name, longest)) * 0.62 + 1.4 for name in names]) * size / 72 / unit[0]
    height = 2.4 * size / 72 / unit[1]
    points = points.copy()
    for _ in range(N_PUSHES):
        steps = points[:, None] - points[None]
        across = (widths[:, None] + widths[None]) / 2 - np.abs(steps[..., 0])
        above = height - np.abs(steps[..., 1])
        lacking = np.where((across > 0) & (above > 0), above, 0.0) * (1 - np.eye(n))
        if lacking.max() < 1e-3:
            break
        order = np.sign(steps[..., 1]) + (steps[..., 1] == 0) * np.sign(np.arange(n)[:, None] - np.arange(n))
        points[:, 1] += 0.35 * (order * lacking).sum(axis=1)
    return points


def _lettering(n_variables: int) -> tuple[float, int]:
    """Choose the size of letters, and how many of a name are shown."""
    return (11.0, 24) if n_variables <= 12 else (9.0, 18)


def _draw_boxes(ax: Axes, points: NDArray[np.float64], names: Sequence[str], colours: Sequence[str]) -> None:
    size, longest = _lettering(len(names))
    for name, colour, (x, y) in zip(names, colours, points, strict=True):
        box = {"boxstyle": "round,pad=0.4", "facecolor": "#f4f6f8", "edgecolor": colour, "linewidth": 1.6}
        write_text(ax, x, y, shown(name, longest), fontsize=size, bbox=box, zorder=3)


def frame(ax: Axes, points: NDArray[np.float64]) -> None:
    """Set the limits around a drawing and hide the axes."""
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (np.zeros(2), np.zeros(2))
    ax.set_xlim(low[0] - MARGINS[0], high[0] + MARGINS[0])
    ax.set_ylim(low[1] - MARGINS[1], high[1] + MARGINS[1])
    ax.set_axis_off()


def _colours(graph: MarkovGraph, colour: str, weights: Weights | None) -> list[str] | None:
    if colour == "none":
        return None
    if colour == "group":
        return [group_colour(group) for group in find_groups(graph.adjacency, weights).tolist()]
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    degree = graph.adjacency.sum(axis=1)
    return [to_hex(colormaps["viridis"](0.92 - 0.84 * d / max(degree.max(), 1))) for d in degree]
