"""What a fit needs of the rows: counts in the cells of a blanket, whoever has the rows.

Cells are numbered in the order of their states, whatever the order of the rows. So the rows may be cut into
blocks: what is counted in each adds up, cell by cell, to what is counted in all (`row_blocks`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.numpy_fit import Floats, Integers

Codes = NDArray[np.uint8]


class Cells(Protocol):
    """The rows grouped by the states of a set of variables."""

    @property
    def counts(self) -> Floats:
        """Of X: cells by states."""
        ...

    @property
    def states(self) -> Codes:
        """Of the set: members by cells, in their order."""
        ...

    def count_others(self, y: Integers, n_states: int) -> Floats:
        """Count variables of one number of states: variables by cells by states of X by states of each."""
        ...


class Counting(Protocol):
    """Counts the rows of a table."""

    def cells(self, x: int, members: Integers) -> Cells:
        """Group the rows by the states of a blanket, and count X in each."""
        ...


class RowCells(NamedTuple):
    """Rows at hand grouped into cells."""

    rows: RowBlock
    x: int
    labels: NDArray[Any]  # the cell of each row
    counts: Floats
    states: Codes

    def count_others(self, y: Integers, n_states: int) -> Floats:
        """Count variables of one number of states; where cells are missing, holes are the last."""
        return self.rows.count_others(self, y, n_states)


class RowBlock(ABC):
    """Rows at hand, all of a table or some of them."""

    def __init__(self, codes: Codes, weights: Floats, n_states: Integers, told: Codes | None = None) -> None:
        # codes, told: variables by rows; in told, which others are counted by, a hole is a state more
        self.codes, self.weights, self.n_states = _read_only(codes), _read_only(weights), n_states
        self.told = self.codes if told is None else _read_only(told)

    @property
    def n_rows(self) -> int:
        """Rows of the block."""
        return len(self.weights)

    def weighted(self, weights: Floats) -> Self:
        """Give the same rows with other weights."""
        twin = copy(self)
        twin.weights = _read_only(weights)
        return twin

    def part(self, begin: int, end: int) -> Self:
        """Copy some of the rows, which have no holes."""
        codes = np.ascontiguousarray(self.codes[:, begin:end])
        return type(self)(codes, self.weights[begin:end].copy(), self.n_states)

    @abstractmethod
    def cells(self, x: int, members: Integers) -> RowCells:
        """Group the rows by the states of a blanket, and count X in each."""

    @abstractmethod
    def count_others(self, cells: RowCells, y: Integers, n_states: int) -> Floats:
        """Count variables of one number of states."""


def _read_only(values: NDArray[Any]) -> NDArray[Any]:
    """Give a view that cannot be written to: kernels are compiled for that alone, wherever rows are kept."""
    view = np.asarray(values).view()
    view.setflags(write=False)
    return view
