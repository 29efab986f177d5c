"""The Bayesian test of independence (Margaritis), the one the paper uses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.counting import count_cells
from ibmap.encoding import encode
from ibmap.independence.posterior import Prior, log_posteriors
from ibmap.independence.protocol import Answer, LogProbabilities, ProbabilisticTest, Triplet
from ibmap.kernels import likelihood as kernels
from ibmap.table import EncodedTable
from ibmap.ties import is_at_least_half

LOG_GAMMA_ENTRIES = 1 << 20  # beyond that the function is called instead of the table


class BayesianTest(ProbabilisticTest):
    """The posterior probability that two variables are independent given others.

    Parameters
    ----------
    X : table
        Anything `ibmap.encode` takes.
    prior : float
        Prior probability of independence.
    hyperparameters : {"sums", "ones", "bdeu"}
        Dirichlet parameters: cells 1 with margins that add them up ("sums"), all
        ones ("ones"), or an equivalent sample size spread evenly over all cells
        of all slices ("bdeu").
    slices : {"all", "seen"}
        Whether the prior is split over all configurations of the conditioning
        set or over those that occur.
    equivalent_sample_size : float
        For ``hyperparameters="bdeu"``.

    Examples
    --------
    >>> rows = [[0, 0]] * 10 + [[0, 1]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 11
    >>> test = BayesianTest(rows)
    >>> independent, dependent = test.log_probabilities(0, 1)
    >>> round(math.exp(independent), 10)
    0.0983783917
    >>> test.is_independent("x0", "x1"), test.n_tests
    (False, 1)
    """

    def __init__(
        self,
        X: Any,
        prior: float = 0.5,
        hyperparameters: str = "sums",
        slices: str = "all",
        equivalent_sample_size: float = 1.0,
    ) -> None:
        self.table: EncodedTable = encode(X)
        self.prior = Prior(prior, hyperparameters, slices, equivalent_sample_size)
        self.log_gamma = log_gamma_table(self.table)
        super().__init__(self.table.names)

    def log_posteriors(self, triplet: Triplet) -> LogProbabilities:
        """Give both log posteriors of a numbered triplet, without counting it.

        Parameters
        ----------
        triplet : Triplet
            The question.

        Returns
        -------
        LogProbabilities
            The pair (log Pr(I | D), log Pr(not I | D)).
        """
        x, y, given = triplet.canonical()
        cells = count_cells(self.table, x, y, given)
        n_configurations = math.prod(int(self.table.cardinalities[z]) for z in given)
        n_slices = self.prior.n_slices(n_configurations, cells.n_slices)
        factors = np.empty(cells.n_slices)
        dirichlet = self.prior.dirichlet(*cells.n_states, n_slices)
        kernels.log_bayes_factors(cells.values, cells.n_states, dirichlet, self.log_gamma, factors)
        return log_posteriors(factors, n_slices, self.prior)

    def _answer(self, triplet: Triplet) -> Answer:
        """Decide for independence from one half on."""
        log_independent = self.log_posteriors(triplet).independent
        return Answer(is_at_least_half(log_independent), log_independent)


def log_gamma_table(table: EncodedTable) -> NDArray[np.float64]:
    """Tabulate the log-gamma function at the integers the test will need.

    Parameters
    ----------
    table : EncodedTable
        The data; counts and cardinalities bound the arguments.

    Returns
    -------
    ndarray
        Entry k is log-gamma of k; entry 0 is never read.
    """
    from scipy.special import gammaln

    largest = table.n_samples + int(table.cardinalities.max(initial=1)) ** 2 + 2
    values = gammaln(np.arange(min(largest, LOG_GAMMA_ENTRIES), dtype=float))
    values[0] = 0.0
    return np.ascontiguousarray(values)
