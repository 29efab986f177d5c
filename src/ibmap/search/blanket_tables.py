"""The tables of the compiled search of one variable's runs, which grow as they fill."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.kernels import run_search as kernels

FIRST_NODES, FIRST_ROWS = 256, 64  # room to begin with
GROWTHS = (2.0, 1.5, 1.2, 1.1)  # by which tables grow; less is not worth moving everything
NODE_BYTES = 64  # cost, members, form and parent of a node, and two places on the heap
Arrays = tuple[NDArray[Any], ...]


class SearchTables:
    """Nodes, frontier and rows of tests, as `ibmap.kernels.run_search` takes them."""

    def __init__(self, n_candidates: int) -> None:
        self._n_candidates = n_candidates
        self.counts, self.costs = np.zeros(5, np.int64), np.full(2, math.inf)
        self._make_nodes(FIRST_NODES)
        self.rows: Arrays = _empty_rows(FIRST_ROWS, n_candidates)
        self.row_slots = _empty_slots(FIRST_ROWS)

    def _make_nodes(self, size: int) -> None:
        """Make room for nodes: cost, members, form, parent; and a heap."""
        self.nodes: Arrays = (
            np.empty(size),
            np.empty(size, np.uint64),
            np.empty(size, np.int64),
            np.empty(size, np.int64),
        )
        self.heap: Arrays = (np.empty(2 * size), np.empty(2 * size, np.int64))
        self.slots = _empty_slots(size)
        self.counts[[kernels.N_NODES, kernels.N_HEAP, kernels.WINNER]] = 0, 0, -1

    @property
    def n_frontier(self) -> int:
        """Nodes on the frontier."""
        return int(self.counts[kernels.N_HEAP])

    @property
    def n_bytes(self) -> int:
        """Memory of all tables."""
        arrays = (*self.nodes, *self.heap, self.slots, *self.rows, self.row_slots)
        return sum(array.nbytes for array in arrays)

    @property
    def tests(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """The sets of the rows, and who was tested given each."""
        n = self.counts[kernels.N_ROWS]
        return self.rows[0][:n], self.rows[2][:n]

    def begin(self) -> None:
        """Forget all nodes and put the empty set on the frontier; the rows stay."""
        self._make_nodes(FIRST_NODES)
        kernels.add_node(
            self.nodes, self.heap, self.slots, self.counts, 0.0, 0.0, np.uint64(0), kernels.GROWING, -1
        )

    def release(self) -> None:
        """Keep the tests, and let go of what a finished search does not need."""
        sets, tested = (array.copy() for array in self.tests)
        self.rows = (sets, np.empty((0, 0)), tested)
        self.row_slots = np.empty(0, np.int64)
        self._make_nodes(0)

    def make_room(self, reason: int, limit: int | None) -> bool:
        """Make the nodes or the rows larger."""
        is_nodes = reason == kernels.MORE_NODES
        size = len(self.nodes[0] if is_nodes else self.rows[0])
        entry = NODE_BYTES if is_nodes else 16 + 8 * self._n_candidates
        slots = self.slots if is_nodes else self.row_slots
        for growth in GROWTHS:
            larger = int(size * growth)
            more = entry * (larger - size) + 8 * n_slots(larger) - slots.nbytes
            if limit is None or self.n_bytes + more <= limit:
                self._enlarge(is_nodes, larger)
                return True
        return False

    def _enlarge(self, is_nodes: bool, size: int) -> None:
        """Move the nodes, or the rows, to larger tables."""
        if is_nodes:
            self.nodes = tuple(_resized(array, size) for array in self.nodes)
            self.heap = (_resized(self.heap[0], 2 * size), _resized(self.heap[1], 2 * size))
            self.slots = _empty_slots(size)
            kernels.fill_slots(self.nodes[1], self.nodes[2], self.counts[kernels.N_NODES], self.slots)
        else:
            self.rows = tuple(_resized(array, size) for array in self.rows)
            self.row_slots = _empty_slots(size)
            n = self.counts[kernels.N_ROWS]
            kernels.fill_slots(self.rows[0], np.zeros(n, np.int64), n, self.row_slots)


def _resized(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Copy an array into one with more rows."""
    larger = np.empty((size, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _empty_rows(size: int, n_candidates: int) -> Arrays:
    """Make room for rows: set, costs, candidates tested."""
    return np.empty(size, np.uint64), np.empty((size, n_candidates)), np.empty(size, np.uint64)


def _empty_slots(n_entries: int) -> NDArray[np.int64]:
    """Make a table that finds so many entries."""
    return np.full(n_slots(n_entries), -1, np.int64)


def n_slots(n_entries: int) -> int:
    """Give the size of a table that finds so many entries."""
    return 1 << max(2 * n_entries - 1, 0).bit_length()
