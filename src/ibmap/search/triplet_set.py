"""The tests a search made, as rows of machine words: many fit into little memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.protocol import Triplet

Words = NDArray[np.uint64]


class TripletSet:
    """A set of tests."""

    def __init__(self, words: Words) -> None:
        self._words = words

    @classmethod
    def from_triplets(cls, triplets: Iterable[Triplet], n_variables: int) -> TripletSet:
        """Collect triplets."""
        n_words = (n_variables + 63) // 64
        rows = [[min(x, y) << 32 | max(x, y), *_as_words(given, n_words)] for x, y, given in triplets]
        return cls(np.array(rows, np.uint64).reshape(len(rows), 1 + n_words))

    @classmethod
    def from_words(cls, x: int, order: NDArray[np.int64], sets: Words, partners: Words) -> TripletSet:
        """Collect the tests of one variable, of at most 64."""
        one = np.uint64(1)
        given = np.zeros(len(sets), np.uint64)
        for k, v in enumerate(order):
            given |= (sets >> np.uint64(k) & one) << np.uint64(v)
        parts = []
        for k, y in enumerate(order):
            own = given[(partners >> np.uint64(k) & one) != 0]
            pair = np.full(len(own), min(x, int(y)) << 32 | max(x, int(y)), np.uint64)
            parts.append(np.stack([pair, own], axis=1))
        return cls(np.concatenate(parts) if parts else np.empty((0, 2), np.uint64))

    @classmethod
    def join(cls, sets: Sequence[TripletSet]) -> TripletSet:
        """Unite sets of tests of the same variables."""
        return cls(np.concatenate([each._words for each in sets]))

    def __len__(self) -> int:
        """Count the distinct tests."""
        if not len(self._words):
            return 0
        in_order = self._words[np.lexsort(self._words.T)]
        return 1 + int(np.count_nonzero((in_order[1:] != in_order[:-1]).any(axis=1)))

    def triplets(self) -> frozenset[Triplet]:
        """List the distinct tests."""
        return frozenset(
            Triplet(pair >> 32, pair & 0xFFFFFFFF, _as_variables(given))
            for pair, *given in self._words.tolist()
        )


def _as_words(variables: Iterable[int], n_words: int) -> list[int]:
    """Write a set of variables as bits."""
    bits = sum(1 << v for v in variables)
    return [bits >> 64 * k & 0xFFFFFFFFFFFFFFFF for k in range(n_words)]


def _as_variables(words: Iterable[int]) -> tuple[int, ...]:
    """Read a set of variables from bits."""
    bits = sum(word << 64 * k for k, word in enumerate(words))
    return tuple(v for v in range(bits.bit_length()) if bits >> v & 1)
