"""The search as a picture: the score after each ascent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibmap.errors import InvalidOptionError
from ibmap.plotting.canvas import FAINT, INK, axes_or_new, set_title
from ibmap.result import SearchResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (8.0, 4.0)
ADDED, TAKEN = "#274c77", "#c2410c"


def plot_trace(result: SearchResult, ax: Axes | None = None, *, title: str | None = None) -> Axes:
    """Draw how the score rose in a search.

    Parameters
    ----------
    result : SearchResult
        What was learned by a search with a score.
    ax : matplotlib.axes.Axes, optional
        Where to draw; on a new figure by default.
    title : str, optional
        Above the drawing.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    InvalidOptionError
        If the result has no score.
    """
    if result.score is None:
        msg = f"there is no trace to draw: {result.provenance.algorithm} does not search by a score"
        raise InvalidOptionError(msg)
    trace = result.trace
    start = trace[0].score - trace[0].gain if trace else result.score
    ax = axes_or_new(ax, SIZE)
    scores = [start, *(flip.score for flip in trace)]
    ax.plot(range(len(scores)), scores, color=ADDED, linewidth=1.6, zorder=2)
    size = 34 if len(trace) <= 80 else 10
    for added, face, label in ((True, ADDED, "edge added"), (False, "white", "edge taken out")):
        marks = [(k, flip.score) for k, flip in enumerate(trace, 1) if flip.added == added]
        colour = ADDED if added else TAKEN
        if marks:
            xs, ys = zip(*marks, strict=True)
            ax.scatter(xs, ys, s=size, c=face, edgecolors=colour, zorder=3, label=f"{label} ({len(marks)})")
    _finish(ax, bool(trace), result.provenance.score_name)
    set_title(ax, title)
    return ax


def _finish(ax: Axes, has_marks: bool, score_name: str) -> None:
    """Name the axes."""
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("ascents", color=FAINT)
    ax.set_ylabel(f"{score_name} (natural log)", color=FAINT)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(colors=INK)
    ax.ticklabel_format(axis="y", useOffset=False)
    if has_marks:
        ax.legend(frameon=False, labelcolor=FAINT, loc="lower right")
