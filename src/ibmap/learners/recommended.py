"""The recommended learner, as a function: an encoded table and options in, a result out.

The IB-score of the averaged test, with the density of the network learned together with its structure:
climb, learn the prior probability of a link from the evidence on all pairs, climb on, until it stays as
it is. Then a second climb begins with the blankets that the variables choose by themselves; the better
structure is the answer, and where the two differ the data leave it open.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.blankets.joining import join_blankets
from ibmap.data.table import EncodedTable
from ibmap.data.text import either
from ibmap.errors import DataWarning, SearchWarning
from ibmap.evidence.pairs import collect_evidence
from ibmap.evidence.variables import describe_variables
from ibmap.evidence.witness import Witness
from ibmap.evidence.words import listed
from ibmap.graph import MarkovGraph
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.density import learned_prior
from ibmap.independence.known import known_test
from ibmap.independence.regression import MAX_STATES
from ibmap.learners.options import RecommendedOptions
from ibmap.learners.starts import find_start, start_names
from ibmap.progress import Callback, Monitor
from ibmap.result import SearchResult
from ibmap.result.provenance import provenance_of
from ibmap.score.pairwise import PairwiseScore
from ibmap.search.climb import Flip
from ibmap.search.lazy_climb import LazyClimb, lazy_climb
from ibmap.search.limits import Limits
from ibmap.ties import TOLERANCE

MAX_ROUNDS = 5  # of climbing and learning the prior
CLOSE = 0.02  # log-odds: a prior that moves less than this stays as it is


def learn_recommended(
    table: EncodedTable, options: RecommendedOptions, *, n_threads: int = 1, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with the recommended learner; the same for any number of threads."""
    begun = time.perf_counter()
    options.check()
    options = options.settled(table.names)
    known = options.known(table.names)
    search = _Search(
        options.plain_test(table),
        known,
        options.limits(),
        _Running(n_threads, Monitor(callback), options.ascent == "rounds"),
    )
    _warn_of_columns(search.test)
    start = find_start(known_test(search.test, known), options.start)
    climb = search.learn(start, is_prior_learned=options.prior is None)
    second_start, rival = search.climb_again(climb)
    is_first_better = rival is None or rival.score <= climb.score + TOLERANCE
    won = climb if is_first_better or rival is None else rival
    witness = Witness(table, {"averaged": search.test}, search.score)
    options = replace(options, prior=search.prior)
    _warn_if_stopped(won)
    return SearchResult(
        graph=won.graph,
        states=table.labels,
        provenance=provenance_of(table, "ibmap", options.recorded(), time.perf_counter() - begun),
        n_tests=search.score.n_tests,
        score=None if math.isnan(won.score) else won.score,  # no time to work it out
        n_ascents=len(won.flips),
        n_iterations=len(won.flips) + 1,
        stopped=won.stopped,
        start=start_names(options.start)[0] if is_first_better else "blankets",
        trace=search.trace(start if is_first_better else second_start, won.flips),
        evidence=collect_evidence(won.graph, won.gains, witness=witness),
        descriptions=describe_variables(witness.table, won.graph),
        disputed=() if rival is None else _differences(climb.graph, rival.graph),
    )


class _Running(NamedTuple):
    """How climbs run: threads, the monitor, and whether flips are taken in rounds."""

    n_threads: int
    monitor: Monitor
    in_rounds: bool


