"""The rest of the family on the paper's problems: other searches, scores and tests, beside ours."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from ibmap.data.table import EncodedTable
from ibmap.independence.argumentative import ArgumentativeTest
from ibmap.independence.bayesian import BayesianTest
from ibmap.learners import LEARNERS, GSMNOptions, TestOptions, learn_gsimn, learn_gsmn
from ibmap.reproduce.comparison import Column, ComparisonTable
from ibmap.reproduce.figures import make_panels
from ibmap.reproduce.metrics import EDGES, INDEPENDENCES
from ibmap.reproduce.paper_learners import as_learned, run
from ibmap.reproduce.problems import SampledNetwork
from ibmap.reproduce.reports import FigureReport, TableReport
from ibmap.reproduce.study import Learned, Learner, Study
from ibmap.search.particles import cost_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_TESTS = 3000  # of PFMN with many variables
KEYS = ("n", "tau", "N")


def learned(table: EncodedTable, name: str, **options: Any) -> Learned:
    """Run a learner of the package by its name."""
    entry = LEARNERS[name]
    result = entry.learn(table, entry.options(**options))
    found = as_learned(result)
    cost = {} if result.test_cost is None else {"test_cost": result.test_cost}
    return Learned(found.graph, {**found.counters, **cost})


def argumentative(table: EncodedTable, max_arguments: int = 1000) -> Learned:
    """Run GSMN with the argumentative test; the tests counted are those of the Bayesian test behind it."""
    made: list[ArgumentativeTest] = []

    def make(data: EncodedTable) -> ArgumentativeTest:
        made.append(ArgumentativeTest(BayesianTest(data), max_arguments))
        return made[0]

    result = learn_gsmn(table, GSMNOptions(test=make))
    counters = {"n_tests": result.n_tests, "n_corrected": made[0].n_corrected}
    return Learned(result.graph, {**counters, "test_cost": cost_of(made[0].asked)})


def with_cost(table: EncodedTable, name: str) -> Learned:
    """Run GSMN or GSIMN, and say what its tests cost in variables."""
    made: list[BayesianTest] = []

    def make(data: EncodedTable) -> BayesianTest:
        made.append(BayesianTest(data))
        return made[0]

    if name == "gsmn":
        result = learn_gsmn(table, GSMNOptions(test=make))
    else:
        result = learn_gsimn(table, TestOptions(test=make))
    return Learned(result.graph, {"n_tests": result.n_tests, "test_cost": cost_of(made[0].asked)})


TESTING = (
    Learner("gsmn", partial(with_cost, name="gsmn")),
    Learner("gsmn-arguments", argumentative),
    Learner("gsimn", partial(with_cost, name="gsimn")),
    Learner("pfmn", partial(learned, name="pfmn", max_tests=MAX_TESTS)),
)
SEARCHES = (
    Learner("hc", partial(run, algorithm="hc")),
    Learner("hhc", partial(learned, name="hhc")),
    Learner("beam", partial(learned, name="beam", start="gsmn")),
    Learner("restarts", partial(learned, name="restarts", start="gsmn")),
)
SCORES = tuple(Learner(name, partial(learned, name=name)) for name in ("bjp", "mpl", "pic"))
RECOMMENDED = Learner("ibmap", partial(run, algorithm="ibmap"))
SMALL = (RECOMMENDED, *TESTING, *SEARCHES, *SCORES)
LARGE = (RECOMMENDED, Learner("gsmn", partial(run, algorithm="gsmn")), *TESTING[2:3], *SEARCHES, *SCORES)
HUBS = (RECOMMENDED, *SEARCHES[:2], *SCORES)
TITLES = {
    "ibmap": "IBMAP",
    "gsmn": "GSMN",
    "gsmn-arguments": "GSMN arg.",
    "gsimn": "GSIMN",
    "pfmn": "PFMN",
    "hc": "HC",
    "hhc": "HHC",
    "beam": "beam",
    "restarts": "restarts",
    "bjp": "BJP",
    "mpl": "MPL",
    "pic": "PIC",
}
QUANTITIES = {
    "edge_errors": "Wrong edges",
    "independence_errors": "Share of wrong independences",
    "n_tests": "Distinct tests (MPL, PIC: blankets weighed; IBMAP: assertions weighed)",
    "test_cost": "Variables in all tests",
    "seconds": "Seconds",
}


def family_studies() -> dict[str, Study]:
    """Give the studies of the family by name.

    >>> list(family_studies())
    ['family', 'family-large', 'family-hubs']
    """
    small = [SampledNetwork(12, tau, rows) for tau in (1, 2, 4, 8) for rows in (40, 200, 800, 5000)]
    large = [SampledNetwork(50, tau, rows) for tau in (1, 4) for rows in (200, 800)]
    hubs = [SampledNetwork(12, 2, rows, structure="scale-free") for rows in (40, 200, 800, 5000)]
    every = (
        _study("family", "The rest of the family, 12 variables", small, SMALL),
        _study("family-large", "The rest of the family, 50 variables", large, LARGE),
        _study("family-hubs", "Scores on structures with hubs, 12 variables", hubs, HUBS),
    )
    return {study.name: study for study in every}


def draw_cost(rows: pl.DataFrame) -> Figure:
    """Draw wrong edges against tests, each a mean over numbers of rows: a panel for each degree."""
    from matplotlib.ticker import NullFormatter

    taus = rows["tau"].unique().sort().to_list()
    figure, panels = make_panels(1, len(taus), "Wrong edges against distinct tests")
    for tau, panel in zip(taus, panels.flat, strict=True):
        part = rows.filter(pl.col("tau") == tau)
        means = part.group_by("learner", maintain_order=True).agg(pl.mean("n_tests", "edge_errors"))
        for name, n_tests, errors in means.rows():
            colour = "#2563eb" if name == "ibmap" else "#1f2a36"
            panel.scatter(n_tests, errors, s=14, color=colour)
            panel.annotate(
                TITLES[name], (n_tests, errors), (3, 3), textcoords="offset points", fontsize=7, color=colour
            )
        panel.set_xscale("log")
        panel.xaxis.set_minor_formatter(NullFormatter())
        panel.set_xlabel("distinct tests, or blankets weighed")
        panel.set_title(f"τ = {tau}", loc="left")
    panels.flat[0].set_ylabel("wrong edges")
    return figure


def _study(name: str, title: str, problems: list[SampledNetwork], learners: tuple[Learner, ...]) -> Study:
    """Put a study together: a table for each quantity."""
    tables = [
        ComparisonTable(
            f"{name}-{quantity.replace('_', '-')}",
            f"{what}. {title}",
            KEYS,
            tuple(Column(TITLES[each.name], quantity, each.name) for each in learners),
            rule="the fewer, the better",
        )
        for quantity, what in QUANTITIES.items()
        if quantity != "test_cost" or name == "family"
    ]
    return Study(
        name,
        title,
        tuple(problems),
        learners,
        (EDGES, INDEPENDENCES),
        repetitions=5,
        reports=(*map(TableReport, tables), FigureReport(f"{name}-cost", draw_cost)),
        quick=_is_quick,
        quick_repetitions=1,
    )


def _is_quick(problem: SampledNetwork) -> bool:
    """Keep what takes seconds."""
    return problem.N in (200, 800) and (problem.tau in (1, 4) or problem.structure != "mean-degree")
