"""Whole structures as pictures: their sizes, the most probable ones; and whether claims come true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ibmap.errors import InvalidOptionError
from ibmap.plotting.canvas import FAINT, INK, axes_or_new, set_title, shown
from ibmap.plotting.confidence import COLOURS, confidence_of, finish
from ibmap.result import SearchResult
from ibmap.result.confidence import Confidence
from ibmap.result.reliability import Reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (8.0, 4.5)
LINES = ("#274c77", "#b45309", "#4d7c0f", "#8b95a1")
MAX_WIDTH = 60  # characters that name what differs


def plot_sizes(
    result: SearchResult | Confidence, ax: Axes | None = None, *, title: str | None = None
) -> Axes:
    """Draw how probable each number of edges is.

    Parameters
    ----------
    result : SearchResult or Confidence
        What is known of the probabilities.
    ax : matplotlib.axes.Axes, optional
        Where to draw; on a new figure by default.
    title : str, optional
        Above the drawing.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on, with the number of edges that was learned, if the result tells it.
    """
    sure = _with_structures(result)
    sizes, chances = np.array(sure.sizes).T
    ax = axes_or_new(ax, SIZE)
    ax.bar(sizes, chances, width=0.8, color="#9db4cc")
    marks = {"median network": (sure.graph().n_edges, COLOURS["present"], (0, (4, 3)))}
    if isinstance(result, SearchResult):
        marks["network learned"] = (result.graph.n_edges, COLOURS["undecided"], (0, (1, 2)))
    for label, (size, colour, line) in marks.items():
        ax.axvline(size, color=colour, linewidth=1.6, linestyle=line, label=f"{label}: {size:,} edges")
    ax.locator_params(axis="x", integer=True)
    finish(ax, "edges", "probability")
    set_title(ax, title)
    return ax


def plot_structures(
    result: SearchResult | Confidence, ax: Axes | None = None, *, title: str | None = None
) -> Axes:
    """Draw the most probable structures, by what they add to the median network and what they leave out.

    Parameters
    ----------
    result : SearchResult or Confidence
        What is known of the probabilities.
    ax : matplotlib.axes.Axes, optional
        Where to draw; on a new figure by default.
    title : str, optional
        Above the drawing.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on, with a bar for each structure.
    """
    sure = _with_structures(result)
    ax = axes_or_new(ax, SIZE)
    chances = [each.probability for each in sure.structures]
    heights = -np.arange(len(chances))
    ax.barh(heights, chances, height=0.7, color="#9db4cc")
    ax.set_yticks(heights, [_changes(sure, each.edges) for each in sure.structures], fontsize=8, color=INK)
    for written in ax.get_yticklabels():
        written.set_parse_math(False)
    for height, chance in zip(heights.tolist(), chances, strict=True):
        ax.text(chance, height, f" {chance:.2g}", va="center", fontsize=8, color=FAINT)
    ax.set_xlim(0, 1.15 * max(chances))
    finish(ax, f"probability; these {len(chances)} together {sum(chances):.2g}")
    ax.xaxis.label.set(x=1.0, horizontalalignment="right")  # labels of bars may leave little room
    ax.tick_params(axis="y", length=0)
    set_title(ax, title)
    return ax


def plot_reliability(
    result: SearchResult | Confidence | Mapping[str, Reliability],
    ax: Axes | None = None,
    *,
    title: str | None = None,
) -> Axes:
    """Draw the reliability diagram: of the edges claimed with some probability, how many there are.

    Parameters
    ----------
    result : SearchResult, Confidence or dict of str to Reliability
        What was found out on simulated tables; a line for each entry of a dict.
    ax : matplotlib.axes.Axes, optional
        Where to draw; on a new figure by default.
    title : str, optional
        Above the drawing.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on: claims that come true lie on the diagonal; bars are 95 % intervals.
    """
    lines = result if isinstance(result, Mapping) else {"": _with_reliability(result)}
    ax = axes_or_new(ax, (5.5, 5.0))
    ax.plot([0, 1], [0, 1], color="#c5ccd4", linewidth=1.2, linestyle=(0, (4, 3)), zorder=1)
    for colour, (name, told) in zip(LINES, lines.items(), strict=False):
        pairs, claimed, true = (np.array(each, float) for each in (told.pairs, told.claimed, told.true))
        some = pairs > 0
        n, share = pairs[some], true[some] / pairs[some]
        spread = 1.96 * np.sqrt(np.maximum(share * (1 - share), 0.25 / n) / n)
        label = f"{name or 'claims'}: error {told.error:.3f} ({told.error_by_chance:.3f} by chance)"
        ax.errorbar(
            claimed[some] / n, share, [np.minimum(spread, share), np.minimum(spread, 1 - share)],
            color=colour, marker="o", markersize=4, linewidth=1, elinewidth=0.8, label=label,
        )  # fmt: skip
    ax.set_xlim(0, 1)
    ax.set_ylim(-0.02, 1.02)
    most = max(lines.values(), key=lambda told: sum(told.pairs))
    drawn_from = f"{sum(most.pairs):,} pairs of {most.n_tables:,} simulated tables"
    finish(ax, f"probability claimed ({drawn_from})", "share of true edges")
    set_title(ax, title)
    return ax


def _with_structures(result: SearchResult | Confidence) -> Confidence:
    """Give how sure the edges are, with whole structures."""
    sure = confidence_of(result)
    if not sure.sizes:
        msg = (
            "nothing is known of whole structures: a bootstrap and files of earlier versions do not have "
            "them; learn again with --confidence posterior, in Python call learner.confidence()"
        )
        raise InvalidOptionError(msg)
    return sure


def _with_reliability(result: SearchResult | Confidence) -> Reliability:
    """Give what was found out on simulated tables."""
    told = confidence_of(result).reliability
    if told is None or told.n_tables == 0:
        msg = (
            "it was not found out whether the probabilities come true; learn with --calibrate, in Python "
            "call learner.confidence(calibrate=True)"
        )
        raise InvalidOptionError(msg)
    return told


def _changes(sure: Confidence, edges: tuple[tuple[int, int], ...]) -> str:
    """Say in which pairs a structure differs from the median network."""
    median = {*sure.graph().edges}
    changed = [("+", each) for each in sorted({*edges} - median)]
    changed += [("−", each) for each in sorted(median - {*edges})]
    names = [f"{sign} {shown(sure.names[x], 12)} – {shown(sure.names[y], 12)}" for sign, (x, y) in changed]
    n_shown = max((k for k in range(1, len(names) + 1) if len(", ".join(names[:k])) <= MAX_WIDTH), default=1)
    more = f", {len(names) - n_shown} more" if len(names) > n_shown else ""
    return (", ".join(names[:n_shown]) + more) or "the median network"
