"""What every edge is worth, and the missing edges nearest to being added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ibmap.evidence.statements import Statement
from ibmap.graph import MarkovGraph
from ibmap.pools.threads import ThreadPool
from ibmap.search.climb import N_NEAREST

if TYPE_CHECKING:
    from ibmap.evidence.witness import Witness

BLOCK = 16  # pairs a thread takes at a time


@dataclass(frozen=True)
class PairEvidence:
    """How much the score would lose if one pair were flipped, and what it rests on."""

    x: int
    y: int
    is_edge: bool
    loss: float  # fall of the natural log of the score
    # what the closure says of the pair, given the blanket of `x` and of `y`; empty if not known
    statements: tuple[Statement, ...] = ()

    @property
    def is_contested(self) -> bool:
        """Whether main effects and full tables decide differently about either statement."""
        return any(each.is_contested for each in self.statements)

    def reversed(self) -> PairEvidence:
        """Give the same with the two variables in the other order."""
        return PairEvidence(self.y, self.x, self.is_edge, self.loss, self.statements[::-1])

    def to_dict(self) -> dict[str, Any]:
        """Give the evidence as plain lists and dicts."""
        return asdict(self)


def collect_evidence(
    graph: MarkovGraph,
    gains: NDArray[np.float64] | Mapping[tuple[int, int], float],
    n_nearest: int = N_NEAREST,
    witness: Witness | None = None,
    n_threads: int = 1,
) -> tuple[PairEvidence, ...]:
    """List what every edge is worth, and the missing edges nearest to being added."""
    # gains: of the pairs known, or a matrix, minus infinity where nothing is known
    known = gains if isinstance(gains, Mapping) else _finite(gains)
    known = known if witness is None else witness.with_required(graph, known)
    losses = [(x, y, 0.0 - gain) for (x, y), gain in sorted(known.items()) if np.isfinite(gain)]
    joined = {*graph.edges}
    edges = sorted((each for each in losses if each[:2] in joined), key=lambda each: -each[2])
    missing = sorted((each for each in losses if each[:2] not in joined), key=lambda each: each[2])
    pairs = [*edges, *missing[:n_nearest]]
    statements = _statements(graph, [(x, y) for x, y, _ in pairs], witness, n_threads)
    return tuple(
        PairEvidence(x, y, (x, y) in joined, loss, both)
        for (x, y, loss), both in zip(pairs, statements, strict=True)
    )


def _finite(gains: NDArray[np.float64]) -> dict[tuple[int, int], float]:
    """Give the gains of a matrix that are known, by pair."""
    x, y = np.nonzero(np.triu(np.isfinite(gains), 1))
    return dict(zip(zip(x.tolist(), y.tolist(), strict=True), gains[x, y].tolist(), strict=True))


def _statements(
    graph: MarkovGraph, pairs: Sequence[tuple[int, int]], witness: Witness | None, n_threads: int
) -> Sequence[tuple[Statement, ...]]:
    """Give what a witness says of pairs; nothing without one."""
    if witness is None:
        return [()] * len(pairs)
    if witness.columns is not None:
        return witness.all_statements(graph, pairs, n_threads)
    if n_threads == 1 or witness.apart() is None:
        return witness.all_statements(graph, pairs)
    blocks = [pairs[k : k + BLOCK] for k in range(0, len(pairs), BLOCK)]
    with ThreadPool(n_threads) as threads:
        found = threads.map(lambda block: (witness.apart() or witness).all_statements(graph, block), blocks)
    return list(chain.from_iterable(found))
