"""The paper's learners, each with the paper's choices, on one thread; and a second reading of GSMN."""

from __future__ import annotations

from ibmap.experiments.cautious import CautiousTest
from ibmap.experiments.study import Learned, Learner
from ibmap.learning import (
    GSMNOptions,
    HillClimbingOptions,
    TreeSearchOptions,
    learn_gsmn,
    learn_hc,
    learn_ts,
)
from ibmap.result import SearchResult
from ibmap.table import EncodedTable


def gsmn(table: EncodedTable) -> Learned:
    """Run GSMN, the paper's competitor."""
    result = learn_gsmn(table, GSMNOptions())
    return Learned(result.graph, {"n_tests": result.n_tests})


def hc(table: EncodedTable) -> Learned:
    """Run IBMAP-HC from GSMN's structure."""
    return scored(learn_hc(table, HillClimbingOptions()))


def hc_from_empty(table: EncodedTable) -> Learned:
    """Run IBMAP-HC from the empty structure."""
    return scored(learn_hc(table, HillClimbingOptions(start="empty")))


def ts(table: EncodedTable) -> Learned:
    """Run IBMAP-TS."""
    return scored(learn_ts(table, TreeSearchOptions()))


def cautious_gsmn(table: EncodedTable) -> Learned:
    """Run GSMN with the cautious test."""
    result = learn_gsmn(table, GSMNOptions(test=CautiousTest))
    return Learned(result.graph, {"n_tests": result.n_tests})


def cautious_hc(table: EncodedTable) -> Learned:
    """Run IBMAP-HC from the structure of GSMN with the cautious test."""
    start = learn_gsmn(table, GSMNOptions(test=CautiousTest)).graph
    return scored(learn_hc(table, HillClimbingOptions(start=start)))


def scored(result: SearchResult) -> Learned:
    """Take over the structure and the counters of a result."""
    counters = {"n_tests": result.n_tests, "n_ascents": result.n_ascents, "score": result.score}
    return Learned(result.graph, {name: value for name, value in counters.items() if value is not None})


_ALL = (
    Learner("gsmn", gsmn),
    Learner("ts", ts),
    Learner("hc", hc),
    Learner("hc-from-empty", hc_from_empty),
    Learner("cautious-gsmn", cautious_gsmn),
    Learner("cautious-hc", cautious_hc),
)
LEARNERS = {each.name: each for each in _ALL}
