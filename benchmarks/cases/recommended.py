"""The recommended learner on two threads: seconds on tables users have, beside MIIC (pyAgrum, all cores)."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from benchmarks import data
from benchmarks.findings import Finding, at_most
from benchmarks.measure import Setting, in_turns, once
from ibmap.data.table import EncodedTable
from ibmap.learners import RecommendedOptions, learn_recommended
from ibmap.reproduce.directed import moralised

TITLE = "The recommended learner, 2 threads, random signs"
QUICK_LEAVES_OUT = "MIIC, 1000 variables and a million rows"
SIZES = ((100, 4, 5000, 0.5), (50, 4, 12_000, 0.5), (1000, 2, 2000, 20.0), (20, 2, 10**6, 3.0))


def run(setting: Setting) -> Iterator[Finding]:
    for n, tau, rows, limit in SIZES[:2] if setting.quick else SIZES:
        table = data.sample(n, tau, rows, signs="random")
        yield own(f"n = {n}, N = {rows:,}, tau = {tau}", table, limit, setting)
        if not setting.quick and n <= 100:
            yield beside(table)
    yield own(
        "a questionnaire: 25 items of 6 answers, 3 columns more, N = 2,236", questionnaire(), 5.0, setting
    )


def own(what: str, table: EncodedTable, limit: float, setting: Setting) -> Finding:
    options = RecommendedOptions()
    timed = in_turns([lambda: learn_recommended(table, options, n_threads=2)], setting.repeats, budget=10)[0]
    note = f"{timed.value.graph.n_edges} edges, {timed.value.n_tests:,} assertions weighed"
    return Finding(what, timed.seconds, verdict=at_most(timed.seconds, limit, "s"), note=note)


def beside(table: EncodedTable) -> Finding:
    """Run the peer on the same table."""
    if find_spec("pyagrum") is None:
        return Finding("  MIIC", note="not installed")
    return Finding("  MIIC", other=once(lambda: moralised(table, method="miic", join=False)).seconds)


def questionnaire() -> EncodedTable:
    """Make up 25 items of five scales, and sex, education and age."""
    rng = np.random.default_rng(data.SAMPLE_SEED)
    n = 2236
    scales = rng.normal(size=(n, 5))
    shared = 0.7 * scales[:, np.arange(25) // 5] + 0.045 * scales.sum(axis=1, keepdims=True)
    items = np.digitize(shared + 0.75 * rng.normal(size=(n, 25)), [-1.3, -0.7, -0.1, 0.5, 1.2])
    sex, education = rng.integers(0, 2, n), rng.integers(0, 5, n)
    age = np.clip(rng.gamma(3, 6, n) + 2 * education, 0, 62).astype(int)
    return EncodedTable.from_codes(np.column_stack([items, sex, education, age]))
