"""The local IB-score of a table with any numbers of states, by the kernels of `ibmap.kernels.look`.

The terms of all changes of a blanket take a test for every pair of variables.
Most need not be known: every log-probability is at most 0, so a term is at most
the sum of any of its tests, and few of them rule most changes out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.rows import n_configurations
from ibmap.independence.table_numbers import TableNumbers
from ibmap.kernels import look as kernels
from ibmap.kernels.context import all_given
from ibmap.kernels.outside_pairs import outside_terms
from ibmap.kernels.sparse_members import sparse_member_terms
from ibmap.sharing import Call, Work, alone

Floats = NDArray[np.float64]
FEW = 40  # variables outside a blanket up to which all changes at once cost less than bounds and a few terms

TELLING = 20  # data points for each configuration of a blanket from which on its tests rule most changes out
MANY_STATES = 8  # of the variables outside, from which on pairs of them take long

WORTHWHILE = 1000  # rows from which on compiling the kernels for large blankets is
SPARSE = 0.6  # configurations for each data point from which on one in six or more has less than two of them
SCARCE = 4.0  # from which on counting out all configurations takes longer than merging the slices there are
SURE = 0.999  # prior probability of independence above which that of dependence may be near 0


class TableScore:
    """The blanket closure's score for integer hyperparameters.

    Parameters
    ----------
    test : BayesianTest
        The test.
    """

    def __init__(self, test: BayesianTest) -> None:
        self.names = test.names
        self._table, self._prior = test.table, test.prior
        numbers = test.numbers or TableNumbers(test.table, test.prior)
        self._data, self._numbers = numbers.data, numbers.prior
        self._by_cardinality = np.argsort(test.table.cardinalities, kind="stable")
        self._entropies = [entropy(column, test.table.weights) for column in test.table.codes.T]

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
        return float(kernels.one_term(self._data, self._numbers, self._question(x, blanket)))

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
        return alone(self._shared_changes(x, blanket))

    def _shared_changes(self, x: int, blanket: tuple[int, ...]) -> Work[Floats]:
        """Give `changes` as a work: members first, which mostly takes longest, beside those outside."""
        question, n = self._question(x, blanket), len(self.names)
        context = all_given(self._data, x, question.members)
        asked = self._data, self._numbers, question
        calls: list[Call] = [partial(added, n, outside_terms, context, *asked)]
        is_sparse = self._is_sparse(blanket, 2, SCARCE)
        if blanket and (is_sparse or self._is_sparse((*blanket, *question.outside[:1].tolist()), 1, SPARSE)):
            calls.insert(0, partial(added, n, sparse_member_terms, context, *asked, is_sparse))
        elif blanket:
            calls.insert(0, partial(added, n, kernels.member_terms, *asked))
        if blanket and not is_sparse:
            calls.append(partial(added, n, kernels.between_members, *asked))
        parts = yield tuple(calls)
        terms: Floats = np.sum(parts, axis=0)
        return terms

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give what the terms of `changes` are at most, from the tests of the blanket alone.

        Where that would take no less, all terms are worked out instead.

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
            Where they are equal: for entry x, or everywhere.
        """
        return alone(self.shared_bounds(x, blanket))

    def shared_bounds(self, x: int, blanket: tuple[int, ...]) -> Work[tuple[Floats, NDArray[np.bool_]]]:
        """Give `bounds` as a work, whose parts threads can share.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        Work
            Its result is that of `bounds`.
        """
        question = self._question(x, blanket)
        if len(question.outside) <= FEW and not self._is_telling(blanket, question):
            terms = yield from self._shared_changes(x, blanket)
            return terms, np.ones(len(self.names), bool)
        independent, dependent = np.zeros(len(self.names)), np.zeros(len(self.names))
        kernels.own_tests(self._data, self._numbers, question, independent, dependent)
        is_exact, is_member = np.zeros(len(self.names), bool), np.zeros(len(self.names), bool)
        is_exact[x] = is_member[list(blanket)] = True
        n_outside = len(question.outside)
        upper = np.where(is_member, independent, dependent)
        upper += self._ceilings(blanket) * np.where(is_member, n_outside, n_outside - 1)
        upper[x] = math.fsum(np.where(is_member, dependent, independent))
        return upper, is_exact

    def _is_telling(self, blanket: tuple[int, ...], question: kernels.Question) -> bool:
        """Tell whether tests of the blanket alone rule most changes out, and all of these would take long."""
        cards, n_outside = self._table.cardinalities[question.outside], len(question.outside)
        is_long = n_outside >= FEW // 4 and cards[n_outside // 2] >= MANY_STATES
        size = n_configurations(self._table, blanket)
        return bool(is_long) and self._table.n_rows >= WORTHWHILE and size * TELLING <= self._table.n_samples

    def _is_sparse(self, given: tuple[int, ...], n_dropped: int, least: float = SPARSE) -> bool:
        """Tell whether a set without any so many variables has many configurations without data.

        That is, at least so many for each data point. Then no probability of dependence is near 0,
        unless the prior's is.
        """
        cards = sorted(int(self._table.cardinalities[b]) for b in given)
        size = math.prod(cards[: max(len(cards) - n_dropped, 0)])
        is_open = self._prior.slices == "all" and self._prior.probability <= SURE
        return is_open and self._table.n_rows >= WORTHWHILE and size >= least * self._table.n_samples

    def _question(self, x: int, blanket: tuple[int, ...]) -> kernels.Question:
        """Put a variable and its blanket the way the kernels want it: members that split most first."""
        is_outside = np.ones(len(self.names), bool)
        is_outside[[x, *blanket]] = False
        members = sorted(blanket, key=lambda b: -self._entropies[b])
        order = self._by_cardinality
        return kernels.Question(x, np.array(members, np.int64), order[is_outside[order]])

    def _ceilings(self, blanket: tuple[int, ...]) -> Floats:
        """Bound the log-probability of independence given the blanket with each variable flipped."""
        size, cards = n_configurations(self._table, blanket), self._table.cardinalities.tolist()
        sizes = [size // card if y in blanket else size * card for y, card in enumerate(cards)]
        return np.array([self._ceiling(each) for each in sizes])

    def _ceiling(self, size: int) -> float:
        """Bound the log-probability of independence given a set with so many configurations.

        At most half as many slices as there are data points hold two or more; each of the
        others leaves its share of the prior.
        """
        if self._prior.slices != "all":
            return 0.0
        return self._prior.log_unseen(size, min(size, self._table.n_samples // 2))


def added(n: int, kernel: Callable[..., None], *asked: object) -> Floats:
    """Give what a kernel adds to the terms.

    Parameters
    ----------
    n : int
        Variables.
    kernel : callable
        Takes the terms last.
    *asked : object
        What else it takes.

    Returns
    -------
    ndarray of shape (n,)
        By variable.

    Examples
    --------
    >>> added(2, lambda value, terms: terms.__iadd__(value), 0.5)
    array([0.5, 0.5])
    """
    terms = np.zeros(n)
    kernel(*asked, terms)
    return terms


def entropy(column: NDArray[np.integer], weights: NDArray[np.int64]) -> float:
    """Give the entropy of a column's states.

    Parameters
    ----------
    column : ndarray of int
        Codes.
    weights : ndarray of int
        How often each row counts.

    Returns
    -------
    float
        In natural units.

    Examples
    --------
    >>> entropy(np.array([0, 1, 0]), np.array([1, 2, 1])) == math.log(2)
    True
    """
    counts = np.bincount(column, weights=weights)
    shares = counts[counts > 0] / counts.sum()
    return math.fsum(-shares * np.log(shares))
