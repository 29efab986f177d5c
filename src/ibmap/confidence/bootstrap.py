"""How often a learner finds each edge again: resampled rows, halves of them, fewer and fewer of them.

Rows are resampled by weights on the distinct rows of one table. Frequencies say how stable an edge is, not
how probable; what they are good for is a threshold (Scutari and Nagarajan 2013: the law of edges that
are surely there or not which is nearest to that of the frequencies), a bound on the number of false edges
(complementary halves, Shah and Samworth 2013), and how many rows can be spared (case dropping).
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable, with_weights
from ibmap.data.weighting import counted
from ibmap.errors import IbmapWarning
from ibmap.graph import MarkovGraph
from ibmap.options import as_choice
from ibmap.pools.cluster import pool_of
from ibmap.pools.protocol import Held
from ibmap.progress import Monitor

Floats = NDArray[np.float64]
Weights = NDArray[np.int64]
Learn = Callable[[EncodedTable], MarkovGraph]

RESAMPLING = ("rows", "halves")
DROPPED = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75)  # shares of the rows left out, as bootnet has them
CORRELATION, CERTAINTY = 0.7, 0.95  # of the coefficient of stability


class Resampled(NamedTuple):
    """How often each edge was found, in how many fits of how many edges, and why it ended."""

    frequencies: Floats
    n_fits: int
    mean_edges: float
    resampling: str
    stopped: str


class Stability(NamedTuple):
    """Shares of rows dropped, how structures then agree (mean, lower end), what share can be spared."""

    dropped: tuple[float, ...]
    mean_correlation: tuple[float, ...]
    lower_correlation: tuple[float, ...]
    coefficient: float
    stopped: str


class Effort(NamedTuple):
    """Seed, threads and time of many fits, and who is told."""

    seed: int = 0
    n_threads: int = 1
    max_seconds: float | None = None
    monitor: Monitor = Monitor(None)
    client: Any = None  # of a cluster, whose workers then make the fits


NO_LIMITS = Effort()


def resample(
    learn: Learn,
    table: EncodedTable,
    *,
    n_fits: int = 100,
    resampling: str = "rows",
    effort: Effort = NO_LIMITS,
) -> Resampled:
    """Learn again from resampled rows, or from random halves of the rows and from what these leave."""
    as_choice(resampling, "resampling", RESAMPLING)
    if resampling == "halves":
        counted(table, "halves of the rows")
    distinct = table.compressed()
    draw = _resampled_rows if resampling == "rows" else _halves
    graphs, stopped = _fit_all(learn, distinct, draw(distinct.weights, n_fits, effort.seed), effort)
    n = table.n_variables
    found = np.zeros((n, n))
    for graph in graphs:
        found += graph.adjacency
    n_done = max(len(graphs), 1)
    return Resampled(found / n_done, len(graphs), float(found.sum() / 2 / n_done), resampling, stopped)


def stability(
    learn: Learn,
    table: EncodedTable,
    graph: MarkovGraph,
    *,
    n_fits: int = 20,
    dropped: Sequence[float] = DROPPED,
    effort: Effort = NO_LIMITS,
) -> Stability:
    """Drop more and more rows and compare what is learned with the structure of all rows."""
    distinct = counted(table, "dropped rows").compressed()
    draws = _fewer_rows(distinct.weights, n_fits, dropped, effort.seed)
    graphs, stopped = _fit_all(learn, distinct, draws, effort)
    upper = np.triu_indices(graph.n_variables, 1)
    agreement = [_correlation(graph.adjacency[upper], each.adjacency[upper]) for each in graphs]
    parts = [agreement[k * n_fits : (k + 1) * n_fits] for k in range(len(dropped))]
    parts = [part for part in parts if len(part) == n_fits]
    lower = [float(np.quantile(part, 1 - CERTAINTY)) for part in parts]
    n_stable = next((k for k, each in enumerate(lower) if each < CORRELATION), len(lower))
    return Stability(
        tuple(dropped[: len(parts)]),
        tuple(float(np.mean(part)) for part in parts),
        tuple(lower),
        float(dropped[n_stable - 1]) if n_stable else 0.0,
        stopped,
    )


def inclusion_threshold(frequencies: Floats) -> float:
    """Give the frequency above which edges count (Scutari and Nagarajan 2013)."""
    n = len(frequencies)
    values, counts = np.unique(frequencies[np.triu_indices(n, 1)], return_counts=True)
    heights = np.cumsum(counts) / max(counts.sum(), 1)
    ends = np.append(values, 1.0)
    spans = [(ends[0], 0.0), *zip(np.diff(ends).tolist(), heights.tolist(), strict=True)]

    def distance(height: float) -> float:
        return math.fsum(span * abs(each - height) for span, each in spans)

    candidates = [0.0, *heights.tolist()]
    level = min(candidates, key=lambda height: (distance(height), height))
    return float(values[np.searchsorted(heights, level - 1e-12)])


def expected_false_edges(found: Resampled, threshold: float) -> float:
    """Bound the expected number of false edges above a frequency, from complementary halves.

    An edge is false here if a half finds it no more often than an edge drawn at random (Shah and Samworth
    2013, with frequencies of such edges that have one peak). Infinite where nothing can be said.
    """
    n = len(found.frequencies)
    n_pairs, n_halves = n * (n - 1) / 2, found.n_fits // 2
    share = found.mean_edges / n_pairs
    lowest = min(0.5 + share**2, 0.5 + 1 / (2 * max(n_halves, 1)) + 0.75 * share**2)
    if found.resampling != "halves" or n_halves == 0 or threshold <= lowest or share > 1 / math.sqrt(3):
        return math.inf
    if threshold <= 0.75:
        factor = 1 / (2 * (2 * threshold - 1 - 1 / (2 * n_halves)))
    else:
        factor = 4 * (1 - threshold + 1 / (2 * n_halves)) / (1 + 1 / n_halves)
    return factor * share * found.mean_edges


def _resampled_rows(weights: Weights, n_fits: int, seed: int) -> Iterator[Weights]:
    """Draw as many rows as there are, with replacement."""
    n_rows = round(float(weights.sum()))
    for k in range(n_fits):
        yield np.random.default_rng([seed, k]).multinomial(n_rows, weights / weights.sum())


def _halves(weights: Weights, n_fits: int, seed: int) -> Iterator[Weights]:
    """Draw half of the rows without replacement, then take the others."""
    half = int(weights.sum()) // 2
    for k in range((n_fits + 1) // 2):
        drawn = _without_replacement(weights, half, np.random.default_rng([seed, k]))
        yield drawn
        rest = weights - drawn
        if weights.sum() % 2:  # both halves are of one size
            rest = _without_replacement(rest, half, np.random.default_rng([seed, k, 1]))
        yield rest


def _fewer_rows(weights: Weights, n_fits: int, dropped: Sequence[float], seed: int) -> Iterator[Weights]:
    """Draw fewer and fewer rows without replacement."""
    for k, share in enumerate(dropped):
        n_kept = max(round((1 - share) * int(weights.sum())), 2)
        for each in range(n_fits):
            yield _without_replacement(weights, n_kept, np.random.default_rng([seed, k, each]))


def _without_replacement(weights: Weights, n: int, rng: np.random.Generator) -> Weights:
    """Draw some of all rows."""
    chosen = rng.choice(int(weights.sum()), n, replace=False)
    ends = np.cumsum(weights)
    return np.bincount(np.searchsorted(ends, chosen, "right"), minlength=len(weights))


def _fit_all(
    learn: Learn, table: EncodedTable, draws: Iterator[Weights], effort: Effort
) -> tuple[list[MarkovGraph], str]:
    """Learn from each weighting of the rows, in order, until time is up."""
    begun, graphs, stopped = time.monotonic(), list[MarkovGraph](), "finished"

    def is_late() -> bool:
        limit = effort.max_seconds
        return effort.monitor.is_stopped or (limit is not None and time.monotonic() - begun >= limit)

    def fit(weights: Weights) -> MarkovGraph | None:
        return None if is_late() else _fit(learn, table, weights)

    with pool_of(effort.client, effort.n_threads) as pool, warnings.catch_warnings():
        warnings.simplefilter("ignore", IbmapWarning)  # of resampled rows, not of the table
        call, size = fit, 4 * pool.size  # type: tuple[Callable[[Weights], MarkovGraph | None], int]
        if effort.client is not None:  # a clock of another machine tells nothing
            call, size = partial(_fit_there, pool.hold((learn, table))), pool.size
        try:
            while part := [weights for _, weights in zip(range(size), draws, strict=False)]:
                done = [graph for graph in ([] if is_late() else pool.map(call, part)) if graph is not None]
                graphs += done
                effort.monitor.tell("bootstrap", len(graphs))
                if len(done) < len(part):
                    stopped = "interrupted" if effort.monitor.is_stopped else "max_seconds"
                    break
        except KeyboardInterrupt:
            stopped = "interrupted"
    return graphs, stopped


def _fit(learn: Learn, table: EncodedTable, weights: Weights) -> MarkovGraph:
    """Learn from one weighting of the rows."""
    return learn(with_weights(table, weights.astype(np.int64)))


def _fit_there(held: Held[tuple[Learn, EncodedTable]], weights: Weights) -> MarkovGraph:
    """Do the same on a worker."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IbmapWarning)
        return _fit(*held.get(), weights)


def _correlation(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """Correlate two sets of edges; 1 if they are equal, 0 if one is empty or full."""
    if (first == second).all():
        return 1.0
    if first.all() or second.all() or not first.any() or not second.any():
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])
