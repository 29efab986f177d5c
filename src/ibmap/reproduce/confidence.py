"""Whether edge probabilities mean what they say, and whether the median network is better than the best one.

Every learner here claims a probability for each pair. Claims are held against the true structure in
twenty bins; errors of calibration are pooled over all networks of a line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ibmap.confidence.bootstrap import resample
from ibmap.confidence.calibration import log_loss, recommended_temperature
from ibmap.confidence.learned import Effort, learned_score
from ibmap.confidence.posterior import posterior_confidence
from ibmap.confidence.sampling import SamplingPlan
from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.reproduce.comparison import Column, Comparison, ComparisonTable
from ibmap.reproduce.families import Family
from ibmap.reproduce.metrics import EDGES
from ibmap.reproduce.pairwise import baselines
from ibmap.reproduce.paper_learners import run
from ibmap.reproduce.recommended import RULE, SCREENING
from ibmap.reproduce.recommended import TITLES as RIVALS
from ibmap.reproduce.reports import FigureReport, TableReport
from ibmap.reproduce.study import Instance, Learned, Learner, Study
from ibmap.result.reliability import N_BINS, Reliability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_FITS = 40  # of a bootstrap
PLAN = SamplingPlan(max_steps=3_000, precision=0.015)  # no limit of time: the same rows each time
TITLES = {
    "posterior": "calibrated",
    "temperature-1": "temperature 1",
    "bootstrap": "bootstrap",
    "ibmap": "climb",
    **{name: RIVALS[name] for name in ("rise", "l1", "abess")},
}

Floats = NDArray[np.float64]


def posterior(table: EncodedTable, temperature: float | None = None) -> Learned:
    """Give the median network of the recommended learner's posterior, and judge its probabilities."""
    from ibmap.learners import LEARNERS, RecommendedOptions

    options = RecommendedOptions()
    result = LEARNERS["ibmap"].learn(table, options)
    found = posterior_confidence(
        learned_score(result, table, options, Effort()),
        result.graph,
        temperature=recommended_temperature(table.n_samples) if temperature is None else temperature,
        plan=PLAN,
    )
    share = found.is_mixed.mean() if found.is_mixed is not None else 1.0
    return Learned(found.graph(), {"mixed": float(share)}, partial(claims, found.edge_probabilities))


def bootstrapped(table: EncodedTable) -> Learned:
    """Give the edges that more than half of the resampled tables give, and judge their frequencies."""
    from ibmap.learners import LEARNERS

    learner = LEARNERS["ibmap"]
    found = resample(lambda rows: learner.find(rows, learner.options()), table, n_fits=N_FITS)
    graph = MarkovGraph(found.frequencies > 0.5, table.names)
    return Learned(graph, {}, partial(claims, found.frequencies))


def claims(probabilities: Floats, instance: Instance) -> Mapping[str, float]:
    """Count pairs, the edges claimed and the true edges in each bin of the probabilities."""
    upper = np.triu_indices(len(probabilities), 1)
    p, truths = probabilities[upper], instance.reference.adjacency[upper]  # type: ignore[union-attr]
    told = Reliability.of(p, truths)
    counted = {"pairs": told.pairs, "claimed": told.claimed, "true": told.true}
    found = {f"{name}_{k}": float(own[k]) for name, own in counted.items() for k in range(N_BINS)}
    return {**found, "log_loss": log_loss(p, truths), "n_pairs": float(len(p))}


def reliability(rows: pl.DataFrame, learner: str) -> Reliability:
    """Sum up a learner's bins over all rows."""
    own = rows.filter(pl.col("learner") == learner)
    pairs, claimed, true = (
        tuple(own[f"{name}_{k}"].sum() for k in range(N_BINS)) for name in ("pairs", "claimed", "true")
    )
    return Reliability(tuple(map(int, pairs)), tuple(map(float, claimed)), tuple(map(int, true)), len(own))


def pooled(rows: pl.DataFrame, learner: str) -> dict[str, float]:
    """Give calibration error, the share of true edges among sure claims, and log-loss, pooled over pairs."""
    told, own = reliability(rows, learner), rows.filter(pl.col("learner") == learner)
    weights = own["n_pairs"].to_numpy()
    return {
        "calibration error": told.error,
        "by chance": told.error_by_chance,
        "true above 0.95": told.true_share,
        "log-loss": float((own["log_loss"].to_numpy() * weights).sum() / max(weights.sum(), 1)),
    }


