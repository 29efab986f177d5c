"""Each variable on its own: its states, its missing values, and how thin its data are.

A variable's part of the score rests on the slices of its blanket. A slice is *small* if it holds
fewer than five data points for each state of the variable: too few to tell how the variable is
distributed in it. The share of the data in small slices is how *thin* the data of a variable are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.counting import slice_sizes, state_totals
from ibmap.data.table import EncodedTable, where_seen
from ibmap.graph import MarkovGraph
from ibmap.pools.threads import ThreadPool

if TYPE_CHECKING:
    from ibmap.independence.binary_rows import BinaryColumns

ROWS_PER_STATE = 5  # as in Cochran's rule
MANY_ROWS = 100_000  # from here on it pays to hand a variable over to another thread
THIN, THIN_IN_PLACES = 0.5, 0.2  # shares of the data in small slices


@dataclass(frozen=True)
class VariableDescription:
    """What the data hold about one variable and its blanket."""

    n_states: int  # states, observed or not
    n_used: int  # states that occur
    entropy: float  # of its distribution, in nats: from 0 (constant) to log(n_states)
    n_missing: int
    n_configurations: int  # slices of its blanket there could be
    n_seen: int  # slices that hold data
    n_single: int  # slices that hold one data point
    rows_per_slice: float  # data points in a slice seen, on average
    share_in_small_slices: float  # share of the data points in slices with fewer than five for each state

    @property
    def thinness(self) -> str:
        """One of ``"enough"``, ``"thin in places"`` (from a fifth in small slices) and ``"thin"`` (half)."""
        if self.share_in_small_slices >= THIN:
            return "thin"
        return "thin in places" if self.share_in_small_slices >= THIN_IN_PLACES else "enough"


def describe_variables(
    table: EncodedTable, graph: MarkovGraph, n_threads: int = 1, columns: BinaryColumns | None = None
) -> tuple[VariableDescription, ...]:
    """Describe every variable of a table, given a structure."""
    with ThreadPool(n_threads if len(table.weights) >= MANY_ROWS else 1) as threads:
        return tuple(
            threads.map(lambda x: _describe(table, x, graph.blanket(x), columns), range(table.n_variables))
        )


def by_thinness(descriptions: Sequence[VariableDescription]) -> list[int]:
    """Order variables by how thin their data are."""
    return sorted(
        range(len(descriptions)),
        key=lambda x: (-descriptions[x].share_in_small_slices, descriptions[x].rows_per_slice),
    )


def _slice_sizes(
    table: EncodedTable, x: int, blanket: tuple[int, ...], columns: BinaryColumns | None
) -> NDArray[np.float64]:
    """Give the data points of each slice of a blanket that occurs."""
    if columns is not None:
        from ibmap.independence.binary_rows import MOST_MEMBERS, BinaryRow

        if len(blanket) <= MOST_MEMBERS:
            return BinaryRow(columns, x, blanket).slice_sizes().astype(np.float64)
    return slice_sizes(table, blanket)


def _totals(table: EncodedTable, x: int, columns: BinaryColumns | None) -> NDArray[Any]:
    """Give the data points in each state of a variable."""
    if columns is None:
        return state_totals(table, x)
    n_ones = columns.states[x].sum()
    return np.array([table.n_samples - n_ones, n_ones], np.float64)


def _describe(
    table: EncodedTable, x: int, blanket: tuple[int, ...], columns: BinaryColumns | None
) -> VariableDescription:
    if table.missing is not None:
        return _describe_seen(table, x, blanket)
    n_states = int(table.cardinalities[x])
    totals = _totals(table, x, columns)
    sizes = _slice_sizes(table, x, blanket, columns)
    n_seen = len(sizes)
    n_small = sizes[sizes < ROWS_PER_STATE * n_states].sum()
    return VariableDescription(
        n_states=n_states,
        n_used=int(np.count_nonzero(totals)),
        entropy=_entropy(totals),
        n_missing=table.preparation.missing.get(table.names[x], 0),
        n_configurations=math.prod(table.cardinalities[list(blanket)].tolist()),
        n_seen=n_seen,
        n_single=int(np.count_nonzero(sizes == 1)),
        rows_per_slice=table.n_samples / max(n_seen, 1),
        share_in_small_slices=float(n_small) / max(table.n_samples, 1),
    )


def _describe_seen(table: EncodedTable, x: int, blanket: tuple[int, ...]) -> VariableDescription:
    """Describe a variable by the rows that show it, its slices by those that show its blanket too."""
    own = _describe(where_seen(table, [x]), 0, (), None)
    sliced = _describe(where_seen(table, [x, *blanket]), 0, tuple(range(1, 1 + len(blanket))), None)
    return replace(sliced, n_used=own.n_used, entropy=own.entropy)


def _entropy(totals: np.ndarray) -> float:
    used = totals[totals > 0]
    shares = used / used.sum()
    return float(max(-(shares * np.log(shares)).sum(), 0.0))
