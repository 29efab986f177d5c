"""A table as logistic regressions see it: the states that occur, and what a link is worth.

States that never occur cost nothing and change nothing. A variable of very many states keeps
its most frequent ones, fewer in short tables; the others are taken as one.

Small tables are answered by NumPy at once; for large ones kernels are compiled. Both give the same numbers.
Columns kept as numbers are weighed row by row (`mixed_links`). What the table says to be in order, numbers
included, is weighed with one slope and by every state or bin (`order_links`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.data.merging import blocks
from ibmap.data.scratch import room_like
from ibmap.data.table import EncodedTable, is_small, variable_index, with_weights
from ibmap.data.text import either
from ibmap.errors import InvalidOptionError, UnknownVariableError
from ibmap.independence.filling import Rows, fill_in
from ibmap.independence.links import Links, Weighing
from ibmap.independence.numpy_links import NumpyLinks
from ibmap.independence.order_links import OrderLinks
from ibmap.pools.protocol import Held, Pool

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Codes = NDArray[np.uint8]
Question = tuple[int, tuple[int, ...], Integers | None]  # a variable, its blanket, its candidates or all

MAX_STATES = 16  # of one variable: the effects of a link are the product of two such numbers
FEWEST_STATES, ROWS_A_STATE = 8, 20  # with few rows there are fewer, but not under eight
MAX_ORDERED = 256  # of one with ordered states, which has one effect
N_FACTORIALS = 4096  # whose logarithms are looked up


class LinkModel(NamedTuple):
    """What is believed of effects before the data are seen."""

    ridge: float  # precision of the normal prior on the effects of a blanket, centred over states
    link_ridge: float  # the same for the link in question
    is_moment: bool = False  # whether a link's prior is a moment prior, which excludes effects near zero
    table_share: float = 0.0  # prior probability that the variables of a blanket act together


class Fits(NamedTuple):
    """The fits of a table's variables on others: codes and weights, without names and labels."""

    links: Weighing
    is_constant: NDArray[np.bool_]

    def log_bayes_factors(
        self, x: int, blanket: tuple[int, ...], candidates: Integers | None = None
    ) -> Floats:
        """Ask the fit of one variable on its blanket what every other is worth, or each candidate."""
        # One row each: averaged over both models, by main effects, by full tables (NaN where numbers are).
        found = self.weigh(x, blanket, self.others(x, blanket, candidates))
        return found if candidates is None else found[:, candidates]

    def others(self, x: int, blanket: tuple[int, ...], candidates: Integers | None) -> Integers:
        """List the variables outside of a blanket that are weighed."""
        is_other = np.full(len(self.is_constant), candidates is None)
        is_other[() if candidates is None else candidates] = True
        is_other[[x, *blanket]] = False
        return np.flatnonzero(is_other)

    def weigh(self, x: int, members: Sequence[int], others: Integers) -> Floats:
        """Give log Bayes factors of links against none, zero where nothing was asked."""
        if self.is_constant[x]:
            return np.zeros((3, len(self.is_constant)))
        return self.links.weigh(x, np.array(members, np.int64), others).factors


Ask = Callable[[Fits, Sequence[Question], Pool], list[Floats]]  # answers many questions at once


def ask_all(fits: Fits, questions: Sequence[Question], pool: Pool) -> list[Floats]:
    """Ask many fits, spread over a pool that holds all rows."""
    return pool.map(partial(_factors_of, pool.hold(fits)), *zip(*questions, strict=True))


def _factors_of(
    fits: Held[Fits], x: int, blanket: tuple[int, ...], candidates: Integers | None = None
) -> Floats:
    """Ask fits that a pool holds."""
    return fits.get().log_bayes_factors(x, blanket, candidates)


