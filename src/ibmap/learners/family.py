"""The family's other searches and scores as functions: an encoded table and options in, a result out."""

from __future__ import annotations

import time
import warnings
from typing import Any

from ibmap.data.table import EncodedTable
from ibmap.errors import SearchWarning
from ibmap.evidence.variables import describe_variables
from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.learners.options import (
    BeamOptions,
    HeuristicOptions,
    JointOptions,
    LearnerOptions,
    LikelihoodOptions,
    MarginalOptions,
    ParticleOptions,
    PenalisedOptions,
    RestartOptions,
)
from ibmap.learners.starts import find_start, start_names
from ibmap.options import as_generator
from ibmap.progress import Callback, Monitor
from ibmap.result import SearchResult
from ibmap.result.provenance import provenance_of
from ibmap.score import TestScore, local_score
from ibmap.score.graph_score import JointScore
from ibmap.score.known import KnownScore
from ibmap.score.likelihood import LikelihoodScore, MarginalScore, PenalisedScore
from ibmap.search.beam import Beam, beam_search
from ibmap.search.cost import DistinctTests
from ibmap.search.found import Found
from ibmap.search.graph_climb import graph_climb
from ibmap.search.heuristic_climb import heuristic_climb
from ibmap.search.hill_climbing import hill_climb
from ibmap.search.limits import Limits
from ibmap.search.particles import Filtering, particle_filter
from ibmap.search.restarts import Restarts, climb_with_restarts


class _Run:
    """One run of a learner: its options checked, its time taken, its start found."""

    def __init__(
        self, name: str, table: EncodedTable, options: LearnerOptions, callback: Callback | None
    ) -> None:
        self._begun = time.perf_counter()
        options.check()
        self.name, self.table, self.options = name, table, options.settled(table.names)
        self.knowledge = options.known(table.names)
        self.monitor = Monitor(callback)

    def start(self, test: ProbabilisticTest, start: Any) -> MarkovGraph:
        """Find where the search begins."""
        return find_start(test, start, monitor=self.monitor)

    def result(self, graph: MarkovGraph, n_tests: int, **more: Any) -> SearchResult:
        """Put the result together; warn if the search was ended early."""
        graph = as_graph(graph, self.table.names)  # a callable's test may number the variables
        seconds = time.perf_counter() - self._begun
        result = SearchResult(
            graph,
            self.table.labels,
            provenance_of(self.table, self.name, self.options.recorded(), seconds),
            n_tests,
            descriptions=describe_variables(self.table, graph),
            **more,
        )
        if not result.is_complete:
            cut = result.stopped == "interrupted"
            ended = "was interrupted" if cut else f"stopped at its limit {result.stopped}"
            warnings.warn(f"the search {ended}; this is the best so far", SearchWarning, stacklevel=5)
        return result

    def climbed(self, found: Found, n_tests: int, start: Any) -> SearchResult:
        """Put the result of a search by flips together."""
        return self.result(
            found.graph,
            n_tests,
            score=found.score,
            n_ascents=len(found.trace),
            n_iterations=found.n_iterations,
            stopped=found.stopped,
            start=start_names(start)[0],
            trace=found.trace,
        )


def learn_hhc(
    table: EncodedTable, options: HeuristicOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with IBMAP-HHC."""
    run, test = _Run("hhc", table, options, callback), options.make_test(table)
    start = run.start(test, options.start)
    found = heuristic_climb(TestScore(test), start, limits=options.limits(), callback=run.monitor)
    return run.climbed(found, test.n_tests, options.start)


def learn_beam(
    table: EncodedTable, options: BeamOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with a beam search on the IB-score."""
    run, test = _Run("beam", table, options, callback), options.make_test(table)
    start, tests = run.start(test, options.start), DistinctTests(test.n_variables)
    tests.knowledge = run.knowledge
    beam = Beam(options.width, options.patience)
    how: dict[str, Any] = {"limits": options.limits(), "callback": run.monitor, "tests": tests}
    found = beam_search(local_score(test), start, beam, **how)
    return run.climbed(found, tests.n_tests + tests.count_other(test.asked_keys), options.start)


def learn_restarts(
    table: EncodedTable, options: RestartOptions, *, n_threads: int = 1, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with IBMAP-HC and random restarts; the same for any number of threads."""
    run, test = _Run("restarts", table, options, callback), options.make_test(table)
    start, tests = run.start(test, options.start), DistinctTests(test.n_variables)
    tests.knowledge = run.knowledge
    found = climb_with_restarts(
        local_score(test),
        start,
        as_generator(options.random_state),
        Restarts(options.restarts, options.restart, options.shaken),
        limits=options.limits(),
        callback=run.monitor,
        n_threads=n_threads,
        tests=tests,
    )
    return run.climbed(found, tests.n_tests + tests.count_other(test.asked_keys), options.start)


def learn_bjp(
    table: EncodedTable, options: JointOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure by climbing the blankets' joint posterior; tests of the start are not counted."""
    run, test = _Run("bjp", table, options, callback), options.make_test(table)
    score, start = JointScore(test, options.ties), run.start(test, options.start)
    found = graph_climb(score, start, limits=options.limits(), callback=run.monitor)
    return run.climbed(found, score.n_tests, options.start)


def learn_mpl(
    table: EncodedTable, options: MarginalOptions, *, n_threads: int = 1, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure by climbing the marginal pseudo-likelihood; the same for any number of threads."""
    run = _Run("mpl", table, options, callback)
    return _climb_likelihood(run, MarginalScore(table, options.dirichlet, options.dirichlet_size), n_threads)


def learn_pic(
    table: EncodedTable, options: PenalisedOptions, *, n_threads: int = 1, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure by climbing the penalised pseudo-likelihood; the same for any number of threads."""
    run = _Run("pic", table, options, callback)
    return _climb_likelihood(run, PenalisedScore(table, options.factor), n_threads)


def _climb_likelihood(run: _Run, score: LikelihoodScore, n_threads: int) -> SearchResult:
    """Climb by a pseudo-likelihood, as IBMAP-HC climbs by the IB-score."""
    options, known = run.options, KnownScore(score, run.knowledge)
    assert isinstance(options, LikelihoodOptions)
    start = run.start(options.make_test(run.table), options.start)
    climb = hill_climb(known, start, limits=options.limits(), n_threads=n_threads, callback=run.monitor)
    found = Found(climb.graph, climb.score, climb.trace, climb.n_iterations, climb.stopped)
    return run.climbed(found, score.n_terms, options.start)


def learn_pfmn(
    table: EncodedTable, options: ParticleOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with PFMN."""
    run, test = _Run("pfmn", table, options, callback), options.plain_test(table)
    how = Filtering(
        n_particles=options.particles,
        n_candidates=options.candidates,
        n_moves=options.moves,
        choice=options.choice,
        prior=options.structure_prior,
        pool=options.pool,
        patience=options.patience,
        max_tests=options.max_tests,
    )
    limits, rng = Limits(max_seconds=options.max_seconds), as_generator(options.random_state)
    found = particle_filter(test, rng, how, limits=limits, callback=run.monitor, knowledge=run.knowledge)
    return run.result(found.graph, len(found.tests), stopped=found.stopped, test_cost=found.cost)
