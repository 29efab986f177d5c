"""The hardest scenario of the paper: 50 variables, 12000 rows, tau = 8."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ibmap
from benchmarks import data
from benchmarks.findings import NO_TARGET, Finding, at_most
from benchmarks.measure import Setting, in_turns

TITLE = "Hardest scenario of the paper (n = 50, N = 12000), IBMAP-HC from GSMN, 2 threads"
LIMIT = 6.0  # seconds
QUICK_LEAVES_OUT = "tau = 4, and all rounds but one"
PAPER = "the paper: 5 hours with a cache, on its machine"


def run(setting: Setting) -> Iterator[Finding]:
    yield fit("tau = 8, positive couplings", setting, PAPER, tau=8)
    yield fit("tau = 8, couplings of random sign", setting, PAPER, tau=8, signs="random")
    if not setting.quick:
        yield fit("tau = 4, positive couplings", setting, "", has_target=False, tau=4)


def fit(what: str, setting: Setting, note: str, *, has_target: bool = True, **options: Any) -> Finding:
    table = data.sample(50, options.pop("tau"), 12000, **options)
    learner = ibmap.IBMAPHC(start="gsmn", n_jobs=2)
    timed = in_turns([lambda: learner.fit(table)], 1 if setting.quick else setting.repeats, budget=30)[0]
    fitted = timed.value
    found = f"{fitted.n_ascents_} ascents, {fitted.n_tests_:,} distinct tests"
    verdict = at_most(timed.seconds, LIMIT, "s") if has_target else NO_TARGET
    return Finding(what, timed.seconds, verdict=verdict, note="; ".join(filter(None, (found, note))))
