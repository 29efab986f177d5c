"""The partition function by annealed importance sampling (Neal, 2001).

Draws of a simple base distribution, independent variables with about the
network's margins, are led to the network in many small steps. The mean of their
importance weights is an unbiased estimate of Z; their spread gives its error.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibmap.kernels import factor_gibbs as kernels
from ibmap.model.gibbs import FactorChains, chains_of
from ibmap.model.potentials import Floats, Potentials
from ibmap.options import as_count, as_thread_count
from ibmap.simulate.sampling import GibbsPlan, sample_gibbs

PILOT = GibbsPlan(burn_in=100, thinning=5, n_chains=8)
N_PILOT = 400  # draws from which the margins of the base are taken


@dataclass(frozen=True)
class LogPartition:
    """Log of Z, the sum over all configurations."""

    value: float
    standard_error: float  # 0 if exact
    method: str  # "exact" or "annealing"


@dataclass(frozen=True)
class AnnealingPlan:
    """How annealed importance sampling is done."""

    n_draws: int = 64  # draws led from the base to the network
    n_steps: int = 2000  # temperatures on the way
    n_threads: int | None = None  # every available processor by default; the result is the same

    def __post_init__(self) -> None:
        as_count(self.n_draws, "n_draws", low=2)
        as_count(self.n_steps, "n_steps", low=1)
        as_thread_count(self.n_threads)


def anneal(potentials: Potentials, plan: AnnealingPlan, rng: np.random.Generator) -> LogPartition:
    """Estimate log Z."""
    base = _base(potentials, rng)
    states = _draw_base(base, plan.n_draws, rng)
    words = rng.integers(0, 2**64, size=(plan.n_draws, 4), dtype=np.uint64)
    temperatures = np.linspace(0.0, 1.0, plan.n_steps + 1)
    chains = FactorChains(potentials)
    factors = (chains.layout.cardinalities, chains.layout.arrays, chains.log_values)

    def lead(draw: int) -> float:
        room = chains.layout.room()
        return float(kernels.anneal(states[draw], words[draw], *factors, base, temperatures, *room))

    with ThreadPoolExecutor(as_thread_count(plan.n_threads)) as pool:
        logs = np.array(list(pool.map(lead, range(plan.n_draws))))
    return _mean(logs)


def _base(potentials: Potentials, rng: np.random.Generator) -> Floats:
    """Take log-margins of the network from a short run; unused entries are minus infinity."""
    codes = sample_gibbs(chains_of(potentials), N_PILOT, PILOT, rng)
    base = np.full((potentials.n_variables, max(potentials.cardinalities)), -np.inf)
    for v, n_states in enumerate(potentials.cardinalities):
        counts = np.bincount(codes[:, v], minlength=n_states) + 1.0
        base[v, :n_states] = np.log(counts / counts.sum())
    return base


def _draw_base(base: Floats, n_draws: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw independent states."""
    sums = np.cumsum(np.exp(base), axis=1)
    uniform = rng.random((n_draws, len(base), 1)) * sums[:, -1:]
    return np.asarray((uniform >= sums[np.newaxis, :, :]).sum(axis=2), np.int64)


def _mean(logs: Floats) -> LogPartition:
    """Average weights given as logarithms."""
    top = float(logs.max())
    weights = np.exp(logs - top)
    mean = float(weights.mean())
    error = float(weights.std(ddof=1) / np.sqrt(len(weights)) / mean)
    return LogPartition(top + float(np.log(mean)), error, "annealing")
