"""IBMAP-HC as a function: an encoded table and options in, a result out."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ibmap.data.table import EncodedTable
from ibmap.data.text import either
from ibmap.errors import SearchWarning
from ibmap.evidence.pairs import PairEvidence, collect_evidence
from ibmap.evidence.variables import describe_variables
from ibmap.evidence.witness import Witness
from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.learners.options import HillClimbingOptions
from ibmap.learners.starts import find_start, start_names
from ibmap.options import FINDERS
from ibmap.progress import Callback, Monitor
from ibmap.result import SearchResult
from ibmap.result.provenance import plain, provenance_of
from ibmap.score import local_score
from ibmap.search.climb import Climb
from ibmap.search.cost import DistinctTests
from ibmap.ties import TOLERANCE

if TYPE_CHECKING:
    from ibmap.learners.checkpoint import Checkpoint

IDLE_LOSS = 0.01  # log of the factor by which the score falls if an edge that hardly matters goes
LIMITS = ("max_ascents", "max_seconds", "max_memory")  # which a search that goes on may change
MANY = 100  # variables from which on a climb with many neighbours takes long
MIN_EDGES = 10  # with fewer edges a user sees their evidence at a glance


def learn_hc(
    table: EncodedTable,
    options: HillClimbingOptions,
    *,
    n_threads: int = 1,
    callback: Callback | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
) -> SearchResult:
    """Learn a structure with IBMAP-HC; the same for any number of threads."""
    # `checkpoint` is a file that keeps the search, written every few seconds and when it ends early.
    # `resume` is a checkpoint of the same table and options to go on from (limits may differ); it is
    # kept up to date unless `checkpoint` names another file. The result is that of a run without
    # interruption.
    begun = time.perf_counter()
    options.check()
    options = options.settled(table.names)
    test: ProbabilisticTest = options.make_test(table)
    names = start_names(options.start)
    kept = _open_checkpoint(table, options, checkpoint, resume)
    tests = DistinctTests(test.n_variables) if kept is None else kept.tests
    tests.knowledge = options.known(table.names)
    climbs = _climb_from_each(test, names, options, _Running(n_threads, Monitor(callback), tests, kept))
    if kept is not None and [climb.stopped for climb in climbs] == ["optimum"] * len(names):
        kept.update(is_finished=True)
    won = best_climb(climbs)
    climb = climbs[won]
    witness = Witness(table, {str(options.recorded()["test"]): test})
    evidence: tuple[PairEvidence, ...] = ()
    if climb.gains is not None:
        evidence = collect_evidence(climb.graph, climb.gains, witness=witness, n_threads=n_threads)
    _warn_if_arbitrary(evidence)
    seconds = time.perf_counter() - begun if kept is None else kept.seconds
    return SearchResult(
        graph=as_graph(climb.graph, table.names),  # a callable's test may number the variables
        states=table.labels,
        provenance=provenance_of(table, "hc", options.recorded(), seconds),
        n_tests=tests.n_tests + tests.count_other(test.asked_keys),
        score=None if math.isnan(climb.score) else climb.score,  # no time to work it out
        n_ascents=len(climb.trace),
        n_iterations=climb.n_iterations,
        stopped=_ending(climbs, won, len(names)),
        start=names[won],
        trace=climb.trace,
        evidence=evidence,
        descriptions=describe_variables(witness.table, climb.graph, n_threads, witness.columns),
    )


class _Running(NamedTuple):
    """How climbs run: threads, the monitor, the tests so far, and what keeps them."""

    n_threads: int
    monitor: Monitor
    tests: DistinctTests
    kept: Checkpoint | None


def _climb_from_each(
    test: ProbabilisticTest, names: Sequence[str], options: HillClimbingOptions, running: _Running
) -> list[Climb]:
    """Climb from each start in turn; each has an even share of the time the ones before it left."""
    from ibmap.search.hill_climbing import hill_climb  # other learners do without its kernels

    begun = time.perf_counter()
    n_threads, monitor, tests, kept = running
    score = local_score(test)
    climbs: list[Climb] = []
    for k, name in enumerate(names):
        limits = options.limits().after(time.perf_counter() - begun).shared(len(names) - k)
        start_begun = time.perf_counter()
        chosen = options.start if name == "graph" else name
        start = find_start(test, chosen, limits.max_seconds, monitor, n_threads)
        if limits.max_seconds is None and name in FINDERS:
            _warn_if_dense(start, name, test)
        limits = limits.after(time.perf_counter() - start_begun)
        if monitor.is_stopped and climbs:
            break
        keeper = None if kept is None else kept.keeper(k)
        climbs.append(
            hill_climb(
                score, start, limits=limits, n_threads=n_threads, callback=monitor, tests=tests, keeper=keeper
            )
        )
        _warn_if_stopped(climbs[-1], name)
        if monitor.is_stopped:
            break
    return climbs


def _ending(climbs: Sequence[Climb], won: int, n_starts: int) -> str:
    """Tell why the search ended: interrupted if any part of it was."""
    is_cut = len(climbs) < n_starts or climbs[-1].stopped == "interrupted"
    return "interrupted" if is_cut else climbs[won].stopped


def _open_checkpoint(
    table: EncodedTable,
    options: HillClimbingOptions,
    checkpoint: str | Path | None,
    resume: str | Path | None,
) -> Checkpoint | None:
    """Open the file that keeps the search, with what it holds already if it is to go on."""
    path = resume if checkpoint is None else checkpoint
    if path is None:
        return None
    from ibmap.learners.checkpoint import Checkpoint, refuse_overwriting, samefile

    recorded = {k: v for k, v in options.recorded().items() if k not in LIMITS}
    identity = {
        "version": provenance_of(table, "hc", {}, 0.0).version,
        "fingerprint": table.fingerprint,
        "options": {key: plain(value) for key, value in recorded.items()},
        "start_edges": None if isinstance(options.start, str) else as_graph(options.start, table.names).edges,
    }
    kept = Checkpoint(path, identity, table.n_variables, len(start_names(options.start)))
    if resume is not None:
        kept.load(resume)
    if resume is None or not samefile(path, resume):
        refuse_overwriting(path)
    kept.write()
    return kept


def best_climb(climbs: Sequence[Climb]) -> int:
    """Find the climb with the best score; of equal ones the first."""
    best = 0
    for k, climb in enumerate(climbs):
        if not climb.score <= climbs[best].score + TOLERANCE and not math.isnan(climb.score):
            best = k
    return best


def _warn_if_stopped(climb: Climb, start: str) -> None:
    """Say that a limit or the user ended a climb."""
    if climb.stopped != "optimum":
        is_cut = climb.stopped == "interrupted"
        ended = "was interrupted" if is_cut else f"stopped at its limit {climb.stopped}"
        msg = (
            f"the search {ended} after {len(climb.trace)} ascents from start={start!r}; "
            "the structure is the best so far, not a local optimum"
        )
        warnings.warn(msg, SearchWarning, stacklevel=6)


def _warn_if_dense(start: MarkovGraph, name: str, test: ProbabilisticTest) -> None:
    """Say before a climb that its start has far more neighbours than the rows can tell of."""
    n_neighbours = 2 * len(start.edges) / max(start.n_variables, 1)
    table = getattr(test, "table", None)
    if start.n_variables >= MANY and table is not None and n_neighbours > math.log2(table.n_samples + 1) + 3:
        empty = either("start='empty'", "--start empty")
        msg = (
            f"{name}'s structure has {n_neighbours:.0f} neighbours a variable, which {table.n_samples:,} "
            f"rows cannot tell of; the climb from it may take long. {empty} begins without them, "
            f"{either('max_seconds', '--max-seconds')} ends it with the best so far"
        )
        warnings.warn(msg, SearchWarning, stacklevel=6)


def _warn_if_arbitrary(evidence: tuple[PairEvidence, ...]) -> None:
    """Say that most edges hardly matter: a start can be so dense that the score is flat around it."""
    losses = [pair.loss for pair in evidence if pair.is_edge]
    n_idle = sum(loss < IDLE_LOSS for loss in losses)
    if len(losses) >= MIN_EDGES and 2 * n_idle > len(losses):
        msg = (
            f"{n_idle} of {len(losses)} edges have next to no evidence: taking one out changes the score by "
            "under one percent. The rows do not support so many neighbours; the recommended learner needs "
            "far fewer: ibmap.IBMAP() (command line: --algorithm ibmap)"
        )
        warnings.warn(msg, SearchWarning, stacklevel=5)
