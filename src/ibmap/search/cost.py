"""The cost of a hill climb in distinct tests of independence.

A climb that looks at every flip asks a huge number of tests, most of them
many times over. The distinct ones are counted exactly without being listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.protocol import Triplet
from ibmap.kernels import distinct as kernels


class DistinctTests:
    """Count the distinct tests of every look at the changes of a blanket.

    Parameters
    ----------
    n_variables : int
        Number of variables.

    Examples
    --------
    >>> tests = DistinctTests(3)
    >>> tests.look(0, ())
    >>> tests.n_tests  # two partners, given nothing or the third variable
    4
    """

    def __init__(self, n_variables: int) -> None:
        self._n = n_variables
        self._sets = np.zeros((16, n_variables // 64 + 1), np.uint64)
        self._earlier = np.full(16, -1, np.int64)
        self._newest = np.full(n_variables, -1, np.int64)
        self._marks = np.zeros(n_variables + 1, bool)
        self._n_looks = 0
        self.n_tests = 0

    def look(self, x: int, blanket: Iterable[int]) -> None:
        """Count a look at the blanket of `x` and all its single changes.

        Parameters
        ----------
        x : int
            The variable.
        blanket : iterable of int
            Its blanket.
        """
        center = self._words(blanket)
        self.n_tests += int(
            kernels.count_fresh(x, center, self._sets, self._newest, self._earlier, self._marks)
        )
        self._remember(x, center)

    def count_other(self, triplets: Iterable[Triplet]) -> int:
        """Count the triplets that no look so far has asked.

        Parameters
        ----------
        triplets : iterable of Triplet
            Distinct triplets.

        Returns
        -------
        int
            How many are new.
        """
        return sum(not self._is_covered(triplet) for triplet in triplets)

    def state(self) -> dict[str, NDArray[Any]]:
        """Give all that is known, to be restored later.

        Returns
        -------
        dict from str to ndarray
            Take it as it is.
        """
        return {
            "sets": self._sets[: self._n_looks].copy(),
            "earlier": self._earlier[: self._n_looks].copy(),
            "newest": self._newest.copy(),
            "n_tests": np.array([self.n_tests], np.int64),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, NDArray[Any]]) -> DistinctTests:
        """Restore what `state` gave.

        Parameters
        ----------
        state : dict from str to ndarray
            As it was given.

        Returns
        -------
        DistinctTests
            Counts on as the other would have.

        Examples
        --------
        >>> tests = DistinctTests(3)
        >>> tests.look(0, ())
        >>> again = DistinctTests.from_state(tests.state())
        >>> again.look(0, ())
        >>> again.n_tests
        4
        """
        tests = cls(len(state["newest"]))
        n_looks = len(state["sets"])
        while len(tests._sets) < n_looks:
            tests._grow()
        tests._sets[:n_looks], tests._earlier[:n_looks] = state["sets"], state["earlier"]
        tests._newest[:] = state["newest"]
        tests._n_looks, tests.n_tests = n_looks, int(state["n_tests"][0])
        return tests

    def _is_covered(self, triplet: Triplet) -> bool:
        """Tell whether a look has asked this triplet."""
        x, y, given = triplet
        words = self._words(given)
        return bool(kernels.is_covered(x, y, words, self._sets, self._newest, self._earlier))

    def _words(self, variables: Iterable[int]) -> NDArray[np.uint64]:
        """Write a set of variables as bits."""
        words = np.zeros(self._sets.shape[1], np.uint64)
        for v in variables:
            words[v // 64] |= np.uint64(1 << (v % 64))
        return words

    def _remember(self, x: int, center: NDArray[np.uint64]) -> None:
        """Append a look to the chain of its variable."""
        if self._n_looks == len(self._sets):
            self._grow()
        self._sets[self._n_looks] = center
        self._earlier[self._n_looks] = self._newest[x]
        self._newest[x] = self._n_looks
        self._n_looks += 1

    def _grow(self) -> None:
        """Make room for twice as many looks."""
        self._sets = np.concatenate([self._sets, np.zeros_like(self._sets)])
        self._earlier = np.concatenate([self._earlier, np.full_like(self._earlier, -1)])
