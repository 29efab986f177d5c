"""IBMAP-HC: hill climbing over structures by flips of single edges.

Because the score is a sum of local terms, one flip of (X, Y) changes what is
known about the changes of X and of Y alone: every ascent refreshes two
variables, and the gains of all other pairs stay valid.

Where a score gives bounds, a pair's gain is worked out only when its bound does
not rule it out: the flips taken are the same.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ibmap.graph import MarkovGraph
from ibmap.kernels import flips
from ibmap.looking import Look, looking
from ibmap.progress import Callback, Monitor, Progress
from ibmap.score import LocalScore
from ibmap.search.climb import Climb, ClimbState, Flip, Keeper
from ibmap.search.cost import DistinctTests
from ibmap.search.limits import Limits
from ibmap.sharing import Team
from ibmap.ties import TOLERANCE

__all__ = ["Callback", "Climb", "Flip", "Limits", "Progress", "best_flip", "hill_climb"]

BATCH = 8  # variables or pairs worked on at a time, for any number of threads
CROWD = 3  # of so many changes of a variable one is in doubt from where on all are worked out at once
MOST_AT_ONCE = 100  # variables up to which that is done: with more it takes much memory
N_NEAREST = 50  # missing edges whose gain is worked out at the end


def hill_climb(
    score: LocalScore,
    start: MarkovGraph,
    *,
    limits: Limits | None = None,
    n_threads: int = 1,
    callback: Callback | Monitor | None = None,
    tests: DistinctTests | None = None,
    keeper: Keeper | None = None,
) -> Climb:
    """Flip the best edge until no flip improves the score.

    The best of all n(n-1)/2 flips is taken if its gain is over 1e-9; among
    gains within 1e-9 of the best, the lowest pair wins.

    Parameters
    ----------
    score : LocalScore
        The score to maximise.
    start : MarkovGraph
        Where to begin.
    limits : Limits, optional
        When to stop early.
    n_threads : int
        Threads that refresh variables; the result is the same for any number.
    callback : callable, optional
        Called with a `Progress` after each step; it may raise `StopSearch` to end the climb there.
    tests : DistinctTests, optional
        Counts the tests, those of earlier climbs only once; this climb's alone by default.
    keeper : Keeper, optional
        Keeps the state of the climb, or has one to go on from.

    Returns
    -------
    Climb
        A structure without a better flip, unless a limit was hit.

    Examples
    --------
    >>> from ibmap.independence.bayesian import BayesianTest
    >>> from ibmap.score import TestScore
    >>> rows = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10
    >>> score = TestScore(BayesianTest(rows))
    >>> hill_climb(score, MarkovGraph.empty(3)).graph.edges
    ((0, 1),)
    """
    climber = _Climber(score, start, limits or Limits(), Monitor.of(callback))
    climber.tests = tests or climber.tests
    climber.remember(keeper)
    with Team(n_threads) as team, looking(score, team) as look:
        return climber.run(team, look)


class _Climber:
    """The state of one climb: the structure and what is known of each variable's changes."""

    def __init__(self, score: LocalScore, start: MarkovGraph, limits: Limits, monitor: Monitor) -> None:
        self.score, self.limits, self.monitor = score, limits, monitor
        self.names = start.names
        self.adjacency = start.adjacency.copy()
        self.n = start.n_variables
        self.n_looked = 0
        self.changes = np.full((self.n, self.n), -np.inf)  # terms, or what they are at most
        self.is_exact = np.ones((self.n, self.n), bool)
        self.gains = np.full((self.n, self.n), -np.inf)
        self.tests = DistinctTests(self.n)
        self.trace: list[Flip] = []
        self.n_iterations = 0
        self.is_optimum = False
        self.keeper: Keeper | None = None
        self.begun = time.monotonic()

    def remember(self, keeper: Keeper | None) -> None:
        """Go on from the state a keeper has, if any, and offer it states from now on."""
        self.keeper = keeper
        state = None if keeper is None else keeper.restored()
        if state is None:
            return
        self.adjacency, self.changes = state.adjacency.copy(), state.changes.copy()
        self.is_exact, self.n_looked = state.is_exact.copy(), state.n_looked
        self.trace, self.n_iterations = list(state.trace), state.n_iterations
        self.is_optimum = state.is_optimum

    def state(self) -> ClimbState:
        """Give all that is needed to go on."""
        return ClimbState(
            adjacency=self.adjacency.copy(),
            n_looked=self.n_looked,
            changes=self.changes.copy(),
            is_exact=self.is_exact.copy(),
            trace=tuple(self.trace),
            n_iterations=self.n_iterations,
            is_optimum=self.is_optimum,
        )

    def run(self, team: Team, look: Look) -> Climb:
        """Look at everything once, then ascend."""
        stopped = self._look_at_all(look)
        if stopped is not None:
            self._offer(at_once=True)
            return self._climb(stopped, None)
        stopped = "optimum" if self.is_optimum else None
        while stopped is None:
            stopped = self._ascend(team, look)
        self.is_optimum = stopped == "optimum"
        if stopped in ("optimum", "max_ascents"):
            self._settle(team)
        self._offer(at_once=True)
        return self._climb(stopped, np.where(self.is_exact & self.is_exact.T, self.gains, -np.inf))

    def _look_at_all(self, look: Look) -> str | None:
        """Refresh every variable, a few at a time; return why the climb ends, if it does."""
        while self.n_looked < self.n:
            self._tell("first look", self.n_looked, self.n)
            if (stopped := self._stop()) is not None:
                return stopped
            last = min(self.n_looked + BATCH, self.n)
            self._refresh(range(self.n_looked, last), look)
            self.n_looked = last
            self._offer()
        self._tell("first look", self.n, self.n)
        for x in range(self.n):
            self._update_gains(x)
        return None

    def _ascend(self, team: Team, look: Look) -> str | None:
        """Take the best flip; return why the climb ends, if it does."""
        if self.limits.max_ascents is not None and len(self.trace) >= self.limits.max_ascents:
            return "max_ascents"
        is_first = True
        while (doubtful := self._in_doubt()).any() and self._stop() is None:
            crowded = [] if is_first else self._crowded(doubtful)
            if crowded:
                self._work_out_all(crowded, team)
            else:
                self._work_out(self._highest(doubtful), team)
            is_first = False
            self._tell("weighing", 0)
            self._offer()
        if (stopped := self._stop()) is not None:
            return stopped
        self.n_iterations += 1
        x, y, gain = best_flip(self.gains)
        if not gain > TOLERANCE:
            return "optimum"
        self.adjacency[x, y] = self.adjacency[y, x] = not self.adjacency[x, y]
        self._refresh((x, y), look)
        self._update_gains(x)
        self._update_gains(y)
        self.trace.append(Flip(x, y, bool(self.adjacency[x, y]), float(gain), self._total()))
        self._tell("ascending", len(self.trace))
        self._offer()
        return None

    def _in_doubt(self) -> NDArray[np.bool_]:
        """Tell which pairs have a bound that does not rule out that they win."""
        if self.is_exact.all():
            return np.zeros((0, 0), bool)
        is_known = self.is_exact & self.is_exact.T
        best = self.gains[is_known].max(initial=-np.inf)
        return np.triu(~is_known & (self.gains >= max(best, TOLERANCE) - TOLERANCE))

    def _crowded(self, doubtful: NDArray[np.bool_]) -> list[int]:
        """List variables with so many changes in doubt that all at once take less time."""
        sides = (doubtful | doubtful.T) & ~self.is_exact
        is_crowded = sides.sum(axis=1) * CROWD > self.n
        return np.flatnonzero(is_crowded)[:BATCH].tolist() if self.n <= MOST_AT_ONCE else []

    def _work_out_all(self, variables: Sequence[int], team: Team) -> None:
        """Replace the bounds of all changes of some variables by their terms."""
        found = team.map(self.score.changes, variables, [self._blanket(x) for x in variables])
        for x, terms in zip(variables, found, strict=True):
            self.changes[x], self.is_exact[x] = terms, True
        for x in variables:
            self._update_gains(x)

    def _highest(self, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """List the wanted pairs with the highest gains or bounds, as many as a batch holds."""
        pairs = np.argwhere(wanted)
        order = np.argsort(-self.gains[wanted], kind="stable")
        return np.asarray(pairs[order[:BATCH]])

    def _work_out(self, pairs: NDArray[np.int64], team: Team) -> None:
        """Replace the bounds of some pairs by their gains."""
        sides = [(int(x), int(y)) for i, j in pairs for x, y in ((i, j), (j, i)) if not self.is_exact[x, y]]
        blankets = [self._blanket(x, flipped=y) for x, y in sides]
        terms = team.map(self.score.term, [x for x, _ in sides], blankets)
        for (x, y), value in zip(sides, terms, strict=True):
            self.changes[x, y] = value
            self.is_exact[x, y] = True
        for x in sorted({x for x, _ in sides}):
            self._update_gains(x)

    def _settle(self, team: Team) -> None:
        """Work out the gains a result tells of: all edges, and the best missing edges."""
        while True:
            is_known = self.is_exact & self.is_exact.T
            missing = np.sort(self.gains[np.triu(is_known & ~self.adjacency, 1)])[::-1]
            worst = missing[N_NEAREST - 1] if len(missing) >= N_NEAREST else -np.inf
            wanted = np.triu(~is_known & (self.adjacency | (self.gains > worst)))
            if not wanted.any() or self._stop() is not None:
                return
            self._work_out(self._highest(wanted), team)
            self._tell("settling", 0)
            self._offer()

    def _blanket(self, x: int, flipped: int | None = None) -> tuple[int, ...]:
        """List a variable's neighbours, one of them flipped."""
        row = self.adjacency[x].copy()
        if flipped is not None:
            row[flipped] = not row[flipped]
        return tuple(np.flatnonzero(row).tolist())

    def _refresh(self, variables: Sequence[int], look: Look) -> None:
        """Ask the score anew for the changes of some variables."""
        blankets = [self._blanket(x) for x in variables]
        found = look(variables, blankets, partial(self._count, variables, blankets))
        for x, (upper, is_exact) in zip(variables, found, strict=True):
            self.changes[x] = upper
            self.is_exact[x] = is_exact

    def _count(self, variables: Sequence[int], blankets: Sequence[tuple[int, ...]]) -> None:
        """Count the tests of some looks."""
        for x, blanket in zip(variables, blankets, strict=True):
            self.tests.look(x, blanket)

    def _update_gains(self, x: int) -> None:
        """Recompute the gains, or their bounds, of all flips that touch one variable."""
        flips.update_gains(x, self.changes, self.gains)

    def _total(self) -> float:
        """Sum the terms of all variables."""
        return math.fsum(self.changes.diagonal())

    def _stop(self) -> str | None:
        """Tell why the climb has to end here, if it has to."""
        if self.monitor.is_stopped:
            return "interrupted"
        limit = self.limits.max_seconds
        return "max_seconds" if limit is not None and time.monotonic() - self.begun >= limit else None

    def _tell(self, phase: str, done: int, total: int = 0) -> None:
        """Report progress."""
        score = self.trace[-1].score if phase == "ascending" else math.nan
        reached = {"n_ascents": len(self.trace), "score": score, "n_tests": self.tests.n_tests}
        self.monitor.tell(phase, done, total, **reached)

    def _offer(self, at_once: bool = False) -> None:
        """Offer the state to whoever keeps it."""
        if self.keeper is not None and self.n_looked:
            self.keeper.offer(self.state, at_once=at_once)

    def _climb(self, stopped: str, gains: NDArray[np.float64] | None) -> Climb:
        """Put the outcome together."""
        graph = MarkovGraph(self.adjacency, self.names)
        if gains is None:
            rest = [self.score.term(x, graph.blanket(x)) for x in range(self.n_looked, self.n)]
            score = math.fsum([*self.changes.diagonal()[: self.n_looked], *rest])
        else:
            score = self._total()
        return Climb(graph, score, tuple(self.trace), self.n_iterations, stopped, gains, self.tests)


def best_flip(gains: NDArray[np.float64]) -> tuple[int, int, float]:
    """Find the pair whose flip gains most; ties go to the lowest pair.

    Parameters
    ----------
    gains : ndarray of shape (n_variables, n_variables)
        Symmetric; minus infinity where there is nothing to flip.

    Returns
    -------
    x, y : int
        The pair, ``x < y``.
    gain : float
        Its gain; minus infinity if there is no pair.

    Examples
    --------
    >>> best_flip(np.array([[-np.inf, 2.0, 2.0], [2.0, -np.inf, 1.0], [2.0, 1.0, -np.inf]]))
    (0, 1, 2.0)
    """
    first = flips.first_best(np.ascontiguousarray(gains, np.float64), TOLERANCE)
    if first < 0:
        return 0, 0, -math.inf
    x, y = divmod(first, gains.shape[1])  # row by row: the lowest pair, x < y
    return x, y, float(gains[x, y])
