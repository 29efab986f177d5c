"""How dense a network is: the prior probability of a link, learned from the evidence on all pairs.

Each pair is linked with probability d / (n - 1), where d is the mean number of neighbours. Given d the
evidence on a pair with log Bayes factor b has likelihood 1 - p + p exp(b). The prior of d is log-normal;
its posterior is summed up on a grid. Pairs that the data say little of have b near zero and say little
of d, so few rows do not make the network sparse. The pairs of n columns of N rows are no more than n N / 2
pieces of evidence; where there are more pairs, each counts for less.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

NEIGHBOURS = 4.0  # expected of a variable before the data are seen
FIRST_SHARE = 0.25  # of all others, where these are fewer
SPREAD = 0.5  # standard deviation of the log of their number
FEWEST = 0.1  # neighbours of a variable on average
HIGHEST_SHARE = 1 / 3  # of all pairs: a link always needs evidence of two to one
N_POINTS = 41  # of the grid
DECIMALS = 2  # to which log Bayes factors are told apart


def first_prior(n_variables: int) -> float:
    """Give the prior probability of independence before the data are seen."""
    return 1.0 - _expected(n_variables) / max(n_variables - 1, 1)


def learned_prior(
    log_factors: NDArray[np.float64], n: int, n_samples: int, weights: NDArray[np.float64] | None = None
) -> float:
    """Learn the prior probability of independence from the evidence on pairs of n variables."""
    # weights: for how many pairs each stands
    values, numbers = np.unique(np.round(log_factors, DECIMALS), return_inverse=True)
    counts = np.bincount(numbers, weights, minlength=len(values))
    degrees = np.geomspace(FEWEST * min(1.0, (n - 1) / 2), HIGHEST_SHARE * (n - 1), N_POINTS)
    shares = degrees / (n - 1)
    weight = min(1.0, n_samples / (n - 1))
    likelihood = np.logaddexp(np.log1p(-shares)[:, None], np.log(shares)[:, None] + values) @ counts * weight
    prior = ((np.log(degrees) - math.log(_expected(n))) / SPREAD) ** 2 / 2
    weights = np.exp(likelihood - prior - (likelihood - prior).max())
    log_odds = float(weights @ (np.log(shares) - np.log1p(-shares)) / weights.sum())
    return 1.0 / (1.0 + math.exp(log_odds))


def _expected(n_variables: int) -> float:
    """Give the number of neighbours expected of a variable."""
    return min(NEIGHBOURS, FIRST_SHARE * max(n_variables - 1, 1))
