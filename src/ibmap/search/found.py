"""What a search over structures found, and when it has to end early."""

from __future__ import annotations

import time
from typing import NamedTuple

from ibmap.graph import MarkovGraph
from ibmap.progress import Callback, Monitor
from ibmap.search.climb import Flip
from ibmap.search.limits import Limits


class Found(NamedTuple):
    """The best structure, its log score, the flips that led to it, neighbourhoods seen, why it ended."""

    graph: MarkovGraph
    score: float
    trace: tuple[Flip, ...]
    n_iterations: int
    stopped: str


class Watch:
    """The limits of one search: time, flips, and whether its callback asked to stop."""

    def __init__(self, limits: Limits | None, callback: Callback | Monitor | None) -> None:
        self.limits, self.monitor = limits or Limits(), Monitor.of(callback)
        self._begun = time.monotonic()

    def stop(self, n_ascents: int) -> str | None:
        """Tell why the search has to end here, if it has to."""
        if self.monitor.is_stopped:
            return "interrupted"
        if self.limits.max_ascents is not None and n_ascents >= self.limits.max_ascents:
            return "max_ascents"
        limit = self.limits.max_seconds
        return "max_seconds" if limit is not None and time.monotonic() - self._begun >= limit else None

    def left(self) -> Limits:
        """Give the limits with the time that is left."""
        return self.limits.after(time.monotonic() - self._begun)

    def tell(self, n_ascents: int, score: float, n_tests: int = 0) -> None:
        """Report an ascent."""
        self.monitor.tell("ascending", n_ascents, n_ascents=n_ascents, score=score, n_tests=n_tests)
