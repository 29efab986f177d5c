"""What a set of assertions implies in any Markov network: the rules of GSIMN.

In an undirected graph, separated means that every path meets the set given. So

- Strong Union: I(X,Y|Z) implies I(X,Y|Z+W): more variables in the way.
- The triangle rules: if paths lead from X to W around Z1 and from W to Y around
  Z2, one leads from X to Y around what Z1 and Z2 share; and if X and W are
  separated by Z1, but W and Y are joined around Z1 and more, then X and Y are
  separated by Z1.

All they imply together: X and Y are *dependent* given S if a chain of dependences,
each given S or more, leads from one to the other; and *independent* given S if
some A and B were found independent given a part Z of S, and such chains, given Z
or more, lead from X to A and from B to Y.
"""

from __future__ import annotations

from collections import defaultdict

from ibmap.graph.knowledge import Knowledge
from ibmap.independence.protocol import Triplet


class Implications:
    """Assertions, and what follows from them; pairs that are known to be joined or not imply nothing."""

    def __init__(self, n_variables: int, knowledge: Knowledge | None = None) -> None:
        self._n, self.knowledge = n_variables, knowledge
        self._joined: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._parted: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._answers: dict[Triplet, bool] = {}
        self._labels: dict[int, list[int]] = {}

    def add(self, triplet: Triplet, independent: bool) -> None:
        """Take note of an assertion."""
        x, y, given = triplet
        self._answers[triplet.canonical()] = independent
        (self._parted if independent else self._joined)[_bits(given)].append((x, y))
        if not independent:
            self._labels.clear()

    def infer(self, triplet: Triplet) -> bool | None:
        """Tell what follows about a triplet."""
        answer = self._answers.get(triplet.canonical())
        if answer is not None:
            return answer
        x, y, given = triplet
        own = _bits(given)
        labels = self._components(own)
        if labels[x] == labels[y]:
            return False
        for part, pairs in self._parted.items():
            if part & own == part and self._follows(part, pairs, x, y):
                return True
        return None

    def _follows(self, given: int, pairs: list[tuple[int, int]], x: int, y: int) -> bool:
        """Tell whether chains lead from a pair parted by a set to another pair."""
        labels = self._components(given)
        ends = {labels[x], labels[y]}
        return len(ends) == 2 and any({labels[a], labels[b]} == ends for a, b in pairs)

    def _components(self, given: int) -> list[int]:
        """Label the variables by what chains of dependences given a set, or more, connect."""
        labels = self._labels.get(given)
        if labels is None:
            labels = list(range(self._n))
            for more, pairs in self._joined.items():
                if more & given == given:
                    for a, b in pairs:
                        _unite(labels, a, b)
            labels = [_root(labels, v) for v in range(self._n)]
            self._labels[given] = labels
        return labels


def _bits(variables: tuple[int, ...]) -> int:
    """Write a set as the bits of a number."""
    return sum(1 << v for v in variables)


def _root(labels: list[int], v: int) -> int:
    """Follow the labels to one that stands for itself."""
    while labels[v] != v:
        v = labels[v]
    return v


def _unite(labels: list[int], a: int, b: int) -> None:
    """Let two variables have one label, the lower."""
    low, high = sorted((_root(labels, a), _root(labels, b)))
    labels[high] = low
