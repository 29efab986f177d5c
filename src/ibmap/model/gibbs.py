"""Estimates by Gibbs sampling, where exact answers are out of reach."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibmap.errors import InvalidOptionError, SamplingWarning
from ibmap.kernels import factor_gibbs as kernels
from ibmap.model.layout import Layout
from ibmap.model.potentials import Floats, Potentials
from ibmap.simulate.diagnosis import MIN_DRAWS, split_halves, split_r_hat, worst_r_hat
from ibmap.simulate.sampling import Blankets, Chains, GibbsPlan, sample_gibbs


@dataclass(frozen=True)
class Estimate:
    """Probabilities of joint states, estimated from chains."""

    probabilities: Floats  # one axis a variable
    standard_errors: Floats  # from the differences between half-chains
    r_hat: float


class FactorChains:
    """Chains of a network with any factors, for `sample_gibbs`."""

    def __init__(self, potentials: Potentials) -> None:
        self.layout = Layout.of(potentials.cardinalities, [f.variables for f in potentials.factors])
        self.log_values = self.layout.join([f.log_values for f in potentials.factors])

    @property
    def cardinalities(self) -> NDArray[np.int64]:
        """States of each variable."""
        return self.layout.cardinalities

    def chain(self) -> Callable[..., None]:
        """Give the kernel everything that all chains share."""

        def run(
            state: NDArray[np.int64], words: NDArray[np.uint64], schedule: tuple[int, ...], codes: object
        ) -> None:
            cells, weights = self.layout.room()
            shape, arrays = self.layout.cardinalities, self.layout.arrays
            kernels.run_factors(state, words, shape, arrays, self.log_values, cells, weights, schedule, codes)

        return run


def chains_of(potentials: Potentials) -> Chains:
    """Choose how a network is sampled: pairwise ones by the kernel of the simulator."""
    if not potentials.is_positive:
        msg = (
            "Gibbs sampling needs potentials without zeros: its chains cannot pass impossible states. "
            "Fit with prior_strength above 0"
        )
        raise InvalidOptionError(msg)
    if not potentials.is_pairwise:
        return FactorChains(potentials)
    fields = [np.zeros(c) for c in potentials.cardinalities]
    tables: dict[tuple[int, int], Floats] = {}
    for factor in potentials.factors:
        if len(factor.variables) == 1:
            fields[factor.variables[0]] += factor.log_values
        elif len(factor.variables) == 2:
            i, j = factor.variables
            table = factor.log_values if i < j else factor.log_values.T
            key = (min(i, j), max(i, j))
            tables[key] = tables.get(key, 0.0) + table
    edges = sorted(tables)
    return Blankets.of(edges, [np.ascontiguousarray(tables[edge]) for edge in edges], fields)


def draw_rows(
    potentials: Potentials, n_samples: int, plan: GibbsPlan, rng: np.random.Generator
) -> NDArray[np.uint16]:
    """Draw rows from chains, and warn if the chains disagree."""
    codes = sample_gibbs(chains_of(potentials), n_samples, plan, rng)
    total = potentials.log_unnormalised(codes)
    worst = worst_r_hat(np.column_stack([codes, total]), plan.n_chains)
    if worst is not None:
        _warn(worst[0], plan)
    return codes


def estimate(
    potentials: Potentials, of: Sequence[int], n_samples: int, plan: GibbsPlan, rng: np.random.Generator
) -> Estimate:
    """Estimate the joint distribution of some variables."""
    if n_samples < MIN_DRAWS * plan.n_chains or plan.n_chains < 2:
        msg = (
            f"n_samples must be at least {MIN_DRAWS} for each of 2 or more chains, to tell how good the "
            f"estimate is; got {n_samples} for {plan.n_chains}"
        )
        raise InvalidOptionError(msg)
    codes = sample_gibbs(chains_of(potentials), n_samples, plan, rng)
    shape = tuple(potentials.cardinalities[v] for v in of)
    cells = np.ravel_multi_index(tuple(codes[:, v].astype(np.int64) for v in of), shape)
    hits = (cells[:, np.newaxis] == np.arange(int(np.prod(shape)))).astype(np.float64)
    worst = worst_r_hat(hits, plan.n_chains)
    if worst is not None:
        _warn(worst[0], plan)
    halves = split_halves(hits, plan.n_chains).mean(axis=0)
    errors = halves.std(axis=0, ddof=1) / np.sqrt(len(halves))
    r_hat = float(split_r_hat(hits, plan.n_chains).max())
    return Estimate(hits.mean(axis=0).reshape(shape), np.asarray(errors).reshape(shape), r_hat)


def _warn(r_hat: float, plan: GibbsPlan) -> None:
    """Say that the chains disagree."""
    msg = (
        f"the Gibbs chains disagree: split R-hat {r_hat:.3g}, more than 1.1. The draws may not represent the "
        f"network. Raise thinning (now {plan.thinning}) and burn_in (now {plan.burn_in})"
    )
    warnings.warn(msg, SamplingWarning, stacklevel=4)
