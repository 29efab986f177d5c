"""One blanket after the other, and all of them joined to a graph."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from ibmap.errors import StopSearch
from ibmap.graph import MarkovGraph
from ibmap.independence.protocol import IndependenceTest
from ibmap.pools.threads import ThreadPool
from ibmap.progress import Monitor

RULES = ("or", "and")
PER_THREAD = 4  # blankets that threads find before progress is reported


def each_blanket(
    find: Callable[[IndependenceTest, int], tuple[int, ...]],
    test: IndependenceTest,
    deadline: float | None = None,
    monitor: Monitor | None = None,
    n_threads: int = 1,
) -> tuple[tuple[int, ...], ...]:
    """Find the blanket of every variable, as long as there is time."""
    test.deadline = deadline
    try:
        return _each_blanket(find, test, deadline, monitor or Monitor(), n_threads)
    finally:
        test.deadline = None


def _each_blanket(
    find: Callable[[IndependenceTest, int], tuple[int, ...]],
    test: IndependenceTest,
    deadline: float | None,
    monitor: Monitor,
    n_threads: int,
) -> tuple[tuple[int, ...], ...]:
    """Find one blanket after the other; those that time does not allow are empty."""
    n, found = test.n_variables, list[tuple[int, ...]]()
    n_threads = 1 if test.apart() is None else n_threads
    batch = 1 if n_threads == 1 else PER_THREAD * n_threads
    ready: list[tuple[tuple[int, ...], IndependenceTest | None]] = []
    with ThreadPool(n_threads) as threads:
        for x in range(n):
            monitor.tell("blankets", x, n, n_tests=test.n_tests)
            if monitor.is_stopped or (deadline is not None and time.monotonic() > deadline):
                break
            if x == len(ready):
                ready += threads.map(partial(_find_apart, find, test), range(x, min(x + batch, n)))
            blanket, own = ready[x]
            found.append(blanket)
            if own is not None:
                test.remember(own)
    return (*found, *[()] * (n - len(found)))


def _find_apart(
    find: Callable[[IndependenceTest, int], tuple[int, ...]], test: IndependenceTest, x: int
) -> tuple[tuple[int, ...], IndependenceTest | None]:
    """Find a blanket with a memory of its own, so that the order does not matter."""
    own = test.apart()
    try:
        return find(own or test, x), own
    except StopSearch:
        return (), own


def join_blankets(found: Sequence[Sequence[int]], names: Sequence[str], rule: str) -> MarkovGraph:
    """Join blankets to a graph."""
    claims = {(x, y) for x, members in enumerate(found) for y in members}
    joined = claims if rule == "or" else {(x, y) for x, y in claims if (y, x) in claims}
    return MarkovGraph.from_edges(len(names), joined, names)
