"""What the tests have in common that ask logistic regressions whether a link is more probable than none.

X is fitted on the conditioning set, and the fit asked what Y would add; likewise Y is fitted, and
the two log Bayes factors averaged, so that the test is symmetric.
"""

from __future__ import annotations

from copy import copy
from typing import Self

from ibmap.data.table import EncodedTable
from ibmap.independence.memo import Memo
from ibmap.independence.posterior import softplus
from ibmap.independence.protocol import Answer, LogProbabilities, ProbabilisticTest, Triplet
from ibmap.independence.regression import Regressions
from ibmap.ties import is_at_least_half


class LinkTest(ProbabilisticTest):
    """A test by log Bayes factors and the prior log-odds of a link."""

    def __init__(self, table: EncodedTable, regressions: Regressions, log_prior_odds: float) -> None:
        self.table = table
        self.regressions = regressions
        self.log_prior_odds = log_prior_odds
        super().__init__(table.names)

    def log_bayes_factor(self, triplet: Triplet) -> float:
        """Give the log Bayes factor of a link against none, without counting it.

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
        ask = self.regressions.log_bayes_factor
        return (ask(x, y, given) + ask(y, x, given)) / 2

    def with_odds(self, log_prior_odds: float) -> Self:
        """Give the same test with other prior log-odds of a link, and a memory of its own.

        Parameters
        ----------
        log_prior_odds : float
            Natural log.

        Returns
        -------
        LinkTest
            It shares the regressions.
        """
        twin = copy(self)
        twin.log_prior_odds, twin._memo = log_prior_odds, Memo()
        return twin

    def log_posteriors(self, triplet: Triplet) -> LogProbabilities:
        """Give both log posteriors of a numbered triplet, without counting it."""
        log_odds = self.log_prior_odds + self.log_bayes_factor(triplet)
        return LogProbabilities(-softplus(log_odds), -softplus(-log_odds))

    def _answer(self, triplet: Triplet) -> Answer:
        """Decide for independence from one half on."""
        log_independent = self.log_posteriors(triplet).independent
        return Answer(is_at_least_half(log_independent), log_independent)
