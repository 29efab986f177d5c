"""IBMAP-HC as a function: an encoded table and options in, a result out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence

from ibmap.errors import SearchWarning
from ibmap.evidence.statements import Witness
from ibmap.evidence.variables import describe_variables
from ibmap.graph import as_graph
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.learning.options import HillClimbingOptions
from ibmap.learning.starts import find_start, start_names
from ibmap.result import PairEvidence, SearchResult, collect_evidence, provenance_of
from ibmap.score import local_score
from ibmap.search.cost import DistinctTests
from ibmap.search.hill_climbing import Callback, Climb, hill_climb
from ibmap.table import EncodedTable
from ibmap.ties import TOLERANCE

IDLE_LOSS = 0.01  # log of the factor by which the score falls if an edge that hardly matters goes
MIN_EDGES = 10  # with fewer edges a user sees their evidence at a glance


def learn_hc(
    table: EncodedTable,
    options: HillClimbingOptions,
    *,
    n_threads: int = 1,
    callback: Callback | None = None,
) -> SearchResult:
    """Learn a structure with IBMAP-HC.

    Parameters
    ----------
    table : EncodedTable
        The data.
    options : HillClimbingOptions
        The options.
    n_threads : int
        Threads; the result is the same for any number.
    callback : callable, optional
        Called with the progress of the search.

    Returns
    -------
    SearchResult
        With score, trace and evidence; a `SearchWarning` if a limit was hit.
    """
    begun = time.perf_counter()
    test = options.make_test(table)
    names = start_names(options.start)
    tests = DistinctTests(test.n_variables)
    climbs = _climb_from_each(test, names, options, (n_threads, callback, tests))
    won = best_climb(climbs)
    climb = climbs[won]
    witness = Witness(table, {str(options.recorded()["test"]): test})
    gains = climb.gains
    evidence = () if gains is None else collect_evidence(climb.graph, gains, witness=witness)
    _warn_if_arbitrary(evidence)
    provenance = provenance_of(table, "hc", options.recorded(), time.perf_counter() - begun)
    return SearchResult(
        graph=as_graph(climb.graph, table.names),  # a callable's test may number the variables
        states=table.labels,
        provenance=provenance,
        n_tests=tests.n_tests + tests.count_other(test.asked),
        score=climb.score,
        n_ascents=len(climb.trace),
        n_iterations=climb.n_iterations,
        stopped=climb.stopped,
        start=names[won],
        trace=climb.trace,
        evidence=evidence,
        descriptions=describe_variables(witness.table, climb.graph),
    )


def _climb_from_each(
    test: ProbabilisticTest,
    names: Sequence[str],
    options: HillClimbingOptions,
    running: tuple[int, Callback | None, DistinctTests],
) -> list[Climb]:
    """Climb from each start in turn; each has an even share of the time the ones before it left."""
    begun = time.perf_counter()
    n_threads, callback, tests = running
    score = local_score(test)
    climbs = []
    for k, name in enumerate(names):
        limits = options.limits().after(time.perf_counter() - begun).shared(len(names) - k)
        start_begun = time.perf_counter()
        start = find_start(test, options.start if name == "graph" else name, limits.max_seconds)
        limits = limits.after(time.perf_counter() - start_begun)
        climbs.append(
            hill_climb(score, start, limits=limits, n_threads=n_threads, callback=callback, tests=tests)
        )
        _warn_if_stopped(climbs[-1], name)
    return climbs


def best_climb(climbs: Sequence[Climb]) -> int:
    """Find the climb with the best score; of equal ones the first.

    Parameters
    ----------
    climbs : sequence of Climb
        At least one.

    Returns
    -------
    int
        Its position.
    """
    best = 0
    for k, climb in enumerate(climbs):
        if climb.score > climbs[best].score + TOLERANCE:
            best = k
    return best


def _warn_if_stopped(climb: Climb, start: str) -> None:
    """Say that a limit ended a climb."""
    if climb.stopped != "optimum":
        msg = (
            f"the search stopped at its limit {climb.stopped} after {len(climb.trace)} ascents from "
            f"start={start!r}; the structure is the best so far, not a local optimum"
        )
        warnings.warn(msg, SearchWarning, stacklevel=5)


def _warn_if_arbitrary(evidence: tuple[PairEvidence, ...]) -> None:
    """Say that most edges hardly matter: a start can be so dense that the score is flat around it."""
    losses = [pair.loss for pair in evidence if pair.is_edge]
    n_idle = sum(loss < IDLE_LOSS for loss in losses)
    if len(losses) >= MIN_EDGES and 2 * n_idle > len(losses):
        msg = (
            f"{n_idle} of {len(losses)} edges have next to no evidence: taking one out changes the score by "
            "under one percent. The rows do not support so many neighbours; try start='empty' "
            "(command line: --start empty)"
        )
        warnings.warn(msg, SearchWarning, stacklevel=4)
