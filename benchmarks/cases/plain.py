"""Against the plain per-blanket kernel, on the same table, to the same graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ibmap
from benchmarks import data, plain_kernel
from benchmarks.findings import Finding, faster
from benchmarks.measure import Setting, in_turns

TITLE = "Against the plain per-blanket kernel (n = 50, N = 12000, tau = 4, from the empty graph)"


def run(setting: Setting) -> Iterator[Finding]:
    table = data.sample(50, 4, 12000)
    contestants = [
        lambda: ibmap.IBMAPHC(start="empty", n_jobs=1).fit(table),
        lambda: ibmap.IBMAPHC(start="empty", n_jobs=2).fit(table),
        lambda: plain_kernel.climb(table, 1),
        lambda: plain_kernel.climb(table, 2),
    ]
    one, two, plain_one, plain_two = in_turns(contestants, setting.repeats)
    note = agreement(one.value, plain_one.value)
    yield faster("1 thread, plain on 1", one.seconds, plain_one.seconds, 8, note=note)
    yield faster("2 threads, plain on 1", two.seconds, plain_one.seconds, note=note)
    yield faster("2 threads, plain on 2", two.seconds, plain_two.seconds)


def agreement(fitted: Any, plain: plain_kernel.PlainClimb) -> str:
    """Say whether both found the same graph and score by the same flips."""
    same_graph = (fitted.adjacency_ == plain.adjacency).all()
    same_flips = [(flip.x, flip.y) for flip in fitted.result_.trace] == list(plain.flips)
    difference = abs(fitted.score_ - plain.score)
    if same_graph and same_flips and difference < 1e-6:
        return f"same graph, same {len(plain.flips)} flips, scores differ by {difference:.0e}"
    return f"NOT THE SAME: graph {same_graph}, flips {same_flips}, scores differ by {difference:.0e}"
