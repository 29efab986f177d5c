"""A chain over structures that flips the pairs whose gains ask for it, and wastes no step.

At a structure G the pair e is flipped with probability w_e / Z, where w_e = sigmoid(g_e / T), g_e is about what
the flip gains and Z the sum over all pairs. The flip is accepted by what it gains exactly, so that G is visited
in proportion to Pr(G | D)^(1/T) Z(G); a visit counts 1 / Z, the time that a chain which stays where it is would
have stayed. The probability of an edge given all other pairs is sigmoid of its gain: its mean over the
visits is the edge's probability. Where gains are estimates, the pairs proposed are worked out exactly
anyway, and their errors, divided by the chance of being proposed, make up for those of all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ibmap.pairwise_score import term_of
from ibmap.score import LocalScore

Floats = NDArray[np.float64]

MEMORY = 1 << 27  # bytes of rows remembered at most
LOWEST = 1e-12  # chance of a flip, next to that of a flip without gain or loss


class Row(NamedTuple):
    """A variable's term for a blanket, and about what flipping each other variable would add to it."""

    term: float
    gains: Floats


class Rows:
    """What all chains know of a score: the rows asked for so far."""

    def __init__(self, score: LocalScore) -> None:
        self.n, self._score = len(score.names), score
        self._ask = self._by_evidence if hasattr(score, "evidence") else self._by_changes
        self._known: dict[tuple[int, tuple[int, ...]], Row] = {}
        self._capacity = max(MEMORY // (8 * self.n + 200), 4 * self.n)

    def row(self, x: int, members: NDArray[np.bool_]) -> Row:
        """Give the row of a variable and its blanket."""
        key = (x, tuple(np.flatnonzero(members).tolist()))
        known = self._known.get(key)
        if known is None:
            known = self._ask(x, key[1])
            if len(self._known) >= self._capacity:
                self._known = {}
            self._known[key] = known
        return known

    def _by_evidence(self, x: int, blanket: tuple[int, ...]) -> Row:
        """Estimate: a link's log-odds are about what joining it gains."""
        evidence = self._score.evidence(x, blanket)  # type: ignore[attr-defined]
        gains = evidence.copy()
        gains[list(blanket)] *= -1
        gains[x] = 0.0
        return Row(term_of(evidence, x, blanket), gains)

    def _by_changes(self, x: int, blanket: tuple[int, ...]) -> Row:
        """Ask for all changes: exact."""
        changes = self._score.changes(x, blanket)
        return Row(float(changes[x]), changes - changes[x])


class Batch(NamedTuple):
    """What some steps give: their whole weight, and each pair's weighted probabilities (upper triangle)."""

    weight: float
    sums: Floats

    def __add__(self, other: Batch) -> Batch:  # type: ignore[override]
        return Batch(self.weight + other.weight, self.sums + other.sums)


class Chain:
    """One chain at one temperature; it may be given another structure."""

    def __init__(self, rows: Rows, adjacency: NDArray[np.bool_], temperature: float, seed: int) -> None:
        self.rows, self.temperature = rows, temperature
        self.rng = np.random.default_rng(seed)
        self.n_steps = self.n_accepted = 0
        self.settle(adjacency)

    def settle(self, adjacency: NDArray[np.bool_]) -> None:
        """Go to a structure."""
        found = [self.rows.row(x, adjacency[x]) for x in range(self.rows.n)]
        self.adjacency = adjacency.copy()
        self.terms = np.array([row.term for row in found])
        self.gains = np.array([row.gains for row in found])
        self.weights = self._weights_of(self.gains + self.gains.T)
        np.fill_diagonal(self.weights, 0.0)

    @property
    def score(self) -> float:
        """Log score of the structure."""
        return math.fsum(self.terms)

    def log_density(self, temperature: float | None = None) -> float:
        """Give the log of what the structure is visited in proportion to, at a temperature."""
        t = self.temperature if temperature is None else temperature
        weights = np.maximum(expit((self.gains + self.gains.T) / t), LOWEST)
        return self.score / t + math.log((weights.sum() - np.trace(weights)) / 2)

    def run(self, n_steps: int, is_over: Callable[[], bool]) -> Batch:
        """Make some steps, fewer if time is over."""
        n = self.rows.n
        sums, corrections = np.zeros((n, n)), np.zeros((n, n))
        whole = stay = 0.0
        for _ in range(n_steps):
            if is_over():
                break
            by_row = self.weights.sum(axis=1)
            stay += 2.0 / float(by_row.sum())
            x, y = self._propose(by_row)
            is_accepted, correction = self._try(x, y, lambda s=stay: self._add(sums, s))
            corrections[x, y] += correction
            if is_accepted:
                whole, stay = whole + stay, 0.0
        if whole + stay == 0.0:
            stay = 2.0 / float(self.weights.sum())
        if stay:
            self._add(sums, stay)
        sums += corrections + corrections.T
        return Batch(whole + stay, sums[np.triu_indices(n, 1)])

    def _add(self, sums: Floats, weight: float) -> None:
        """Count the edges' probabilities at the present structure."""
        sums += np.where(self.adjacency, weight - weight * self.weights, weight * self.weights)

    def _propose(self, by_row: Floats) -> tuple[int, int]:
        """Draw a pair by its weight."""
        ends = np.cumsum(by_row)
        x = min(int(np.searchsorted(ends, self.rng.random() * ends[-1], "right")), len(ends) - 1)
        ends = np.cumsum(self.weights[x])
        y = min(int(np.searchsorted(ends, self.rng.random() * ends[-1], "right")), len(ends) - 1)
        return x, y

    def _try(self, x: int, y: int, leave: Callable[[], None]) -> tuple[bool, float]:
        """Flip a pair or not; give by how much the probability of its edge was off, for all times alike."""
        sides = []
        for v, w in ((x, y), (y, x)):
            members = self.adjacency[v].copy()
            members[w] = not members[w]
            sides.append(self.rows.row(v, members))
        gain = sides[0].term + sides[1].term - self.terms[x] - self.terms[y]
        forward = self.weights[x, y]
        backward = max(float(expit((sides[0].gains[y] + sides[1].gains[x]) / self.temperature)), LOWEST)
        error = float(expit(gain / self.temperature)) / forward - 1.0
        correction = -error if self.adjacency[x, y] else error
        self.n_steps += 1
        log_ratio = gain / self.temperature + math.log(backward / forward)
        if math.log1p(-self.rng.random()) >= log_ratio:
            return False, correction
        leave()
        self.n_accepted += 1
        self.adjacency[x, y] = self.adjacency[y, x] = not self.adjacency[x, y]
        for v, side in zip((x, y), sides, strict=True):
            self.terms[v], self.gains[v] = side
        for v in (x, y):
            weights = self._weights_of(self.gains[v] + self.gains[:, v])
            weights[v] = 0.0
            self.weights[v] = self.weights[:, v] = weights
        return True, correction

    def _weights_of(self, gains: Floats) -> Floats:
        """Turn gains into the weights of flips."""
        return np.maximum(expit(gains / self.temperature), LOWEST)
