"""The local IB-score of the Bayesian test, for any number of states and any prior.

The terms of all changes of a blanket come from counts of pairs of variables (`ibmap.kernels.table_pairs`).
With many variables or states most need not be known: every log-probability is at most 0, so a term is at
most the sum of the few that the tests of the blanket as it is give already.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.rows import TableData, n_configurations
from ibmap.kernels import table_pairs as kernels

Floats = NDArray[np.float64]

FEW = 40  # variables outside a blanket up to which all changes at once cost less than bounds and a few terms
MANY_STATES = 8  # of half of them, from which on pairs of them take long
LARGE = 16  # members of a blanket from which on pairs of them take long


class RowScore:
    """The blanket closure's score by tests of X against all others given its blanket."""

    def __init__(self, test: BayesianTest) -> None:
        self.names = test.names
        self._test, self._data = test, TableData(test.table, test.prior)
        self._cards = test.table.cardinalities

    def term(self, x: int, blanket: tuple[int, ...]) -> float:
        """Give the term of a variable for a blanket."""
        _, independent, _ = self._outside(x, blanket)
        return math.fsum([*independent, *(self._member(x, b, blanket)[1] for b in blanket)])

    def changes(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable for its blanket and every single change of it."""
        terms, outside = self._own_tests(x, blanket)
        asked, data, tables = np.array(outside, np.int64), self._data, self._data.tables(x)
        slices, log_size = data.slices(blanket)
        kernels.outside_pairs(x, asked, data.rows, slices, data.prior, log_size, tables, terms)
        for b in blanket:
            slices, log_size = data.slices(tuple(z for z in blanket if z != b))
            kernels.member_pairs(x, b, asked, data.rows, slices, data.prior, log_size, tables, terms)
        for b, c in combinations(blanket, 2):
            rest = tuple(z for z in blanket if z not in (b, c))
            _, dependent = self._test.row(x, rest).log_posteriors((b, c))
            terms[c] += dependent[0]
            terms[b] += dependent[1]
        return terms

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give what the terms of `changes` are at most, from the tests of the blanket alone.

        With W added, X and W are dependent given the blanket; with b dropped,
        independent given the others. Both are tests of the blanket as it is.
        Of the other tests that a term has, those for independence are at most
        what the slices without data leave, and those for dependence at most 1.
        """
        outside = [y for y in range(len(self.names)) if y != x and y not in blanket]
        is_exact = np.ones(len(self.names), bool)
        is_small = len(outside) <= FEW and len(blanket) < LARGE
        if is_small and np.median(self._cards[outside] if outside else 1) < MANY_STATES:
            return self.changes(x, blanket), is_exact
        upper, _ = self._own_tests(x, blanket)
        size = n_configurations(self._test.table, blanket)
        for w in outside:
            upper[w] += (len(outside) - 1) * self._at_most(size * int(self._cards[w]))
        for b in blanket:
            upper[b] += len(outside) * self._at_most(size // int(self._cards[b]))
        is_exact[:] = False
        is_exact[x] = True
        return upper, is_exact

    def _own_tests(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, list[int]]:
        """Give what the tests of the blanket as it is say of every change, and the variables outside it.

        Entry x is the term of the blanket itself.
        """
        outside, independent, dependent = self._outside(x, blanket)
        members = [self._member(x, b, blanket) for b in blanket]
        found = np.zeros(len(self.names))
        found[outside] = dependent
        found[list(blanket)] = [log_independent for log_independent, _ in members]
        found[x] = math.fsum([*independent, *(log_dependent for _, log_dependent in members)])
        return found, outside

    def _outside(self, x: int, blanket: tuple[int, ...]) -> tuple[list[int], list[float], list[float]]:
        """Test X against all variables outside the blanket given it."""
        outside = [y for y in range(len(self.names)) if y != x and y not in blanket]
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
