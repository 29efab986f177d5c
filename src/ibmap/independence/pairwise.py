"""The pairwise test of independence: main effects only, a handful of parameters an edge.

In a network whose potentials join two variables at a time, a variable given the
others follows a multinomial logistic regression. Two variables are independent
given a set if neither helps to predict the other once the set is known. With d
variables given a contingency table has as many slices as they have joint states;
the regression has d slopes. So it needs far fewer rows, and it is blind to
whatever only shows in three variables at once (parity).
"""

from __future__ import annotations

import math
from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.encoding import encode
from ibmap.independence.bayesian import without_repetition
from ibmap.independence.posterior import softplus
from ibmap.independence.protocol import Answer, LogProbabilities, ProbabilisticTest, Triplet
from ibmap.independence.regression import Regressions
from ibmap.options import as_number
from ibmap.ties import is_at_least_half

PENALTY = 0.5  # the default, chosen by the studies in docs/pairwise.md
N_REMEMBERED = 64  # fits kept: the next question often shares one


class PairwiseTest(ProbabilisticTest):
    """The posterior probability of independence under a pairwise log-linear model.

    X is fitted on the conditioning set by multinomial logistic regression, and
    Rao's score statistic tells what Y would add; likewise Y, and X. With df the
    degrees of freedom, N data points and n variables,

        log Bayes factor = mean statistic / 2 - df / 2 log N - penalty df log n,

    and Pr(I | D) = 1 / (1 + Bayes factor) for a prior of one half.

    Parameters
    ----------
    X : table
        Anything `ibmap.encode` takes.
    penalty : float
        What each degree of freedom costs beyond BIC, in units of log n: the price of
        having many variables to choose from.
    ridge : float
        Precision of the normal prior on effects centred over states. It keeps fits
        finite where a state never occurs together with another.
    ordered : bool or list of column names or numbers
        Variables whose states are in order; each then has one slope.
    prior : float
        Prior probability of independence.

    Examples
    --------
    >>> rows = [[0, 0]] * 10 + [[0, 1]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 11
    >>> test = PairwiseTest(rows)
    >>> round(math.exp(test.log_probabilities(0, 1).independent), 6)
    0.25663
    >>> test.is_independent("x0", "x1"), test.n_tests
    (False, 1)
    """

    def __init__(
        self,
        X: Any,
        penalty: float = PENALTY,
        ridge: float = 1.0,
        ordered: Any = False,
        prior: float = 0.5,
    ) -> None:
        self.table = without_repetition(encode(X))
        self.penalty = as_number(penalty, "penalty", low=-1e-300, high=100)
        self.prior = as_number(prior, "prior", low=1e-300, high=1)
        ridge = as_number(ridge, "ridge", low=1e-6, high=1e6)
        self.regressions = Regressions(self.table, ordered, ridge)
        self._remembered: OrderedDict[tuple[int, tuple[int, ...]], NDArray[np.float64]] = OrderedDict()
        self._lock = Lock()
        super().__init__(self.table.names)

    @property
    def log_prior_odds(self) -> float:
        """Prior log-odds of dependence."""
        return math.log1p(-self.prior) - math.log(self.prior)

    @property
    def cost(self) -> float:
        """What one degree of freedom takes from the log Bayes factor."""
        n_samples = max(self.table.n_samples, 1)
        return math.log(n_samples) / 2 + self.penalty * math.log(max(self.n_variables, 1))

    def log_bayes_factor(self, triplet: Triplet) -> float:
        """Give the log Bayes factor of dependence against independence, without counting it.

        Parameters
        ----------
        triplet : Triplet
            The question, by numbers.

        Returns
        -------
        float
            Natural log; the mean of what the two regressions say.
        """
        x, y, given = triplet.canonical()
        statistic = (self._statistic(x, y, given) + self._statistic(y, x, given)) / 2
        return statistic / 2 - self.regressions.degrees_of_freedom(x, y) * self.cost

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
        log_odds = self.log_prior_odds + self.log_bayes_factor(triplet)
        return LogProbabilities(-softplus(log_odds), -softplus(-log_odds))

    def _statistic(self, x: int, y: int, given: tuple[int, ...]) -> float:
        """Give what Y adds to the fit of X; a fit asked about twice is asked about everything."""
        known = self._remembered.get((x, given))
        if known is not None:
            if np.isnan(known[y]):
                others = [v for v in range(self.n_variables) if v != x and v not in given]
                known[others] = self.regressions.score_statistics(x, given, others)
            return float(known[y])
        known = np.full(self.n_variables, np.nan)
        known[y] = self.regressions.score_statistics(x, given, (y,))[0]
        with self._lock:  # threads may ask; what they are told is the same whoever comes first
            self._remembered[x, given] = known
            if len(self._remembered) > N_REMEMBERED:
                self._remembered.popitem(last=False)
        return float(known[y])

    def _answer(self, triplet: Triplet) -> Answer:
        """Decide for independence from one half on."""
        log_independent = self.log_posteriors(triplet).independent
        return Answer(is_at_least_half(log_independent), log_independent)
