"""The local IB-score of the pairwise test: one logistic fit for each blanket.

The fit of X on its blanket B serves all n - 1 assertions of X's term: what each variable
outside would add, and what each member gives.
`PairwiseTest` asks both variables of a pair; here each variable's term asks its own
regression, so over the n(n - 1) assertions of a structure both are asked as well.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.pairwise import PairwiseTest
from ibmap.independence.posterior import softplus
from ibmap.kernels import pairwise_terms as kernels

Floats = NDArray[np.float64]


class PairwiseScore:
    """The blanket closure's score of the pairwise test.

    Parameters
    ----------
    test : PairwiseTest
        The test.
    """

    def __init__(self, test: PairwiseTest) -> None:
        self.names = test.names
        self._regressions = test.regressions
        self._weights = (test.regressions.ridge, test.log_prior_odds)

    def term(self, x: int, blanket: tuple[int, ...]) -> float:
        """Give the term of a variable for a blanket.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        float
            Natural log.
        """
        data = self._regressions
        if data.setup.n_states[x] == 1:
            return float(self._constant(x, blanket)[x])
        cells, _ = data.packed(blanket)
        theta = kernels.no_theta(x, cells.design, data.setup)
        members = np.array(blanket, np.int64)
        return float(kernels.term(x, members, *cells, theta, data.together, data.setup, self._weights))

    def changes(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable for its blanket and every single change of it.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        ndarray of shape (n_variables,)
            Entry y for the blanket with y flipped, entry x for the blanket as it is.
        """
        data = self._regressions
        if data.setup.n_states[x] == 1:
            return self._constant(x, blanket)
        cells, words = data.packed(blanket)
        terms = np.empty(len(self.names))
        members = np.array(blanket, np.int64)
        kernels.all_terms(x, members, *cells, words, data.together, data.setup, self._weights, terms)
        return terms

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give the terms of `changes`: grouped rows make them all cheap.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        upper, is_exact : ndarray
            The terms, all exact.
        """
        return self.changes(x, blanket), np.ones(len(self.names), bool)

    def _constant(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable with one state: the data say nothing of it."""
        log_odds = self._weights[1]
        independent, dependent = -softplus(log_odds), -softplus(-log_odds)
        n_outside = len(self.names) - 1 - len(blanket)
        own = math.fsum([n_outside * independent, len(blanket) * dependent])
        terms = np.full(len(self.names), own + dependent - independent)
        terms[list(blanket)] = own + independent - dependent
        terms[x] = own
        return terms
