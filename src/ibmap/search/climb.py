"""What all climbs share: ascents, outcome, and the state on the way, from which a climb can go on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.graph import MarkovGraph
from ibmap.pools.protocol import Pool
from ibmap.progress import Monitor
from ibmap.search.cost import DistinctTests
from ibmap.search.limits import Limits

QUICK = 0.5  # seconds that a call may take before fewer are asked for at once
N_NEAREST = 50  # missing edges whose gain is worked out at the end and reported


class Flip(NamedTuple):
    """One ascent: the pair flipped, whether an edge was added, gain and new score."""

    x: int
    y: int
    added: bool
    gain: float
    score: float


@dataclass(frozen=True, eq=False)
class Climb:
    """The outcome of a hill climb."""

    graph: MarkovGraph  # the last structure reached
    score: float  # its score
    trace: tuple[Flip, ...]  # the ascents in order
    n_iterations: int  # one more than the ascents, unless a limit ended the climb
    stopped: str  # {"optimum", "max_ascents", "max_seconds", "interrupted"}: why it ended
    # Of all edges and the best missing edges; -inf where a bound was enough. None if there was no time.
    gains: NDArray[np.float64] | None
    tests: DistinctTests = field(repr=False)  # what it cost


@dataclass(frozen=True, eq=False)
class ClimbState:
    """All that a climb knows between two steps; from it, it goes on as if never stopped."""

    adjacency: NDArray[np.bool_]  # (n_variables, n_variables): the structure reached
    n_scored: int  # variables whose flips are scored
    changes: NDArray[np.float64]  # of each variable's term, or upper bounds
    is_exact: NDArray[np.bool_]  # (n_variables, n_variables): which of them are the terms themselves
    trace: tuple[Flip, ...]  # the ascents so far
    n_iterations: int  # as in `Climb`
    is_optimum: bool  # whether no flip is better, so that only the evidence is left to be worked out


class Keeper(Protocol):
    """Keeps the state of a climb somewhere, and may have one to go on from."""

    def restored(self) -> ClimbState | None:
        """Give the state to go on from."""
        ...

    def offer(self, make: Callable[[], ClimbState], *, at_once: bool) -> None:
        """Take the state of the climb, if it is time."""
        ...


class Climber:
    """What every climb has: a structure, limits, whom to report to, and who does the work."""

    def __init__(self, start: MarkovGraph, limits: Limits, monitor: Monitor, pool: Pool) -> None:
        self.limits, self.monitor, self.pool = limits, monitor, pool
        self.names, self.n = start.names, start.n_variables
        self.adjacency = start.adjacency.copy()
        self.begun = time.monotonic()

    def blanket(self, x: int, flipped: int | None = None) -> tuple[int, ...]:
        """List a variable's neighbours, one of them flipped."""
        row = self.adjacency[x].copy()
        if flipped is not None:
            row[flipped] = not row[flipped]
        return tuple(np.flatnonzero(row).tolist())

    def spans(self, begin: int, end: int, most: int) -> Iterator[range]:
        """Cut numbers into ranges for one call each, shorter where that takes long: limits wait for it."""
        size = min(self.pool.size, most)
        while begin < end:
            begun = time.monotonic()
            yield range(begin, min(begin + size, end))
            begin += size
            is_quick = time.monotonic() - begun < QUICK
            size = min(2 * size, most) if is_quick else max(size // 2, min(self.pool.size, most))

    def why_stop(self) -> str | None:
        """Tell why the climb has to end here, if it has to."""
        if self.monitor.is_stopped:
            return "interrupted"
        limit = self.limits.max_seconds
        return "max_seconds" if limit is not None and time.monotonic() - self.begun >= limit else None
