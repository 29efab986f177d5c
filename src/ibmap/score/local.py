"""The IB-score: the posterior probability of a closure.

By definition it is the product of the posteriors of all assertions. With the
blanket closure it is a sum of local terms, log IB(G) = sum over X of s_X(B(X)),
so one flip of an edge changes two terms alone. What a search asks of a score
is always the same (`LocalScore`): a variable's term for a blanket, and for
every single change of that blanket, or a bound on it that may be all it needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.graph import MarkovGraph, as_graph
from ibmap.graph.closure import Assertion, as_assertion, blanket_assertions, changed_blankets
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.known import KnownProbabilities
from ibmap.independence.link_test import LinkTest
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.score.known import KnownScore
from ibmap.score.pairwise import PairwiseScore


class LocalScore(Protocol):
    """A score that is a sum of one term for each variable and its blanket."""

    names: tuple[str, ...]

    def term(self, x: int, blanket: tuple[int, ...], least: float = -math.inf) -> float:
        """Give the log term for a sorted blanket; if that is below `least`, a bound below `least` will do."""
        ...

    def changes(self, x: int, blanket: tuple[int, ...]) -> NDArray[np.float64]:
        """Give the term with each y flipped, in or out of the blanket; entry x is the term as it is."""
        ...

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Give upper bounds of `changes`, cheaper where possible, and where they are exact (x always is)."""
        ...


class TestScore:
    """The local IB-score of any test that gives probabilities, test by test."""

    __test__ = False  # not a test case, whatever its name begins with

    def __init__(self, test: ProbabilisticTest) -> None:
        self.test = test
        self.names = test.names

    def term(self, x: int, blanket: tuple[int, ...], least: float = -math.inf) -> float:
        """Give the term of a variable for a blanket."""
        return closure_score(self.test, blanket_assertions(x, blanket, len(self.names)))

    def changes(self, x: int, blanket: tuple[int, ...]) -> NDArray[np.float64]:
        """Give the terms of a variable for its blanket and every single change of it."""
        return np.array([self.term(x, each) for each in changed_blankets(x, blanket, len(self.names))])

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Give the terms of `changes`: there is nothing cheaper."""
        return exactly(self.changes(x, blanket))


def exactly(changes: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Give exact terms as bounds, for scores that have nothing cheaper."""
    return changes, np.ones(len(changes), bool)


def local_score(test: ProbabilisticTest) -> LocalScore:
    """Choose the fastest implementation of the local score for a test."""
    if isinstance(test, LinkTest):
        return PairwiseScore(test)
    if isinstance(test, KnownProbabilities):
        if isinstance(test.test, LinkTest):
            return PairwiseScore(test.test, test.knowledge)
        assert isinstance(test.test, ProbabilisticTest)
        return KnownScore(local_score(test.test), test.knowledge, test)
    from ibmap.independence.bayesian import BayesianTest
    from ibmap.independence.rows import has_bits
    from ibmap.score.binary import BinaryScore  # all of these load kernels
    from ibmap.score.row_score import RowScore

    if not isinstance(test, BayesianTest):
        return TestScore(test)
    is_binary = test.table.cardinalities.max(initial=1) <= 2 and not test.table.is_weighted
    return BinaryScore(test) if is_binary and has_bits(test.table, test.prior) else RowScore(test)


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
    >>> from ibmap import BayesianTest
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


def knowledge_of(score: Any) -> Knowledge | None:
    """Give what a score is told of pairs before the data are seen; None if nothing."""
    return getattr(score, "knowledge", None)


def total_score(score: LocalScore, graph: MarkovGraph) -> float:
    """Sum the terms of all variables."""
    return math.fsum(score.term(x, graph.blanket(x)) for x in range(graph.n_variables))


def flip_gain(score: LocalScore, graph: MarkovGraph, x: int, y: int) -> float:
    """Give the change of the score by one flip, from the two terms it touches."""
    flipped = graph.flip(x, y)
    after = [score.term(v, flipped.blanket(v)) for v in (x, y)]
    before = [score.term(v, graph.blanket(v)) for v in (x, y)]
    return math.fsum([*after, *(-term for term in before)])


def flip_gains(score: LocalScore, graph: MarkovGraph) -> NDArray[np.float64]:
    """Give the change of the score by every single flip."""
    changes = np.array([score.changes(x, graph.blanket(x)) for x in range(graph.n_variables)])
    gains = changes - changes.diagonal()[:, None]
    return np.asarray(gains + gains.T)


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
    from ibmap.independence.bayesian import BayesianTest

    test = BayesianTest(X, prior, hyperparameters, slices, equivalent_sample_size)
    return total_score(TestScore(test), as_graph(graph, test.names))
