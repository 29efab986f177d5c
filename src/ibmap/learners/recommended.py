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
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ibmap.blankets.joining import join_blankets
from ibmap.data.table import EncodedTable
from ibmap.errors import DataWarning, SearchWarning
from ibmap.evidence.pairs import collect_evidence
from ibmap.evidence.variables import describe_variables
from ibmap.evidence.witness import Witness
from ibmap.evidence.words import listed
from ibmap.graph import MarkovGraph
from ibmap.graph.candidates import Candidates
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.density import learned_prior
from ibmap.independence.known import known_test
from ibmap.independence.regression import Ask, most_states
from ibmap.independence.screen import screen, usual_screen
from ibmap.learners.cost import threads_within
from ibmap.learners.options import RecommendedOptions
from ibmap.learners.spreading import hands
from ibmap.learners.starts import find_start, start_names
from ibmap.pools.protocol import Pool
from ibmap.progress import Callback, Monitor
from ibmap.result import SearchResult
from ibmap.result.provenance import provenance_of
from ibmap.score.pairwise import PairwiseScore
from ibmap.search.climb import Flip
from ibmap.search.lazy_climb import LazyClimb, lazy_climb
from ibmap.search.limits import Limits
from ibmap.ties import TOLERANCE

MAX_ROUNDS = 5  # of climbing and learning the prior
BLOCK = 1 << 10  # variables asked for at once while they choose their blankets
MANY_FITS = 400  # of a small table: from then on compiling pays
FEW_VARIABLES = 8  # up to which compiling does not pay for a hundred tables
CLOSE = 0.02  # log-odds: a prior that moves less than this stays as it is


