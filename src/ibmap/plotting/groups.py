"""Networks of groups side by side, every variable at the same place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ibmap.graph.layout import place
from ibmap.learners.groups import GroupComparison
from ibmap.plotting.canvas import FAINT, need_matplotlib, set_title
from ibmap.plotting.network import draw_lines, draw_relations, draw_variables, frame, with_room

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARK = "#f3cf7a"  # behind pairs that differ
ORDER = ("differs between groups", "positive", "negative", "no sign", "strength 0.1", "strength 0.5").index


def plot_groups(
    comparison: GroupComparison, axes: Sequence[Axes] | None = None, *, layout: str = "stress"
) -> list[Axes]:
    """Draw the networks of groups side by side.

    Parameters
    ----------
    comparison : GroupComparison
        What `ibmap.compare_groups` gives.
    axes : sequence of matplotlib.axes.Axes, optional
        Where to draw, one for each group; on a new figure by default.
    layout : {"stress", "circle", "spring"}
        See `ibmap.graph.layout.place`; the edges of all groups count.

    Returns
    -------
    list of matplotlib.axes.Axes
        The axes drawn on: width is strength, colour the sign, and a yellow ground marks pairs that differ.
    """
    need_matplotlib()
    if axes is None:
        import matplotlib.pyplot as plt

        size = (6.5 * len(comparison.groups), 5.5)
        axes = list(plt.subplots(1, len(comparison.groups), figsize=size, layout="constrained")[1])
    graph = comparison.graph
    index = {name: k for k, name in enumerate(graph.names)}
    pairs = {(index[each.x], index[each.y]): each for each in comparison.differences}
    marked = [edge for edge, each in pairs.items() if each.verdict == "different"]
    points = with_room(axes[0], place(graph.adjacency, layout), graph.names)
    for k, (ax, (name, result)) in enumerate(zip(axes, comparison.groups.items(), strict=True)):
        draw_lines(ax, points, marked, MARK, widths=13.0)
        if marked:
            ax.plot([], [], color=MARK, linewidth=8, label="differs between groups")
        relations = {
            edge: {"strength": each.strengths[k], "sign": each.signs[k]}
            for edge, each in pairs.items()
            if each.joined[k]
        }
        draw_relations(ax, points, relations)
        draw_variables(ax, points, graph.names)
        frame(ax, points)
        set_title(ax, f"{comparison.by}: {name}")
        ax.set_title(f"{result.provenance.n_samples:,} rows", loc="right", color=FAINT, fontsize=10)
        own = ax.get_legend()
        if own is not None:
            own.remove()
    _legend(axes)
    return list(axes)


def _legend(axes: Sequence[Axes]) -> None:
    """Say once, below all drawings, what lines tell."""
    told: dict[str, Any] = {}
    for ax in axes:
        handles, labels = ax.get_legend_handles_labels()
        told |= {label.partition(" (")[0]: each for each, label in zip(handles, labels, strict=True)}
    labels = sorted(told, key=ORDER)
    handles = [told[label] for label in labels]
    style = {"frameon": False, "labelcolor": FAINT, "handlelength": 2.8}
    axes[0].figure.legend(handles, labels, loc="outside lower center", ncols=6, **style)
