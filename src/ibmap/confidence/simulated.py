"""Whether the probabilities of a table mean what they say: claims on simulated tables like it.

Structures are drawn in proportion to their probability given the table, fitted to it, and simulated: as
many rows as it has. What is claimed of these rows is held against the structure that they come from. Chains
make the few steps that ``ibmap learn`` makes unasked, so that a table takes a few seconds at most.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ibmap.confidence.learned import Effort, learned_posterior, learned_score, sampling_plan
from ibmap.confidence.sampling import sample_posterior
from ibmap.data.table import EncodedTable
from ibmap.errors import IbmapWarning
from ibmap.graph import MarkovGraph
from ibmap.model import MarkovNetwork
from ibmap.progress import Monitor
from ibmap.result import SearchResult
from ibmap.result.confidence import Confidence
from ibmap.result.reliability import N_BINS, Reliability

if TYPE_CHECKING:
    from ibmap.learners import LearnerOptions

CUT = ("max_seconds", "interrupted")


def learned_reliability(
    result: SearchResult, table: EncodedTable, options: LearnerOptions, sure: Confidence, effort: Effort
) -> Reliability:
    """Simulate tables like this one, and compare what is claimed of them with how they were made."""
    from ibmap.learners import LEARNERS

    begun = time.monotonic() - sure.diagnostics["seconds"]  # that were asked for the claims on the table
    learner, effort = LEARNERS[result.provenance.algorithm], effort._replace(is_quick=True, client=None)
    monitor, n_tables = effort.monitor or Monitor(None), effort.n_fits
    nothing = (0,) * N_BINS
    found, stopped = Reliability(nothing, (0.0,) * N_BINS, nothing, 0), "finished"

    def left() -> float | None:
        limit = effort.max_seconds
        return None if limit is None else max(limit - (time.monotonic() - begun), 0.0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IbmapWarning)  # of simulated rows, not of the table
        try:
            drawn = _structures(result, table, options, sure, effort._replace(max_seconds=left()))
            for k, truth in enumerate(drawn):
                if monitor.is_stopped or left() == 0:
                    stopped = "interrupted" if monitor.is_stopped else "max_seconds"
                    break
                rows = simulated_table(table, truth, table.n_samples, np.random.default_rng([effort.seed, k]))
                again = learner.learn(rows, options)
                own = effort._replace(max_seconds=left())
                claims = learned_posterior(again, rows, options, sure.temperature, own)
                if claims.diagnostics["stopped"] in CUT:  # not what the whole table's claims are like
                    stopped = claims.diagnostics["stopped"]
                    break
                upper = np.triu_indices(truth.n_variables, 1)
                found += Reliability.of(claims.edge_probabilities[upper], truth.adjacency[upper])
                monitor.tell("simulated tables", found.n_tables, n_tables)
        except KeyboardInterrupt:
            stopped = "interrupted"
    return replace(found, stopped=stopped, seconds=time.monotonic() - begun - sure.diagnostics["seconds"])


def simulated_table(
    table: EncodedTable, graph: MarkovGraph, n_samples: int, rng: np.random.Generator
) -> EncodedTable:
    """Fit a structure to a table, an effect for each edge, and draw rows."""
    sizes = table.cardinalities.tolist()
    bare = EncodedTable.from_codes(table.codes, sizes, table.names, table.weights)
    rows = MarkovNetwork.fit(bare, graph, potentials="pairwise").sample(n_samples, random_state=rng)
    return EncodedTable.from_codes(rows.to_numpy(), sizes, table.names)


def _structures(
    result: SearchResult, table: EncodedTable, options: LearnerOptions, sure: Confidence, effort: Effort
) -> list[MarkovGraph]:
    """Draw structures in proportion to their probability."""
    walk = sample_posterior(
        learned_score(result, table, options, effort),
        result.graph,
        temperature=sure.temperature or 1.0,
        seed=effort.seed,
        plan=sampling_plan(result, table, options, effort),
        monitor=effort.monitor,
    )
    drawn = walk.visited.draw(effort.n_fits, np.random.default_rng(effort.seed))
    return [MarkovGraph(each, table.names) for each in drawn]
