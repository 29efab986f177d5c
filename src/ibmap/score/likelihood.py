"""Pseudo-likelihood scores: how well the blanket of each variable predicts it, less the price of its table.

Both are sums of one term for each variable X and its blanket, over the states j of the blanket and the
states i of X, with counts n_ij and n_j. They are local scores, so every search takes them.

- MPL, the marginal pseudo-likelihood (J. Pensar, H. Nyman, J. Niiranen, J. Corander, "Marginal
  pseudo-likelihood learning of discrete Markov network structures", Bayesian Analysis 12, 2017): the
  probability of X given its blanket, averaged over Dirichlet priors. Their parameters are those of BDeu, one
  equivalent sample size spread over all states; Jeffreys' and Laplace's are options.
- PIC, the pseudo-likelihood information criterion (I. Csiszár, Z. Talata, "Consistent estimation of the basic
  neighborhood of Markov random fields", Annals of Statistics 34, 2006): sum of n_ij log(n_ij / n_j), less
  (r - 1) q log(N) times a factor for r states of X and q of its blanket. Papers differ about the factor:
  1/2, as BIC has it, is the default.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ibmap.data.counting import number_slices
from ibmap.data.encoding import encode
from ibmap.data.weighting import counted
from ibmap.graph.closure import changed_blankets
from ibmap.options import INFINITY, as_choice, as_number

Floats = NDArray[np.float64]
PARAMETERS = ("bdeu", "jeffreys", "laplace")
MAX_LOG_STATES = 690.0  # of a blanket: with more, one over their number is no longer a float


class LikelihoodScore(ABC):
    """A local score made of the counts of each variable in the slices of its blanket."""

    def __init__(self, X: Any) -> None:
        table = counted(encode(X), "scores of full tables")
        self.table = table.distinct or table
        self.names = self.table.names
        self._kept: dict[tuple[int, tuple[int, ...]], float] = {}

    @property
    def n_terms(self) -> int:
        """Distinct blankets weighed so far."""
        return len(self._kept)

    def term(self, x: int, blanket: tuple[int, ...], least: float = -math.inf) -> float:
        """Give the term of a variable for a blanket, exactly however low it is."""
        key = x, blanket
        if key not in self._kept:
            self._kept[key] = self._weigh(self._counts(x, blanket), self._log_states(blanket))
        return self._kept[key]

    def changes(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable for its blanket and every single change of it."""
        return np.array([self.term(x, each) for each in changed_blankets(x, blanket, len(self.names))])

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give the terms of `changes`: there is nothing cheaper."""
        return self.changes(x, blanket), np.ones(len(self.names), bool)

    def _counts(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Count the states of x in each slice of its blanket."""
        labels, n_slices = number_slices(self.table, blanket)
        n_states = int(self.table.cardinalities[x])
        cells = labels * n_states + self.table.codes[:, x]
        counts = np.bincount(cells, self.table.weights, n_slices * n_states)
        return np.asarray(counts.reshape(n_slices, n_states), np.float64)

    def _log_states(self, blanket: tuple[int, ...]) -> float:
        """Give the log of the number of states of a blanket, seen or not."""
        return min(math.fsum(map(math.log, self.table.cardinalities[list(blanket)])), MAX_LOG_STATES)

    @abstractmethod
    def _weigh(self, counts: Floats, log_states: float) -> float:
        """Give the term of the counts of x in each slice that was seen, a row each."""


class MarginalScore(LikelihoodScore):
    """The marginal pseudo-likelihood.

    >>> score = MarginalScore([[0, 0]] * 3 + [[1, 1]] * 3)
    >>> round(score.term(0, ()), 4), round(score.term(0, (1,)), 4)
    (-5.322, -1.9617)
    """

    def __init__(self, X: Any, parameters: str = "bdeu", equivalent_sample_size: float = 1.0) -> None:
        super().__init__(X)
        self.parameters = as_choice(parameters, "parameters", PARAMETERS)
        self.size = as_number(equivalent_sample_size, "equivalent_sample_size", low=0, high=INFINITY)

    def _weigh(self, counts: Floats, log_states: float) -> float:
        n_states = counts.shape[1]
        each = self._each(n_states, log_states)
        seen = counts[counts > 0]
        cells = gammaln(each + seen) - gammaln(each)
        slices = gammaln(each * n_states) - gammaln(each * n_states + counts.sum(axis=1))
        return math.fsum([*cells.tolist(), *slices.tolist()])

    def _each(self, n_states: int, log_states: float) -> float:
        """Give the parameter of one state of x in one slice."""
        if self.parameters == "bdeu":
            return self.size / n_states * math.exp(-log_states)
        return 0.5 if self.parameters == "jeffreys" else 1.0


class PenalisedScore(LikelihoodScore):
    """The pseudo-likelihood information criterion; `factor` is that of the penalty.

    >>> score = PenalisedScore([[0, 0]] * 3 + [[1, 1]] * 3)
    >>> round(score.term(0, ()), 4), round(score.term(0, (1,)), 4)
    (-5.0548, -1.7918)
    """

    def __init__(self, X: Any, factor: float = 0.5) -> None:
        super().__init__(X)
        self.factor = as_number(factor, "factor", low=0, high=INFINITY, from_low=True)

    def _weigh(self, counts: Floats, log_states: float) -> float:
        shares = counts / counts.sum(axis=1, keepdims=True)
        likelihood: float = math.fsum((counts[counts > 0] * np.log(shares[counts > 0])).tolist())
        n_parameters = (counts.shape[1] - 1) * math.exp(log_states)
        penalty: float = self.factor * n_parameters * math.log(float(counts.sum()))
        return likelihood - penalty
