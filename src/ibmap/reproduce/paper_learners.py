"""The paper's learners, each with the paper's choices, on one thread; and a second reading of GSMN."""

from __future__ import annotations

from functools import partial
from typing import Any

from ibmap.data.table import EncodedTable
from ibmap.reproduce.cautious import CautiousTest
from ibmap.reproduce.study import Learned, Learner
from ibmap.result import SearchResult

COUNTERS = ("n_tests", "n_ascents", "score")


def run(
    table: EncodedTable, algorithm: str, *, counters: tuple[str, ...] = COUNTERS, **options: Any
) -> Learned:
    """Run a learner of the package; keep those counters that it has."""
    from ibmap.learners import LEARNERS as PACKAGE

    entry = PACKAGE[algorithm]
    return as_learned(entry.learn(table, entry.options(**options)), counters)


def as_learned(result: SearchResult, counters: tuple[str, ...] = COUNTERS) -> Learned:
    """Take over the structure of a result, and those counters that it has."""
    found = {name: getattr(result, name) for name in counters}
    return Learned(result.graph, {name: value for name, value in found.items() if value is not None})


def cautious_hc(table: EncodedTable) -> Learned:
    """Run IBMAP-HC from the structure of GSMN with the cautious test."""
    return run(table, "hc", start=run(table, "gsmn", test=CautiousTest).graph)


_ALL = (
    Learner("gsmn", partial(run, algorithm="gsmn")),
    Learner("ts", partial(run, algorithm="ts")),
    Learner("hc", partial(run, algorithm="hc")),
    Learner("hc-from-empty", partial(run, algorithm="hc", start="empty")),
    Learner("cautious-gsmn", partial(run, algorithm="gsmn", test=CautiousTest)),
    Learner("cautious-hc", cautious_hc),
)
LEARNERS = {each.name: each for each in _ALL}