@dataclass(frozen=True)
class CalibrationTable:
    """A table of pooled errors of calibration, a line for each value of some factors."""

    name: str
    title: str
    keys: tuple[str, ...]
    learners: tuple[str, ...]
    rule: str = "calibration error: how far claims are from shares in twenty bins, over all pairs"

    def compare(self, rows: pl.DataFrame) -> list[Comparison]:
        """Sum up each line."""
        found = []
        for key, part in rows.group_by(self.keys, maintain_order=True):
            cell = dict(zip(self.keys, key, strict=True))
            for learner in self.learners:
                n_runs = part.filter(pl.col("learner") == learner)["repetition"].len()
                for quantity, value in pooled(part, learner).items():
                    nothing = (math.nan, math.nan, "", math.nan, "")
                    title = f"{TITLES[learner]}, {quantity}"
                    found.append(Comparison(cell, title, value, math.nan, n_runs, 0, "", *nothing))
        return found


def reliability_diagram(rows: pl.DataFrame, learners: Sequence[str]) -> Figure:
    """Draw the share of true edges against what was claimed."""
    from ibmap.plotting import plot_reliability
    from ibmap.plotting.canvas import new_figure

    figure = new_figure((6.0, 5.5))
    plot_reliability({TITLES[each]: reliability(rows, each) for each in learners}, figure.add_subplot())
    return figure


def confidence_studies() -> dict[str, Study]:
    """Give the studies of edge probabilities by name."""
    cells = [
        Family(family, n, tau, rows)
        for family in ("signed", "mixed")
        for n, tau in ((12, 2), (12, 4), (20, 2), (20, 4), (50, 2), (50, 4))
        for rows in (100, 200, 500, 1000, 5000)
    ]
    short = [Family("signed", n, tau, rows) for n in (12, 20) for tau in (2, 4) for rows in (40, 100, 200)]
    both = (_calibration(cells), _median(short))
    return {study.name: study for study in both}


def _learners() -> tuple[Learner, ...]:
    """Name who claims probabilities."""
    return (
        Learner("posterior", posterior),
        Learner("temperature-1", partial(posterior, temperature=1.0)),
        Learner("bootstrap", bootstrapped),
    )


def _calibration(problems: Sequence[Family]) -> Study:
    """Put the study of calibration together."""
    learners = _learners()
    names = tuple(each.name for each in learners)
    lines = ((("family",), "kind"), (("N",), "rows"), (("n",), "variables"), (("tau",), "degree"))
    tables = [
        CalibrationTable(f"confidence-{words}", f"Calibration, by {words}", keys, names)
        for keys, words in (*lines, (("family", "n", "tau", "N"), "cells"))
    ]
    return Study(
        "confidence",
        "Do edge probabilities mean what they say?",
        tuple(problems),
        learners,
        (EDGES,),
        repetitions=3,
        reports=(
            *map(TableReport, tables),
            FigureReport("confidence-reliability", partial(reliability_diagram, learners=names)),
        ),
        quick=_is_quick,
        quick_repetitions=1,
    )


def _median(problems: Sequence[Family]) -> Study:
    """Put the study of the median network at few rows together."""
    learners = (*_learners(), Learner("ibmap", partial(run, algorithm="ibmap")), SCREENING[0], *baselines())
    columns = tuple(Column(TITLES[each.name], "edge_errors", each.name) for each in learners)
    title = "Wrong edges of median networks, the climb and regressions, few rows"
    tables = (
        ComparisonTable("confidence-median", title, ("n", "tau", "N"), columns, rule=RULE),
        ComparisonTable("confidence-median-mean", f"{title}, all cells", ("family",), columns, rule=RULE),
    )
    return Study(
        "confidence-median",
        title,
        tuple(problems),
        learners,
        (EDGES,),
        repetitions=10,
        reports=tuple(map(TableReport, tables)),
        quick=_is_quick,
        quick_repetitions=1,
    )


def _is_quick(problem: Any) -> bool:
    """Keep what takes seconds."""
    return bool(problem.n <= 12 and problem.N <= 1000)
