"""How sure each edge is, as pictures: the network, the probabilities in order, the curve of stability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ibmap.confidence.bootstrap import CORRELATION, Stability
from ibmap.errors import InvalidOptionError
from ibmap.graph.layout import place
from ibmap.plotting.canvas import FAINT, INK, LINE, axes_or_new, set_title, shown
from ibmap.plotting.network import draw_lines, draw_variables, frame, legend, with_room
from ibmap.result import SearchResult
from ibmap.result.confidence import STRONG, Confidence
from ibmap.result.formats import weight_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NETWORK, ORDER, CURVE = (9.0, 6.0), (8.0, 6.0), (8.0, 4.5)
MAX_PAIRS = 60  # of the ordered plot: beyond that names cannot be read
COLOURS = {"present": "#274c77", "undecided": "#b45309", "absent": "#8b95a1"}
STYLES: dict[str, tuple[str, Any]] = {  # of each kind of line: colour and dashes
    "present": (COLOURS["present"], "solid"),
    "undecided, joined": (COLOURS["undecided"], (0, (5, 3))),
    "undecided, not joined": (COLOURS["undecided"], (0, (1, 2.5))),
    "absent, joined": (LINE, (0, (5, 3))),
}


def plot_evidence(
    result: SearchResult,
    ax: Axes | None = None,
    *,
    layout: str = "stress",
    undecided: bool = True,
    title: str | None = None,
) -> Axes:
    """Draw a network with how sure its edges are.

    Parameters
    ----------
    result : SearchResult
        What was learned, with `confidence`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; on a new figure by default.
    layout : {"stress", "circle", "spring"}
        See `ibmap.graph.layout.place`.
    undecided : bool
        Whether to draw undecided pairs that are not joined.
    title : str, optional
        Above the drawing.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on: present edges full, undecided ones dashed, with a legend that counts them.

    Raises
    ------
    InvalidOptionError
        If it was not worked out how sure the edges are.
    """
    sure, graph = confidence_of(result), result.graph
    kinds: dict[str, list[tuple[int, int]]] = {kind: [] for kind in STYLES}
    for x, y in zip(*np.triu_indices(graph.n_variables, 1), strict=True):
        verdict, joined = str(sure.verdicts[x, y]), graph.has_edge(int(x), int(y))
        kind = "present" if verdict == "present" else f"{verdict}, {'joined' if joined else 'not joined'}"
        if kind in kinds and (undecided or joined or verdict == "present"):
            kinds[kind].append((int(x), int(y)))
    ax = axes_or_new(ax, NETWORK)
    points = with_room(ax, place(graph.adjacency, layout, weight_matrix(result)), graph.names)
    for kind, (colour, line) in STYLES.items():
        if kinds[kind]:
            ax.plot([], [], color=colour, linestyle=line, linewidth=2, label=f"{kind} ({len(kinds[kind])})")
        widths = [0.8 + 2.4 * float(sure.edge_probabilities[edge]) for edge in kinds[kind]]
        draw_lines(ax, points, kinds[kind], colour, widths=widths or 1.0, line=line)
    draw_variables(ax, points, graph.names)
    frame(ax, points)
    set_title(ax, title)
    if any(kinds.values()):
        legend(ax, 4)
    return ax


def plot_probabilities(
    result: SearchResult | Confidence,
    ax: Axes | None = None,
    *,
    n_pairs: int = 40,
    title: str | None = None,
) -> Axes:
    """Draw pairs by their probability, the least sure ones if there are many.

    Two lines mark from where on a pair is called absent and present.

    Parameters
    ----------
    result : SearchResult or Confidence
        What is known of the probabilities.
    ax : matplotlib.axes.Axes, optional
        Where to draw; on a new figure by default.
    n_pairs : int
        How many pairs to draw, at most 60: those whose odds are nearest to even.
    title : str, optional
        Above the drawing.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.
    """
    sure = confidence_of(result)
    x, y = np.triu_indices(len(sure.names), 1)
    chosen = np.argsort(np.abs(sure.edge_probabilities[x, y] - 0.5), kind="stable")[: min(n_pairs, MAX_PAIRS)]
    order = chosen[np.argsort(-sure.edge_probabilities[x, y][chosen], kind="stable")]
    x, y = x[order], y[order]
    values, words, heights = sure.edge_probabilities[x, y], sure.verdicts[x, y], -np.arange(len(order))
    ax = axes_or_new(ax, ORDER)
    for bound in (1 / (1 + STRONG), STRONG / (1 + STRONG)):
        ax.axvline(bound, color="#c5ccd4", linewidth=1.2, linestyle=(0, (4, 3)), zorder=1)
    ax.hlines(heights, 0, values, color="#eceff2", linewidth=1.0, zorder=1)
    for word, colour in COLOURS.items():
        own = words == word
        if own.any():
            face = colour if word == "present" else "white"
            n_shown, n_all = int(own.sum()), sure.counts[word]
            label = f"{word} ({n_all:,})" if n_shown == n_all else f"{word} ({n_shown:,} of {n_all:,} shown)"
            ax.scatter(values[own], heights[own], s=34, c=face, edgecolors=colour, zorder=3, label=label)
    names = [f"{shown(sure.names[i], 18)} – {shown(sure.names[j], 18)}" for i, j in zip(x, y, strict=True)]
    ax.set_yticks(heights, names, fontsize=9 if len(order) <= 30 else 7, color=INK)
    for written in ax.get_yticklabels():
        written.set_parse_math(False)
    ax.set_xlim(0, 1.02)
    ax.set_ylim(-len(order) + 0.4, 0.6)
    finish(
        ax,
        "how often resampled rows give the edge" if sure.kind == "frequency" else "probability of the edge",
    )
    ax.tick_params(axis="y", length=0)
    set_title(ax, title)
    return ax


def plot_stability(stability: Stability, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw how well the structure is found again as rows are dropped.

    Parameters
    ----------
    stability : Stability
        What `ibmap.confidence.bootstrap.stability` gives.
    ax : matplotlib.axes.Axes, optional
        Where to draw; on a new figure by default.
    title : str, optional
        Above the drawing.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.
    """
    ax = axes_or_new(ax, CURVE)
    kept = 100 * (1 - np.array(stability.dropped))
    spared = f"0.7: {100 * stability.coefficient:.0f} % of the rows can be spared"
    ax.axhline(CORRELATION, color="#c5ccd4", linewidth=1.2, linestyle=(0, (4, 3)), zorder=1, label=spared)
    ax.fill_between(kept, stability.lower_correlation, stability.mean_correlation, color="#dbe4ee", zorder=1)
    ax.plot(kept, stability.mean_correlation, color=COLOURS["present"], marker="o", label="mean of the fits")
    label = "exceeded by 95 % of the fits"
    ax.plot(
        kept, stability.lower_correlation, color=COLOURS["undecided"], marker="o", linestyle="--", label=label
    )
    ax.invert_xaxis()
    ax.set_ylim(min(0.0, *stability.lower_correlation), 1.03)
    finish(ax, "rows kept (%)", "correlation with all rows' structure")
    set_title(ax, title)
    return ax


def confidence_of(result: SearchResult | Confidence) -> Confidence:
    """Give how sure the edges are, or say how to work it out."""
    if isinstance(result, Confidence):
        return result
    if result.confidence is None:
        msg = (
            "the network does not tell how sure its edges are; learn it with --confidence posterior, in "
            "Python call learner.confidence() first"
        )
        raise InvalidOptionError(msg)
    return result.confidence


def finish(ax: Axes, across: str, up: str = "") -> None:
    """Name the axes."""
    ax.set_xlabel(across, color=FAINT)
    ax.set_ylabel(up, color=FAINT)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(colors=INK)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, labelcolor=FAINT, loc="best")
