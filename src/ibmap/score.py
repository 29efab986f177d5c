"""The IB-score: the posterior probability of a closure.

By definition it is the product of the posteriors of all assertions. With the
blanket closure it is a sum of local terms, log IB(G) = sum over X of s_X(B(X)),
so one flip of an edge changes two terms alone. What a search asks of a score
is always the same (`LocalScore`): a variable's term for a blanket, and for
every single change of that blanket.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.closure import Assertion, as_assertion, blanket_assertions
from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.protocol import ProbabilisticTest


class LocalScore(Protocol):
    """A score that is a sum of one term for each variable and its blanket."""

    names: tuple[str, ...]

    def term(self, x: int, blanket: tuple[int, ...]) -> float:
        """Give the term of `x` for a sorted blanket."""
        ...

    def changes(self, x: int, blanket: tuple[int, ...]) -> NDArray[np.float64]:
        """Give the terms of `x` for its blanket and for every single change of it.

        Entry y is the term for the blanket with y flipped (added if it is
        outside, dropped if inside), entry x the term for the blanket as it is.
        """
        ...


class TestScore:
    """The local IB-score of any test that gives probabilities, test by test.

    Parameters
    ----------
    test : ProbabilisticTest
        What gives Pr(I | D).
    """

    __test__ = False  # not a test case, whatever its name begins with

    def __init__(self, test: ProbabilisticTest) -> None:
        self.test = test
        self.names = test.names

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
        return closure_score(self.test, blanket_assertions(x, blanket, len(self.names)))

    def changes(self, x: int, blanket: tuple[int, ...]) -> NDArray[np.float64]:
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
        members = set(blanket)
        changed = (tuple(sorted(members ^ {y})) if y != x else blanket for y in range(len(self.names)))
        return np.array([self.term(x, each) for each in changed])


def local_score(test: ProbabilisticTest) -> LocalScore:
    """Choose the fastest implementation of the local score for a test.

    Parameters
    ----------
    test : ProbabilisticTest
        What gives Pr(I | D).

    Returns
    -------
    LocalScore
        The blanket closure's score, variable by variable.
    """
    return TestScore(test)


def closure_score(test: ProbabilisticTest, assertions: Iterable[Any]) -> float:
    """Score any closure with any test that gives probabilities.

    Parameters
    ----------
    test : ProbabilisticTest
        What gives Pr(I | D).
    assertions : iterable of Assertion or of tuples (x, y, given, independent)
        The closure. Variables are named or numbered.

    Returns
    -------
    float
        Natural log of the product of the posteriors.

    Examples
    --------
    >>> rows = [[0, 0]] * 10 + [[0, 1]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 11
    >>> round(closure_score(BayesianTest(rows), [("x0", "x1", (), False)]), 6)
    -0.10356
    """
    return math.fsum(_log_posterior(test, assertion) for assertion in assertions)


def _log_posterior(test: ProbabilisticTest, assertion: Any) -> float:
    """Give the log posterior of one assertion."""
    x, y, given, independent = assertion if isinstance(assertion, Assertion) else as_assertion(assertion)
    both = test.log_probabilities(x, y, given)
    return both.independent if independent else both.dependent


def total_score(score: LocalScore, graph: MarkovGraph) -> float:
    """Sum the terms of all variables.

    Parameters
    ----------
    score : LocalScore
        The score.
    graph : MarkovGraph
        The structure.

    Returns
    -------
    float
        Natural log of the IB-score.
    """
    return math.fsum(score.term(x, graph.blanket(x)) for x in range(graph.n_variables))


def flip_gain(score: LocalScore, graph: MarkovGraph, x: int, y: int) -> float:
    """Give the change of the score by one flip, from the two terms it touches.

    Parameters
    ----------
    score : LocalScore
        The score.
    graph : MarkovGraph
        The structure before the flip.
    x, y : int
        The pair flipped.

    Returns
    -------
    float
        Score after minus score before.
    """
    flipped = graph.flip(x, y)
    after = [score.term(v, flipped.blanket(v)) for v in (x, y)]
    before = [score.term(v, graph.blanket(v)) for v in (x, y)]
    return math.fsum([*after, *(-term for term in before)])


def ib_score(
    X: Any,
    graph: Any,
    *,
    prior: float = 0.5,
    hyperparameters: str = "sums",
    slices: str = "all",
    equivalent_sample_size: float = 1.0,
) -> float:
    """Score a structure on a table with the blanket closure.

    Parameters
    ----------
    X : table
        Anything `ibmap.encode` takes.
    graph : MarkovGraph, networkx.Graph or array_like
        The structure, over the table's columns.
    prior, hyperparameters, slices, equivalent_sample_size
        Options of `ibmap.BayesianTest`.

    Returns
    -------
    float
        Natural log of the IB-score.

    Examples
    --------
    >>> rows = [[0, 0]] * 10 + [[0, 1]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 11
    >>> round(ib_score(rows, [[0, 1], [1, 0]]), 6)
    -0.207121
    """
    test = BayesianTest(X, prior, hyperparameters, slices, equivalent_sample_size)
    return total_score(TestScore(test), as_graph(graph, test.names))
