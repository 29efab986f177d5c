"""The posterior of the edges: exact where it can be, else by chains, then exact over what is left open."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from ibmap.confidence.exact import MAX_VARIABLES, exact_posterior, width_of
from ibmap.confidence.sampling import SampledPosterior, SamplingPlan, sample_posterior
from ibmap.graph import MarkovGraph
from ibmap.progress import Monitor
from ibmap.result.confidence import Confidence
from ibmap.score import LocalScore, knowledge_of

OPEN = 0.002  # a probability below this, or above one minus this, is beyond doubt
OPEN_WIDTH, OPEN_LEGS = 18, 8  # of a contraction that takes a second or two
EXACT_SECONDS = 10.0  # that ten variables may take
EXACT_STEPS = 2_000  # that find the most probable structures, where all terms are known


def posterior_confidence(
    score: LocalScore,
    optimum: MarkovGraph,
    *,
    temperature: float = 1.0,
    seed: int = 0,
    plan: SamplingPlan | None = None,
    monitor: Monitor | None = None,
) -> Confidence:
    """Work out how probable each edge is, the structure in proportion to exp(score / temperature)."""
    plan, begun, n = plan or SamplingPlan(), time.monotonic(), len(score.names)
    is_in_time = plan.max_seconds is None or plan.max_seconds >= EXACT_SECONDS
    known = knowledge_of(score)
    is_narrow = known is not None and is_quick(n, known.pairs)
    if is_narrow or (n <= plan.max_exact and (n < MAX_VARIABLES or is_in_time)):
        found = exact_posterior(score, temperature=temperature, n_threads=plan.n_threads)
        short = replace(plan, max_steps=EXACT_STEPS, precision=0.0, client=None, make_score=None)
        walk = sample_posterior(score, found.graph, temperature=temperature, seed=seed, plan=short).visited
        best = walk.most_probable(temperature, found.log_total)
        told = {
            "stopped": "finished",
            "seconds": time.monotonic() - begun,
            "log_total": found.log_total,
            "best_score": found.score,
            "best_edges": [list(edge) for edge in found.graph.edges],
        }
        p = _bounded(found.edge_probabilities)
        return Confidence(score.names, p, "exact", temperature, None, told, best, walk.sizes())
    sampled = sample_posterior(score, optimum, temperature=temperature, seed=seed, plan=plan, monitor=monitor)
    probabilities, method = sampled.edge_probabilities, "sampled"
    told = {**_told(sampled), "seconds": time.monotonic() - begun}
    if sampled.stopped == "max_steps" and sampled.is_mixed.all():
        refined = open_posterior(score, sampled, temperature, plan.n_threads)
        if refined is not None:
            probabilities, method = refined, "open pairs"
    best, sizes = sampled.visited.most_probable(temperature), sampled.visited.sizes()
    p = _bounded(probabilities)
    return Confidence(score.names, p, method, temperature, sampled.is_mixed, told, best, sizes)


def open_posterior(
    score: LocalScore, sampled: SampledPosterior, temperature: float, n_threads: int = 1
) -> Any:
    """Sum exactly over the pairs in doubt, all others as they most probably are; None if too many."""
    p, n = sampled.edge_probabilities, len(score.names)
    pairs = [pair for pair in combinations(range(n), 2) if OPEN < p[pair] < 1 - OPEN]
    if not is_quick(n, pairs):
        return None
    base = MarkovGraph(p > 0.5, score.names)
    found = exact_posterior(score, temperature=temperature, graph=base, open_pairs=pairs, n_threads=n_threads)
    x, y = np.array(pairs, int).reshape(-1, 2).T
    refined = p.copy()
    refined[x, y] = refined[y, x] = found.edge_probabilities[x, y]
    return refined


def is_quick(n: int, pairs: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a sum over some open pairs takes a second or two."""
    if len(pairs) > n * OPEN_LEGS // 2:
        return False
    width, legs = width_of(n, pairs)
    return width <= OPEN_WIDTH and legs <= OPEN_LEGS


def _bounded(probabilities: Any) -> Any:
    """Keep rounding from leaving 0 to 1 or the symmetry."""
    both = np.clip((probabilities + probabilities.T) / 2, 0.0, 1.0)
    np.fill_diagonal(both, 0.0)
    return both


def _told(sampled: SampledPosterior) -> dict[str, Any]:
    """Sum up how the chains went."""
    upper = np.triu_indices(len(sampled.r_hat), 1)
    p = sampled.edge_probabilities[upper]
    sizes = sampled.effective_sizes[upper][(p > OPEN) & (p < 1 - OPEN)]
    return {
        "stopped": sampled.stopped,
        "n_steps": sampled.n_steps,
        "acceptance": round(sampled.acceptance, 4),
        "n_not_mixed": int((~sampled.is_mixed[upper]).sum()),
        "worst_r_hat": float(min(sampled.r_hat[upper].max(initial=1.0), 1e9)),
        "smallest_effective_size": float(sizes.min()) if len(sizes) else None,
        "largest_standard_error": float(sampled.standard_errors[upper].max(initial=0.0)),
    }
