"""Two networks over the same variables in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibmap.graph import MarkovGraph
from ibmap.graph.layout import place
from ibmap.metrics import compare_edges
from ibmap.plotting.canvas import INK, axes_or_new, set_title
from ibmap.plotting.network import draw_lines, draw_variables, frame, legend, with_room
from ibmap.result.formats import Network, graph_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (9.0, 6.0)
STYLES: dict[str, tuple[str, Any, str]] = {  # of each kind of edge: colour, line, words
    "shared": (INK, "solid", "in both"),
    "missing": ("#c2410c", (0, (5, 3)), "in the reference only"),
    "extra": ("#2563eb", (0, (1.5, 2)), "learned only"),
}


def plot_comparison(
    learned: Network,
    reference: Network,
    ax: Axes | None = None,
    *,
    layout: str = "stress",
    title: str | None = None,
) -> Axes:
    """Draw a network over a reference: edges in both, missing and extra ones.

    Parameters
    ----------
    learned : SearchResult or MarkovGraph
        A network.
    reference : SearchResult or MarkovGraph
        Another one over the same variables, such as the truth.
    ax : matplotlib.axes.Axes, optional
        Where to draw; on a new figure by default.
    layout : {"stress", "circle", "spring"}
        See `ibmap.graph.layout.place`; both networks' edges count.
    title : str, optional
        Above the drawing.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on, with a legend that counts the edges of each kind.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot()
    >>> one, two = (MarkovGraph.from_edges(3, [edge, (1, 2)]) for edge in ((0, 1), (0, 2)))
    >>> [text.get_text() for text in plot_comparison(one, two, ax).get_legend().get_texts()]
    ['in both (1)', 'in the reference only (1)', 'learned only (1)']
    """
    graph = graph_of(learned)
    edges = compare_edges(graph, graph_of(reference))
    place_of = {name: k for k, name in enumerate(graph.names)}
    kinds = {kind: [(place_of[x], place_of[y]) for x, y in getattr(edges, kind)] for kind in STYLES}
    union = MarkovGraph.from_edges(graph.n_variables, [edge for found in kinds.values() for edge in found])
    ax = axes_or_new(ax, SIZE)
    points = with_room(ax, place(union.adjacency, layout), graph.names)
    for kind, (colour, line, words) in STYLES.items():
        ax.plot([], [], color=colour, linestyle=line, linewidth=2.2, label=f"{words} ({len(kinds[kind])})")
        draw_lines(ax, points, kinds[kind], colour, line=line)
    draw_variables(ax, points, graph.names)
    frame(ax, points)
    set_title(ax, title)
    legend(ax, 3)
    return ax
