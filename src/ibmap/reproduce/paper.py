"""The studies of the paper, declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ibmap.data.binning import BinRule
from ibmap.datasets.catalogue import CATALOGUE
from ibmap.reproduce import figures
from ibmap.reproduce.claims import Claim, all_agree, below, falls_with_rows, follows_marks
from ibmap.reproduce.comparison import Column, ComparisonTable, overlap
from ibmap.reproduce.growth import GrowthTable
from ibmap.reproduce.metrics import CAUTIOUS_INDEPENDENCES, EDGES, INDEPENDENCES
from ibmap.reproduce.paper_learners import LEARNERS
from ibmap.reproduce.problems import PartOfTable, SampledNetwork
from ibmap.reproduce.published import published_rows
from ibmap.reproduce.reports import FigureReport, TableReport
from ibmap.reproduce.study import Study

TAUS = (1, 2, 4, 8)
NAMES = {"gsmn": "GSMN", "ts": "TS", "hc": "HC"}
STATED = {"gsmn": (5.0, 2.0), "ts": (5.0, 2.0), "hc": (3.0, 1.5)}  # edges up to N = 200, and above
CAUTIOUS = ("cautious-gsmn", "cautious-hc")  # run besides, as a second reading


def stated_tolerance(factors: Mapping[str, Any], column: Column, ours: float, published: float) -> float:
    """Give the tolerance of wrong edges with 12 variables: a number of edges up to tau = 4."""
    if column.baseline or factors["tau"] > 4:
        return overlap(factors, column, ours, published)
    return STATED[column.learner.removeprefix("cautious-")][0 if factors["N"] <= 200 else 1]


def _error_columns(
    quantity: str, learners: tuple[str, ...], prefix: str = "", ratio: str = "", mark: str = ""
) -> tuple[Column, ...]:
    """Give the columns of an error: a mean for each learner, a ratio for each but the first."""
    means = [Column(NAMES[name], quantity, name, published=f"{prefix}{name}") for name in learners]
    ratios = [
        Column(
            f"{NAMES[name]}/GSMN",
            quantity,
            name,
            "gsmn",
            published=ratio or f"ratio_{name}",
            mark=mark or f"mark_{name}",
        )
        for name in learners[1:]
    ]
    return (*means, *ratios)


def _cautious(
    table: ComparisonTable, quantity: str, prefix: str = "", hc: str = "cautious-hc"
) -> TableReport:
    """Give the same table for the second reading: its GSMN, an HC, and their ratio."""
    ratio = next(column for column in table.columns if column.learner == "hc" and column.baseline)
    heads = {"cautious-gsmn": "cautious GSMN", "cautious-hc": "HC from it", "hc": "HC"}
    columns = (
        Column(heads["cautious-gsmn"], quantity, "cautious-gsmn", published=f"{prefix}gsmn"),
        Column(heads[hc], quantity, hc, published=f"{prefix}hc"),
        replace(ratio, quantity=quantity, learner=hc, baseline="cautious-gsmn"),
    )
    title = f"{table.title}; second reading: tests with more slices than rows are independences"
    return TableReport(replace(table, name=f"{table.name}-cautious", title=title, columns=columns))


def _distances(n: int, kind: str, columns: tuple[Column, ...], published: str) -> ComparisonTable:
    """Declare a table of Hamming distances with n variables."""
    title = f"{kind.removesuffix('s').capitalize()} Hamming distances, {n} variables"
    return ComparisonTable(f"n{n}-{kind}", title, ("tau", "N"), columns, published)


def _n12() -> Study:
    """Edge and independence errors with 12 variables."""
    names = ("gsmn", "ts", "hc")
    problems = tuple(SampledNetwork(12, tau, rows) for tau in TAUS for rows in (40, 200, 800, 5000, 12000))
    edges = replace(
        _distances(12, "edges", _error_columns("edge_errors", names), "n12_edge_hamming"),
        tolerance=stated_tolerance,
        rule="tau 1, 2, 4: within 5 edges (GSMN, TS) or 3 (HC) for N up to 200, within 2 or 1.5 above; "
        "ratios, and tau 8: the 95 % intervals meet",
    )
    columns = _error_columns("independence_errors", names)
    independences = _distances(12, "independences", columns, "n12_independence_hamming")
    tables = (edges, independences)
    draw = partial(figures.ratio_bars, tables=tables, titles=("Edges", "Independences"))
    return Study(
        "n12",
        "Edge and independence errors of GSMN, IBMAP-TS and IBMAP-HC, 12 variables",
        problems,
        tuple(LEARNERS[name] for name in (*names, *CAUTIOUS)),
        (EDGES, INDEPENDENCES),
        reports=(
            TableReport(edges, _n12_claims(names)),
            TableReport(independences),
            _cautious(edges, "edge_errors"),
            FigureReport("n12-ratios", draw),
        ),
        repetitions=20,
        quick=lambda problem: problem.N in (200, 800, 5000),
    )


def _n12_claims(names: tuple[str, ...]) -> tuple[Claim, ...]:
    """What the paper says of wrong edges with 12 variables."""
    means = [
        Claim(
            f"{NAMES[name]} as published, within the stated tolerance, tau 1, 2, 4",
            all_agree(NAMES[name], 1, 2, 4),
        )
        for name in names
    ]
    ratios = [
        Claim(
            f"{NAMES[name]} better than GSMN in the cells marked so",
            follows_marks(f"{NAMES[name]}/GSMN", "better", *TAUS),
        )
        for name in names[1:]
    ]
    worse = [
        Claim(f"{NAMES[name]} worse than GSMN at tau 8", follows_marks(f"{NAMES[name]}/GSMN", "worse", 8))
        for name in names[1:]
    ]
    return (*means, *ratios, *worse)


def _n50() -> Study:
    """Both errors with 50 variables."""
    problems = tuple(
        SampledNetwork(50, tau, rows) for tau in TAUS for rows in (100, 500, 1000, 2000, 5000, 12000)
    )
    names = ("gsmn", "hc")
    columns = _error_columns("edge_errors", names, "edge_", "edge_ratio", "edge_mark")
    edges = _distances(50, "edges", columns, "n50_hamming")
    columns = _error_columns("independence_errors", names, "ind_", "ind_ratio", "ind_mark")
    independences = _distances(50, "independences", columns, "n50_hamming")
    claims = (
        Claim(
            "HC/GSMN lower at the largest N than at the smallest, tau 1, 2, 4",
            falls_with_rows("HC/GSMN", 1, 2, 4),
        ),
        Claim("HC/GSMN under 0.1 at N = 12000, tau 1, 2, 4", below("HC/GSMN", 0.1, 12000, 1, 2, 4)),
        Claim("HC better than GSMN in the cells marked so", follows_marks("HC/GSMN", "better", *TAUS)),
    )
    draw = partial(
        figures.ratios_against_rows,
        tables=(edges, independences),
        titles=("Edges", "Independences"),
        heading="IBMAP-HC's errors relative to GSMN's, 50 variables",
    )
    return Study(
        "n50",
        "Edge and independence errors of GSMN and IBMAP-HC, 50 variables",
        problems,
        tuple(LEARNERS[name] for name in (*names, "cautious-gsmn")),
        (EDGES, INDEPENDENCES),
        reports=(
            TableReport(edges, claims),
            TableReport(independences, claims),
            _cautious(edges, "edge_errors", "edge_", "hc"),
            _cautious(independences, "independence_errors", "ind_", "hc"),
            FigureReport("n50-ratios", draw),
        ),
        quick=lambda problem: problem.tau <= 2 and problem.N in (1000, 2000, 12000),
        quick_repetitions=1,
    )


ASCENTS = GrowthTable(
    "ascents",
    "Ascents M of IBMAP-HC against the number of variables n",
    ("tau", "N"),
    "n_ascents",
    "hc",
    "M",
    1.0,
    0.5,
    rule="quasi-linear: an exponent from 0.5 to 1.5",
)


def _ascents(name: str, starts: Mapping[str, str]) -> Study:
    """Growth of the number of ascents with the number of variables, from one or more starts."""
    problems = tuple(
        SampledNetwork(n, tau, rows)
        for tau in TAUS
        for rows in (200, 1000, 5000)
        for n in (10, 20, 30, 40, 50)
    )
    tables = [
        replace(
            ASCENTS,
            name=f"ascents-{learner.removesuffix('-hc').removeprefix('hc-')}"
            if learner != "hc"
            else "ascents",
            title=f"{ASCENTS.title}, {start}",
            learner=learner,
        )
        for learner, start in starts.items()
    ]
    drawings = [
        FigureReport(each.name, partial(figures.growth, table=each, heading=each.title)) for each in tables
    ]
    return Study(
        name,
        f"Growth of the number of ascents of IBMAP-HC with n, {' or '.join(starts.values())}",
        problems,
        tuple(LEARNERS[learner] for learner in starts),
        (EDGES,),
        reports=(*map(TableReport, tables), *drawings),
        quick=lambda problem: problem.n <= 30 and problem.tau <= 4,
        quick_repetitions=1,
    )


def _runtime() -> Study:
    """Run time of the hardest case, and its growth."""
    problems = tuple(SampledNetwork(n, 8, 12000) for n in (10, 20, 30, 40, 50))
    table = GrowthTable(
        "runtime",
        "Processor seconds of IBMAP-HC against n (published: 5 hours at n = 50, and growth as n^4)",
        ("tau", "N"),
        "cpu_seconds",
        "hc",
        "seconds",
        4.0,
        0.5,
        published={50: 5 * 3600.0},
        rule="an exponent from 3.5 to 4.5",
    )
    return Study(
        "runtime",
        "Run time of the hardest case, n = 50, tau = 8, N = 12000, and its growth",
        problems,
        (LEARNERS["hc"],),
        (EDGES,),
        repetitions=3,
        reports=(
            TableReport(table),
            FigureReport("runtime", partial(figures.growth, table=table, heading="Run time of IBMAP-HC")),
        ),
        quick=lambda problem: problem.n <= 30,
        quick_repetitions=1,
    )


def _benchmark(part: int, word: str, folder: str, bins: BinRule) -> Study:
    """Parts of benchmark sets, held against the whole, in the order of the published table."""
    names = [row["dataset"] for row in published_rows(f"benchmark_{word}") if row["dataset"] in CATALOGUE]
    columns = (
        *_error_columns("independence_errors", ("gsmn", "hc"), ratio="ratio", mark="mark"),
        Column("M", "n_ascents", "hc", published="ascents", words=("fewer", "more")),
    )
    table = ComparisonTable(
        f"benchmark-{word}",
        f"Independence Hamming distances on benchmark sets, learned from one {word} of the rows",
        ("dataset", "n", "N"),
        columns,
        f"benchmark_{word}",
        match=("dataset",),
    )
    quantity = "cautious_independence_errors"
    ascents = Column("M", "n_ascents", "cautious-hc", published="ascents", words=("fewer", "more"))
    second = _cautious(table, quantity)
    second = replace(second, table=replace(second.table, columns=(*second.table.columns, ascents)))
    heading = f"IBMAP-HC's errors relative to GSMN's, one {word} of the rows"
    bars = [
        FigureReport(each.name, partial(figures.benchmark_bars, table=each, heading=f"{heading}{reading}"))
        for each, reading in ((table, ""), (second.table, "; second reading"))
    ]
    return Study(
        f"benchmark-{word}",
        f"Independence errors of GSMN and IBMAP-HC on benchmark sets, one {word} of the rows",
        tuple(_part_of(name, part, folder, bins) for name in names),
        tuple(LEARNERS[name] for name in ("gsmn", "hc", *CAUTIOUS)),
        (INDEPENDENCES, CAUTIOUS_INDEPENDENCES),
        reports=(TableReport(table), second, *bars),
        quick=lambda problem: problem.n <= 10 and CATALOGUE[problem.dataset].make is not None,
        quick_repetitions=3,
        options={"bins": bins},
    )


def _part_of(name: str, part: int, folder: str, bins: BinRule) -> PartOfTable:
    """Declare a part of a set; what follows from a rule in part has fewer rows without its file."""
    dataset = CATALOGUE[name]
    has_file = bool(folder) and (Path(folder) / f"{name}.csv").exists()
    n_rows = len(dataset.make()) if dataset.make and dataset.is_partial and not has_file else dataset.n_rows
    return PartOfTable(name, part, dataset.n_variables, n_rows, folder, bins)


def paper_studies(folder: str | Path | None = None, bins: BinRule = "width") -> dict[str, Study]:
    """Give the studies of the paper by name."""
    place = "" if folder is None else str(folder)
    from_gsmn = _ascents("ascents", {"hc": "from GSMN", "cautious-hc": "from GSMN's second reading"})
    from_empty = _ascents("ascents-from-empty", {"hc-from-empty": "from the empty structure"})
    sampled = (_n12(), _n50(), from_gsmn, from_empty, _runtime())
    parts = (_benchmark(3, "third", place, bins), _benchmark(5, "fifth", place, bins))
    return {study.name: study for study in (*sampled, *parts)}
