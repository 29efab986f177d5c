"""The lazy climb: flips are put in order by what is known, and only those that could win are worked out.

One fit of X on its blanket gives the log-odds e(X, Y) of every link. Flipping a pair gains about
e(X, Y) + e(Y, X) if it adds an edge, minus that if it takes one out. Pairs are worked out exactly in
that order, until the best gain found is above what any other pair promises. A flip changes what is
known of its two ends alone.

Where no single flip gains, a *chain* of flips may: two coins and their parity must be joined all three
at once, or an edge must go for another to come. A chain begins with a flip that the evidence on its own
pair asks for, and goes on with the flips its ends then ask for; it is taken if it gains as a whole.

In *rounds* all flips are taken at once that gain most of all flips of either of their ends. No two of
them have an end in common, so none changes what another gains: the score rises by the sum. The
flip that gains most of all is always among them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.graph import MarkovGraph
from ibmap.graph.candidates import Candidates
from ibmap.pools.protocol import Pool
from ibmap.pools.threads import ThreadPool
from ibmap.progress import Monitor
from ibmap.score import LocalScore
from ibmap.score.pairwise import term_of
from ibmap.search.climb import N_NEAREST, Climber
from ibmap.search.known_flips import Gains, Pair, Promises
from ibmap.search.limits import Limits
from ibmap.ties import TOLERANCE

Floats = NDArray[np.float64]
Question = tuple[int, tuple[int, ...]]  # a variable and its blanket

BATCH = 8  # pairs worked out at a time, for any pool
PER_CALL = 4  # variables asked for, for each call that a pool makes at once
MARGIN = 3.0  # a pair that promises less than minus this is not worked out
CHAIN = 4  # flips of a chain at most
PATIENCE = 10  # times the number of variables: pairs worked out and chains tried in vain, then it ends


class EvidenceScore(LocalScore, Protocol):
    """A local score whose terms are log posteriors of links, each by its log-odds."""

    @property
    def n_tests(self) -> int:
        """Assertions weighed so far."""
        ...

    def evidences(self, questions: Sequence[Question], pool: Pool) -> list[Floats]:
        """Give the log-odds of a link of each variable with each of its candidates, itself among them."""
        ...


class LazyClimb(NamedTuple):
    """The outcome: structure, log score, flips in order, why it ended, gains where they are known."""

    graph: MarkovGraph
    score: float
    flips: tuple[Pair, ...]
    stopped: str
    gains: dict[Pair, float]


def lazy_climb(
    score: EvidenceScore,
    start: MarkovGraph,
    *,
    limits: Limits | None = None,
    pool: Pool | None = None,
    monitor: Monitor | None = None,
    in_rounds: bool = False,
    candidates: Candidates | None = None,
) -> LazyClimb:
    """Flip edges until no flip and no short chain of flips of candidates improves the score."""
    climber = _LazyClimber(score, start, limits or Limits(), monitor or Monitor(), pool or ThreadPool())
    climber.set_candidates(candidates or Candidates(start.n_variables))
    climber.in_rounds = in_rounds
    return climber.run()


class _LazyClimber(Climber):
    """The structure, the evidence on each variable's links, and the gains worked out."""

    def __init__(
        self, score: EvidenceScore, start: MarkovGraph, limits: Limits, monitor: Monitor, pool: Pool
    ) -> None:
        super().__init__(start, limits, monitor, pool)
        self.score = score
        self.batch = max(BATCH, PER_CALL * pool.size)  # of what is asked in any case
        self.terms = np.zeros(self.n)
        self.in_rounds = False
        self.exact = Gains()
        self.tried: set[tuple[Pair, tuple[int, ...], tuple[int, ...]]] = set()
        self.flips: list[Pair] = []
        self.n_vain = 0  # pairs worked out and chains tried since the last flip

    def set_candidates(self, candidates: Candidates) -> None:
        """Make room for what is known of the pairs that may be joined."""
        self.rows = candidates
        self.evidence = np.zeros(len(candidates.others))
        self.promises = Promises(candidates)

    def run(self) -> LazyClimb:
        """Ask for the evidence on every variable, then ascend."""
        if (stopped := self._score_all()) is not None:
            return LazyClimb(MarkovGraph(self.adjacency, self.names), math.nan, (), stopped, {})
        while stopped is None:
            stopped = self._ascend()
            if stopped == "optimum":
                self._settle()
                stopped = self.why_stop() or (None if self.exact.best()[1] > TOLERANCE else "optimum")
        graph = MarkovGraph(self.adjacency, self.names)
        return LazyClimb(graph, math.fsum(self.terms), tuple(self.flips), stopped, self.exact.of_pairs)

    def _score_all(self) -> str | None:
        """Ask for the evidence on every variable, a few at a time; return why the climb ends, if it does."""
        for variables in self.spans(0, self.n, self.batch):
            if (stopped := self.why_stop()) is not None:
                return stopped
            self._ask_for(variables)
            self._tell("scoring", variables.stop, self.n)
        self._set_promises(range(self.n))
        return None

    def _ascend(self) -> str | None:
        """Take the best flips, or a chain if there are none; return why the climb ends, if it does."""
        if self.limits.max_ascents is not None and len(self.flips) >= self.limits.max_ascents:
            return "max_ascents"
        while (stopped := self.why_stop()) is None:
            is_patient = self.n_vain < PATIENCE * self.n
            flips, wanted = (self._round if self.in_rounds else self._steepest)(is_patient)
            if wanted:
                self._work_out(wanted)
                continue
            flips = flips or self._chain()
            self._take(flips)
            return None if flips else self.why_stop() or "optimum"
        return stopped

    def _steepest(self, is_patient: bool) -> tuple[list[Pair], list[Pair]]:
        """Give the flip that gains most if it is known, else pairs to work out; the lowest of equal ones."""
        pair, gain = self.exact.best()
        if gain > TOLERANCE and (gain >= self.promises.highest or not is_patient):
            return [pair], []
        return [], self.promises.first(BATCH, -MARGIN) if is_patient else []

    def _round(self, is_patient: bool) -> tuple[list[Pair], list[Pair]]:
        """Give the flips that gain most of both their ends if these are known, else pairs to work out."""
        if is_patient and (wanted := self.promises.mutual(self.exact)):
            return [], wanted
        best = self.exact.mutual()
        if is_patient:
            highest = self.promises.highest_of
            best = [pair for pair in best if self.exact.of_pairs[pair] >= max(highest(v) for v in pair)]
        if best:
            limit = self.limits.max_ascents
            return best if limit is None else best[: limit - len(self.flips)], []
        return [], self.promises.first(BATCH, -MARGIN) if is_patient else []

    def _take(self, pairs: Sequence[Pair]) -> None:
        """Flip some pairs and ask anew for the evidence on their ends."""
        if not pairs:
            return
        for x, y in pairs:
            self.adjacency[x, y] = self.adjacency[y, x] = not self.adjacency[x, y]
        self.n_vain = 0
        self.flips += pairs
        ends = sorted({v for pair in pairs for v in pair})
        self.exact.forget(ends)
        self._refresh(ends)
        self._tell("ascending", len(self.flips))

    def _refresh(self, variables: Sequence[int]) -> None:
        """Ask for the evidence on the links of some variables as they are, and what their flips promise."""
        self._ask_for(variables)
        self._set_promises(variables)

    def _ask_for(self, variables: Sequence[int]) -> None:
        """Ask for the evidence on the links of some variables as they are."""
        questions = [(x, self.blanket(x)) for x in variables]
        for (x, blanket), found in zip(questions, self._ask(questions), strict=True):
            self.evidence[self.rows.span(x)] = found
            self.terms[x] = self._term(found, x, blanket)

    def _set_promises(self, variables: Sequence[int]) -> None:
        """Work out what the flips of some variables promise."""
        for x in variables:
            both = self.evidence[self.rows.span(x)] + self._of_others(x)
            self.promises.set(x, np.where(self.adjacency[x, self.rows.row(x)], -both, both))

    def _of_others(self, x: int) -> Floats:
        """Give what the candidates of a variable say of their links with it."""
        return self.evidence[self.rows.mirrored[self.rows.span(x)]]

    def _term(self, evidence: Floats, x: int, blanket: tuple[int, ...]) -> float:
        """Give the term of a variable from the evidence on its links."""
        return term_of(evidence, self.rows.place(x, x), self.rows.places(x, blanket))

    def _ask(self, questions: Sequence[Question]) -> list[Floats]:
        """Ask the score for evidence, with all hands."""
        return self.score.evidences(questions, self.pool)

    def _work_out(self, pairs: Sequence[Pair]) -> None:
        """Find the exact gains of some pairs."""
        sides = [(x, self.blanket(x, y)) for pair in pairs for x, y in (pair, pair[::-1])]
        after = [self._term(e, x, b) for e, (x, b) in zip(self._ask(sides), sides, strict=True)]
        for k, (x, y) in enumerate(pairs):
            gain = math.fsum([after[2 * k], after[2 * k + 1], -self.terms[x], -self.terms[y]])
            self.exact.add((x, y), gain)
            self.promises.withdraw(x, y)
        self.n_vain += len(pairs)
        self._tell("weighing", len(self.flips))

    def _chain(self) -> list[Pair]:
        """Find a chain of flips that gains; none if there is none left to try."""
        wanted = [(self._promise(*pair), pair) for pair in self.exact.of_pairs]
        for promise, pair in sorted(wanted, key=lambda each: (-each[0], each[1])):
            key = (pair, self.blanket(pair[0]), self.blanket(pair[1]))
            if promise <= 0 or self.n_vain > 2 * PATIENCE * self.n or self.why_stop() is not None:
                break
            if key not in self.tried:
                self.tried.add(key)
                self.n_vain += 1
                if found := self._follow(pair):
                    return found
        return []

    def _follow(self, first: Pair) -> list[Pair]:
        """Flip a pair, then what its ends ask for; give the flips from where they gain together."""
        rows, pair = dict[int, NDArray[np.bool_]](), first
        evidence: dict[int, Floats] = {}
        chain: list[Pair] = []
        terms: dict[int, float] = {}
        while len(chain) < CHAIN:
            x, y = pair
            for v, w in ((x, y), (y, x)):
                own = rows.setdefault(v, self.adjacency[v].copy())
                own[w] = not own[w]
            chain.append(pair)
            blankets = [(v, tuple(np.flatnonzero(rows[v]).tolist())) for v in pair]
            for (v, blanket), found in zip(blankets, self._ask(blankets), strict=True):
                evidence[v], terms[v] = found, self._term(found, v, blanket)
            if math.fsum([*terms.values(), *(-self.terms[v] for v in terms)]) > TOLERANCE:
                return chain
            promise, pair = self._next(rows, evidence, chain)
            if promise <= 0:
                break
        return []

    def _next(
        self, rows: dict[int, NDArray[np.bool_]], evidence: dict[int, Floats], chain: Sequence[Pair]
    ) -> tuple[float, Pair]:
        """Find the flip that the ends of a chain ask for most."""
        best, pair = -math.inf, (0, 0)
        for x in sorted(evidence):
            both = evidence[x] + self._of_others(x)
            for y, own in evidence.items():
                if (k := self.rows.place(x, y)) >= 0:
                    both[k] = evidence[x][k] + own[self.rows.place(y, x)]
            promises = np.where(rows[x][self.rows.row(x)], -both, both)
            taken = [x, *(sum(each) - x for each in chain if x in each)]
            promises[self.rows.places(x, taken)] = -np.inf
            k = int(promises.argmax())
            if promises[k] > best:
                y = int(self.rows.row(x)[k])
                best, pair = float(promises[k]), (min(x, y), max(x, y))
        return best, pair

    def _settle(self) -> None:
        """Work out the gains a result tells of: all edges, and the missing edges nearest to being added."""
        edges = [(int(x), int(y)) for x, y in np.argwhere(np.triu(self.adjacency))]
        known = self.exact.of_pairs
        n_missing = sum(not self.adjacency[pair] for pair in known)
        wanted = [pair for pair in edges if pair not in known and self._promise(*pair) > -math.inf]
        wanted += self.promises.missing(self.adjacency, max(N_NEAREST - n_missing, 0))
        for chosen in self.spans(0, len(wanted), self.batch):
            if self.why_stop() is not None:
                return
            self._work_out([wanted[k] for k in chosen])
            self._tell("settling", chosen.stop, len(wanted))

    def _promise(self, x: int, y: int) -> float:
        """Give about what a flip gains."""
        both = float(self.evidence[self.rows.entry(x, y)] + self.evidence[self.rows.entry(y, x)])
        return -both if self.adjacency[x, y] else both

    def _tell(self, phase: str, done: int, total: int = 0) -> None:
        """Report progress."""
        reached = math.fsum(self.terms) if phase == "ascending" else math.nan
        n_tests = self.score.n_tests
        self.monitor.tell(phase, done, total, n_ascents=len(self.flips), score=reached, n_tests=n_tests)
