"""What a test says of a variable and every other, given its blanket: one row of the blanket closure."""

from __future__ import annotations

from itertools import compress

import numpy as np
from numpy.typing import NDArray

from ibmap.graph.knowledge import Knowledge
from ibmap.independence.protocol import ProbabilisticTest, Triplet

Floats = NDArray[np.float64]
Rows = tuple[Floats, Floats]


class BlanketRows:
    """Rows of the blanket closure of any test that gives probabilities; they are kept, and counted.

    >>> from ibmap import BayesianTest
    >>> rows = BlanketRows(BayesianTest([[0, 0]] * 10 + [[0, 1]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 11))
    >>> rows.asserted(0, (1,)).round(4), rows.n_tests
    (array([ 0.    , -0.1036]), 1)
    """

    def __init__(self, test: ProbabilisticTest) -> None:
        self.test, self.names = test, test.names
        self._knowledge: Knowledge | None = getattr(test, "knowledge", None)
        self._kept: dict[tuple[int, tuple[int, ...]], Rows] = {}
        self._asked: set[Triplet] = set()

    @property
    def n_tests(self) -> int:
        """Distinct tests of all rows so far."""
        return len(self._asked)

    def both(self, x: int, blanket: tuple[int, ...]) -> Rows:
        """Give log Pr(I) and log Pr(not I) of x and each y, given the blanket without y; x itself has 0."""
        key = x, blanket
        known = self._knowledge
        if known is not None and not known.allows(x, blanket):
            impossible = np.where(np.arange(len(self.names)) == x, 0.0, -np.inf)
            return impossible, impossible
        if key not in self._kept:
            triplets = [_triplet(x, y, blanket) for y in range(len(self.names)) if y != x]
            is_open = [known is None or known.settled(x, each.y) is None for each in triplets]
            self._asked.update(each.canonical() for each in compress(triplets, is_open))
            self._kept[key] = self._tested(x, blanket, triplets)
        return self._kept[key]

    def asserted(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the log posterior of what the blanket asserts of x and each y."""
        independent, dependent = self.both(x, blanket)
        row = independent.copy()
        row[list(blanket)] = dependent[list(blanket)]
        return row

    def odds(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the log-odds of a link of x with each y, given the blanket without y."""
        independent, dependent = self.both(x, blanket)
        return dependent - independent

    def _tested(self, x: int, blanket: tuple[int, ...], triplets: list[Triplet]) -> Rows:
        """Carry out the tests of a row; those given the same set share the work."""
        independent, dependent = np.zeros(len(self.names)), np.zeros(len(self.names))
        from ibmap.independence.bayesian import BayesianTest  # loads kernels

        if isinstance(self.test, BayesianTest):
            sets = [blanket, *(tuple(z for z in blanket if z != b) for b in blanket)]
            found = self.test.rows([(x, given) for given in sets], n_threads=1)
            for row, rows in ((independent, found[0]), (dependent, found[1])):
                row[:] = np.nan_to_num(rows[0])
                row[list(blanket)] = rows[np.arange(1, len(sets)), list(blanket)]
            return independent, dependent
        for each in triplets:
            independent[each.y], dependent[each.y] = self.test.log_posteriors(each)
        return independent, dependent


def _triplet(x: int, y: int, blanket: tuple[int, ...]) -> Triplet:
    """Name the test of x and y given the blanket of x."""
    return Triplet(x, y, tuple(z for z in blanket if z != y))
