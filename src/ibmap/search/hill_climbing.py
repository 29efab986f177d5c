"""IBMAP-HC: hill climbing over structures by flips of single edges.

Because the score is a sum of local terms, one flip of (X, Y) changes what is
known about the changes of X and of Y alone: every ascent refreshes two
variables, and the gains of all other pairs stay valid.

Where a score gives bounds, a pair's gain is worked out only when its bound does
not rule it out, and only as far as it could still win: the flips taken are the same.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ibmap.errors import FileFormatError
from ibmap.graph import MarkovGraph
from ibmap.pools.threads import ThreadPool
from ibmap.progress import Callback, Monitor, Progress
from ibmap.score import LocalScore
from ibmap.search.climb import N_NEAREST, Climb, Climber, ClimbState, Flip, Keeper
from ibmap.search.cost import DistinctTests
from ibmap.search.limits import Limits
from ibmap.ties import TOLERANCE

__all__ = ["Callback", "Climb", "Flip", "Limits", "Progress", "best_flip", "hill_climb"]

BATCH = 8  # variables worked on at a time, for any number of threads
AT_ONCE = 4  # pairs in doubt worked out at a time: one that wins may rule others out
GRACE = 2.0  # seconds for the score of a climb that a limit ended before it was known
SAFE = 1e-9  # a term is worked out in full if it is this near to what is needed


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
    """Flip the best edge until no flip improves the score."""
    # The best of all n(n-1)/2 flips is taken if its gain is over 1e-9; among gains within 1e-9 of the
    # best, the lowest pair wins.
    with ThreadPool(n_threads) as threads:
        climber = _HillClimber(score, start, limits or Limits(), Monitor.of(callback), threads)
        climber.tests = tests or climber.tests
        climber.remember(keeper)
        return climber.run()


class _HillClimber(Climber):
    """The structure and what is known of each variable's changes."""

    def __init__(
        self, score: LocalScore, start: MarkovGraph, limits: Limits, monitor: Monitor, threads: ThreadPool
    ) -> None:
        super().__init__(start, limits, monitor, threads)
        self.score, self.tests = score, DistinctTests(self.n)
        self.n_scored = 0
        self.changes = np.zeros((self.n, self.n))  # terms, or what they are at most
        self.is_exact = np.ones((self.n, self.n), bool)
        self.gains = np.zeros((self.n, self.n))  # once all variables are scored
        self.trace: list[Flip] = []
        self.n_iterations = 0
        self.is_optimum = False
        self.keeper: Keeper | None = None

    def remember(self, keeper: Keeper | None) -> None:
        """Go on from the state a keeper has, if any, and offer it states from now on."""
        self.keeper = keeper
        state = None if keeper is None else keeper.restored()
        if state is None:
            return
        self.adjacency, self.changes = state.adjacency.copy(), state.changes.copy()
        self.is_exact, self.n_scored = state.is_exact.copy(), state.n_scored
        self.trace, self.n_iterations = list(state.trace), state.n_iterations
        self.is_optimum = state.is_optimum
        self._check_restored()

    def _check_restored(self) -> None:
        """Refuse a state whose score is not that of its structure: it was kept of other data, or doctored."""
        terms = [self.score.term(x, self.blanket(x)) for x in range(self.n_scored)]
        kept = self.changes.diagonal()[: self.n_scored]
        is_last = not self.trace or self.n_scored < self.n or self.trace[-1].score == self._total()
        if not is_last or not np.allclose(kept, terms, rtol=TOLERANCE, atol=TOLERANCE):
            msg = "the search that was kept has another score than its structure; begin anew, without resume"
            raise FileFormatError(msg)

    def state(self) -> ClimbState:
        """Give all that is needed to go on."""
        return ClimbState(
            adjacency=self.adjacency.copy(),
            n_scored=self.n_scored,
            changes=self.changes.copy(),
            is_exact=self.is_exact.copy(),
            trace=tuple(self.trace),
            n_iterations=self.n_iterations,
            is_optimum=self.is_optimum,
        )

    def run(self) -> Climb:
        """Score every flip once, then ascend."""
        stopped = self._score_all()
        if stopped is not None:
            self._offer(at_once=True)
            return self._climb(stopped, None)
        stopped = "optimum" if self.is_optimum else None
        while stopped is None:
            stopped = self._ascend()
        self.is_optimum = stopped == "optimum"
        if stopped in ("optimum", "max_ascents"):
            self._settle()
        self._offer(at_once=True)
        return self._climb(stopped, np.where(self.is_exact & self.is_exact.T, self.gains, -np.inf))

    def _score_all(self) -> str | None:
        """Refresh every variable, a few at a time; return why the climb ends, if it does."""
        for variables in self.spans(self.n_scored, self.n, BATCH):
            self._tell("scoring", self.n_scored, self.n)
            if (stopped := self.why_stop()) is not None:
                return stopped
            self._refresh(variables)
            self.n_scored = variables.stop
            self._offer()
        self._tell("scoring", self.n, self.n)
        for x in range(self.n):
            self._update_gains(x)
        return None

    def _ascend(self) -> str | None:
        """Take the best flip; return why the climb ends, if it does."""
        if self.limits.max_ascents is not None and len(self.trace) >= self.limits.max_ascents:
            return "max_ascents"
        while (doubtful := self._in_doubt()).any() and self.why_stop() is None:
            self._work_out(self._highest(doubtful), self._best_known())
            self._tell("weighing", 0)
            self._offer()
        if (stopped := self.why_stop()) is not None:
            return stopped
        self.n_iterations += 1
        x, y, gain = best_flip(self.gains)
        if not gain > TOLERANCE:
            return "optimum"
        self.adjacency[x, y] = self.adjacency[y, x] = not self.adjacency[x, y]
        self._refresh((x, y))
        self._update_gains(x)
        self._update_gains(y)
        self.trace.append(Flip(x, y, bool(self.adjacency[x, y]), float(gain), self._total()))
        self._tell("ascending", len(self.trace))
        self._offer()
        return None

    def _best_known(self) -> float:
        """Give the least gain that a pair needs to be taken, as far as is known."""
        best = self.gains[self.is_exact & self.is_exact.T].max(initial=-np.inf)
        return max(float(best), TOLERANCE) - TOLERANCE

    def _in_doubt(self) -> NDArray[np.bool_]:
        """Tell which pairs have a bound that does not rule out that they win."""
        if self.is_exact.all():
            return np.zeros((0, 0), bool)
        is_known = self.is_exact & self.is_exact.T
        return np.triu(~is_known & (self.gains >= self._best_known()))

    def _highest(self, wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
        """List the wanted pairs with the highest gains or bounds, as many as a batch holds."""
        pairs = np.argwhere(wanted)
        order = np.argsort(-self.gains[wanted], kind="stable")
        return np.asarray(pairs[order[:AT_ONCE]])

    def _work_out(self, pairs: NDArray[np.int64], least: float = -math.inf) -> None:
        """Replace the bounds of some pairs by their gains, or by bounds below `least`."""
        for first, second in ((0, 1), (1, 0)):
            sides = [(int(pair[first]), int(pair[second])) for pair in pairs]
            sides = [(x, y) for x, y in sides if not self.is_exact[x, y] and self.gains[x, y] >= least]
            needed = [self.changes[x, y] - (self.gains[x, y] - least) - SAFE for x, y in sides]
            blankets = [self.blanket(x, flipped=y) for x, y in sides]
            terms = self.pool.map(self.score.term, [x for x, _ in sides], blankets, needed)
            for (x, y), value, enough in zip(sides, terms, needed, strict=True):
                self.changes[x, y] = value
                self.is_exact[x, y] = value >= enough
            for x in sorted({x for x, _ in sides}):
                self._update_gains(x)

    def _settle(self) -> None:
        """Work out the gains a result tells of: all edges, and the best missing edges."""
        while True:
            is_known = self.is_exact & self.is_exact.T
            missing = np.sort(self.gains[np.triu(is_known & ~self.adjacency, 1)])[::-1]
            worst = missing[N_NEAREST - 1] if len(missing) >= N_NEAREST else -np.inf
            wanted = np.triu(~is_known & (self.adjacency | (self.gains > worst)))
            if not wanted.any() or self.why_stop() is not None:
                return
            self._work_out(self._highest(wanted))
            self._tell("settling", 0)
            self._offer()

    def _refresh(self, variables: Sequence[int]) -> None:
        """Ask the score anew for the changes of some variables."""
        blankets = [self.blanket(x) for x in variables]
        found = self.pool.map(self.score.bounds, variables, blankets)
        for x, blanket, (upper, is_exact) in zip(variables, blankets, found, strict=True):
            self.tests.count(x, blanket)
            self.changes[x] = upper
            self.is_exact[x] = is_exact

    def _update_gains(self, x: int) -> None:
        """Recompute the gains, or their bounds, of all flips that touch one variable."""
        self.gains[x] = self.gains[:, x] = gains_of(x, self.changes)

    def _total(self) -> float:
        """Sum the terms of all variables."""
        return math.fsum(self.changes.diagonal())

    def _unfinished_total(self) -> float:
        """Sum the terms of all variables, or give NaN if those not known yet would take long."""
        terms, end = [*self.changes.diagonal()[: self.n_scored]], time.monotonic() + GRACE
        for x in range(self.n_scored, self.n):
            if time.monotonic() > end:
                return math.nan
            terms.append(self.score.term(x, self.blanket(x)))
        return math.fsum(terms)

    def _tell(self, phase: str, done: int, total: int = 0) -> None:
        """Report progress."""
        score = self.trace[-1].score if self.trace and phase in ("ascending", "settling") else math.nan
        reached = {"n_ascents": len(self.trace), "score": score, "n_tests": self.tests.n_tests}
        self.monitor.tell(phase, done, total, **reached)

    def _offer(self, at_once: bool = False) -> None:
        """Offer the state to whoever keeps it."""
        if self.keeper is not None and self.n_scored:
            self.keeper.offer(self.state, at_once=at_once)

    def _climb(self, stopped: str, gains: NDArray[np.float64] | None) -> Climb:
        """Put the outcome together."""
        graph = MarkovGraph(self.adjacency, self.names)
        score = self._total() if gains is not None else self._unfinished_total()
        return Climb(graph, score, tuple(self.trace), self.n_iterations, stopped, gains, self.tests)


def gains_of(x: int, changes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what each flip of `x` gains; nothing is gained from one impossible structure to another."""
    with np.errstate(invalid="ignore"):
        gains = (changes[x] - changes[x, x]) + (changes[:, x] - changes.diagonal())
    gains[x] = -np.inf
    return np.where(np.isnan(gains), -np.inf, gains)


def best_flip(gains: NDArray[np.float64]) -> tuple[int, int, float]:
    """Find the pair whose flip gains most, and its gain; ties go to the lowest pair."""
    best = gains.max(initial=-np.inf)
    if best == -np.inf:
        return 0, 0, -math.inf
    x, y = divmod(int(np.argmax(gains >= best - TOLERANCE)), gains.shape[1])  # row by row: x < y
    return x, y, float(gains[x, y])
