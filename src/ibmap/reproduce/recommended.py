"""How well the recommended learner does, compared with the paper's, regressions and Bayesian networks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ibmap.reproduce.bayesian_networks import NetworkSample
from ibmap.reproduce.comparison import Column, ComparisonTable
from ibmap.reproduce.directed import has_pyagrum, moralised
from ibmap.reproduce.exact_recovery import LADDER, IsingSample, RowsNeeded
from ibmap.reproduce.families import Family
from ibmap.reproduce.held_out import BENCHMARK_SETS, DENSITY_SETS, HELD_OUT, RealTable, l1_states
from ibmap.reproduce.metrics import EDGES
from ibmap.reproduce.pairwise import baselines, pairwise_hc
from ibmap.reproduce.paper_learners import LEARNERS, run
from ibmap.reproduce.reports import TableReport
from ibmap.reproduce.screening import screened
from ibmap.reproduce.study import Learner, Study

RULE = "the fewer wrong edges, the better"
NETWORK_KEYS = ("family", "n", "tau", "N")

Keys = tuple[str, ...]


OWN = (
    Learner("ibmap", partial(run, algorithm="ibmap")),
    LEARNERS["hc"],
    Learner("pairwise", partial(pairwise_hc, penalty=1.0, start="empty")),
)
SCREENING = (
    Learner("rise", partial(screened, logarithm=False)),
    Learner("logrise", partial(screened, logarithm=True)),
)
L1 = Learner("l1", l1_states)
DIRECTED = tuple(Learner(each, partial(moralised, method=each)) for each in ("bdeu", "miic"))
SKELETONS = tuple(
    Learner(f"{each} skeleton", partial(moralised, method=each, join=False)) for each in ("bdeu", "miic")
)
TITLES = {
    "ibmap": "IBMAP",
    "hc": "HC",
    "pairwise": "HC pairwise",
    "l1": "L1 EBIC",
    "abess": "abess",
    "rise": "RISE EBIC",
    "logrise": "logRISE EBIC",
    "bdeu": "BDeu moral",
    "miic": "MIIC moral",
    "bdeu skeleton": "BDeu skeleton",
    "miic skeleton": "MIIC skeleton",
}


def recommended_studies(folder: str | Path | None = None) -> dict[str, Study]:
    """Give the studies of the recommended learner by name."""
    directed = DIRECTED if has_pyagrum() else ()
    both = (*DIRECTED, *SKELETONS) if has_pyagrum() else ()
    binary = (*OWN, *baselines(), *SCREENING)
    place = "" if folder is None else str(folder)
    every = (
        _edges("recommended", "Large random networks", _large(), (*binary, *both), NETWORK_KEYS, 10),
        _edges("recommended-short", "Few rows", _short(), (*binary, *both), NETWORK_KEYS, 5),
        _edges("recommended-states", "Three states", _three(), (*OWN, *both), NETWORK_KEYS, 10),
        _edges("recommended-bn", "Bayesian networks", _known(), (*OWN, *directed), ("network", "N"), 5),
        _edges("recommended-interactions", "Triples", _triples(), (*binary, *directed), ("family", "N"), 10),
        _real([RealTable(name, place) for name in DENSITY_SETS + BENCHMARK_SETS], (*OWN, L1, *directed[:1])),
        _exact(binary),
    )
    return {study.name: study for study in every}


def _large() -> list[Family]:
    """Give dense and sparse networks of 50 and 100 variables."""
    sizes = ((50, 8, 500), (50, 4, 500), (100, 4, 1000), (100, 2, 500))
    return [Family("signed", *size) for size in sizes]


def _short() -> list[Family]:
    """Give 16 cells of few rows."""
    return [
        Family("signed", n, tau, rows) for n in (20, 50) for tau in (2, 4) for rows in (40, 100, 200, 500)
    ]


def _three() -> list[Family]:
    """Give small and larger networks of three states."""
    sizes = [(12, tau, rows) for tau in (2, 4) for rows in (200, 800)]
    return [Family("three-state", *size) for size in (*sizes, (50, 4, 1000))]


def _known() -> list[NetworkSample]:
    """Give well-known networks at three numbers of rows."""
    names = ("asia", "sachs", "alarm", "insurance")
    return [NetworkSample(name, rows) for name in names for rows in (500, 2000, 10_000)]


def _triples() -> list[Family]:
    """Give triples of variables that act together."""
    kinds = ("interaction", "parity", "gates", "simpson")
    return [Family(kind, 12, 2, rows) for kind in kinds for rows in (200, 800, 5000)]


def _edges(
    name: str, title: str, problems: Sequence[Any], learners: Sequence[Learner], keys: Keys, repetitions: int
) -> Study:
    """Put a study of wrong edges together: a line for each cell, and the mean over all of them."""
    columns = _columns(learners, "edge_errors")
    cells = ComparisonTable(name, f"Wrong edges. {title}", keys, columns, rule=RULE)
    means = ComparisonTable(
        f"{name}-mean", f"Wrong edges. {title}, all cells by kind", keys[:1], columns, rule=RULE
    )
    return Study(
        name,
        title,
        tuple(problems),
        tuple(learners),
        (EDGES,),
        repetitions=repetitions,
        reports=(TableReport(cells), TableReport(means)),
        quick=_is_quick,
        quick_repetitions=1,
    )


def _real(problems: Sequence[RealTable], learners: Sequence[Learner]) -> Study:
    references = (  # the same for all learners
        Column("L1 own, EBIC", "l1_ebic_held_out", "ibmap"),
        Column("L1 own, validated", "l1_held_out", "ibmap"),
    )
    columns = (*_columns(learners, "held_out"), *references)
    title = "Mean held-out pseudo-log-likelihood of real tables"
    rule = "the larger, the better; the columns L1 own predict from all variables"
    table = ComparisonTable("recommended-real", title, ("dataset",), columns, rule=rule)
    return Study(
        "recommended-real",
        title,
        tuple(problems),
        tuple(learners),
        HELD_OUT,
        repetitions=3,
        reports=(TableReport(table),),
        quick=lambda problem: problem.dataset in ("nltcs", "car", "tictactoe"),
        quick_repetitions=1,
    )


def _exact(learners: Sequence[Learner]) -> Study:
    title = "Rows until every sample gives the exact structure, 16 variables"
    problems = [
        IsingSample(structure, strongest, rows)
        for structure in ("grid", "regular")
        for strongest in (0.5, 0.8, 1.2, 1.6)
        for rows in LADDER
    ]
    table = RowsNeeded("recommended-exact", title, tuple((TITLES[each.name], each.name) for each in learners))
    return Study(
        "recommended-exact",
        title,
        tuple(problems),
        tuple(learners),
        (EDGES,),
        repetitions=20,
        reports=(TableReport(table),),
        quick=lambda problem: problem.strongest in (0.5, 0.8) and problem.N <= 4000,
    )


def _columns(learners: Sequence[Learner], quantity: str) -> tuple[Column, ...]:
    return tuple(Column(TITLES[each.name], quantity, each.name) for each in learners)


def _is_quick(problem: Any) -> bool:
    """Keep what takes seconds."""
    if isinstance(problem, NetworkSample):
        return problem.network in ("asia", "sachs") and problem.N <= 2000
    return problem.n <= 50 and problem.N in (100, 500, 800)
