"""Tables of the Bayes factor of slices of two binary variables, and what a prior makes of them."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.posterior import Prior
from ibmap.kernels import two_by_two as kernels
from ibmap.kernels.likelihood import log_gamma_values

Floats = NDArray[np.float64]


class SliceTables:
    """All tables of one prior, each made when it is first asked for."""

    def __init__(self, n_samples: int, prior: Prior) -> None:
        self.prior = prior
        self.logs = log_tables(max(n_samples, kernels.LARGE), prior)

    def given(self, n_given: int) -> Floats:
        """Give the table of `ibmap.kernels.two_by_two` for a number of variables given."""
        return _table(self.prior, n_given)

    def around(self, n_given: int) -> Floats:
        """Stack the tables for two variables less up to one more; fewer than none count as none."""
        return _tables_around(self.prior, n_given)


@cache
def _table(prior: Prior, n_given: int) -> Floats:
    """Make the table for a prior and a number of variables given."""
    n_slices, table = 1 << n_given, np.empty(kernels.LENGTH)
    log_odds, minus_log_p = prior.log_slice_odds(n_slices), -math.log(prior.probability)
    values = log_odds, math.exp(log_odds), minus_log_p / n_slices, minus_log_p
    kernels.make_table(*values, log_tables(kernels.LARGE, prior), table)
    return table


@cache
def _tables_around(prior: Prior, n_given: int) -> Floats:
    """Stack tables for two variables less up to one more."""
    return np.array([_table(prior, max(number, 0)) for number in range(n_given - 2, n_given + 2)])


def log_tables(n_samples: int, prior: Prior) -> Floats:
    """Tabulate the log-rising factorials of a cell, of a row or column, and of a whole slice, by count."""
    log_gamma = np.empty(n_samples + 5)
    log_gamma_values(log_gamma)
    gamma, alpha, beta = map(int, prior.dirichlet(2, 2, 1))

    def rising(start: int) -> Floats:
        values = log_gamma[start : start + n_samples + 1]
        return values if log_gamma[start] == 0.0 else np.asarray(values - log_gamma[start])

    return np.array([rising(gamma), rising(alpha), rising(2 * alpha) + rising(2 * beta) - rising(4 * gamma)])
