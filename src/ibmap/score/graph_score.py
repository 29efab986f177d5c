"""Scores of whole structures that are no sum of local terms; BJP is one.

What a search asks of a `GraphScore` is the score of a structure and the gain of each single flip.

BJP, the blankets' joint posterior (F. Schlüter, Y. Strappa, D. H. Milone, F. Bromberg, "Blankets joint
posterior score for learning Markov network structures", International Journal of Approximate Reasoning
92, 2018): variables are put in order of ascending blanket size, and the blanket of each is judged given those
before it, which settle its links with them. So each pair counts once, by the assertion given the
smaller of its two blankets. A term of X therefore depends on the sizes of other blankets too. But a flip of
(X, Y) only changes what pairs with X or Y count, so all gains come from the rows of single changes.

The paper leaves open which of two blankets of one size comes first. Here it is that of the lower
column (`"column"`), or the mean of the two log posteriors (`"mean"`).
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.graph import MarkovGraph
from ibmap.graph.closure import changed_blankets
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.options import as_choice
from ibmap.score.blanket_rows import BlanketRows

Floats = NDArray[np.float64]
TIES = ("column", "mean")


class GraphScore(Protocol):
    """A score of structures."""

    names: tuple[str, ...]

    def total(self, graph: MarkovGraph) -> float:
        """Give the log score of a structure."""
        ...

    def gains(self, graph: MarkovGraph) -> Floats:
        """Give the change of the score by every single flip: symmetric, minus infinity on the diagonal."""
        ...


class JointScore:
    """The blankets' joint posterior by any test that gives probabilities."""

    def __init__(self, test: ProbabilisticTest, ties: str = "column") -> None:
        self.names, self.ties = test.names, as_choice(ties, "ties", TIES)
        self._rows = BlanketRows(test)
        self._stacks: dict[int, tuple[tuple[int, ...], Floats]] = {}

    @property
    def n_tests(self) -> int:
        """Distinct tests so far."""
        return self._rows.n_tests

    def total(self, graph: MarkovGraph) -> float:
        """Give the log score of a structure: one assertion for each pair."""
        counted = self._pairs(graph)
        return math.fsum(counted[np.triu_indices(len(counted), 1)].tolist())

    def gains(self, graph: MarkovGraph) -> Floats:
        """Give the change of the score by every single flip."""
        n, before, rows = graph.n_variables, self._pairs(graph), self._asserted(graph)
        others = np.zeros((n, n))  # [u, v]: what pairs of u, but not (u, v), count after (u, v) is flipped
        joined = np.zeros((n, n))  # [u, v]: what u says of v then
        for u in range(n):
            after, shares = self._flipped(u, graph.blanket(u)), self._shares_after(graph, u)
            counted = _mixed(shares, after, rows[:, u])
            counted[:, u] = 0.0
            np.fill_diagonal(counted, 0.0)
            others[u], joined[u] = counted.sum(axis=1), after.diagonal()
        shares = self._shares(graph.adjacency.sum(axis=1))  # both ends change alike: the same order
        pair = _mixed(shares, joined, joined.T)
        sums = before.sum(axis=1)
        gains = others + others.T + pair - (sums[:, None] + sums[None, :] - before)
        np.fill_diagonal(gains, -np.inf)
        return np.asarray(gains)

    def _pairs(self, graph: MarkovGraph) -> Floats:
        """Give what each pair counts, a symmetric matrix with 0 on the diagonal."""
        rows = self._asserted(graph)
        return _mixed(self._shares(graph.adjacency.sum(axis=1)), rows, rows.T)

    def _asserted(self, graph: MarkovGraph) -> Floats:
        """Give what each blanket asserts of each other variable."""
        return np.array([self._rows.asserted(x, graph.blanket(x)) for x in range(graph.n_variables)])

    def _flipped(self, u: int, blanket: tuple[int, ...]) -> Floats:
        """Give what the blanket of u asserts with each variable flipped in turn."""
        kept = self._stacks.get(u)
        if kept is None or kept[0] != blanket:
            changed = changed_blankets(u, blanket, len(self.names))
            kept = self._stacks[u] = blanket, np.array([self._rows.asserted(u, each) for each in changed])
        return kept[1]

    def _shares(self, sizes: NDArray[np.int64]) -> Floats:
        """Give 1 where the row's variable comes before the column's, 0 where after."""
        return self._before(sizes[:, None], np.arange(len(sizes))[:, None], sizes, np.arange(len(sizes)))

    def _shares_after(self, graph: MarkovGraph, u: int) -> Floats:
        """Give [v, w]: whether u comes before w after the flip of (u, v)."""
        sizes = graph.adjacency.sum(axis=1)
        own = sizes[u] + np.where(graph.adjacency[u], -1, 1)
        return self._before(own[:, None], np.array(u), sizes, np.arange(len(sizes)))

    def _before(
        self, size: NDArray[np.int64], x: NDArray[np.int64], others: NDArray[np.int64], y: NDArray[np.int64]
    ) -> Floats:
        """Compare sizes of blankets; of equal ones the lower column comes first, or both count half."""
        equal = np.where(x < y, 1.0, 0.0) if self.ties == "column" else 0.5
        return np.asarray(np.where(size == others, equal, np.where(size < others, 1.0, 0.0)))


def _mixed(shares: Floats, own: Floats, other: Floats) -> Floats:
    """Weigh two values; one of weight 0 may be infinite."""
    with np.errstate(invalid="ignore"):
        mean = shares * own + (1 - shares) * other
    return np.where(shares == 1, own, np.where(shares == 0, other, mean))
