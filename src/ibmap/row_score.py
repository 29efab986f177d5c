"""The local IB-score from rows of tests: one sweep for each blanket, for any prior.

The terms of all changes of a blanket would take a sweep each. Most need not be
known: every log-probability is at most 0, so a term is at most the sum of the
few that one sweep over the blanket as it is gives already.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.rows import n_configurations

Floats = NDArray[np.float64]


class RowScore:
    """The blanket closure's score: X against all others given its blanket, at once.

    Parameters
    ----------
    test : BayesianTest
        The test.
    """

    def __init__(self, test: BayesianTest) -> None:
        self.names = test.names
        self._test = test
        self._cards = test.table.cardinalities.tolist()
        self._by_cardinality = np.argsort(test.table.cardinalities, kind="stable").tolist()

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
        _, independent, _ = self._outside(x, blanket)
        return math.fsum([*independent, *(self._member(x, b, blanket)[1] for b in blanket)])

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
        return np.array([self.term(x, each) for each in changed_blankets(x, blanket, len(self.names))])

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give what the terms of `changes` are at most, from the tests of the blanket alone.

        With W added, X and W are dependent given the blanket; with b dropped,
        independent given the others. Both are tests of the blanket as it is.
        Of the other tests that a term has, those for independence are at most
        what the slices without data leave, and those for dependence at most 1.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        upper : ndarray of shape (n_variables,)
            No entry is below that of `changes`; entry x is the term itself.
        is_exact : ndarray of bool
            True for entry x.
        """
        outside, independent, dependent = self._outside(x, blanket)
        members = [self._member(x, b, blanket) for b in blanket]
        size = n_configurations(self._test.table, blanket)
        upper = np.empty(len(self.names))
        for w, log_dependent in zip(outside, dependent, strict=True):
            upper[w] = log_dependent + (len(outside) - 1) * self._at_most(size * self._cards[w])
        for b, (log_independent, _) in zip(blanket, members, strict=True):
            upper[b] = log_independent + len(outside) * self._at_most(size // self._cards[b])
        upper[x] = math.fsum([*independent, *(log_dependent for _, log_dependent in members)])
        is_exact = np.zeros(len(self.names), bool)
        is_exact[x] = True
        return upper, is_exact

    def _outside(self, x: int, blanket: tuple[int, ...]) -> tuple[list[int], list[float], list[float]]:
        """Test X against all variables outside the blanket given it."""
        outside = [y for y in self._by_cardinality if y != x and y not in blanket]
        independent, dependent = self._test.row(x, blanket).log_posteriors(outside)
        return outside, independent.tolist(), dependent.tolist()

    def _member(self, x: int, b: int, blanket: tuple[int, ...]) -> tuple[float, float]:
        """Test X against a member of the blanket given the others."""
        others = tuple(z for z in blanket if z != b)
        independent, dependent = self._test.row(x, others).log_posteriors((b,))
        return float(independent[0]), float(dependent[0])

    def _at_most(self, size: int) -> float:
        """Bound the log-probability of independence given a set with so many configurations.

        At most half as many slices as there are data points hold two or more; each of the
        others leaves its share of the prior.
        """
        if self._test.prior.slices != "all":
            return 0.0
        return self._test.prior.log_unseen(size, min(size, self._test.table.n_samples // 2))


def changed_blankets(x: int, blanket: tuple[int, ...], n_variables: int) -> Iterator[tuple[int, ...]]:
    """List a blanket with each variable flipped in turn; in the place of X, the blanket itself.

    Parameters
    ----------
    x : int
        The variable.
    blanket : tuple of int
        Its blanket, sorted.
    n_variables : int
        Number of variables.

    Yields
    ------
    tuple of int
        Sorted.

    Examples
    --------
    >>> list(changed_blankets(0, (2,), 3))
    [(2,), (1, 2), ()]
    """
    members = set(blanket)
    for y in range(n_variables):
        yield tuple(sorted(members ^ {y})) if y != x else blanket
