"""Which test to use when: the pairwise test against the table test and regression-based learners."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import polars as pl

from ibmap.data.table import EncodedTable
from ibmap.independence.pairwise import PENALTY
from ibmap.reproduce.claims import Check, Claim
from ibmap.reproduce.comparison import Column, Comparison, ComparisonTable
from ibmap.reproduce.families import Family
from ibmap.reproduce.figures import COLOURS, FAINT, legend_below, make_panels
from ibmap.reproduce.metrics import EDGES
from ibmap.reproduce.neighbourhoods import best_subset, l1_ebic
from ibmap.reproduce.paper_learners import LEARNERS, run
from ibmap.reproduce.reports import FigureReport, TableReport
from ibmap.reproduce.study import Learned, Learner, Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PENALTIES = (0.0, 0.5, 1.0, 1.5)
MAX_NODES = 5000  # of IBMAP-TS: enough for most of these, and the same on every machine
CLAIMED = (("positive", 4), ("signed", 8), ("mixed", 8), ("three-state", 8))  # up to which degree


def pairwise_hc(table: EncodedTable, penalty: float, start: str = "gsmn") -> Learned:
    """Run IBMAP-HC with the pairwise test."""
    counters = ("n_ascents", "score")
    return run(table, "hc", counters=counters, test="pairwise", penalty=penalty, start=start)


def name_of(penalty: float) -> str:
    """Name the learner with the pairwise test."""
    return f"pairwise {penalty:g}"


_plain = partial(run, counters=())
TABLE_LEARNERS = (
    LEARNERS["gsmn"],
    LEARNERS["hc"],
    Learner("hc best", partial(_plain, algorithm="hc", start="best")),
)
# of many variables GSMN's start is too slow
FROM_EMPTY = Learner("hc empty", partial(_plain, algorithm="hc", start="empty"))
TREE_SEARCH = Learner("ts", partial(_plain, algorithm="ts", max_nodes=MAX_NODES))
PAIRWISE_LEARNERS = tuple(Learner(name_of(g), partial(pairwise_hc, penalty=g)) for g in PENALTIES)
REGRESSIONS = (Learner("l1", l1_ebic), Learner("abess", best_subset))
BASELINES = tuple(each.name for each in REGRESSIONS)
OWN = COLOURS[3]  # of the pairwise test in figures
LINES = {
    "gsmn": FAINT,
    "hc": COLOURS[0],
    "hc best": COLOURS[1],
    "hc empty": COLOURS[1],
    "ts": COLOURS[2],
    "l1": "#0f766e",
    "abess": "#be185d",
}
TITLES = {
    "gsmn": "GSMN",
    "hc": "HC",
    "hc best": "HC best",
    "hc empty": "HC empty",
    "ts": "TS",
    "l1": "L1 EBIC",
    "abess": "abess",
}


def baselines() -> tuple[Learner, ...]:
    """Give the regression-based baselines that can run here."""
    return REGRESSIONS if find_spec("abess") else REGRESSIONS[:1]


def no_worse(other: str, family: str, tau: int) -> Check:
    """Check that the pairwise test makes no more errors than a learner on average from N = 200 on."""
    own, title = name_of(PENALTY), TITLES.get(other, other)

    def check(found: Sequence[Comparison]) -> tuple[bool | None, str]:
        cells = [
            each
            for each in found
            if each.factors["family"] == family and each.factors["N"] >= 200 and each.factors["tau"] <= tau
        ]
        means = []
        for column in (own, title):
            errors = [each.ours for each in cells if each.column == column]
            means.append(sum(errors) / len(errors) if errors else float("nan"))
        if not means[0] >= 0 or not means[1] >= 0:
            return None, "nothing measured"
        return means[0] <= means[1], f"{means[0]:.2f} and {means[1]:.2f} wrong edges"

    return check


def _study(name: str, title: str, problems: Sequence[Family], learners: Sequence[Learner]) -> Study:
    """Put a study together: a table, its claims and a figure."""
    columns = [Column(TITLES.get(each.name, each.name), "edge_errors", each.name) for each in learners]
    table = ComparisonTable(name, f"Wrong edges. {title}", ("family", "n", "tau", "N"), tuple(columns))
    others = [each.name for each in learners if each.name in ("gsmn", "hc", "hc empty", "l1", "abess")]
    claims = [
        Claim(
            f"{family}, tau up to {tau}: no more wrong edges than {TITLES[other]}, N from 200 on",
            no_worse(other, family, tau),
        )
        for family, tau in CLAIMED
        for other in others
        if any(each.family == family for each in problems)
    ]
    drawn = [
        each.name for each in learners if each.name not in {name_of(g) for g in PENALTIES if g != PENALTY}
    ]
    return Study(
        name,
        title,
        tuple(problems),
        tuple(learners),
        (EDGES,),
        reports=(
            TableReport(table, tuple(claims)),
            FigureReport(name, partial(draw_errors, learners=tuple(drawn))),
        ),
        quick=lambda problem: problem.N in (200, 500) and problem.tau in (2, 4),
        quick_repetitions=1,
    )


def _problems_of_12() -> list[Family]:
    """Give every degree and size; the most rows only where the degree asks for them."""
    return [
        Family(family, 12, tau, rows)
        for family in ("positive", "signed", "mixed")
        for tau in (1, 2, 4, 8)
        for rows in ((40, 200, 800, 5000) if tau < 4 else (40, 200, 800, 5000, 12_000))
    ]


def _problems_of_50() -> list[Family]:
    """Give few and many rows, and 5000 for the higher degrees of one family."""
    few = [
        Family(family, 50, tau, rows)
        for family, degrees in (("positive", (1, 2, 4)), ("signed", (1, 2, 4, 8)), ("mixed", (4, 8)))
        for tau in degrees
        for rows in (200, 800)
    ]
    return few + [Family("signed", 50, tau, 5000) for tau in (4, 8)]


def _problems_beyond() -> list[Family]:
    """Give variables of three states, and links that two variables by themselves do not show."""
    states = [Family("three-state", 12, tau, rows) for tau in (1, 2, 4, 8) for rows in (200, 800, 5000)]
    triples = [
        Family(kind, 12, 2, rows) for kind in ("interaction", "parity") for rows in (40, 200, 800, 5000)
    ]
    return states + triples


def pairwise_studies() -> dict[str, Study]:
    """Give the studies of the pairwise test by name."""
    every = (
        _study(
            "pairwise",
            "Pairwise networks of 12 variables",
            _problems_of_12(),
            (*TABLE_LEARNERS, TREE_SEARCH, *PAIRWISE_LEARNERS, *baselines()),
        ),
        _study(
            "pairwise-50",
            "Pairwise networks of 50 variables",
            _problems_of_50(),
            (*TABLE_LEARNERS[:2], *PAIRWISE_LEARNERS[1:], *baselines()),
        ),
        _study(
            "pairwise-100",
            "Pairwise networks of 100 variables",
            [Family("signed", 100, tau, rows) for tau in (2, 4, 8) for rows in (200, 1000)],
            (TABLE_LEARNERS[0], FROM_EMPTY, *PAIRWISE_LEARNERS[1:], *baselines()),
        ),
        _study(
            "pairwise-states",
            "Three states, and links of three variables",
            _problems_beyond(),
            (*TABLE_LEARNERS, TREE_SEARCH, *PAIRWISE_LEARNERS),
        ),
    )
    return {study.name: study for study in every}


def draw_errors(rows: pl.DataFrame, learners: Sequence[str]) -> Figure:
    """Draw wrong edges against rows, a panel for each family, number of variables and degree."""
    cells = rows.select("family", "n", "tau").unique(maintain_order=True).rows()
    n_columns = min(4, len(cells))
    figure, grid = make_panels(-(-len(cells) // n_columns), n_columns, "Wrong edges against rows", width=2.6)
    for panel, cell in zip(grid.flat, cells, strict=False):
        part = rows.filter(
            (pl.col("family") == cell[0]) & (pl.col("n") == cell[1]) & (pl.col("tau") == cell[2])
        )
        for name in learners:
            means = part.filter(pl.col("learner") == name).group_by("N").agg(pl.mean("edge_errors")).sort("N")
            own = name == name_of(PENALTY)
            panel.plot(
                means["N"],
                means["edge_errors"] + 0.1,
                color=LINES.get(name, OWN),
                marker="o",
                markersize=3,
                linewidth=2.2 if own else 1.1,
                linestyle="--" if name in BASELINES else "-",
                label=TITLES.get(name, name),
            )
        _label_axes(panel, sorted(part["N"].unique().to_list()))
        panel.set_title(f"{cell[0]}, n = {cell[1]}, τ = {cell[2]}", loc="left", fontsize=8)
    for panel in list(grid.flat)[len(cells) :]:
        panel.set_visible(False)
    legend_below(figure, grid.flat[0])
    return figure


def _label_axes(panel: Any, sizes: Sequence[int]) -> None:
    """Make both axes logarithmic, with plain numbers; no error at all is drawn as 0.1."""
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlim(min(sizes) / 1.5, max(sizes) * 1.5)
    panel.set_ylim(0.08, max(2.0, 1.3 * panel.get_ylim()[1]))
    panel.set_xticks(sizes, [f"{size // 1000}k" if size % 1000 == 0 else f"{size}" for size in sizes])
    ticks = [tick for tick in (0.1, 1, 10, 100, 1000) if tick <= panel.get_ylim()[1]]
    panel.set_yticks(ticks, ["0" if tick < 1 else f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
