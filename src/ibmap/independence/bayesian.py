"""The Bayesian test of independence (Margaritis), the one the paper uses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable, variable_index
from ibmap.data.weighting import counted
from ibmap.errors import InvalidOptionError
from ibmap.independence.bulk import test_rows
from ibmap.independence.memo import Memo
from ibmap.independence.posterior import Prior
from ibmap.independence.protocol import Answer, LogProbabilities, ProbabilisticTest, Triplet, Variable
from ibmap.independence.rows import Row, TableData, binary_columns, row_maker
from ibmap.options import as_thread_count
from ibmap.ties import LOWEST_TIE, is_at_least_half


class BayesianTest(ProbabilisticTest):
    """The posterior probability that two variables are independent given others.

    Parameters
    ----------
    X : table
        Anything `ibmap.encode` takes.
    prior : float
        Prior probability of independence.
    hyperparameters : {"sums", "ones", "bdeu"}
        Dirichlet parameters: cells 1 with margins that add them up ("sums"), all
        ones ("ones"), or an equivalent sample size spread evenly over all cells
        of all slices ("bdeu").
    slices : {"all", "seen"}
        Whether the prior is split over all configurations of the conditioning
        set or over those that occur.
    equivalent_sample_size : float
        For ``hyperparameters="bdeu"``.

    Examples
    --------
    >>> import math
    >>> rows = [[0, 0]] * 10 + [[0, 1]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 11
    >>> test = BayesianTest(rows)
    >>> independent, dependent = test.log_probabilities(0, 1)
    >>> round(math.exp(independent), 10)
    0.0983783917
    >>> test.is_independent("x0", "x1"), test.n_tests
    (False, 1)
    """

    def __init__(
        self,
        X: Any,
        prior: float = 0.5,
        hyperparameters: str = "sums",
        slices: str = "all",
        equivalent_sample_size: float = 1.0,
    ) -> None:
        self.table: EncodedTable = without_repetition(encode(X))
        self.prior = Prior(prior, hyperparameters, slices, equivalent_sample_size)
        self.columns = binary_columns(self.table, self.prior)
        self.data = TableData(self.table, self.prior)
        self._make_row = row_maker(self.data, self.columns)
        self._last_row: tuple[int, tuple[int, ...], Row] | None = None
        super().__init__(self.table.names)

    def row(self, x: int, given: tuple[int, ...]) -> Row:
        """Slice the data by a variable and a conditioning set, to test many others.

        Parameters
        ----------
        x : int
            The variable.
        given : tuple of int
            The conditioning set, sorted.

        Returns
        -------
        Row
            Its method `log_posteriors` tests any candidates at once, uncounted.
        """
        return self._make_row(x, given)

    def rows(
        self, questions: Iterable[tuple[Variable, Iterable[Variable] | Variable | None]], n_threads: int = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Test variables against all others, each given a set: the fastest way to ask a lot, uncounted.

        Parameters
        ----------
        questions : iterable of (int or str, iterable of int or str)
            Variables, by name or number, each with its conditioning set.
        n_threads : int
            Threads; the answers are the same for any number.

        Returns
        -------
        independent, dependent : ndarray of shape (n_questions, n_variables)
            log Pr(I | D) and log Pr(not I | D) by the other variable; NaN for the variable itself
            and its set.

        Examples
        --------
        >>> test = BayesianTest([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10)
        >>> independent, dependent = test.rows([("x0", ()), ("x0", ("x1",))])
        >>> independent.round(2)
        array([[   nan, -22.89,  -0.23],
               [   nan,    nan,  -0.51]])
        """
        asked = [self._question(question) for question in questions]
        return test_rows(self.n_variables, self._make_row, asked, as_thread_count(n_threads))

    def _question(self, question: object) -> tuple[int, tuple[int, ...]]:
        """Number a variable and its set."""
        if not isinstance(question, (tuple, list)) or len(question) != 2:
            msg = (
                f"a question is a variable and its conditioning set, such as ('x0', ['x1']); got {question!r}"
            )
            raise InvalidOptionError(msg)
        number, members = variable_index(self.names, question[0]), self.given_set(question[1])
        if number in members:
            msg = f"a variable is tested given others; {self.names[number]!r} is in its own set"
            raise InvalidOptionError(msg)
        return number, members

    def log_posteriors(self, triplet: Triplet) -> LogProbabilities:
        """Give both log posteriors of a numbered triplet, without counting it."""
        x, y, given = triplet.canonical()
        independent, dependent = self.kept_row(x, given).log_posteriors((y,))
        return LogProbabilities(float(independent[0]), float(dependent[0]))

    def apart(self) -> Self | None:
        """Give the same test with a memory of its own, for another thread."""
        if type(self) is not BayesianTest:
            return None
        twin = copy(self)
        twin._memo, twin._last_row = Memo(), None
        return twin

    def kept_row(self, x: int, given: tuple[int, ...]) -> Row:
        """Slice the data like `row`, or give the last row again, since the next question often shares it.

        Parameters
        ----------
        x : int
            The variable.
        given : tuple of int
            The conditioning set, sorted.

        Returns
        -------
        Row
            Ready to test candidates.
        """
        last = self._last_row
        if last is None or last[0] != x or last[1] != given:
            last = self._last_row = (x, given, self.row(x, given))
        return last[2]

    def _answer_each(
        self, x: int, candidates: Sequence[int], given: tuple[int, ...], until_dependent: bool
    ) -> Sequence[Answer]:
        """Decide for independence from one half on."""
        least = LOWEST_TIE if until_dependent else -math.inf
        supports = self.kept_row(x, given).log_independent(candidates, least)
        return [Answer(is_at_least_half(support), support) for support in supports.tolist()]

    def _answer(self, triplet: Triplet) -> Answer:
        """Answer one question."""
        return self._answer_each(triplet.x, (triplet.y,), triplet.given, False)[0]


def without_repetition(table: EncodedTable) -> EncodedTable:
    """Merge equal rows where that saves work; refuse survey weights."""
    table = counted(table, "tests on full tables")
    return table.distinct or table
