"""The Bayesian test of one variable against many others given one set.

Slicing the data by (X, conditioning set) is most of the work of a test, and
all tests of X given that set share it. A `Row` holds the sliced data and tests
any candidate against it. There are two kinds: by bits for binary data
(`ibmap.independence.binary_rows`), and `SlicedRow` for everything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.data.counting import number_live_slices
from ibmap.data.table import CODE_DTYPE, EncodedTable
from ibmap.independence.binary_rows import MOST_MEMBERS, BinaryColumns, BinaryRow
from ibmap.independence.posterior import Prior
from ibmap.kernels import table_pairs as pair_kernels
from ibmap.kernels import table_tests as kernels

Floats = NDArray[np.float64]
MOST_TABLES = 16  # of rising factorials kept: each is as long as there are data points
NO_LEAST = (-math.inf, -math.inf)
MOST_ENTRIES = 1 << 24  # data points up to which bits of binary rows have tables


class Row(Protocol):
    """The data sliced by X and a conditioning set, ready to test candidates."""

    def log_posteriors(self, candidates: Sequence[int]) -> tuple[Floats, Floats]:
        """Test X against each candidate."""
        ...

    def log_independent(self, candidates: Sequence[int], least: float = -math.inf) -> Floats:
        """Test X against candidates, up to the first that is dependent."""
        ...

    def sum_independent(self, candidates: Sequence[int], least: float = -math.inf) -> float:
        """Sum log Pr(I | D) of candidates, or of so many that the sum is below `least`."""
        ...


RowMaker = Callable[[int, tuple[int, ...]], Row]


class TableData:
    """A table and a prior as the kernels take them."""

    def __init__(self, table: EncodedTable, prior: Prior) -> None:
        seen = [np.unique(column, return_inverse=True) for column in table.codes.T]
        self.table, self.prior = table, prior
        self.columns = np.array([codes for _, codes in seen], CODE_DTYPE).reshape(len(seen), table.n_rows)
        self.states = np.array([max(len(states), 1) for states, _ in seen], np.int64)
        self._rising = lru_cache(MOST_TABLES)(self._make_rising)
        self._stacked = lru_cache(2)(self._stack)
        self._all_logs = lru_cache(2)(
            lambda n_x, numbers: np.stack([self.logs(n_x, n_y, 1) for n_y in numbers])
        )

    def logs(self, n_x: int, n_y: int, n_slices: int) -> Floats:
        """Stack the rising factorials of a cell, of rows and columns, and of the whole of a table."""
        return self._stacked(n_x, n_y, *self.prior.dirichlet(n_x, n_y, n_slices))

    def _stack(self, n_x: int, n_y: int, gamma: float, alpha: float, beta: float) -> Floats:
        """Stack them for given parameters of the prior."""
        whole = self._rising(alpha * n_x) + self._rising(beta * n_y) - self._rising(gamma * n_x * n_y)
        return np.stack([self._rising(gamma), self._rising(alpha), self._rising(beta), whole])

    def all_logs(self, n_x: int) -> tuple[Floats, NDArray[np.int64]]:
        """Stack `logs` for each number of states, whatever the number of slices; and say which is whose."""
        numbers, kinds = np.unique(self.table.cardinalities, return_inverse=True)
        return self._all_logs(n_x, tuple(numbers.tolist())), kinds.astype(np.int64)

    def _make_rising(self, start: float) -> Floats:
        """Tabulate a log-rising factorial by count."""
        values = np.empty(self.table.n_samples + 1)
        kernels.rising_logs(start, values)
        return values


def row_maker(data: TableData, columns: BinaryColumns | None) -> RowMaker:
    """Choose how to slice a table for tests of one variable: by bits if all of it is binary."""

    def make(x: int, given: tuple[int, ...]) -> Row:
        if columns is not None and len(given) <= MOST_MEMBERS:
            return BinaryRow(columns, x, given)
        return SlicedRow(data, x, given)

    return make


class SlicedRow:
    """Tests of X given a set by one sweep over its slices for each candidate, for any prior."""

    def __init__(self, data: TableData, x: int, given: tuple[int, ...]) -> None:
        rows, labels, n_live, self.n_single = number_live_slices(data.table, given)
        self._data, self._x, self.n_live = data, x, n_live
        self._starts = np.empty(n_live + 1, np.int64)
        self._rows = kernels.sort_by_slice(rows, labels, n_live, self._starts)
        self._own = data.columns[x][self._rows].astype(np.int64)
        self._weights = data.table.weights[self._rows]
        self._size = data.prior.n_slices(n_configurations(data.table, given), n_live + self.n_single)
        self._prior = np.array(
            [data.prior.log_slice_odds(self._size), data.prior.log_unseen(self._size, n_live)]
        )

    def log_posteriors(self, candidates: Sequence[int]) -> tuple[Floats, Floats]:
        """Test X against each candidate."""
        found = np.empty((len(candidates), 2))
        cards = self._data.table.cardinalities[list(candidates)]
        for n_y in np.unique(cards).tolist():
            places = np.flatnonzero(cards == n_y)
            found[places] = self._test([candidates[k] for k in places.tolist()], n_y, NO_LEAST)
        return found[:, 0], found[:, 1]

    def log_independent(self, candidates: Sequence[int], least: float = -math.inf) -> Floats:
        """Test X against candidates up to the first below `least`, or the first with other states."""
        if least == -math.inf:
            return self.log_posteriors(candidates)[0]
        cards = self._data.table.cardinalities[list(candidates)]
        n_alike = int(np.argmax(cards != cards[0])) if (cards != cards[0]).any() else len(cards)
        return self._test(candidates[:n_alike], int(cards[0]), (least, -math.inf))[:, 0]

    def sum_independent(self, candidates: Sequence[int], least: float = -math.inf) -> float:
        """Sum log Pr(I | D) of candidates, or of so many that the sum is below `least`."""
        total, cards = 0.0, self._data.table.cardinalities[list(candidates)]
        for n_y in np.unique(cards).tolist():
            alike = [y for y, n in zip(candidates, cards, strict=True) if n == n_y]
            total += float(self._test(alike, n_y, (-math.inf, least - total))[:, 0].sum())
            if total < least:
                break
        return total

    def places(self) -> tuple[NDArray[np.int64], int, int, NDArray[np.int64], NDArray[np.int64]]:
        """Give what `ibmap.kernels.table_pairs` takes of the rows."""
        n_x = int(self._data.states[self._x])
        places = pair_kernels.places_of(self._rows, self._starts, self._own, n_x)
        return places, self.n_live, n_x, self._rows, self._weights

    def _test(self, candidates: Sequence[int], n_y: int, least: tuple[float, float]) -> Floats:
        """Test candidates with the same number of states, up to where they fall below `least`."""
        data, asked, found = self._data, np.asarray(candidates, np.int64), np.empty((len(candidates), 2))
        sliced = self._own, self._rows, self._weights, self._starts
        states = np.concatenate([data.states[[self._x]], data.states])
        logs = data.logs(int(data.table.cardinalities[self._x]), n_y, self._size)
        n = kernels.test_many(*sliced, asked, data.columns, states, logs, self._prior, np.array(least), found)
        return found[:n]


def n_configurations(table: EncodedTable, given: Sequence[int]) -> int:
    """Count the possible configurations of a set, seen or not."""
    return math.prod(table.cardinalities[list(given)].tolist())


def binary_columns(table: EncodedTable, prior: Prior) -> BinaryColumns | None:
    """Pack a table into bits if tests can be done on them: two states a column, no weights."""
    is_plain = bool((table.cardinalities == 2).all()) and not table.is_weighted
    return BinaryColumns(table, prior) if is_plain and has_bits(table, prior) else None


def has_bits(table: EncodedTable, prior: Prior) -> bool:
    """Tell whether a prior and the number of data points suit tests by bits."""
    return has_whole_parameters(prior) and table.n_samples <= MOST_ENTRIES


def has_whole_parameters(prior: Prior) -> bool:
    """Tell whether the parameters of a prior are whole numbers that do not depend on the data."""
    return prior.hyperparameters in ("sums", "ones") and prior.slices == "all"
