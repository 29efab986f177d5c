"""Two threads against one, and the same answer bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

import ibmap
from benchmarks import data
from benchmarks.findings import Finding, faster
from benchmarks.measure import Setting, in_turns, is_same_fit

TITLE = "Two threads against one (N = 12000, n = 50)"
N_STEPS = 50_000_000
QUICK_LEAVES_OUT = "the climb from GSMN"
SCENARIOS = (
    ("tau = 4, from the empty graph", 4, "empty", "positive"),
    ("tau = 8, random signs, from the empty graph", 8, "empty", "random"),
    ("tau = 8, random signs, from GSMN", 8, "gsmn", "random"),
)


@njit(nogil=True)
def step_on(n_steps: int) -> int:
    """Do arithmetic in registers, which needs nothing but a core."""
    number = np.uint64(1)
    for _ in range(n_steps):
        number = number * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return int(number)


def run(setting: Setting) -> Iterator[Finding]:
    yield from machine(setting)
    for what, tau, start, signs in SCENARIOS[:-1] if setting.quick else SCENARIOS:
        table = data.sample(50, tau, 12000, signs=signs)
        one, two = (ibmap.IBMAPHC(start=start, n_jobs=n_jobs) for n_jobs in (1, 2))
        contestants = [lambda f=two, t=table: f.fit(t), lambda f=one, t=table: f.fit(t)]
        ours, other = in_turns(contestants, setting.repeats, budget=30)
        same = "bit-identical" if is_same_fit(ours.value, other.value) else "RESULTS DIFFER"
        note = f"{same}; {ours.cores:.2f} cores busy"
        yield faster(what, ours.seconds, other.seconds, 1.5, note=note)


def machine(setting: Setting) -> Iterator[Finding]:
    """Measure what a second thread is worth to a program that shares nothing."""
    step_on(1)
    with ThreadPoolExecutor(2) as pool:
        contestants = [lambda: list(pool.map(step_on, [N_STEPS] * 2)), lambda: [step_on(N_STEPS)] * 2]
        both, one = in_turns(contestants, setting.repeats)
    yield faster("the machine itself: a loop in registers, twice", both.seconds, 2 * one.seconds)
