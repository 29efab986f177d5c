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
from typing import Any

from ibmap.data.encoding import encode
from ibmap.independence.link_test import LinkTest
from ibmap.independence.posterior import LOWEST_PRIOR
from ibmap.independence.regression import LinkModel, Regressions
from ibmap.options import as_number

PENALTY = 1.0  # the default, like the next chosen by the studies in docs/pairwise.md
NEIGHBOURS = 3  # that a variable is expected to have if the penalty is 1


class PairwiseTest(LinkTest):
    """The posterior probability of independence under a pairwise log-linear model.

    X is fitted on the conditioning set by multinomial logistic regression; the Bayes
    factor B of a link with Y against none is taken with the log posterior as a quadratic
    there (Rao's score statistic, and what the prior on effects loses). Likewise Y is fitted,
    and the two logarithms averaged. With n variables and a `prior` of one half,

        log odds of dependence = log B - penalty log((n - 4) / 3),

    without the second part for n under eight.

    Parameters
    ----------
    X : table
        Anything `ibmap.encode` takes.
    penalty : float
        The price of having many variables to choose from. With 1 a variable is expected
        to have three neighbours, whatever n; with 0 every link is as likely as not.
    ridge : float
        Precision of the normal prior on effects centred over states. For two binary
        variables the log odds ratio has standard deviation 2 / sqrt(ridge). Between 1e-6 and 1e6.
    ordered : bool or list of column names or numbers
        Variables whose states are in order; each then has one slope.
    prior : float
        Prior probability of independence.

    Examples
    --------
    >>> rows = [[0, 0]] * 10 + [[0, 1]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 11
    >>> test = PairwiseTest(rows)
    >>> round(math.exp(test.log_probabilities(0, 1).independent), 6)
    0.115194
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
        table = encode(X)
        table = table.distinct or table
        self.penalty = as_number(penalty, "penalty", low=0, high=100, from_low=True)
        self.prior = as_number(prior, "prior", low=LOWEST_PRIOR, high=1)
        ridge = as_number(ridge, "ridge", low=1e-6, high=1e6)
        against = max((table.n_variables - 1 - NEIGHBOURS) / NEIGHBOURS, 1.0)
        log_prior_odds = math.log1p(-self.prior) - math.log(self.prior) - self.penalty * math.log(against)
        super().__init__(table, Regressions(table, ordered, LinkModel(ridge, ridge)), log_prior_odds)
