"""Draw how time and memory grow: ``python -m benchmarks.plots``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from benchmarks import results as files
from benchmarks.measure import slope

mpl.use("Agg")
IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#777777"


def draw(results: dict[str, Any]) -> None:
    """Draw every plot the results have points for."""
    IMAGES.mkdir(exist_ok=True)
    draw_growth([each.extra for each in files.findings(results, "growth") if "n" in each.extra])
    draw_rows([each.extra for each in files.findings(results, "rows") if "n_samples" in each.extra])


def draw_growth(points: Sequence[dict[str, Any]]) -> None:
    """Draw time and memory against the number of variables."""
    if not points:
        return
    figure, (left, right) = two_panels()
    for start, colour in (("empty", BLUE), ("gsmn", ORANGE)):
        chosen = [point for point in points if point["start"] == start]
        sizes = [point["n"] for point in chosen]
        line(left, sizes, [point["seconds"] for point in chosen], f"start {start}", "n", colour)
        line(right, sizes, [point["peak_bytes"] / 1e6 for point in chosen], f"start {start}", "n", colour)
    sizes = sorted({point["n"] for point in points})
    first = min(point["seconds"] for point in points)
    guide(left, sizes, first, 3, "n³ (the target)")
    label(left, "variables n", "seconds", "Time, τ = 2, N = 2000")
    label(right, "variables n", "peak memory, MB", "Memory, the table included")
    for axes in (left, right):
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.minorticks_off()
    save(figure, "growth.png")


def draw_rows(points: Sequence[dict[str, Any]]) -> None:
    """Draw time and memory against the number of rows."""
    if not points:
        return
    figure, (left, right) = two_panels()
    sizes = [point["n_samples"] for point in points]
    line(left, sizes, [point["seconds"] for point in points], "IBMAP-HC", "N", BLUE)
    guide(left, sizes, points[0]["seconds"], 1, "N (the target)")
    table = [point["table_bytes"] / 1e6 for point in points]
    right.plot(
        sizes, [point["peak_bytes"] / 1e6 for point in points], "o-", color=BLUE, label="peak of the fit"
    )
    right.plot(sizes, table, "--", color=GREY, label="the encoded table")
    right.plot(sizes, [2 * size for size in table], ":", color=GREY, label="twice that (the target)")
    label(left, "rows N", "seconds", "Time, n = 20, τ = 2")
    label(right, "rows N", "peak memory, MB", "Memory, the table included")
    save(figure, "rows.png")


def two_panels() -> tuple[Any, Any]:
    import matplotlib.pyplot as plt

    return plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")


def line(
    axes: Axes, sizes: Sequence[float], values: Sequence[float], name: str, letter: str, colour: str
) -> None:
    """Draw measured points with the slope of their fit in the legend."""
    if sizes:
        power = slope(sizes, values)
        axes.plot(sizes, values, "o-", color=colour, label=f"{name}: {letter}^{power:.2f}")


def guide(axes: Axes, sizes: Sequence[float], first: float, power: float, name: str) -> None:
    """Draw what a power would look like from the first point."""
    values = first * (np.array(sizes) / sizes[0]) ** power
    axes.plot(sizes, values, "--", color=GREY, label=name)


def label(axes: Axes, x: str, y: str, title: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel=y, title=title)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(frameon=False)


def save(figure: Any, name: str) -> None:
    import matplotlib.pyplot as plt

    figure.savefig(IMAGES / name, dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    draw(files.load_best())