class _Search:
    """The climbs of one run: they share the score and its fits, the time, and the monitor."""

    def __init__(self, test: AveragedTest, known: Knowledge, limits: Limits, running: _Running) -> None:
        self.test, self.known, self.limits, self.monitor = test, known, limits, running.monitor
        self.n_threads = 1 if test.regressions.is_small else running.n_threads  # NumPy's threads would wait
        self.in_rounds = running.in_rounds
        self.prior, self.score = test.prior, PairwiseScore(test, known)
        self.begun = time.perf_counter()

    def learn(self, start: MarkovGraph, is_prior_learned: bool) -> LazyClimb:
        """Climb and learn the prior of all pairs not known in turn until it stays as it is."""
        climb = self._climb(start)
        flips = climb.flips
        is_known = self._known_pairs()
        for _ in range(MAX_ROUNDS if is_prior_learned and not is_known.all() else 0):
            if climb.stopped != "optimum":
                break
            found = [self.score.log_factors(x, climb.graph.blanket(x)) for x in range(start.n_variables)]
            prior = learned_prior(np.array(found), self.test.table.n_samples, is_known)
            if abs(log_odds(prior) - log_odds(self.prior)) < CLOSE:
                break
            self.prior, self.score = prior, self.score.with_prior(prior)
            climb = self._climb(climb.graph)
            flips += climb.flips
        return climb._replace(flips=flips)

    def _known_pairs(self) -> NDArray[np.bool_]:
        """Tell of which pairs something is known; the diagonal counts as known."""
        matrix = np.eye(len(self.test.names), dtype=bool)
        for x, own in self.known.said.items():
            matrix[x, list(own)] = True
        return matrix

    def climb_again(self, first: LazyClimb) -> tuple[MarkovGraph, LazyClimb | None]:
        """Climb from the blankets that variables choose by themselves; no climb if time is up."""
        names = first.graph.names
        if first.stopped != "optimum" or self._is_late():
            return first.graph, None
        with ThreadPoolExecutor(self.n_threads) as threads:
            chosen = list(threads.map(self._own_blanket, range(len(names))))
        start = self.known.agreeing(join_blankets(chosen, names, "or"))
        climb = self._climb(start)
        return start, climb if climb.stopped == "optimum" else None

    def trace(self, start: MarkovGraph, flips: Sequence[tuple[int, int]]) -> tuple[Flip, ...]:
        """Score the structures on the way by the prior learned at the end."""
        if not flips:
            return ()
        blankets = [{*start.blanket(x)} for x in range(start.n_variables)]
        terms = [self.score.term(x, start.blanket(x)) for x in range(start.n_variables)]
        total, trace = math.fsum(terms), []
        for x, y in flips:
            before = total
            for v, w in ((x, y), (y, x)):
                blankets[v] ^= {w}
                terms[v] = self.score.term(v, tuple(sorted(blankets[v])))
            total = math.fsum(terms)
            trace.append(Flip(x, y, y in blankets[x], total - before, total))
        return tuple(trace)

    def _climb(self, start: MarkovGraph) -> LazyClimb:
        """Climb in the time that is left."""
        limits = self.limits.after(time.perf_counter() - self.begun)
        return lazy_climb(
            self.score,
            start,
            limits=limits,
            n_threads=self.n_threads,
            monitor=self.monitor,
            in_rounds=self.in_rounds,
        )

    def _is_late(self) -> bool:
        """Tell whether the search has to end."""
        limit = self.limits.max_seconds
        is_over = limit is not None and time.perf_counter() - self.begun >= limit
        return self.monitor.is_stopped or is_over

    def _own_blanket(self, x: int) -> tuple[int, ...]:
        """Let a variable choose its blanket: add the link with most evidence, then drop those without any."""
        blanket: tuple[int, ...] = ()
        while not self._is_late():
            evidence = self.score.evidence(x, blanket)
            evidence[[x, *blanket]] = -np.inf
            y = int(evidence.argmax())
            if evidence[y] <= 0:
                break
            blanket = tuple(sorted((*blanket, y)))
        while blanket and not self._is_late():
            evidence = self.score.evidence(x, blanket)
            weakest = min(blanket, key=evidence.__getitem__)
            if evidence[weakest] > 0:
                break
            blanket = tuple(v for v in blanket if v != weakest)
        return blanket


def log_odds(prior: float) -> float:
    """Give the log-odds of a link from the prior probability of independence."""
    return math.log1p(-prior) - math.log(prior)


def _differences(first: MarkovGraph, second: MarkovGraph) -> tuple[tuple[int, int], ...]:
    """List the pairs that one of two structures joins and the other does not."""
    return tuple(sorted({*first.edges} ^ {*second.edges}))


def _warn_of_columns(test: AveragedTest) -> None:
    """Name the columns whose rare states are taken as one, and numbers that are weighed by their bins."""
    names = [repr(name) for name in test.names]
    if test.regressions.merged:
        many = listed([names[x] for x in test.regressions.merged])
        msg = (
            f"columns of over {MAX_STATES} states: {many}. The most frequent states are kept apart, the "
            "others are taken as one; cut numbers into bins, or name columns whose states are in order"
        )
        warnings.warn(msg, DataWarning, stacklevel=5)
    if test.regressions.binned:
        kept = listed([names[x] for x in test.regressions.binned])
        remedy = either("missing='drop'", "--missing drop")
        msg = (
            f"columns of numbers: {kept}. They are weighed by their bins, because cells of the table are "
            f"missing; {remedy} keeps them as they are"
        )
        warnings.warn(msg, DataWarning, stacklevel=5)


def _warn_if_stopped(climb: LazyClimb) -> None:
    """Say that a limit or the user ended the search."""
    if climb.stopped != "optimum":
        ended = (
            "was interrupted" if climb.stopped == "interrupted" else f"stopped at its limit {climb.stopped}"
        )
        msg = (
            f"the search {ended} after {len(climb.flips)} ascent{'s' * (len(climb.flips) != 1)}; "
            "the structure is the best so far, not a local optimum"
        )
        warnings.warn(msg, SearchWarning, stacklevel=5)
