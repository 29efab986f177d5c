"""What a search may use, and how several searches share it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

from ibmap.options import as_bytes, as_count, as_number
from ibmap.search.best_first import Allowance

ROUND_SECONDS = 0.01  # less is not worth another round


@dataclass(frozen=True)
class Budget:
    """What a tree search may use."""

    max_nodes: int | None = None  # states expanded
    max_seconds: float | None = None  # wall-clock time
    max_memory: int | None = None  # bytes for states and tests, as they are counted
    begun: float = field(default_factory=time.monotonic)  # when `time.monotonic` began to count

    @property
    def deadline(self) -> float | None:
        """When `time.monotonic` has to stop, if at all."""
        return None if self.max_seconds is None else self.begun + self.max_seconds


def make_budget(max_nodes: Any = None, max_seconds: Any = None, max_memory: Any = None) -> Budget:
    """Check the limits of a search."""
    if max_nodes is not None:
        as_count(max_nodes, "max_nodes")
    if max_seconds is not None:
        as_number(max_seconds, "max_seconds", low=0, high=float("inf"))
    return Budget(max_nodes, max_seconds, None if max_memory is None else as_bytes(max_memory))


class Resumable(Protocol):
    """A search that can be stopped and taken up again."""

    stopped: str

    @property
    def n_expanded(self) -> int:
        """States expanded so far."""
        ...

    @property
    def is_done(self) -> bool:
        """Whether it is at its end."""
        ...

    @property
    def n_bytes(self) -> int:
        """Memory held; next to nothing when it is done."""
        ...

    def advance(self, allowance: Allowance | None = None) -> None:
        """Search until it is done or the allowance is used up."""
        ...


def share(
    searches: Sequence[Resumable],
    budget: Budget,
    n_threads: int = 1,
    watch: Callable[[], None] | None = None,
) -> str:
    """Advance searches in rounds until all are done or the budget is used up."""
    # In a round every search that is not done gets an equal share of what is left; what it leaves goes
    # to the others in the next round. So easy searches pay for hard ones, and, time apart, nothing
    # depends on the number of threads.
    nodes_left = budget.max_nodes
    while pending := [search for search in searches if not search.is_done]:
        memory = None if budget.max_memory is None else budget.max_memory // len(pending)
        able = [search for search in pending if memory is None or search.n_bytes < memory]
        nodes = None if nodes_left is None or not able else nodes_left // len(able)
        if not able or nodes == 0:
            return "max_nodes" if able else "max_memory"
        if budget.deadline is not None and budget.deadline - time.monotonic() < ROUND_SECONDS:
            return "max_seconds"
        before = sum(search.n_expanded for search in able)
        _Round(able, Allowance(nodes, memory, budget.deadline, watch), n_threads).run()
        used = sum(search.n_expanded for search in able) - before
        nodes_left = None if nodes_left is None else nodes_left - used
        if not used and not any(search.is_done for search in able):
            return able[0].stopped  # a share that is left is too small for anyone
    return "optimum"


class _Round:
    """One round: every search gets its share."""

    def __init__(self, searches: Sequence[Resumable], allowance: Allowance, n_threads: int) -> None:
        self._searches, self._allowance, self._n_threads = searches, allowance, n_threads
        self._n_waiting = len(searches)
        self._is_cancelled = False

    def run(self) -> None:
        """Advance every search once; if interrupted, let none go on."""
        if self._n_threads == 1:
            for search in self._searches:
                self._advance(search)
            return
        with ThreadPoolExecutor(max_workers=self._n_threads) as pool:
            try:
                list(pool.map(self._advance, self._searches))
            except KeyboardInterrupt:
                self._is_cancelled = True
                raise

    def _advance(self, search: Resumable) -> None:
        """Give one search its share; of the time left, what those still waiting do not need."""
        deadline = self._allowance.deadline
        if deadline is not None:
            now = time.monotonic()
            deadline = now + (deadline - now) * min(1.0, self._n_threads / self._n_waiting)
        self._n_waiting -= 1
        search.advance(self._allowance._replace(deadline=deadline, watch=self._watch))

    def _watch(self) -> None:
        """Pass the watch on; end a thread whose run was interrupted."""
        if self._is_cancelled:
            raise KeyboardInterrupt
        if self._allowance.watch is not None:
            self._allowance.watch()
