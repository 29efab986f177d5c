"""A chain over structures that flips the pairs whose gains ask for it, and wastes no step.

At a structure G the pair e is flipped with probability w_e / Z, where w_e = sigmoid(g_e / T), g_e is about
what the flip gains and Z the sum over all pairs. The flip is accepted by what it gains exactly, so that G
is visited in proportion to Pr(G | D)^(1/T) Z(G); a visit counts 1 / Z, the time that a chain which stays
where it is would have stayed. The probability of an edge given all other pairs is sigmoid of its gain:
its mean over the visits is the edge's probability. Where gains are estimates, the pairs proposed are worked
out exactly anyway, and their errors, divided by the chance of being proposed, make up for those of all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from ibmap.confidence.structures import Visits, joined
from ibmap.score import LocalScore
from ibmap.score.pairwise import term_of

Floats = NDArray[np.float64]

MEMORY = 1 << 27  # bytes of rows remembered at most
LOWEST = 1e-12  # chance of a flip, next to that of a flip without gain or loss
DOUBLES = 0.3  # of the steps flip two pairs of one variable
FLAT = 0.25  # power of the weight by which the first of two is chosen: all are, now and then


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


class RowSource:
    """The rows of a score that is made where it is asked: what it is made of travels, and not the score."""

    def __init__(self, make_score: Callable[[], LocalScore]) -> None:
        self._make_score = make_score

    def __reduce__(self) -> tuple[type[RowSource], tuple[Callable[[], LocalScore]]]:
        return RowSource, (self._make_score,)

    @cached_property
    def rows(self) -> Rows:
        """What is known so far."""
        return Rows(self._make_score())


class Side(NamedTuple):
    """A variable as flips would leave it: its neighbours and their row."""

    members: NDArray[np.bool_]
    row: Row


Sides = dict[int, Side]


class Batch(NamedTuple):
    """What some steps give: their whole weight, each pair's weighted probabilities, structures visited."""

    weight: float
    sums: Floats  # upper triangle
    visits: Visits

    def __add__(self, other: Batch) -> Batch:  # type: ignore[override]
        return Batch(self.weight + other.weight, self.sums + other.sums, joined(self.visits, other.visits))


