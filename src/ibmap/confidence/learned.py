"""How sure the edges of a learned network are: what learners and the command line ask for.

What is worked out without being asked for is bounded by the size of the table and by steps, never by a clock,
so that the same table gives the same probabilities.
"""

from __future__ import annotations

import time
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ibmap.confidence import bootstrap
from ibmap.confidence.sampling import SamplingPlan
from ibmap.data.table import EncodedTable, is_small
from ibmap.errors import InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.options import RandomState, as_generator
from ibmap.progress import Monitor
from ibmap.result import SearchResult
from ibmap.result.confidence import Confidence

if TYPE_CHECKING:
    from ibmap.learners import LearnerOptions
    from ibmap.score import LocalScore

QUICK_STATES = 100  # variables x states of a table whose chains take a few seconds
QUICK_CELLS = 4_000_000  # distinct rows x variables x states x states, which bounds the time of a fit
QUICK_STEPS = 60_000  # of all chains together, by variables x states: the larger, the dearer a step
FEWEST_STEPS, MOST_STEPS = 500, 2_500
USUAL_DEGREE = 3  # neighbours of a variable from which on fits take longer the more there are
QUICK_EXACT = 8  # variables up to which the exact sum takes about a second


def seed_of(random_state: RandomState) -> int:
    """Give the seed of the chains or of the resampled rows."""
    return int(as_generator(random_state).integers(2**31))


def n_usual_fits(calibrate: bool) -> int:
    """Give how many tables are simulated or resampled, if nobody says."""
    return 20 if calibrate else 100


class Effort(NamedTuple):
    """Seed, threads, time and resampled tables, and who is told."""

    seed: int = 0
    n_threads: int = 1
    max_seconds: float | None = None
    n_fits: int = 100
    monitor: Monitor | None = None
    is_quick: bool = False  # a few seconds at most, by the number of steps
    client: Any = None  # of a cluster, for chains and the bootstrap


def is_quick(table: EncodedTable) -> bool:
    """Tell whether the posterior of the recommended learner takes a few seconds at most."""
    rows, size = (table.distinct or table).n_rows, _n_states(table)
    n_states = int(table.cardinalities.max(initial=1))
    return size <= QUICK_STATES and rows * size * n_states <= QUICK_CELLS


def quick_steps(table: EncodedTable, n_edges: int) -> int:
    """Choose the steps of chains that take a few seconds at most, by the size of table and graph alone."""
    mean_degree = 2 * n_edges / max(table.n_variables, 1)
    cost = max(_n_states(table), 1) * max(mean_degree / USUAL_DEGREE, 1.0)
    return min(max(int(QUICK_STEPS / cost), FEWEST_STEPS), MOST_STEPS)


def _n_states(table: EncodedTable) -> int:
    """Give variables x states."""
    return table.n_variables * int(table.cardinalities.max(initial=1))


def learned_posterior(
    result: SearchResult,
    table: EncodedTable,
    options: LearnerOptions,
    temperature: float | None = None,
    effort: Effort | None = None,
) -> Confidence:
    """Work out how probable each edge is, by the score that a network was learned with."""
    from ibmap.confidence.posterior import posterior_confidence

    effort = effort or Effort()
    refuse_scoreless(options, result.provenance.algorithm)
    sure = posterior_confidence(
        learned_score(result, table, options, effort),
        result.graph,
        temperature=default_temperature(result) if temperature is None else temperature,
        seed=effort.seed,
        plan=sampling_plan(result, table, options, effort),
        monitor=effort.monitor,
    )
    return replace(sure, diagnostics={**sure.diagnostics, "is_quick": effort.is_quick})


def learned_score(
    result: SearchResult, table: EncodedTable, options: LearnerOptions, effort: Effort
) -> LocalScore:
    """Give the score that a network was learned with; many fits are made by kernels."""
    return score_of(settled(result, options), takes_many_fits(table, effort.is_quick), table)


def settled(result: SearchResult, options: LearnerOptions) -> LearnerOptions:
    """Give the options of a learner with the prior that it learned."""
    if getattr(options, "prior", 0.5) is None:
        options = replace(options, prior=result.provenance.options["prior"])  # type: ignore[call-arg]
    return options


def score_of(options: LearnerOptions, is_compiled: bool, table: EncodedTable) -> LocalScore:
    """Make the score of a learner, wherever it is."""
    from ibmap.independence.link_test import LinkTest
    from ibmap.score import local_score

    test = options.make_test(table)
    if isinstance(test, LinkTest) and is_compiled:
        test.regressions.compile()
    return local_score(test)


def takes_many_fits(table: EncodedTable, quick: bool) -> bool:
    """Tell whether the posterior takes thousands of fits, so that compiling pays on small tables too."""
    return table.n_variables > QUICK_EXACT and not quick


def sampling_plan(
    result: SearchResult, table: EncodedTable, options: LearnerOptions, effort: Effort
) -> SamplingPlan:
    """Choose how much is sampled."""
    n_threads = _threads(effort, table, options, is_posterior=True)
    plan = SamplingPlan(max_seconds=effort.max_seconds, n_threads=n_threads)
    if effort.client is not None and not effort.is_quick:
        own = settled(result, options), takes_many_fits(table, quick=False), nameless(table, options)
        plan = replace(plan, client=effort.client, make_score=partial(score_of, *own))
    if effort.is_quick:
        plan = replace(plan, max_steps=quick_steps(table, result.graph.n_edges), max_exact=QUICK_EXACT)
    return plan


