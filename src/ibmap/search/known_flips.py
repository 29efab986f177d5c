"""What a lazy climb knows of flips: the gains worked out, and what all others promise."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ibmap.graph.candidates import Candidates
from ibmap.ties import TOLERANCE

Floats = NDArray[np.float64]
Pair = tuple[int, int]


class Gains:
    """The gains worked out, with the highest at hand."""

    def __init__(self) -> None:
        self.of_pairs: dict[Pair, float] = {}
        self._touching: dict[int, set[Pair]] = defaultdict(set)
        self._heap: list[tuple[float, Pair]] = []

    def add(self, pair: Pair, gain: float) -> None:
        """Take note of a gain."""
        self.of_pairs[pair] = gain
        heapq.heappush(self._heap, (-gain, pair))
        for v in pair:
            self._touching[v].add(pair)

    def forget(self, ends: Iterable[int]) -> None:
        """Forget the gains of all pairs that touch some variables."""
        for v in ends:
            for x, y in self._touching.pop(v, ()):
                del self.of_pairs[x, y]
                self._touching[x + y - v].discard((x, y))

    def best(self) -> tuple[Pair, float]:
        """Give the pair that gains most, and its gain; the lowest of equal ones."""
        while self._heap and self.of_pairs.get(self._heap[0][1]) != -self._heap[0][0]:
            heapq.heappop(self._heap)
        return (self._heap[0][1], -self._heap[0][0]) if self._heap else ((0, 0), -math.inf)

    def best_of(self, v: int) -> float:
        """Give the highest gain of the pairs that touch a variable."""
        return max((self.of_pairs[pair] for pair in self._touching[v]), default=-math.inf)

    def mutual(self) -> list[Pair]:
        """List the pairs that gain, and more than any other pair of either end, the best first."""
        taken: set[int] = set()
        found = []
        for _, pair in sorted((-gain, pair) for pair, gain in self.of_pairs.items() if gain > TOLERANCE):
            if not taken & {*pair}:
                found.append(pair)
            taken |= {*pair}
        return found


class Promises:
    """What the flips that are not worked out promise, with the highest of each variable at hand."""

    def __init__(self, rows: Candidates) -> None:
        self._rows, n = rows, rows.n_variables
        self._all = np.full(len(rows.others), -np.inf)
        self._best = np.full(n, -np.inf)
        self._at = np.zeros(n, np.int64)

    @property
    def highest(self) -> float:
        """The highest promise of all."""
        return float(self._best.max(initial=-np.inf))

    def highest_of(self, x: int) -> float:
        """Give the highest promise of one variable."""
        return float(self._best[x])

    def mutual(self, known: Gains) -> list[Pair]:
        """List the pairs that promise a gain, and more than any pair of either end gains or promises."""
        rows = np.flatnonzero(self._best > TOLERANCE)
        rows = rows[self._best[self._at[rows]] == self._best[rows]]
        pairs = sorted(
            {(min(x, y), max(x, y)) for x, y in zip(rows.tolist(), self._at[rows].tolist(), strict=True)}
        )
        return [(x, y) for x, y in pairs if self._best[x] > max(known.best_of(x), known.best_of(y))]

    def set(self, x: int, promises: Floats) -> None:
        """Set what the flips of one variable promise."""
        promises, row, span = promises.copy(), self._rows.row(x), self._rows.span(x)
        promises[self._rows.place(x, x)] = -np.inf
        self._all[span] = self._all[self._rows.mirrored[span]] = promises
        is_higher = promises > self._best[row]
        higher = row[is_higher]
        self._best[higher], self._at[higher] = promises[is_higher], x
        self._search(row[(self._at[row] == x) & ~is_higher].tolist())
        self._search([x])

    def withdraw(self, x: int, y: int) -> None:
        """Forget a pair that is worked out."""
        self._all[[self._rows.entry(x, y), self._rows.entry(y, x)]] = -np.inf
        self._search([v for v, w in ((x, y), (y, x)) if self._at[v] == w])

    def first(self, n: int, above: float) -> list[Pair]:
        """List the pairs with the highest promises, no two with an end in common."""
        best = self._best.copy()
        pairs: list[Pair] = []
        while len(pairs) < n and (best > above).any():
            x = int(best.argmax())
            y = int(self._at[x])
            if best[y] > -np.inf:  # not an end of another pair
                pairs.append((min(x, y), max(x, y)))
                best[y] = -np.inf
            best[x] = -np.inf
        return pairs

    def missing(self, adjacency: NDArray[np.bool_], n: int) -> list[Pair]:
        """List the missing edges with the highest promises."""
        x, y = self._rows.firsts, self._rows.others
        is_missing = (x < y) & np.isfinite(self._all) & ~adjacency[x, y]
        values = self._all[is_missing]
        if 0 < n < len(values):  # the others need no order
            is_missing &= self._all >= np.partition(values, len(values) - n)[len(values) - n]
        x, y, values = x[is_missing], y[is_missing], self._all[is_missing]
        order = np.argsort(-values, kind="stable")[:n]
        return [(int(x[k]), int(y[k])) for k in order]

    def _search(self, variables: Sequence[int]) -> None:
        """Find the highest promises of some variables anew."""
        for x in variables:
            own = self._all[self._rows.span(x)]
            k = own.argmax()
            self._best[x], self._at[x] = own[k], self._rows.row(x)[k]
