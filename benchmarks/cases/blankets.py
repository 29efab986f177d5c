"""Blankets far beyond what the data supports."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import ibmap
from benchmarks import data
from benchmarks.findings import Finding, at_most
from benchmarks.measure import Setting, in_turns
from ibmap.score import local_score

TITLE = "All changes of a blanket far beyond the data (30 neighbours against 2, n = 50, N = 500)"
LARGE, SMALL = tuple(range(1, 31)), (1, 2)


def run(setting: Setting) -> Iterator[Finding]:
    network = data.sample(50, 4, 500)
    tables = (
        (2, "independent", data.noise(50, 500, 2)),
        (2, "tau = 4", network),
        (3, "independent", data.noise(50, 500, 3)),
    )
    for n_states, kind, table in tables:
        score = local_score(ibmap.BayesianTest(table))
        score.changes(0, LARGE)
        contestants = [lambda s=score: s.changes(0, LARGE), lambda s=score: s.changes(0, SMALL)]
        large, small = in_turns(contestants, setting.repeats)
        cost = large.seconds / small.seconds
        is_finite = bool(np.isfinite(large.value).all())
        yield Finding(
            f"{n_states} states a variable, {kind}: K = {n_states}^30 slices against {n_states}^2",
            large.seconds,
            small.seconds,
            cost,
            verdict=at_most(cost, 1, "times a small blanket"),
            note="all terms finite" if is_finite else "SOME TERMS ARE NOT FINITE",
        )
