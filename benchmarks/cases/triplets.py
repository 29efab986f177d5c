"""Against tests one triplet at a time with NumPy and a cache.

Running such a climb to its end takes minutes, so it is not: a random sample
of the very tests the climb asks is timed, and the mean is multiplied by the
number of distinct tests. Hits of the cache are counted as free.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import ibmap
from benchmarks import data
from benchmarks.findings import Finding, faster
from benchmarks.looks import looks_of
from benchmarks.measure import Setting, in_turns
from benchmarks.numpy_triplets import NumpyTest

TITLE = "Against one triplet at a time with NumPy and a cache (n = 50, N = 12000, from the empty graph)"
QUICK_LEAVES_OUT = "tau = 4 on one thread"
Triplets = list[tuple[int, int, tuple[int, ...]]]


def run(setting: Setting) -> Iterator[Finding]:
    scenarios = ((4, 1, None), (4, 2, None), (8, 2, None))
    for tau, n_threads, target in scenarios[1:] if setting.quick else scenarios:
        table = data.sample(50, tau, 12000, signs="random" if tau == 8 else "positive")
        learner = ibmap.IBMAPHC(start="empty", n_jobs=n_threads)
        fitted = learner.fit(table)
        asked = draw_tests(looks_of(fitted), table.n_variables, 500 if setting.quick else 3000)
        contestants = [lambda f=learner, t=table: f.fit(t), lambda a=asked, t=table: test_all(t, a)]
        ours, one_by_one = in_turns(contestants, setting.repeats, budget=30)
        extrapolated = one_by_one.seconds / len(asked) * fitted.n_tests_
        note = (
            f"extrapolated: {len(asked) / one_by_one.seconds:,.0f} tests/s on {len(asked)} of "
            f"{fitted.n_tests_:,} distinct tests; {agreement(table, asked, one_by_one.value)}"
        )
        signs = ", random signs" if tau == 8 else ""
        what = f"tau = {tau}{signs}, {n_threads} thread{'s' * (n_threads > 1)}"
        yield faster(what, ours.seconds, extrapolated, target, note=note)


def draw_tests(looks: list[tuple[int, tuple[int, ...]]], n_variables: int, n_tests: int) -> Triplets:
    """Draw tests of a climb: a look at X, a change of its blanket, a Y."""
    rng = np.random.default_rng(0)
    drawn: dict[Any, None] = {}  # in order, without repetitions
    while len(drawn) < n_tests:
        x, blanket = looks[rng.integers(len(looks))]
        w, y = rng.integers(n_variables, size=2).tolist()
        given = set(blanket) ^ ({w} - {x})
        if y != x:
            drawn[min(x, y), max(x, y), tuple(sorted(given - {y}))] = None
    return list(drawn)


def test_all(table: ibmap.EncodedTable, asked: Triplets) -> list[float]:
    test = NumpyTest(table)
    return [test.log_independent(*triplet) for triplet in asked]


def agreement(table: ibmap.EncodedTable, asked: Triplets, answers: list[float]) -> str:
    test = ibmap.BayesianTest(table)
    ours = [test.log_probabilities(*triplet).independent for triplet in asked]
    return f"answers differ by {np.abs(np.array(ours) - answers).max():.0e} at most"
