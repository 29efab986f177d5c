"""The averaged test of independence: main effects where they do, full tables where variables act together.

Like the pairwise test it asks logistic regressions what a link would add. It differs in three points,
each chosen by the study in docs/recommended.md. A link's effects have a moment prior: an effect near zero
is no link. The effects of the blanket have a wider prior, so that strong ones leave no residue. And
main effects compete with the full table of the blanket; both are weighed by their marginal
likelihoods, so that an OR gate or a parity counts where the data show it.
"""

from __future__ import annotations

import math
from typing import Any

from ibmap.data.encoding import encode
from ibmap.data.table import without_empty_rows
from ibmap.independence.density import first_prior
from ibmap.independence.link_test import LinkTest
from ibmap.independence.posterior import LOWEST_PRIOR
from ibmap.independence.regression import LinkModel, Regressions
from ibmap.options import as_number

RIDGE, LINK_RIDGE = 1.0, 8.0  # precisions of the priors on effects of the blanket and of a link
TABLE_SHARE = 0.25  # prior probability of full tables


class AveragedTest(LinkTest):
    """The posterior probability of independence, averaged over main effects and full tables.

    It is the test of the recommended learner, `ibmap.IBMAP`, which also learns its prior.

    Parameters
    ----------
    X : table
        Anything `ibmap.encode` takes.
    prior : float, optional
        Prior probability of independence. By default that of a network in which a variable has
        four neighbours, or a quarter of all others if these are fewer.
    ordered : bool or list of column names or numbers, optional
        Variables whose states are in order; each then has one slope. By default those of which the
        table says so, averaged over one slope and an effect of every state.
    table_share : float
        Prior probability that the variables of a blanket act together: with 0 only main effects are
        considered, with 1 only full tables.

    Examples
    --------
    >>> rows = [[0, 0]] * 10 + [[0, 1]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 11
    >>> test = AveragedTest(rows, prior=0.5)
    >>> round(math.exp(test.log_probabilities(0, 1).independent), 3)
    0.098
    """

    def __init__(
        self,
        X: Any,
        prior: float | None = None,
        ordered: Any = None,
        table_share: float = TABLE_SHARE,
    ) -> None:
        table = without_empty_rows(encode(X, missing="use"))
        table = table.distinct or table
        prior = first_prior(table.n_variables) if prior is None else prior
        self.prior = as_number(prior, "prior", low=LOWEST_PRIOR, high=1)
        log_prior_odds = math.log1p(-self.prior) - math.log(self.prior)
        self.table_share = as_number(table_share, "table_share", low=0, high=1, from_low=True, to_high=True)
        model = LinkModel(RIDGE, LINK_RIDGE, is_moment=True, table_share=self.table_share)
        super().__init__(table, Regressions(table, ordered, model), log_prior_odds)
