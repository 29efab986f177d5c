"""The learners as plain functions: an encoded table and options in, a result out.

The scikit-learn estimators and the command line both call these.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, fields
from typing import Any

from ibmap.blankets.grow_shrink import gsmn
from ibmap.errors import InvalidGraphError, InvalidOptionError, SearchWarning, UnknownVariableError
from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.classical import ChiSquareTest, GTest
from ibmap.independence.protocol import IndependenceTest
from ibmap.options import as_choice, as_count, as_number
from ibmap.result import PairEvidence, SearchResult, collect_evidence, provenance_of
from ibmap.score import local_score
from ibmap.search.hill_climbing import Callback, Climb, Limits, hill_climb
from ibmap.table import EncodedTable

TESTS = ("bayesian", "chi-square", "g")
STARTS = ("gsmn", "empty")
IDLE_LOSS = 0.01  # log of the factor by which the score falls if an edge that hardly matters goes
MIN_EDGES = 10  # with fewer edges a user sees their evidence at a glance


@dataclass(frozen=True, kw_only=True)
class BayesianOptions:
    """Options that every learner with the Bayesian test has.

    `missing` and `bins` are only recorded: the table is encoded already.
    """

    prior: float = 0.5
    hyperparameters: str = "sums"
    slices: str = "all"
    equivalent_sample_size: float = 1.0
    missing: str = "error"
    bins: Any = None

    def bayesian_test(self, table: EncodedTable) -> BayesianTest:
        """Make the Bayesian test of a table.

        Parameters
        ----------
        table : EncodedTable
            The data.

        Returns
        -------
        BayesianTest
            With these options.
        """
        return BayesianTest(table, self.prior, self.hyperparameters, self.slices, self.equivalent_sample_size)

    def recorded(self) -> dict[str, Any]:
        """Give the options as results record them.

        Returns
        -------
        dict
            Functions by their names, graphs as ``"graph"``.
        """
        return {option.name: _recorded(getattr(self, option.name)) for option in fields(self)}


@dataclass(frozen=True, kw_only=True)
class GSMNOptions(BayesianOptions):
    """Options of GSMN; see `ibmap.GSMN`."""

    test: Any = "bayesian"
    rule: str = "or"
    grow: str = "once"
    order: str = "association"
    significance: float = 0.05


@dataclass(frozen=True, kw_only=True)
class HillClimbingOptions(BayesianOptions):
    """Options of IBMAP-HC; see `ibmap.IBMAPHC`."""

    start: Any = "gsmn"
    max_ascents: int | None = None
    max_seconds: float | None = None

    def limits(self) -> Limits:
        """Check and collect the limits.

        Returns
        -------
        Limits
            When to stop early.
        """
        if self.max_ascents is not None:
            as_count(self.max_ascents, "max_ascents")
        if self.max_seconds is not None:
            as_number(self.max_seconds, "max_seconds", low=0, high=float("inf"))
        return Limits(self.max_ascents, self.max_seconds)


def learn_gsmn(table: EncodedTable, options: GSMNOptions) -> SearchResult:
    """Learn a structure with GSMN.

    Parameters
    ----------
    table : EncodedTable
        The data.
    options : GSMNOptions
        The options.

    Returns
    -------
    SearchResult
        Without a score.
    """
    begun = time.perf_counter()
    test = _test(table, options)
    found = gsmn(test, rule=options.rule, grow=options.grow, order=options.order)
    graph = as_graph(found, table.names)  # a callable's test may number the variables
    provenance = provenance_of(table, "gsmn", options.recorded(), time.perf_counter() - begun)
    return SearchResult(graph, table.labels, provenance, test.n_tests)


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
    start = _start(test, options.start, limits)
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


def _test(table: EncodedTable, options: GSMNOptions) -> IndependenceTest:
    """Make the test that answers GSMN."""
    if callable(options.test):
        test: IndependenceTest = options.test(table)
        return test
    name = as_choice(options.test, "test", TESTS)
    if name == "bayesian":
        return options.bayesian_test(table)
    classical = ChiSquareTest if name == "chi-square" else GTest
    return classical(table, options.significance)


def _start(test: BayesianTest, start: Any, limits: Limits) -> MarkovGraph:
    """Find where a climb begins, within its time."""
    if isinstance(start, str):
        if as_choice(start, "start", STARTS) == "gsmn":
            seconds = limits.max_seconds
            return gsmn(test, deadline=None if seconds is None else time.monotonic() + seconds)
        return MarkovGraph.empty(test.n_variables, test.names)
    try:
        return as_graph(start, test.names)
    except (InvalidGraphError, UnknownVariableError) as error:
        msg = f"start must be 'gsmn', 'empty' or a graph over the columns: {error}"
        raise InvalidOptionError(msg) from error


def _recorded(value: Any) -> Any:
    """Give an option as results record it."""
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    is_plain = value is None or isinstance(value, (str, bool, int, float, dict, list, tuple))
    return value if is_plain or (hasattr(value, "item") and getattr(value, "ndim", 1) == 0) else "graph"


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
