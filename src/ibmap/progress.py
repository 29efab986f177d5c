"""Where a long search stands: what a callback gets, and how it stops the search.

A search tells its `Monitor` after every step. The monitor passes a `Progress` on to the user's
callback, and remembers if that raised `StopSearch`: the search then ends at this step, with the
best it has.

Time left is given only where it can be known: in a phase of a known number of equal steps, from
the rate so far. How many ascents a climb will take nobody knows, so nothing is said.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from ibmap.errors import StopSearch

MIN_SECONDS = 1.0  # of a phase before its rate is trusted
MIN_SHARE = 0.02  # of its steps


class Progress(NamedTuple):
    """What a callback gets: where a search stands."""

    phase: str  # "blankets", "scoring", "weighing", "ascending" or "settling"
    done: int  # steps of the phase: variables, or flips while ascending
    total: int = 0  # 0 if nobody knows
    n_ascents: int = 0  # flips made so far
    score: float = math.nan  # of the structure reached, while ascending; else NaN
    seconds: float = 0.0  # since the learner began
    n_tests: int = 0  # distinct tests of independence so far
    seconds_left: float | None = None  # until the phase ends, from the rate so far

    def details(self) -> str:
        """Say in a few words what has been reached."""
        parts = [f"ascent {self.n_ascents}"] if self.n_ascents else []
        parts += [] if math.isnan(self.score) else [f"score {self.score:.1f}"]
        return ", ".join([*parts, f"{self.n_tests:,} tests"] if self.n_tests else parts)


Callback = Callable[[Progress], None]


class Monitor:
    """Pass progress on to a callback, and know whether it stopped the search."""

    def __init__(self, callback: Callback | None = None) -> None:
        self._callback = callback
        self.is_stopped = False
        self.begun = time.monotonic()
        self._phase, self._phase_begun, self._first = "", self.begun, 0

    @classmethod
    def of(cls, callback: Callback | Monitor | None) -> Monitor:
        """Make a monitor of a callback; a monitor is itself."""
        return callback if isinstance(callback, Monitor) else cls(callback)

    def tell(self, phase: str, done: int, total: int = 0, **reached: Any) -> None:
        """Report a step; afterwards `is_stopped` tells whether to go on."""
        now = time.monotonic()
        if phase != self._phase:
            self._phase, self._phase_begun, self._first = phase, now, done
        if self._callback is None or self.is_stopped:
            return
        left = self._left(done, total, now - self._phase_begun)
        try:
            self._callback(
                Progress(phase, done, total, seconds=now - self.begun, seconds_left=left, **reached)
            )
        except StopSearch:
            self.is_stopped = True

    def _left(self, done: int, total: int, seconds: float) -> float | None:
        """Estimate the time to the end of a phase from the rate of its steps so far."""
        steps = done - self._first
        if total <= 0 or seconds < MIN_SECONDS or steps < max(MIN_SHARE * total, 1):
            return None
        return seconds / steps * (total - done)
