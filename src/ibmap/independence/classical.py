"""Pearson's chi-square and the G-test, without Yates' correction.

Both sum a statistic over the slices seen. A row or column of a slice that is
empty carries no information: it is left out of the slice's degrees of freedom.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ibmap.data.counting import Margins, count_cells, meets_cochran
from ibmap.data.encoding import encode
from ibmap.data.weighting import counted
from ibmap.independence.protocol import Answer, IndependenceTest, Triplet, Variable
from ibmap.options import as_number


class ClassicalOutcome(NamedTuple):
    """What a classical test found."""

    # `reliable` is Cochran's rule: no expected count under 1, and at most one in five under 5.

    statistic: float
    degrees_of_freedom: int
    p_value: float
    reliable: bool


class ClassicalTest(IndependenceTest):
    """A significance test on the contingency table, slice by slice."""

    def __init__(self, X: Any, significance: float = 0.05) -> None:
        self.table = counted(encode(X), "tests on full tables")
        self.significance = as_number(significance, "significance", low=0, high=1)
        super().__init__(self.table.names)

    def outcome(self, x: Variable, y: Variable, given: Iterable[Variable] = ()) -> ClassicalOutcome:
        """Carry out the test and give its statistic, p-value and reliability.

        Parameters
        ----------
        x, y : int or str
            Two variables, by name or number.
        given : iterable of int or str
            The conditioning set.

        Returns
        -------
        ClassicalOutcome
            Statistic, degrees of freedom, p-value and Cochran's rule.
        """
        triplet = self.triplet(x, y, given)
        self.ask_triplet(triplet)
        return self._outcome(triplet)

    def _outcome(self, triplet: Triplet) -> ClassicalOutcome:
        """Count, sum over slices, look up the tail."""
        margins = Margins(count_cells(self.table, *triplet.canonical()))
        statistic, degrees = self._statistic(margins), margins.degrees_of_freedom
        reliable = meets_cochran(*margins.expected()[:3])
        return ClassicalOutcome(statistic, degrees, math.exp(log_tail(statistic, degrees)), reliable)

    def _answer(self, triplet: Triplet) -> Answer:
        """Decide for independence unless the p-value is below the level."""
        margins = Margins(count_cells(self.table, *triplet.canonical()))
        log_p_value = log_tail(self._statistic(margins), margins.degrees_of_freedom)
        return Answer(log_p_value >= math.log(self.significance), log_p_value)

    @abstractmethod
    def _statistic(self, margins: Margins) -> float:
        """Sum the test's statistic over the slices."""


class ChiSquareTest(ClassicalTest):
    """Pearson's chi-square test of conditional independence.

    Parameters
    ----------
    X : table
        Anything `ibmap.encode` takes.
    significance : float
        Independence is rejected when the p-value is below this.

    Examples
    --------
    >>> rows = [[0, 0]] * 10 + [[0, 1]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 11
    >>> found = ChiSquareTest(rows).outcome(0, 1)
    >>> round(found.statistic, 6), found.degrees_of_freedom, round(found.p_value, 6)
    (7.035897, 1, 0.007989)
    """

    def _statistic(self, margins: Margins) -> float:
        """Sum (observed - expected)^2 / expected."""
        # In a slice of m rows this is m (sum of count^2 / (row sum column sum) - 1): what occurs will do.
        squares = margins.counts.astype(np.float64) ** 2
        shares = np.bincount(margins.slices, squares / margins.products, len(margins.totals))
        return float((margins.totals * (shares - 1.0)).sum())


class GTest(ClassicalTest):
    """The G-test (likelihood ratio) of conditional independence.

    Parameters
    ----------
    X : table
        Anything `ibmap.encode` takes.
    significance : float
        Independence is rejected when the p-value is below this.

    Examples
    --------
    >>> rows = [[0, 0]] * 10 + [[0, 1]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 11
    >>> round(GTest(rows).outcome(0, 1).statistic, 6)
    7.373479
    """

    def _statistic(self, margins: Margins) -> float:
        """Sum 2 observed log(observed / expected)."""
        expected = margins.products / margins.totals[margins.slices]
        return 2.0 * float((margins.counts * np.log(margins.counts / expected)).sum())


def log_tail(statistic: float, degrees_of_freedom: int) -> float:
    """Give the log of the chi-square tail; no degrees of freedom mean 1."""
    from scipy.special import gammaincc

    if degrees_of_freedom == 0:
        return 0.0
    a, x = degrees_of_freedom / 2, max(statistic, 0.0) / 2
    tail = float(gammaincc(a, x))
    return math.log(tail) if tail > 1e-290 else _log_far_tail(a, x)


def _log_far_tail(a: float, x: float) -> float:
    """Give the log of the upper incomplete gamma ratio where it underflows."""
    # Legendre's continued fraction, from the far end: it converges fast for x well above a.
    fraction = 0.0
    for k in range(200, 0, -1):
        fraction = k * (a - k) / (x + 2 * k + 1 - a + fraction)
    return -x + a * math.log(x) - math.lgamma(a) - math.log(x + 1 - a + fraction)
