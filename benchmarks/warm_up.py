"""Compile every kernel before anything is measured."""

from __future__ import annotations

import time

import ibmap
from benchmarks import data, plain_kernel
from ibmap.score import local_score


def warm_up() -> float:
    """Run everything once on small tables; return the seconds it took."""
    begun = time.perf_counter()
    for options in ({}, {"cardinalities": 3}):
        table = data.sample(12, 4, 1000, **options)
        ibmap.IBMAPHC(start="gsmn", n_jobs=2).fit(table)
        ibmap.IBMAPHC(start="empty").fit(table)
        use_every_row(table)
    weighted = data.sample(6, 2, 5000).compressed()
    ibmap.IBMAPHC().fit(weighted)
    plain_kernel.climb(data.sample(12, 4, 300), 2)
    return time.perf_counter() - begun


def use_every_row(table: ibmap.EncodedTable) -> None:
    """Ask tests and scores with small and with large conditioning sets."""
    test = ibmap.BayesianTest(table)
    score = local_score(test)
    for size in range(11):
        given = tuple(range(1, 1 + size))
        test.log_probabilities(0, 11, given)
        score.changes(0, given)
    ibmap.GTest(table).ask(0, 1, (2,))
