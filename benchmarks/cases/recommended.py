"""The recommended learner on two threads: seconds on tables users have, beside peers that can be installed.

The peers are best-subset regressions (abess) and MIIC (pyAgrum), each with all cores, as in the studies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.findings import NO_TARGET, Finding, at_most
from benchmarks.measure import Setting, in_turns, once
from ibmap.experiments.directed import moralised
from ibmap.experiments.neighbourhoods import best_subset
from ibmap.learning import RecommendedOptions, learn_recommended
from ibmap.table import EncodedTable

TITLE = "The recommended learner, 2 threads, random signs"
QUICK_LEAVES_OUT = "the peers, 1000 variables and a million rows"
SIZES = ((100, 4, 5000, 0.5), (50, 4, 12_000, 0.5), (1000, 2, 2000, 20.0), (20, 2, 10**6, 3.0))


def run(setting: Setting) -> Iterator[Finding]:
    for n, tau, rows, limit in SIZES[:2] if setting.quick else SIZES:
        table = data.sample(n, tau, rows, signs="random")
        yield own(f"n = {n}, N = {rows:,}, tau = {tau}", table, limit, setting)
        if not setting.quick and n <= 100:
            yield from beside(table)
    yield own(
        "a questionnaire: 25 items of 6 answers, 3 columns more, N = 2,236", questionnaire(), 5.0, setting
    )


def own(what: str, table: EncodedTable, limit: float, setting: Setting) -> Finding:
    options = RecommendedOptions()
    timed = in_turns([lambda: learn_recommended(table, options, n_threads=2)], setting.repeats, budget=10)[0]
    note = f"{timed.value.graph.n_edges} edges, {timed.value.n_tests:,} assertions weighed"
    return Finding(what, timed.seconds, verdict=at_most(timed.seconds, limit, "s"), note=note)


def beside(table: EncodedTable) -> Iterator[Finding]:
    """Run the peers on the same table."""
    peers: dict[str, tuple[str, Callable[[EncodedTable], Any]]] = {
        "abess": ("abess", best_subset),
        "MIIC": ("pyagrum", lambda each: moralised(each, method="miic", join=False)),
    }
    for name, (library, learn) in peers.items():
        if find_spec(library) is None:
            yield Finding(f"  {name}", note="not installed")
        else:
            yield Finding(
                f"  {name}", other=once(lambda learn=learn: learn(table)).seconds, verdict=NO_TARGET
            )


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