class Chain:
    """One chain at one temperature; it may be given another structure."""

    def __init__(
        self, rows: Rows, adjacency: NDArray[np.bool_], temperature: float, seed: int, n_left_out: int = 1
    ) -> None:
        self.rows, self.temperature, self.n_left_out = rows, temperature, n_left_out
        self.rng = np.random.default_rng(seed)
        self.n = rows.n
        self.n_steps = self.n_accepted = 0
        found = [rows.row(x, adjacency[x]) for x in range(self.n)]
        self._go(
            adjacency.copy(), np.array([row.term for row in found]), np.array([row.gains for row in found])
        )

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what does not travel: the score is asked where the chain runs."""
        return {name: value for name, value in vars(self).items() if name not in ("rows", "upper")}

    @cached_property
    def upper(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of all pairs."""
        return np.triu_indices(self.n, 1)

    def _go(self, adjacency: NDArray[np.bool_], terms: Floats, gains: Floats) -> None:
        """Go to a structure of which all is known."""
        self.adjacency, self.terms, self.gains = adjacency, terms, gains
        self.weights = self._weights_of(gains + gains.T)
        np.fill_diagonal(self.weights, 0.0)

    def trade(self, other: Chain) -> None:
        """Change places with another chain."""
        here = self.adjacency, self.terms, self.gains
        self._go(other.adjacency, other.terms, other.gains)
        other._go(*here)

    @property
    def score(self) -> float:
        """Log score of the structure."""
        return math.fsum(self.terms)

    def log_density(self, temperature: float | None = None) -> float:
        """Give the log of what the structure is visited in proportion to, at a temperature."""
        t = self.temperature if temperature is None else temperature
        weights = _weights(self.gains + self.gains.T, t)
        return self.score / t + math.log((weights.sum() - np.trace(weights)) / 2)

    def ascend(self, max_flips: int) -> None:
        """Take the flips that promise most until none promises anything: from a start to where it leads."""
        for _ in range(max_flips):
            both = self.gains + self.gains.T
            x, y = divmod(int(np.where(self.weights > 0, both, -np.inf).argmax()), self.n)
            if both[x, y] <= 0:
                return
            self._move(self._flipped(((x, y),)))

    def run(self, n_steps: int, is_over: Callable[[], bool]) -> Batch:
        """Make some steps, fewer if time is over."""
        n = self.n
        sums, corrections = np.zeros((n, n)), np.zeros((n, n))
        whole, stay, visits = 0.0, 0.0, Visits()
        if not self.weights.any():  # no pair is left open
            self._add(sums, visits, 1.0)
            return Batch(1.0, sums[self.upper], visits)
        for _ in range(n_steps):
            if is_over():
                break
            by_row = self.weights.sum(axis=1)
            stay += 2.0 / float(by_row.sum())
            self.n_steps += 1
            if self.rng.random() < DOUBLES:
                moved = self._try_two(float(by_row.sum()))
            else:
                x, y = _draw_pair(self.weights, by_row, self.rng)
                moved, correction = self._try_flip(x, y)
                corrections[x, y] += correction / (1.0 - DOUBLES)
            if moved is not None:
                self._add(sums, visits, stay)
                whole, stay = whole + stay, 0.0
                self._move(moved)
                self.n_accepted += 1
        if whole + stay == 0.0:
            stay = 2.0 / float(self.weights.sum())
        if stay:
            self._add(sums, visits, stay)
        sums += corrections + corrections.T
        return Batch(whole + stay, sums[self.upper], visits)

    def _add(self, sums: Floats, visits: Visits, weight: float) -> None:
        """Count the present structure, and the edges' probabilities there."""
        sums += np.where(self.adjacency, weight - weight * self.weights, weight * self.weights)
        if self.n_accepted % self.n_left_out == 0 or not visits:
            key = np.packbits(self.adjacency[self.upper]).tobytes()
            visits[key] = (visits[key][0] + weight if key in visits else weight, self.score)

    def _try_flip(self, x: int, y: int) -> tuple[Sides | None, float]:
        """Flip a pair or not; give by how much the probability of its edge was off, for all times alike."""
        sides = self._flipped(((x, y),))
        gain = self._gain(sides)
        forward = float(self.weights[x, y])
        backward = self._weight(sides[x].row.gains[y] + sides[y].row.gains[x])
        error = float(expit(gain / self.temperature)) / forward - 1.0
        correction = -error if self.adjacency[x, y] else error
        is_taken = self._is_taken(gain / self.temperature + math.log(backward / forward))
        return (sides if is_taken else None), correction

    def _try_two(self, whole: float) -> Sides | None:
        """Flip two pairs of one variable, or not: half of the time one edge goes and another comes."""
        is_swap = bool(self.rng.random() < 0.5)
        chances = self._chances(is_swap)
        if not chances.any():
            return None
        x, y = _draw_pair(chances, chances.sum(axis=1), self.rng)
        between = self._flipped(((x, y),))
        weights = self._weights_of(between[x].row.gains + self.gains[:, x])
        weights[[x, y]] = 0.0
        if is_swap:
            weights[self.adjacency[x]] = 0.0
        if not weights.any():
            return None
        z, onward = _draw(weights, self.rng), float(weights.sum())
        sides = self._flipped(((x, y), (x, z)))
        kept = self._kept(sides)
        self._move(sides)
        chances_there, whole_there = self._chances(is_swap), float(self.weights.sum())
        self._restore(kept)
        # back again: flip x-z, then x-y, by way of the same structure in between
        back = self._weight(between[x].row.gains[y] + between[y].row.gains[x])
        log_ratio = self._gain(sides) / self.temperature + math.log(whole_there / whole)
        log_ratio += math.log(chances_there[x, z] / chances_there.sum() * back / (onward - weights[z] + back))
        log_ratio -= math.log(chances[x, y] / chances.sum() * weights[z] / onward)
        return sides if self._is_taken(log_ratio) else None

    def _chances(self, is_swap: bool) -> Floats:
        """Give the chance of each pair to be the first of two: hardly any is left out."""
        flat = self.weights**FLAT
        return np.where(self.adjacency, flat, 0.0) if is_swap else flat

    def _is_taken(self, log_ratio: float) -> bool:
        """Accept by chance."""
        return math.log1p(-self.rng.random()) < log_ratio

    def _flipped(self, pairs: Sequence[tuple[int, int]]) -> Sides:
        """Give the variables that flips touch, as they would be."""
        members: dict[int, NDArray[np.bool_]] = {}
        for x, y in pairs:
            for v, w in ((x, y), (y, x)):
                own = members.setdefault(v, self.adjacency[v].copy())
                own[w] = not own[w]
        return {v: Side(own, self.rows.row(v, own)) for v, own in members.items()}

    def _gain(self, sides: Sides) -> float:
        """Give what flips gain exactly."""
        return math.fsum([*(side.row.term for side in sides.values()), *(-self.terms[v] for v in sides)])

    def _move(self, sides: Sides) -> None:
        """Go to where flips lead."""
        for v, side in sides.items():
            self.adjacency[v] = self.adjacency[:, v] = side.members
            self.terms[v], self.gains[v] = side.row
        for v in sides:
            weights = self._weights_of(self.gains[v] + self.gains[:, v])
            weights[v] = 0.0
            self.weights[v] = self.weights[:, v] = weights

    def _kept(self, sides: Sides) -> dict[int, tuple[NDArray[np.bool_], float, Floats, Floats]]:
        """Remember what a move changes."""
        own = (self.adjacency, self.terms, self.gains, self.weights)
        return {v: tuple(np.copy(each[v]) for each in own) for v in sides}  # type: ignore[misc]

    def _restore(self, kept: dict[int, tuple[NDArray[np.bool_], float, Floats, Floats]]) -> None:
        """Undo a move."""
        for v, (members, term, gains, weights) in kept.items():
            self.adjacency[v] = self.adjacency[:, v] = members
            self.terms[v], self.gains[v] = term, gains
            self.weights[v] = self.weights[:, v] = weights

    def _weight(self, gain: float) -> float:
        """Turn one gain into the weight of a flip."""
        return max(float(expit(gain / self.temperature)), LOWEST)

    def _weights_of(self, gains: Floats) -> Floats:
        """Turn gains into the weights of flips."""
        return _weights(gains, self.temperature)


def _weights(gains: Floats, temperature: float) -> Floats:
    """Turn gains into the weights of flips; what is settled is never flipped."""
    return np.where(gains == -np.inf, 0.0, np.maximum(expit(gains / temperature), LOWEST))


def _draw_pair(weights: Floats, by_row: Floats, rng: np.random.Generator) -> tuple[int, int]:
    """Draw a pair by its weight."""
    x = _draw(by_row, rng)
    return x, _draw(weights[x], rng)


def _draw(weights: Floats, rng: np.random.Generator) -> int:
    """Draw a number by its weight."""
    ends = np.cumsum(weights)
    return min(int(np.searchsorted(ends, rng.random() * ends[-1], "right")), len(ends) - 1)