class Regressions:
    """All logistic regressions of one variable of a table on others."""

    def __init__(self, table: EncodedTable, ordered: Any, model: LinkModel) -> None:
        self._is_said = ordered is None  # whether the table itself says what is in order
        self._is_ordered = table.ordered if ordered is None else read_ordered(ordered, table.names)
        table = with_weights(table, table.weights)
        self._table = table
        self._model = model
        self._filled: dict[tuple[int, ...], Rows] = {}
        self.n_variables = table.n_variables
        self.has_tables = model.table_share > 0
        self.is_small = is_small(table)
        self.fits = self._choose()

    def compile(self) -> None:
        """Answer by kernels from now on: for thousands of fits compiling pays on small tables too."""
        from ibmap.kernels.compiling import IS_COMPILED

        if self.is_small and IS_COMPILED:
            self.is_small = False
            self.fits = self._choose()

    def _choose(self) -> Fits:
        """Choose what weighs links."""
        links, n_states = self._make_links(self._is_ordered, self._table)
        seen = np.array(_n_seen(self._table), np.int64)
        is_category = ~np.isin(np.arange(self.n_variables), [*self._table.numbers])
        self.merged = tuple(np.flatnonzero(is_category & (seen > n_states)).tolist())  # of too many states
        is_constant = is_category & (np.minimum(seen, n_states) < 2)
        in_order = ~is_category | (self._is_ordered & (seen > 2))
        if self._is_said and in_order.any():
            by_state = replace(self._table, numbers={})
            links = OrderLinks(links, self._make_links(np.zeros_like(in_order), by_state)[0])
        return Fits(links, is_constant)

    def _make_links(self, is_ordered: NDArray[np.bool_], table: EncodedTable) -> tuple[Weighing, Integers]:
        """Make what weighs links, and count the states that it tells apart."""
        model = self._model
        codes = room_like(table.codes, table.codes.shape, np.uint8).T  # variables by rows
        for x, in_order in enumerate(is_ordered.tolist()):
            codes[x] = column_states(table, x, in_order)
        n_states = codes.max(axis=1, initial=0).astype(np.int64) + 1
        factorials = np.cumsum(np.log(np.maximum(np.arange(N_FACTORIALS), 1)))
        kinds = (n_states, is_ordered & (n_states > 2), factorials)  # two states are in order anyway
        own = np.array([model.ridge, model.link_ridge, model.is_moment, model.table_share])
        make, weights = _links(self.is_small), room_like(table.codes, table.weights.shape, np.float64)
        weights[:] = table.weights
        rows = Rows(codes, None, weights, table.numbers)
        if table.missing is not None:
            rows = self._fill(rows._replace(seen=np.ascontiguousarray(~table.missing.T)), kinds, own)
        links: Weighing = make(rows.codes, rows.weights, kinds, own, rows.seen)
        if table.numbers:
            from ibmap.independence.mixed_links import MixedLinks

            links = MixedLinks(rows, kinds, own, links)
        return links, n_states

    def _fill(self, rows: Rows, kinds: tuple[Any, ...], model: Floats) -> Rows:
        """Fill in holes, once for states told apart alike."""
        key, make = tuple(kinds[0].tolist()), _links(self.is_small)
        is_number = np.isin(np.arange(self.n_variables), [*rows.numbers])
        own = (kinds[0], kinds[1] & ~is_number, kinds[2])  # bins of numbers tell of relations that bend
        if key not in self._filled:
            self._filled[key] = fill_in(
                rows, kinds[0], lambda each: make(each.codes, each.weights, own, model, each.seen)
            )
        return self._filled[key]

    def log_bayes_factor(self, x: int, y: int, given: tuple[int, ...]) -> float:
        """Ask the fit of one variable on a set what another would add."""
        return float(self.fits.weigh(x, given, np.array([y]))[0, y])


def _links(small: bool) -> Callable[..., Links[Any]]:
    """Choose the implementation; the kernels of large tables are loaded here and not before."""
    if small:
        return NumpyLinks
    from ibmap.independence.compiled_links import CompiledLinks

    return CompiledLinks


def most_states(n_samples: int) -> int:
    """Give how many states a variable keeps that are in no order."""
    return min(max(n_samples // ROWS_A_STATE, FEWEST_STATES), MAX_STATES)


def column_states(table: EncodedTable, x: int, is_ordered: bool) -> Codes:
    """Number the states of a variable that occur; where a cell is missing stands 0."""
    most = MAX_ORDERED if is_ordered else most_states(table.n_samples)
    if table.missing is None or not table.missing[:, x].any():
        return _kept_states(table.codes[:, x], table.weights, is_ordered, most)
    seen = ~table.missing[:, x]
    found = np.zeros(table.n_rows, np.uint8)
    most = min(most, MAX_ORDERED - 1)  # a hole is a state more
    found[seen] = _kept_states(table.codes[seen, x], table.weights[seen], is_ordered, most)
    return found


def _n_seen(table: EncodedTable) -> list[int]:
    """Count the states of each variable that occur."""
    if table.missing is None:
        return [int(_occurs(column).sum()) for column in table.codes.T]
    return [
        int(_occurs(column[~gaps]).sum()) for column, gaps in zip(table.codes.T, table.missing.T, strict=True)
    ]


def _occurs(codes: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the codes that occur."""
    occurs = np.zeros(int(codes.max(initial=0)) + 1, bool)
    for part in blocks(len(codes)):
        occurs[codes[part]] = True
    return occurs


def _kept_states(codes: NDArray[Any], weights: NDArray[Any], is_ordered: bool, most: int) -> Codes:
    """Number the states that occur."""
    # Of very many, all but the most frequent are one, of equally frequent ones the later; of ordered
    # ones, neighbours are.
    occurs = _occurs(codes)
    numbers, n_seen = np.cumsum(occurs) - 1, int(occurs.sum())
    if is_ordered and n_seen > most:
        numbers = numbers * most // n_seen
    elif n_seen > most:
        frequent = np.argsort(-np.bincount(codes, weights), kind="stable")[: most - 1]
        is_kept = np.isin(np.arange(len(occurs)), frequent)
        numbers = np.where(is_kept, np.cumsum(is_kept), 0)
    return np.asarray(numbers.astype(np.uint8)[codes], np.uint8)


def read_ordered(ordered: bool | Iterable[int | str], names: Sequence[str]) -> NDArray[np.bool_]:
    """Read which variables have ordered states."""
    if isinstance(ordered, (bool, np.bool_)):
        return np.full(len(names), bool(ordered))
    if isinstance(ordered, (str, int)) or not isinstance(ordered, Iterable):
        msg = f"ordered must be True, False or a list of columns; got {ordered!r}"
        raise InvalidOptionError(msg)
    try:
        chosen = [variable_index(names, each) for each in ordered]
    except UnknownVariableError as error:
        msg = f"{either('ordered', '--ordered')}: {error}"
        raise UnknownVariableError(msg) from None
    return np.isin(np.arange(len(names)), chosen)
