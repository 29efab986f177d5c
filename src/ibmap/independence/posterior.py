"""The posterior of independence from the evidence of each slice.

Pr(I | D) = prod_k 1 / (1 + (p^(-1/K) - 1) h_k / g_k) over the K slices; an
unseen slice has h = g = 1 and gives the factor p^(1/K).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.protocol import LogProbabilities
from ibmap.options import as_choice, as_number

HYPERPARAMETERS = ("sums", "ones", "bdeu")
SLICES = ("all", "seen")
LOWEST_PRIOR = 1e-100  # its odds times the factors of a short slice's Bayes factor stay finite, in any order


@dataclass(frozen=True)
class Prior:
    """The prior of the Bayesian test."""

    probability: float = 0.5  # prior probability of independence
    hyperparameters: str = "sums"  # "ones", "bdeu": Dirichlet parameters of cells and margins
    slices: str = "all"  # {"all", "seen"}: whether K counts all configurations or only those seen
    equivalent_sample_size: float = 1.0  # for "bdeu"

    def __post_init__(self) -> None:
        as_number(self.probability, "prior", low=LOWEST_PRIOR, high=1)
        as_choice(self.hyperparameters, "hyperparameters", HYPERPARAMETERS)
        as_choice(self.slices, "slices", SLICES)
        as_number(self.equivalent_sample_size, "equivalent_sample_size", low=0, high=math.inf)

    def n_slices(self, n_configurations: int, n_seen: int) -> int:
        """Count the slices the prior is split over."""
        return n_configurations if self.slices == "all" else max(n_seen, 1)

    def dirichlet(self, n_x: int, n_y: int, n_slices: int) -> tuple[float, float, float]:
        """Give the parameters of a cell, a row and a column."""
        if self.hyperparameters == "sums":
            return 1.0, float(n_y), float(n_x)
        if self.hyperparameters == "ones":
            return 1.0, 1.0, 1.0
        a_slice = max(self.equivalent_sample_size / n_slices, 1e-290) if n_slices < 1 << 900 else 1e-290
        return a_slice / (n_x * n_y), a_slice / n_x, a_slice / n_y

    def log_slice_odds(self, n_slices: int) -> float:
        """Give log(p^(-1/K) - 1), the prior log-odds of dependence in one slice."""
        log_share = math.log(-math.log(self.probability)) - math.log(n_slices)
        if log_share < -20:
            return log_share + math.exp(log_share) / 2
        return math.log(math.expm1(math.exp(log_share)))

    def log_unseen(self, n_slices: int, n_seen: int) -> float:
        """Give the log of the factors of all slices that hold no data."""
        return math.log(self.probability) * ((n_slices - n_seen) / n_slices)


def log_posteriors(log_bayes_factors: NDArray[np.float64], n_slices: int, prior: Prior) -> LogProbabilities:
    """Combine the slices into the posterior of independence and of dependence."""
    from ibmap.kernels.likelihood import log_odds_of_product  # tests by regressions do without kernels

    log_odds = log_odds_of_product(prior.log_slice_odds(n_slices) + log_bayes_factors)
    log_unseen = prior.log_unseen(n_slices, len(log_bayes_factors))
    independent = -softplus(log_odds) + log_unseen
    if log_unseen == 0.0:
        return LogProbabilities(independent, -softplus(-log_odds))
    return LogProbabilities(independent, log_complement(independent))


def softplus(t: float) -> float:
    """Give log(1 + exp(t)) without overflow."""
    return max(t, 0.0) + math.log1p(math.exp(-abs(t)))


def log_complement(log_probability: float) -> float:
    """Give log(1 - p) from log p."""
    if log_probability > -0.5:
        return math.log(-math.expm1(log_probability))
    return math.log1p(-math.exp(log_probability))
