"""Whole structures: which ones chains visit, how long they stay there, how probable each is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from ibmap.result.confidence import Structure

Floats = NDArray[np.float64]
Visits = dict[bytes, tuple[float, float]]  # pairs joined, packed: how long a chain stayed, log score

MEMORY = 1 << 26  # bytes of visits remembered at most: of more, only every second, third, ... is
SHOWN = 10  # of the most probable structures are told


def visits_left_out(n_variables: int, n_steps: int) -> int:
    """Tell that of so many visits one is remembered."""
    return 1 + n_steps * (n_variables * (n_variables - 1) // 16 + 150) // MEMORY


def joined(first: Visits, second: Visits) -> Visits:
    """Add up the visits of two parts of a chain."""
    both = dict(first)
    for key, (weight, score) in second.items():
        both[key] = (both[key][0] + weight if key in both else weight, score)
    return both


class Visited(NamedTuple):
    """The structures that chains visited: pairs joined, shares of the time, log scores."""

    n_variables: int
    pairs: NDArray[np.bool_]  # structures by pairs (upper triangle)
    shares: Floats
    scores: Floats

    @classmethod
    def by_chains(cls, n_variables: int, chains: Sequence[Visits]) -> Visited:
        """Put the visits of chains together; each chain counts alike."""
        whole: Visits = {}
        for own in chains:
            time = sum(weight for weight, _ in own.values())
            whole = joined(whole, {key: (weight / time, score) for key, (weight, score) in own.items()})
        n_pairs = n_variables * (n_variables - 1) // 2
        packed = np.frombuffer(b"".join(whole), np.uint8).reshape(len(whole), -1)
        weights, scores = np.array([*whole.values()]).T
        pairs = np.unpackbits(packed, axis=1, count=n_pairs).astype(bool)
        return cls(n_variables, pairs, weights / weights.sum(), scores)

    def sizes(self) -> tuple[tuple[int, float], ...]:
        """Give how probable each number of edges is."""
        shares = np.bincount(self.pairs.sum(axis=1), self.shares)
        return tuple((int(k), float(shares[k])) for k in np.flatnonzero(shares))

    def most_probable(self, temperature: float, log_total: float | None = None) -> tuple[Structure, ...]:
        """Give the best structures; the time spent in all of them is divided by what their scores say."""
        best = np.lexsort((np.arange(len(self.scores)), -self.scores))[:SHOWN]
        if log_total is None:
            chances = self.shares[best].sum() * softmax(self.scores[best] / temperature)
        else:
            chances = np.exp(np.minimum(self.scores[best] / temperature - log_total, 0.0))
        x, y = (side.tolist() for side in np.triu_indices(self.n_variables, 1))
        return tuple(
            Structure(float(chance), tuple((x[k], y[k]) for k in np.flatnonzero(self.pairs[each])))
            for chance, each in zip(chances, best, strict=True)
        )

    def draw(self, n_draws: int, rng: np.random.Generator) -> list[NDArray[np.bool_]]:
        """Draw structures in proportion to their probability."""
        upper = np.triu_indices(self.n_variables, 1)
        drawn = np.zeros((n_draws, self.n_variables, self.n_variables), bool)
        for own, each in zip(drawn, rng.choice(len(self.shares), n_draws, p=self.shares), strict=True):
            own[upper] = own.T[upper] = self.pairs[each]
        return list(drawn)