def _threads(effort: Effort, table: EncodedTable, options: LearnerOptions, is_posterior: bool = False) -> int:
    """Use one thread where NumPy makes the fits: its threads wait for each other."""
    from ibmap.learners import RecommendedOptions

    by_numpy = is_small(table) and not (is_posterior and takes_many_fits(table, effort.is_quick))
    return 1 if isinstance(options, RecommendedOptions) and by_numpy else effort.n_threads


def median_network(result: SearchResult) -> SearchResult:
    """Give the network of all pairs that are more probable than not; nothing is said of its score."""
    if result.confidence is None or result.confidence.kind != "probability":
        msg = "the median network takes the probabilities of all pairs; work them out first"
        raise InvalidOptionError(msg)
    source = result.provenance
    made = replace(source, algorithm="median", options={**source.options, "algorithm": source.algorithm})
    graph, states = result.confidence.graph(), result.states
    return SearchResult(graph, states, made, result.n_tests, confidence=result.confidence)


def refuse_scoreless(options: LearnerOptions, algorithm: str) -> None:
    """Refuse learners whose structures have no score."""
    from ibmap.learners import RecommendedOptions, ScoreOptions

    if not isinstance(options, (ScoreOptions, RecommendedOptions)):
        msg = (
            f"{algorithm} has no score, so its structures have no probabilities; ask for the bootstrap "
            "(method='bootstrap', on the command line --confidence bootstrap), or learn with the recommended "
            "learner"
        )
        raise InvalidOptionError(msg)


def default_temperature(result: SearchResult) -> float:
    """Give the temperature of a learner: the score's own posterior, but for the recommended learner."""
    if result.provenance.algorithm != "ibmap":
        return 1.0
    from ibmap.confidence.calibration import recommended_temperature

    return recommended_temperature(_rows_of_a_pair(result))


def _rows_of_a_pair(result: SearchResult) -> int:
    """Give about how many rows show both variables of a pair: all, if no cells are missing."""
    n_rows = result.provenance.n_samples
    if result.provenance.options.get("missing") != "use" or not n_rows:
        return n_rows
    n_missing = sum(each.n_missing for each in result.descriptions)
    return round(n_rows * (1 - min(n_missing / (n_rows * result.graph.n_variables), 1.0)) ** 2)


def learned_frequencies(
    result: SearchResult, table: EncodedTable, options: LearnerOptions, effort: Effort | None = None
) -> Confidence:
    """Learn again from resampled rows: how often each edge is found."""
    effort, begun = effort or Effort(), time.monotonic()
    monitor = effort.monitor or Monitor(None)
    n_threads = _threads(effort, table, options)
    found = bootstrap.resample(
        partial(learn_again, result.provenance.algorithm, options),
        table if effort.client is None else nameless(table, options),
        n_fits=effort.n_fits,
        effort=bootstrap.Effort(effort.seed, n_threads, effort.max_seconds, monitor, effort.client),
    )
    told = {
        "stopped": found.stopped,
        "seconds": time.monotonic() - begun,
        "n_fits": found.n_fits,
        "threshold": bootstrap.inclusion_threshold(found.frequencies),
    }
    is_known = np.full(found.frequencies.shape, found.n_fits > 0)
    return Confidence(table.names, found.frequencies, "bootstrap", None, is_known, told)


def learn_again(algorithm: str, options: LearnerOptions, table: EncodedTable) -> MarkovGraph:
    """Learn a structure, wherever it is."""
    from ibmap.learners import LEARNERS

    return LEARNERS[algorithm].find(table, options)


def nameless(table: EncodedTable, options: LearnerOptions) -> EncodedTable:
    """Give a table that can travel: without labels, and without names unless options speak of columns."""
    from ibmap.learners.knowledge import KnowledgeOptions

    said = [getattr(options, each.name, None) for each in fields(KnowledgeOptions)]
    ordered, start = getattr(options, "ordered", None), getattr(options, "start", "")
    is_named = any(each is not None for each in said) or not isinstance(start, str)
    is_named |= not isinstance(ordered, bool | None)
    bare = EncodedTable.from_codes(table.codes, table.cardinalities.tolist())
    names = table.names if is_named else bare.names
    return replace(table, names=names, labels=bare.labels, preparation=bare.preparation)


def learned_stability(result: SearchResult, table: EncodedTable, n_fits: int = 20) -> bootstrap.Stability:
    """Learn again from fewer and fewer rows, with the options that a result records."""
    from ibmap.learners import LEARNERS

    source = result.provenance
    learner = LEARNERS.get(source.algorithm)
    if learner is None or table.fingerprint != source.fingerprint:
        msg = (
            f"a network of {source.algorithm!r} cannot be learned again from this table: it takes one that "
            "was learned from it by ibmap learn"
        )
        raise InvalidOptionError(msg)
    known = {each.name for each in fields(learner.options)}
    recorded = {name: value for name, value in source.options.items() if name in known}
    if recorded.get("start") == "graph":
        msg = "the network was learned from a start of its own, which its file does not hold"
        raise InvalidOptionError(msg)
    options = learner.options(**recorded)
    return bootstrap.stability(
        lambda rows: learner.learn(rows, options).graph, table, result.graph, n_fits=n_fits
    )
