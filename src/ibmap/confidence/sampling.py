"""Edge probabilities by chains over structures: several starts, two temperatures, and whether they agree.

Chains (`chain`) begin at the climb's optimum and where the empty graph and structures far from both lead.
Each has a hotter companion with which it may change places. They stop when every pair's probability is
known well enough, and what they disagree on is told: R-hat compares the chains with each other, the effective
size says how many independent structures would tell as much.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.confidence.chain import Batch, Chain, RowSource
from ibmap.confidence.exact import MAX_VARIABLES
from ibmap.confidence.structures import Visited, joined, visits_left_out
from ibmap.graph import MarkovGraph
from ibmap.graph.knowledge import Knowledge
from ibmap.pools.cluster import pool_of
from ibmap.pools.protocol import Held, Pool
from ibmap.progress import Monitor
from ibmap.score import LocalScore, knowledge_of

Floats = NDArray[np.float64]

MAX_BATCHES = 32  # a chain's steps are cut into at most so many parts to tell their spread
MIN_BATCHES = 8  # before convergence is judged
BURN_IN = 0.25  # of the steps are forgotten
AGREED = 0.02  # chains whose probabilities differ less than this agree, whatever R-hat
MAX_R_HAT = 1.05
HOT_SHARE = 0.25  # of the steps of a chain are made by each hotter companion


@dataclass(frozen=True)
class SamplingPlan:
    """How much is sampled: chains, their hotter companions, steps of a round and of all chains, precision.

    Up to `max_exact` variables the sum over all structures takes the place of chains. Chains run on the
    workers of a client, if there is one, by scores that are made there.
    """

    n_chains: int = 4
    ladder: tuple[float, ...] = (1.0, 1.3)
    steps_a_variable: int = 4
    max_steps: int = 60_000
    precision: float = 0.008
    max_seconds: float | None = None
    n_threads: int = 1
    max_exact: int = MAX_VARIABLES
    client: Any = None
    make_score: Callable[[], LocalScore] | None = None


class SampledPosterior(NamedTuple):
    """Edge probabilities with their standard errors, R-hat, effective sizes, and how it went."""

    edge_probabilities: Floats
    standard_errors: Floats
    r_hat: Floats
    effective_sizes: Floats
    is_mixed: NDArray[np.bool_]
    n_steps: int
    acceptance: float
    stopped: str
    visited: Visited


def sample_posterior(
    score: LocalScore,
    optimum: MarkovGraph,
    *,
    temperature: float = 1.0,
    seed: int = 0,
    plan: SamplingPlan | None = None,
    monitor: Monitor | None = None,
) -> SampledPosterior:
    """Sample structures in proportion to exp(score / temperature)."""
    return _Sampler(score, optimum, temperature, seed, plan or SamplingPlan(), monitor or Monitor(None)).run()


class _Sampler:
    """The chains of one run, what they have given so far, and the time left."""

    def __init__(
        self,
        score: LocalScore,
        optimum: MarkovGraph,
        temperature: float,
        seed: int,
        plan: SamplingPlan,
        monitor: Monitor,
    ) -> None:
        self.plan, self.monitor, self.n = plan, monitor, optimum.n_variables
        most = plan.max_steps // (plan.n_chains * 2 * MIN_BATCHES)
        self.n_steps = max(min(plan.steps_a_variable * self.n, most), 1)  # of a chain in a round
        self.begun, self.is_cancelled = time.monotonic(), False
        seeds = np.random.SeedSequence(seed).generate_state((plan.n_chains + 1) * (len(plan.ladder) + 1))
        self.rng = np.random.default_rng(int(seeds[-1]))
        known = knowledge_of(score) or Knowledge(score.names)
        self.starts = [known.applied(each) for each in dispersed_starts(optimum, plan.n_chains, self.rng)]
        self.seeds, self.temperature = seeds.tolist(), temperature
        self.max_flips = 2 * (optimum.n_edges + self.n)
        self.source = RowSource(plan.make_score or (lambda: score))
        self.batches: list[list[Batch]] = [[] for _ in self.starts]
        self.n_rounds, self.rounds_a_batch = 0, 1

    def _begin(self, pool: Pool) -> None:
        """Let every chain begin; all but the first go where their start leads."""
        heats, left_out = self.plan.ladder, visits_left_out(self.n, self.plan.max_steps)
        begins = [
            (start, self.temperature * heat, self.seeds[k * len(heats) + level], self.max_flips if k else 0)
            for k, start in enumerate(self.starts)
            for level, heat in enumerate(heats)
        ]
        call = partial(_begun, pool.hold(self.source), left_out)
        self._set_chains(pool.map(call, *zip(*begins, strict=True)))

    def _set_chains(self, chains: Sequence[Chain]) -> None:
        """Keep chains, those of one start together."""
        size = len(self.plan.ladder)
        self.ladders = [chains[k : k + size] for k in range(0, len(chains), size)]

    def run(self) -> SampledPosterior:
        """Sample in rounds until every pair is known well enough."""
        stopped = "max_steps"
        max_rounds = max(self.plan.max_steps // (self.n_steps * self.plan.n_chains), 1)
        with pool_of(self.plan.client, self.plan.n_threads) as pool:
            self._begin(pool)
            try:
                while self.n_rounds < max_rounds:
                    self._round(pool)
                    self.monitor.tell("sampling", self.n_rounds, max_rounds)
                    if self._is_over():
                        stopped = "interrupted" if self.monitor.is_stopped else "max_seconds"
                        break
                    if self.n_rounds >= MIN_BATCHES and self.n_rounds % 4 == 0 and self._is_precise():
                        stopped = "precise"
                        break
            except KeyboardInterrupt:
                self.is_cancelled, stopped = True, "interrupted"
        return self._summary(stopped)

    def _round(self, pool: Pool) -> None:
        """Let every chain make its steps, keep what the cold ones give, and swap."""
        chains = [chain for ladder in self.ladders for chain in ladder]
        hot = max(int(self.n_steps * HOT_SHARE), 1)  # these wander farther at more cost
        steps = [self.n_steps if k % len(self.plan.ladder) == 0 else hot for k in range(len(chains))]
        is_over = self._is_over if self.plan.client is None else Late(self._seconds_left())
        call = partial(_advanced, pool.hold(self.source), is_over)
        done = pool.map(call, chains, steps)
        self._set_chains([chain for chain, _ in done])
        self._keep([batch for _, batch in done[:: len(self.plan.ladder)]])
        for ladder in self.ladders:
            for cold, hotter in pairwise(ladder):
                self._swap(cold, hotter)

    def _keep(self, found: Sequence[Batch]) -> None:
        """Keep what the cold chains gave, in batches of equally many rounds."""
        is_new = self.n_rounds % self.rounds_a_batch == 0
        for own, batch in zip(self.batches, found, strict=True):
            if is_new:
                own.append(batch)
            else:
                own[-1] = own[-1] + batch
        self.n_rounds += 1
        if self.n_rounds == MAX_BATCHES * self.rounds_a_batch:
            self.rounds_a_batch *= 2
            self.batches = [[a + b for a, b in zip(own[::2], own[1::2], strict=True)] for own in self.batches]

    def _swap(self, cold: Chain, hot: Chain) -> None:
        """Let two chains change places or not."""
        if not cold.weights.any():  # no pair is left open
            return
        here = cold.log_density() + hot.log_density()
        there = hot.log_density(cold.temperature) + cold.log_density(hot.temperature)
        if math.log1p(-self.rng.random()) < there - here:
            cold.trade(hot)

    def _is_over(self) -> bool:
        """Tell whether time is up."""
        return self._seconds_left() <= 0 or self.is_cancelled or self.monitor.is_stopped

    def _seconds_left(self) -> float:
        """Give the time that is left."""
        limit = self.plan.max_seconds
        return math.inf if limit is None else limit - (time.monotonic() - self.begun)

    def _is_precise(self) -> bool:
        """Tell whether every pair is known well enough."""
        found = judge(self.batches)
        return bool((found.is_mixed & (found.standard_errors <= self.plan.precision)).all())

    def _summary(self, stopped: str) -> SampledPosterior:
        """Give what is there."""
        if not all(self.batches):  # interrupted in the first round
            self.is_cancelled = False
            self.batches = [[ladder[0].run(0, self._is_over)] for ladder in self.ladders]
        found = judge(self.batches)
        chains = [ladder[0] for ladder in self.ladders]
        n_steps = sum(chain.n_steps for chain in chains)
        return SampledPosterior(
            _square(found.probabilities, self.n, 0.0),
            _square(found.standard_errors, self.n, 0.0),
            _square(found.r_hat, self.n, 1.0),
            _square(found.effective_sizes, self.n, 0.0),
            _square(found.is_mixed, self.n, 1.0) > 0,
            n_steps,
            sum(chain.n_accepted for chain in chains) / max(n_steps, 1),
            stopped,
            Visited.by_chains(
                self.n, [reduce(joined, (batch.visits for batch in kept(own))) for own in self.batches]
            ),
        )


class Late:
    """Tells when some seconds are over, by the clock of the process that asks first."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._begun = seconds, math.nan

    def __call__(self) -> bool:
        """Tell whether they are."""
        if math.isnan(self._begun):
            self._begun = time.monotonic()
        return time.monotonic() - self._begun >= self._seconds


