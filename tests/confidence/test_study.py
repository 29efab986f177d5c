import math

import numpy as np
import polars as pl
import pytest

from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.reproduce import confidence as study
from ibmap.reproduce.execution import execute
from ibmap.reproduce.families import Family
from ibmap.reproduce.reports import sum_up
from ibmap.reproduce.study import Instance

pytestmark = pytest.mark.compiled_only("a study as a whole says nothing new about kernels")


def rows_of(learner, probabilities, edges, **cell):
    n = len(probabilities)
    truth = MarkovGraph.from_edges(n, edges)
    table = EncodedTable.from_codes(np.zeros((2, n), int), names=truth.names)
    counted = study.claims(probabilities, Instance(table, truth))
    return {"learner": learner, "repetition": 0, **cell, **counted}


def test_claims_are_counted_by_bin():
    p = np.zeros((4, 4))
    p[np.triu_indices(4, 1)] = [0.0, 0.049, 0.05, 0.5, 0.96, 1.0]
    found = rows_of("a", p, [(0, 1), (2, 3), (1, 3)])
    assert [found[f"pairs_{k}"] for k in (0, 1, 10, 19)] == [2, 1, 1, 2]
    assert [found[f"true_{k}"] for k in (0, 1, 10, 19)] == [1, 0, 0, 2]
    assert found["claimed_19"] == pytest.approx(1.96) and found["n_pairs"] == 6
    assert sum(found[f"pairs_{k}"] for k in range(20)) == 6


def test_errors_are_pooled_over_networks_before_claims_are_compared():
    """One network claims too much, another too little: together they are calibrated."""
    p = np.full((3, 3), 0.5)
    rows = pl.DataFrame(
        [rows_of("a", p, [], N=1), rows_of("a", p, [(0, 1), (0, 2), (1, 2)], N=1), rows_of("a", p, [], N=2)]
    )
    assert study.pooled(rows.filter(pl.col("N") == 1), "a")["calibration error"] == pytest.approx(0)
    assert study.pooled(rows.filter(pl.col("N") == 2), "a")["calibration error"] == pytest.approx(0.5)
    assert study.pooled(rows, "a")["log-loss"] == pytest.approx(math.log(2))
    assert math.isnan(study.pooled(rows, "a")["true above 0.95"])


def test_the_study_runs_and_draws_its_diagram():
    whole = study.confidence_studies()["confidence"]
    run = next(each for each in whole.runs if each.problem == Family("mixed", 12, 2, 500))
    rows = pl.DataFrame(execute(whole.plan(3), run))
    assert rows["learner"].to_list() == ["posterior", "temperature-1", "bootstrap"]
    assert rows["n_pairs"].to_list() == [66] * 3 and (rows["log_loss"] < 0.7).all()
    findings = sum_up(whole, rows)
    assert [each.table.name for each in findings] == [
        f"confidence-{word}" for word in ("kind", "rows", "variables", "degree", "cells")
    ]
    assert {each.column for each in findings[0].comparisons} >= {"calibrated, log-loss"}
    figure = study.reliability_diagram(rows, ["posterior", "bootstrap"])
    told = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert [each.split(":")[0] for each in told] == ["calibrated", "bootstrap"]
