"""What the pictures share: axes, colours, text that is only text."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ibmap.data.text import printable
from ibmap.errors import MissingLibraryError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, PAPER, FAINT, LINE = "#1f2a36", "#ffffff", "#5b6875", "#8b95a1"
FORMATS = (".png", ".svg", ".pdf")
METADATA: dict[str, dict[str, Any]] = {  # no date, so that the same figure gives the same bytes
    ".png": {"Software": "ibmap"},
    ".svg": {"Creator": "ibmap", "Date": None},
    ".pdf": {"Creator": "ibmap", "CreationDate": None},
}
LONGEST = 24  # letters of a name that are drawn


def axes_or_new(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """Take the axes given, or make new ones."""
    if ax is not None:
        return ax
    need_matplotlib()
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def need_matplotlib() -> None:
    """Say what to install if there is no matplotlib."""
    from importlib.util import find_spec

    if find_spec("matplotlib") is None:
        msg = "pictures need matplotlib: pip install 'ibmap[plot]'"
        raise MissingLibraryError(msg)


def new_figure(size: tuple[float, float]) -> Figure:
    """Make a figure that belongs to no window and no notebook."""
    need_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, facecolor=PAPER, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def picture_bytes(figure: Figure, suffix: str, dots_per_inch: int = 150) -> bytes:
    """Write a figure as a file's content; the same figure gives the same bytes."""
    import warnings

    import matplotlib as mpl

    buffer = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "ibmap"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a box stands for it
        figure.savefig(buffer, format=suffix[1:], dpi=dots_per_inch, metadata=METADATA[suffix])
    return buffer.getvalue()


def shown(name: str, longest: int = LONGEST) -> str:
    """Shorten a name and show what is not printable as escapes."""
    text = printable(name)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def set_title(ax: Axes, title: str | None) -> None:
    """Write a title, literally."""
    if title is not None:
        ax.set_title(
            printable(title), color=INK, fontsize=14, loc="left", pad=12, fontweight="bold", parse_math=False
        )


def write_text(ax: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Write text at a place, literally: a dollar sign begins no formula."""
    ax.text(x, y, text, **{"ha": "center", "va": "center", "color": INK, "parse_math": False, **style})