def _begun(
    held: Held[RowSource],
    left_out: int,
    start: NDArray[np.bool_],
    temperature: float,
    seed: int,
    max_flips: int,
) -> Chain:
    """Begin a chain, wherever it runs, and let it ascend."""
    chain = Chain(held.get().rows, start, temperature, seed, left_out)
    chain.ascend(max_flips)
    return chain


def _advanced(
    held: Held[RowSource], is_over: Callable[[], bool], chain: Chain, n_steps: int
) -> tuple[Chain, Batch]:
    """Let a chain make its steps, wherever it is."""
    chain.rows = held.get().rows
    return chain, chain.run(n_steps, is_over)


class Judgement(NamedTuple):
    """What batches say of each pair: probability, standard error, R-hat, effective size, agreement."""

    probabilities: Floats
    standard_errors: Floats
    r_hat: Floats
    effective_sizes: Floats
    is_mixed: NDArray[np.bool_]


def kept(batches: Sequence[Batch]) -> Sequence[Batch]:
    """Leave out how a chain began."""
    return batches[int(BURN_IN * len(batches)) :]


def judge(batches: Sequence[Sequence[Batch]]) -> Judgement:
    """Put the batches of all chains together; half-chains that differ have not mixed."""
    weights = np.array([[batch.weight for batch in kept(own)] for own in batches])
    sums = np.array([[batch.sums for batch in kept(own)] for own in batches])
    half = max(weights.shape[1] // 2, 1)
    halves = np.concatenate(
        [_means(weights[:, :half], sums[:, :half]), _means(weights[:, -half:], sums[:, -half:])]
    )
    chains = _means(weights, sums)
    mean = np.clip(chains.mean(axis=0), 0.0, 1.0)
    errors = _standard_errors(weights, sums, chains)
    spread = chains.std(axis=0, ddof=1) / math.sqrt(len(chains)) if len(chains) > 1 else errors
    errors = np.maximum(errors, spread)
    within = np.maximum(np.clip(halves * (1 - halves), 0, None).mean(axis=0), 1e-12)
    r_hat = np.sqrt(1.0 + halves.var(axis=0, ddof=1) / within)
    effective = np.maximum(mean * (1 - mean), 1e-12) / np.maximum(errors, 1e-9) ** 2
    is_mixed = (r_hat <= MAX_R_HAT) | (np.ptp(halves, axis=0) <= AGREED)
    is_mixed &= weights.shape[1] >= MIN_BATCHES // 2
    return Judgement(mean, errors, r_hat, effective, is_mixed)


def dispersed_starts(
    optimum: MarkovGraph, n_starts: int, rng: np.random.Generator
) -> list[NDArray[np.bool_]]:
    """Give the optimum, the empty graph, and structures that share half of the optimum's edges."""
    n = optimum.n_variables
    starts = [optimum.adjacency.copy(), np.zeros((n, n), bool)]
    upper = np.triu_indices(n, 1)
    share = optimum.n_edges / max(len(upper[0]), 1)
    while len(starts) < n_starts:
        draws = rng.random((2, len(upper[0])))
        chosen = np.where(draws[0] < 0.5, optimum.adjacency[upper], draws[1] < share)
        adjacency = np.zeros((n, n), bool)
        adjacency[upper] = chosen
        starts.append(adjacency | adjacency.T)
    return starts[:n_starts]


def _means(weights: Floats, sums: Floats) -> Floats:
    """Divide sums by weights, chain by chain."""
    return np.asarray(sums.sum(axis=1) / weights.sum(axis=1)[:, None])


def _standard_errors(weights: Floats, sums: Floats, means: Floats) -> Floats:
    """Tell how far the mean of all chains may be off, from how much their batches differ."""
    n_batches = weights.shape[1]
    if n_batches < 2:
        return np.full(means.shape[1], 0.5)
    residuals = sums - means[:, None, :] * weights[:, :, None]
    variances = (residuals**2).sum(axis=1) / weights.sum(axis=1)[:, None] ** 2 * n_batches / (n_batches - 1)
    return np.asarray(np.sqrt(variances.sum(axis=0)) / len(means))


def _square(upper: NDArray[np.generic], n: int, fill: float) -> Floats:
    """Write the upper triangle into a symmetric matrix."""
    square = np.full((n, n), fill)
    square[np.triu_indices(n, 1)] = upper
    square.T[np.triu_indices(n, 1)] = upper
    return square
