"""IBMAP-HC as a function: an encoded table and options in, a result out."""

from __future__ import annotations

import time
import warnings

from ibmap.errors import SearchWarning
from ibmap.learning.choices import find_start
from ibmap.learning.options import HillClimbingOptions
from ibmap.result import PairEvidence, SearchResult, collect_evidence, provenance_of
from ibmap.score import local_score
from ibmap.search.hill_climbing import Callback, Climb, hill_climb
from ibmap.table import EncodedTable

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
    limits = options.limits()
    test = options.bayesian_test(table)
    start = find_start(test, options.start, limits)
    limits = limits.after(time.perf_counter() - begun)
    climb = hill_climb(local_score(test), start, limits=limits, n_threads=n_threads, callback=callback)
    _warn_if_stopped(climb)
    evidence = () if climb.gains is None else collect_evidence(climb.graph, climb.gains)
    _warn_if_arbitrary(evidence)
    provenance = provenance_of(table, "hc", options.recorded(), time.perf_counter() - begun)
    return SearchResult(
        graph=climb.graph,
        states=table.labels,
        provenance=provenance,
        n_tests=climb.tests.n_tests + climb.tests.count_other(test.asked),
        score=climb.score,
        n_ascents=len(climb.trace),
        n_iterations=climb.n_iterations,
        stopped=climb.stopped,
        trace=climb.trace,
        evidence=evidence,
    )


def _warn_if_stopped(climb: Climb) -> None:
    """Say that a limit ended the search."""
    if climb.stopped != "optimum":
        msg = (
            f"the search stopped at its limit {climb.stopped} after {len(climb.trace)} ascents; "
            "the structure is the best so far, not a local optimum"
        )
        warnings.warn(msg, SearchWarning, stacklevel=4)


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
