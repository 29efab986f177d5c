"""The paper's learners, each with the paper's choices, on one thread."""

from __future__ import annotations

from ibmap.experiments.study import Learned, Learner
from ibmap.learning import GSMNOptions, HillClimbingOptions, learn_gsmn, learn_hc
from ibmap.table import EncodedTable


def gsmn(table: EncodedTable) -> Learned:
    """Run GSMN, the paper's competitor.

    Parameters
    ----------
    table : EncodedTable
        The data.

    Returns
    -------
    Learned
        With the number of distinct tests.
    """
    result = learn_gsmn(table, GSMNOptions())
    return Learned(result.graph, {"n_tests": result.n_tests})


def hc(table: EncodedTable) -> Learned:
    """Run IBMAP-HC from GSMN's structure.

    Parameters
    ----------
    table : EncodedTable
        The data.

    Returns
    -------
    Learned
        With the number of distinct tests, the ascents M and the score.
    """
    result = learn_hc(table, HillClimbingOptions())
    counters = {"n_tests": result.n_tests, "n_ascents": result.n_ascents, "score": result.score}
    return Learned(result.graph, {name: value for name, value in counters.items() if value is not None})


LEARNERS = {"gsmn": Learner("gsmn", gsmn), "hc": Learner("hc", hc)}
