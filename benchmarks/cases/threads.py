"""Two threads against one, and the same answer bit for bit."""

from __future__ import annotations

from collections.abc import Iterator

import ibmap
from benchmarks import data
from benchmarks.findings import Finding, faster
from benchmarks.measure import Setting, in_turns, is_same_fit

TITLE = "Two threads against one (N = 12000, n = 50)"
SCENARIOS = (
    ("tau = 4, from the empty graph", 4, "empty", "positive"),
    ("tau = 8, random signs, from the empty graph", 8, "empty", "random"),
    ("tau = 8, random signs, from GSMN", 8, "gsmn", "random"),
)


def run(setting: Setting) -> Iterator[Finding]:
    for what, tau, start, signs in SCENARIOS:
        table = data.sample(50, tau, 12000, signs=signs)
        one, two = (ibmap.IBMAPHC(start=start, n_jobs=n_jobs) for n_jobs in (1, 2))
        contestants = [lambda f=two, t=table: f.fit(t), lambda f=one, t=table: f.fit(t)]
        ours, other = in_turns(contestants, setting.repeats, budget=30)
        same = "bit-identical" if is_same_fit(ours.value, other.value) else "RESULTS DIFFER"
        note = f"{same}; {ours.cores:.2f} cores busy"
        yield faster(what, ours.seconds, other.seconds, 1.7, note=note)