def learn_recommended(
    table: EncodedTable,
    options: RecommendedOptions,
    *,
    n_threads: int = 1,
    callback: Callback | None = None,
    client: Any = None,
    spread: str | None = None,
) -> SearchResult:
    """Learn a structure with the recommended learner; the same for any number of threads or workers."""
    begun = time.perf_counter()
    options.check()
    options = _settled(options, table)
    test, monitor = options.plain_test(table), Monitor(callback)
    n_threads = 1 if test.regressions.is_small else n_threads  # NumPy's threads would wait
    n_threads = threads_within(test.table, n_threads, options.max_memory)
    told = _warn_of_columns(test)
    with hands(client, spread, test.regressions.fits, n_threads) as (pool, ask):
        search, start = _begun(test, options, _Running(pool, ask, monitor, options.ascent == "rounds"))
        climb = search.learn(start, is_prior_learned=options.prior is None)
        second_start, rival = search.climb_again(climb)
    is_first_better = rival is None or rival.score <= climb.score + TOLERANCE
    won = climb if is_first_better or rival is None else rival
    witness = Witness(table, {"averaged": search.test}, search.score)
    options = replace(options, prior=search.prior)
    _warn_if_stopped(won)
    source = provenance_of(table, "ibmap", options.recorded(), time.perf_counter() - begun)
    return SearchResult(
        graph=won.graph,
        states=table.labels,
        provenance=replace(source, notes=(*source.notes, *told, *search.screened.told(won.graph))),
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


def find_again(table: EncodedTable, options: RecommendedOptions) -> MarkovGraph:
    """Find a structure of resampled rows: by one climb, of which nothing is told."""
    options = _settled(options, table)
    test = options.plain_test(table)
    if table.n_variables > FEW_VARIABLES:
        test.regressions.compile()
    with hands(None, None, test.regressions.fits, 1) as (pool, ask):
        search, start = _begun(test, options, _Running(pool, ask, Monitor(None), options.ascent == "rounds"))
        return search.learn(start, is_prior_learned=options.prior is None).graph


def _settled(options: RecommendedOptions, table: EncodedTable) -> RecommendedOptions:
    """Choose what a table decides."""
    options = options.settled(table.names)
    return replace(options, screen=usual_screen(options.screen, table.n_variables))


def _begun(test: AveragedTest, options: RecommendedOptions, running: _Running) -> tuple[_Search, MarkovGraph]:
    """Make a search, and the structure that it begins with."""
    known = options.known(test.names)
    start = find_start(known_test(test, known), options.start)
    search = _Search(test, known, options.limits(), running)
    search.set_candidates(options.screen, start)
    return search, start


class _Running(NamedTuple):
    """How climbs run: who does the work and answers, the monitor, and whether flips are taken in rounds."""

    pool: Pool
    ask: Ask
    monitor: Monitor
    in_rounds: bool


class _Search:
    """The climbs of one run: they share the score and its fits, the time, and the monitor."""

    def __init__(self, test: AveragedTest, known: Knowledge, limits: Limits, running: _Running) -> None:
        self.test, self.known, self.limits, self.monitor = test, known, limits, running.monitor
        self.pool, self.ask, self.in_rounds = running.pool, running.ask, running.in_rounds
        self.prior, self.score = test.prior, PairwiseScore(test, known)
        self.begun = time.perf_counter()

    def set_candidates(self, per_variable: int | None, start: MarkovGraph) -> None:
        """Choose the pairs that are weighed: all, or those that a screen leaves and those told of."""
        said = [*start.edges, *self.known.required, *self.known.priors]
        self.screened = screen(self.test.table, per_variable, said, self.pool)
        self.score = PairwiseScore(self.test, self.known, self.screened.candidates)
        self.score.compile_after, self.score.ask = MANY_FITS, self.ask

    def learn(self, start: MarkovGraph, is_prior_learned: bool) -> LazyClimb:
        """Climb and learn the prior of all pairs not known in turn until it stays as it is."""
        climb = self._climb(start)
        flips = climb.flips
        rows, is_open = self.rows, self._open_pairs()
        for _ in range(MAX_ROUNDS if is_prior_learned and is_open.any() else 0):
            if climb.stopped != "optimum":
                break
            both = np.concatenate(self.score.all_factors(self._questions(climb.graph), self.pool))
            both = (both + both[rows.mirrored])[is_open] / 2
            weights = self.screened.weights
            weights = None if weights is None else weights[is_open]
            prior = learned_prior(both, rows.n_variables, self.test.table.n_samples, weights)
            if abs(log_odds(prior) - log_odds(self.prior)) < CLOSE:
                break
            self.prior, self.score = prior, self.score.with_prior(prior)
            climb = self._climb(climb.graph)
            flips += climb.flips
        return climb._replace(flips=flips)

    def _questions(self, graph: MarkovGraph) -> list[tuple[int, tuple[int, ...]]]:
        """List each variable with its blanket."""
        return [(x, graph.blanket(x)) for x in range(graph.n_variables)]

    @property
    def rows(self) -> Candidates:
        """The candidates of each variable."""
        return self.screened.candidates

    def _open_pairs(self) -> np.ndarray:
        """Tell of which entries nothing is known; each pair counts once."""
        is_open = self.rows.firsts < self.rows.others
        for x, own in self.known.said.items():
            is_open[[self.rows.entry(x, y) for y in own if self.rows.place(x, y) >= 0]] = False
        return is_open

    def climb_again(self, first: LazyClimb) -> tuple[MarkovGraph, LazyClimb | None]:
        """Climb from the blankets that variables choose by themselves; no climb if time is up."""
        names = first.graph.names
        if first.stopped != "optimum" or self._is_late():
            return first.graph, None
        start = self.known.agreeing(join_blankets(self._own_blankets(), names, "or"))
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
            pool=self.pool,
            monitor=self.monitor,
            in_rounds=self.in_rounds,
            candidates=self.rows,
        )

    def _is_late(self) -> bool:
        """Tell whether the search has to end."""
        limit = self.limits.max_seconds
        is_over = limit is not None and time.perf_counter() - self.begun >= limit
        return self.monitor.is_stopped or is_over

    def _own_blankets(self) -> list[tuple[int, ...]]:
        """Let each variable choose its blanket; what all ask for next is asked together."""
        blankets: list[tuple[int, ...]] = [()] * self.rows.n_variables
        for change in (self._grown, self._shrunk):
            changing = [*range(len(blankets))]
            while changing:
                waiting, changing = changing, []
                for begin in range(0, len(waiting), BLOCK):
                    if self._is_late():
                        return blankets
                    questions = [(x, blankets[x]) for x in waiting[begin : begin + BLOCK]]
                    for (x, blanket), found in zip(
                        questions, self.score.evidences(questions, self.pool), strict=True
                    ):
                        blankets[x] = change(x, blanket, found)
                        changing += [x] if blankets[x] != blanket else []
        return blankets

    def _grown(self, x: int, blanket: tuple[int, ...], evidence: np.ndarray) -> tuple[int, ...]:
        """Add the link with most evidence, if there is any."""
        evidence[self.rows.places(x, (x, *blanket))] = -np.inf
        k = int(evidence.argmax())
        return tuple(sorted((*blanket, int(self.rows.row(x)[k])))) if evidence[k] > 0 else blanket

    def _shrunk(self, x: int, blanket: tuple[int, ...], evidence: np.ndarray) -> tuple[int, ...]:
        """Drop the link with least evidence, if there is none for it."""
        least, weakest = min(((evidence[self.rows.place(x, v)], v) for v in blanket), default=(1.0, -1))
        return blanket if least > 0 else tuple(v for v in blanket if v != weakest)


def log_odds(prior: float) -> float:
    """Give the log-odds of a link from the prior probability of independence."""
    return math.log1p(-prior) - math.log(prior)


def _differences(first: MarkovGraph, second: MarkovGraph) -> tuple[tuple[int, int], ...]:
    """List the pairs that one of two structures joins and the other does not."""
    return tuple(sorted({*first.edges} ^ {*second.edges}))


def _warn_of_columns(test: AveragedTest) -> tuple[str, ...]:
    """Name the columns whose rare states are taken as one."""
    names, notes = [repr(name) for name in test.names], []
    if test.regressions.merged:
        many, most = listed([names[x] for x in test.regressions.merged]), most_states(test.table.n_samples)
        rule = (
            f"of over {most} states: {many}. The {most - 1} most frequent states are kept apart, "
            "the others are taken as one; cut numbers into bins, or name columns whose states are in order"
        )
        warnings.warn(f"columns {rule}", DataWarning, stacklevel=5)
        notes.append(f"Columns {rule}.")
    return tuple(notes)


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
