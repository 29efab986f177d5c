"""The paper's figures, drawn from the rows: ratio bars, ratios against N, growth with n, benchmarks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from ibmap.plotting.canvas import INK, new_figure
from ibmap.reproduce.comparison import Comparison, ComparisonTable
from ibmap.reproduce.growth import GrowthTable, slope

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAINT = "#8793a0"
COLOURS = ("#2563eb", "#c2410c", "#15803d", "#7c3aed")  # of learners or sizes, in their order
HIGHEST = 2.0  # of benchmark ratios; what is higher is written above its bar
STYLE: dict[Any, Any] = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}


def ratio_bars(rows: pl.DataFrame, tables: Sequence[ComparisonTable], titles: Sequence[str]) -> Figure:
    """Draw bars of error ratios per N: a row of panels per tau, a column per kind of error."""
    taus = rows["tau"].unique().sort().to_list()
    figure, panels = make_panels(len(taus), len(tables), "Errors relative to GSMN's (below 1 is better)")
    for table, title, column in zip(tables, titles, panels.T, strict=True):
        found = _ratios(table, rows)
        for tau, panel in zip(taus, column, strict=True):
            _draw_bars(panel, [each for each in found if each.factors["tau"] == tau])
            panel.set_title(f"{title}, τ = {tau}", loc="left")
    legend_below(figure, panels[0, 0])
    for panel in panels[-1]:
        panel.set_xlabel("N")
    return figure


def _ratios(table: ComparisonTable, rows: pl.DataFrame) -> list[Comparison]:
    """Pick the numbers of a table that are ratios."""
    ratios = [column.title for column in table.columns if column.baseline]
    return [each for each in table.compare(rows) if each.column in ratios]


def _draw_bars(panel: Any, found: Sequence[Comparison]) -> None:
    """Draw bars next to each other, one for each column of ratios."""
    titles = list(dict.fromkeys(each.column for each in found))
    sizes = list(dict.fromkeys(each.factors["N"] for each in found))
    width = 0.8 / max(len(titles), 1)
    for k, (title, colour) in enumerate(zip(titles, COLOURS, strict=False)):
        own = [each for each in found if each.column == title]
        places = [sizes.index(each.factors["N"]) + (k - (len(titles) - 1) / 2) * width for each in own]
        _draw_series(panel, places, own, width, colour, title)
    panel.axhline(1, color=INK, linewidth=0.8)
    panel.set_ylim(bottom=0)
    panel.set_xticks(range(len(sizes)), [str(size) for size in sizes])


def _draw_series(
    panel: Any, places: Sequence[float], own: Sequence[Comparison], width: float, colour: str, label: str
) -> None:
    """Draw the bars of one learner, with error bars and the published ratios."""
    heights = [each.ours for each in own]
    errors = [0.0 if math.isnan(each.half_width) else each.half_width for each in own]
    style = {"ecolor": INK, "capsize": 2, "error_kw": {"linewidth": 0.8}}
    panel.bar(places, heights, 0.9 * width, yerr=errors, color=colour, alpha=0.75, label=label, **style)
    printed = [each.published for each in own]
    marker = {"marker": "_", "s": 90, "color": INK, "linewidths": 1.6, "zorder": 3}
    panel.scatter(places, printed, label="published" if label and colour == COLOURS[0] else None, **marker)


def ratios_against_rows(
    rows: pl.DataFrame, tables: Sequence[ComparisonTable], titles: Sequence[str], heading: str
) -> Figure:
    """Draw ratios against N, a line for each tau, ours and the published ones."""
    figure, panels = make_panels(1, len(tables), heading)
    for table, title, panel in zip(tables, titles, panels[0], strict=True):
        found = _ratios(table, rows)
        for tau, colour in zip(rows["tau"].unique().sort().to_list(), COLOURS, strict=False):
            _draw_line(panel, [each for each in found if each.factors["tau"] == tau], colour)
        panel.axhline(1, color=INK, linewidth=0.8)
        panel.set_xscale("log")
        panel.set_title(title, loc="left")
        panel.set_xlabel("N (dotted: published)")
    legend_below(figure, panels[0, 0])
    return figure


def _draw_line(panel: Any, own: Sequence[Comparison], colour: str) -> None:
    """Draw the ratios of one tau."""
    sizes = [each.factors["N"] for each in own]
    widths = [0.0 if math.isnan(each.half_width) else each.half_width for each in own]
    label = f"τ = {own[0].factors['tau']}"
    panel.errorbar(sizes, [each.ours for each in own], widths, color=colour, marker="o", ms=4, label=label)
    panel.plot(sizes, [each.published for each in own], color=colour, linestyle=":", linewidth=1.5)


def growth(rows: pl.DataFrame, table: GrowthTable, heading: str) -> Figure:
    """Draw a quantity against n on logarithmic axes: a panel for each tau, a curve for each N."""
    taus = rows["tau"].unique().sort().to_list()
    figure, panels = make_panels(-(-len(taus) // 2), min(len(taus), 2), heading)
    ticks = rows["n"].unique().sort().to_list()
    for tau, panel in zip(taus, panels.flat, strict=False):
        part = rows.filter(pl.col("tau") == tau, pl.col("learner") == table.learner)
        for size, colour in zip(part["N"].unique().sort().to_list(), COLOURS, strict=False):
            _draw_growth(panel, part.filter(pl.col("N") == size), table.quantity, colour)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xticks(ticks, [str(tick) for tick in ticks])
        panel.minorticks_off()
        panel.set_title(f"{table.symbol}, τ = {tau}", loc="left")
        panel.set_xlabel("n")
        panel.legend(frameon=False, fontsize=8)
    return figure


def _draw_growth(panel: Any, rows: pl.DataFrame, quantity: str, colour: str) -> None:
    value = pl.col(quantity)
    own = rows.group_by("n").agg(value.mean().alias("mean"), value.std().alias("deviation")).sort("n")
    n, mean, deviation = own["n"].to_list(), own["mean"].to_list(), own["deviation"].fill_null(0).to_list()
    label = f"N = {rows['N'][0]}, exponent {slope(n, mean):.2f}"
    panel.errorbar(n, mean, deviation, color=colour, marker="o", ms=4, label=label)


def benchmark_bars(rows: pl.DataFrame, table: ComparisonTable, heading: str) -> Figure:
    """Draw a bar of the error ratio for each data set."""
    found = _ratios(table, rows)
    figure, panels = make_panels(1, 1, heading, width=9.0)
    panel = panels[0, 0]
    _draw_series(panel, range(len(found)), found, 0.8, COLOURS[0], "ours")
    panel.axhline(1, color=INK, linewidth=0.8)
    panel.set_ylim(0, HIGHEST)
    for place, each in enumerate(found):
        if each.ours > HIGHEST:
            panel.annotate(f"{each.ours:.3g}", (place, HIGHEST), ha="center", va="bottom", fontsize=8)
    names = [str(each.factors["dataset"]) for each in found]
    panel.set_xticks(range(len(found)), names, rotation=40, ha="right")
    legend_below(figure, panel)
    return figure


def legend_below(figure: Figure, panel: Any) -> None:
    """Put a panel's legend under all panels, where it hides nothing."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=8)


def make_panels(n_rows: int, n_columns: int, heading: str, width: float = 4.5) -> tuple[Figure, Any]:
    """Make a figure with a grid of panels."""
    import matplotlib as mpl

    with mpl.rc_context(STYLE):
        figure = new_figure((width * n_columns, 0.6 + (2.2 if n_rows > 1 else 3.2) * n_rows))
        figure.suptitle(heading, color=INK)
        return figure, figure.subplots(n_rows, n_columns, squeeze=False)
