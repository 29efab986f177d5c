"""Single tests of binary variables, with what they have to go by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ibmap.independence.binary_rows import BinaryColumns, BinaryRow, Expected
from ibmap.independence.protocol import Triplet
from ibmap.pools.threads import ThreadPool

BLOCK = 16  # triplets a thread takes at a time


class Findings(NamedTuple):
    """Log posteriors of a test, its expected counts, its slices of several rows, and of one."""

    independent: float
    dependent: float
    expected: Expected
    n_live: int
    n_single: int


def find(columns: BinaryColumns, triplets: Sequence[Triplet], n_threads: int = 1) -> list[Findings]:
    """Test triplets in canonical form."""
    blocks = [triplets[k : k + BLOCK] for k in range(0, len(triplets), BLOCK)]
    with ThreadPool(n_threads) as threads:
        found = threads.map(lambda block: [_find_one(columns, triplet) for triplet in block], blocks)
    return [each for block in found for each in block]


def _find_one(columns: BinaryColumns, triplet: Triplet) -> Findings:
    """Test one triplet."""
    x, y, given = triplet
    row = BinaryRow(columns, x, given)
    independent, dependent = row.log_posteriors((y,))
    return Findings(float(independent[0]), float(dependent[0]), row.expected(y), row.n_live, row.n_single)
