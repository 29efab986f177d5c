"""Many variables as a picture: a circle for each group, lines where there are edges between them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ibmap.graph.layout import MANY, group_colour
from ibmap.graph.layout.overview import Overview, overview
from ibmap.plotting.canvas import FAINT, LINE, set_title, shown, write_text
from ibmap.result.formats import Network, graph_of, weight_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTERS = 12  # of a name


def has_many(network: Network) -> bool:
    """Whether a network has too many variables to draw each by itself."""
    return graph_of(network).n_variables > MANY


def draw_overview(ax: Axes, network: Network, title: str | None) -> None:
    """Draw groups of variables as circles of their size, and say so."""
    graph = graph_of(network)
    many = overview(graph.adjacency, weight_matrix(network))
    low = (many.centres - many.radii[:, None]).min(axis=0)
    high = (many.centres + many.radii[:, None]).max(axis=0)
    margin = 0.04 * float((high - low).max())
    ax.set_xlim(low[0] - margin, high[0] + margin)
    ax.set_ylim(low[1] - margin, high[1] + margin)
    ax.set_aspect("equal")
    ax.set_axis_off()
    _draw_bridges(ax, many)
    _draw_circles(ax, many, graph.names)
    n_groups = many.kinds.count("group")
    caption = (
        f"{graph.n_variables:,} variables: a circle for each of {n_groups:,} groups, named by\n"
        "its best connected variable; lines are the wider the more edges there are between two groups"
    )
    ax.text(
        0.5, -0.01, caption, transform=ax.transAxes, ha="center", va="top", color=FAINT, fontsize=9,
        parse_math=False,
    )  # fmt: skip
    set_title(ax, title)


def _draw_bridges(ax: Axes, many: Overview) -> None:
    from matplotlib.collections import LineCollection

    x, y = np.nonzero(np.triu(many.between, 1))
    counts = many.between[x, y]
    widths = 0.5 + 5 * np.sqrt(counts / counts.max(initial=12))
    alpha = min(0.45, math.sqrt(40 / max(len(counts), 1)))  # where there are many, the faintest still add up
    ends = np.stack([many.centres[x], many.centres[y]], axis=1)
    ax.add_collection(LineCollection(list(ends), colors=LINE, linewidths=widths, alpha=alpha, zorder=1))


def _draw_circles(ax: Axes, many: Overview, names: tuple[str, ...]) -> None:
    from matplotlib.patches import Circle
    from matplotlib.patheffects import withStroke

    inch = ax.get_window_extent().width / ax.figure.dpi / float(np.ptp(ax.get_xlim()))
    for k, (centre, radius) in enumerate(zip(many.centres, many.radii.tolist(), strict=True)):
        colour = group_colour(-1 if many.kinds[k] == "alone" else k)
        ax.add_patch(Circle((centre[0], centre[1]), radius, facecolor=colour, edgecolor="white", zorder=2))
        name, more = many.label(k, names)
        size = min(9.0, 72 * inch * radius * 0.38)  # so that the words fit into the circle
        write_text(
            ax, centre[0], centre[1], f"{shown(name, LETTERS)}\n{more}", fontsize=max(size, 2.5), zorder=3,
            linespacing=1.05, path_effects=[withStroke(linewidth=size / 5, foreground="white")],
        )  # fmt: skip
