"""Missing cells filled in, so that a row with holes in a blanket still tells of other variables.

A row that does not show a neighbour B of X would show X and Y as dependent where they are not. So B is
drawn from its distribution given what else the row shows: by its regression on the neighbours that it
chooses by itself from the rows that show them. All holes are drawn in turn (Gibbs sampling), some sweeps of
them, and the regressions fitted anew in each. What is filled in is only ever given: no link of B rests
on it (`Links.weigh_with_holes`).

Equal rows are filled in together, in an order that depends neither on theirs in the table nor on the names
of states, with draws of one seed: the same rows are always filled in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.density import first_prior
from ibmap.independence.links import Links
from ibmap.independence.numpy_fit import Floats, Integers
from ibmap.independence.one_thread import ONE_THREAD

Codes = NDArray[np.uint8]

SEED = 0
N_SWEEPS = 5
MOST_COPIES = 256  # of a row with holes that occurs many times
MOST_NEIGHBOURS = 12  # that a cell is filled in from
MIN_REPETITION = 4  # from which on equal rows are merged


class Rows(NamedTuple):
    """Rows of codes, variables by rows: where cells are shown, and how much each row counts."""

    codes: Codes  # of numbers their bins
    seen: Any  # bool, variables by rows; None where every cell is shown
    weights: Floats
    numbers: Mapping[int, Floats] = {}  # the values of variables that are numbers


def fill_in(rows: Rows, n_states: Integers, make_links: Callable[[Rows], Links[Any]]) -> Rows:
    """Fill in the holes of a table; rows that show nothing are left out, those with holes told apart."""
    with ONE_THREAD:
        return _fill_in(rows, n_states, make_links)


def _fill_in(rows: Rows, n_states: Integers, make_links: Callable[[Rows], Links[Any]]) -> Rows:
    orders = [_by_frequency(rows, v, k) for v, k in enumerate(n_states.tolist())]
    rows = _copied(rows, orders)
    rng = np.random.default_rng(SEED)
    for v in _with_holes(rows):
        margins = np.bincount(rows.codes[v], rows.weights * rows.seen[v], n_states[v])
        _draw(
            rows, v, (margins / margins.sum())[None], np.zeros(rows.codes.shape[1], np.int64), orders[v], rng
        )
    links = make_links(rows)
    blankets = _blankets(links, len(rows.codes))
    for _ in range(N_SWEEPS):
        for v in (v for v in _with_holes(rows) if n_states[v] > 1):
            told = links.where_seen(v)
            probabilities, labels = told.probabilities(v, blankets[v])
            _draw(rows, v, probabilities, labels, orders[v], rng)
    numbers = {v: _drawn_numbers(rows, v, values, rng) for v, values in sorted(rows.numbers.items())}
    return _merged(rows._replace(numbers=numbers), n_states)


def _with_holes(rows: Rows) -> list[int]:
    """List the variables with holes that have something to choose from."""
    return [v for v in range(len(rows.codes)) if not rows.seen[v].all() and rows.seen[v].any()]


def _by_frequency(rows: Rows, v: int, n_states: int) -> Integers:
    """Order states by how often they are seen."""
    counts = np.bincount(rows.codes[v], rows.weights * rows.seen[v], n_states)
    return np.argsort(-counts, kind="stable")


def _copied(rows: Rows, orders: list[Integers]) -> Rows:
    """Merge equal rows, put them in order, and give those with holes as often as they occur."""
    ranks = np.empty_like(rows.codes)
    for v, order in enumerate(orders):
        rank = np.empty(len(order), np.uint8)
        rank[order] = np.arange(len(order))
        ranks[v] = np.where(rows.seen[v], rank[rows.codes[v]], len(order))
    numbers = [_ranked(values, rows.seen[v])[None] for v, values in sorted(rows.numbers.items())]
    apart: NDArray[Any] = np.concatenate([ranks, *numbers]) if numbers else ranks
    shown = rows.seen.any(axis=0)
    _, first, labels = np.unique(apart[:, shown], axis=1, return_index=True, return_inverse=True)
    weights = np.bincount(labels.reshape(-1), rows.weights[shown])
    first = np.flatnonzero(shown)[first]
    n_copies = np.clip(np.ceil(weights), 1, MOST_COPIES).astype(np.int64)
    n_copies[rows.seen[:, first].all(axis=0)] = 1
    shares = np.repeat(weights / n_copies, n_copies)
    if (weights == np.floor(weights)).all():  # whole numbers stay whole
        number = np.arange(len(shares)) - np.repeat(np.cumsum(n_copies) - n_copies, n_copies)
        shares = np.floor(shares) + (number < np.repeat(weights % n_copies, n_copies))
    places = np.repeat(first, n_copies)
    copied = {v: values[places] for v, values in rows.numbers.items()}
    return Rows(
        np.ascontiguousarray(rows.codes[:, places]),
        np.ascontiguousarray(rows.seen[:, places]),
        shares,
        copied,
    )


def _ranked(values: Floats, seen: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Number the values of a number that are seen, in order; 0 in holes."""
    ranks = np.zeros(len(values), np.int32)
    ranks[seen] = np.unique(values[seen], return_inverse=True)[1]
    return ranks


def _blankets(links: Links[Any], n_variables: int) -> list[Integers]:
    """Let every variable choose its neighbours from the rows that show them; one of two is enough."""
    prior = first_prior(n_variables)
    log_prior_odds = math.log1p(-prior) - math.log(prior)
    chosen = [_own_blanket(links, x, n_variables, log_prior_odds) for x in range(n_variables)]
    both: list[set[int]] = [set(each) for each in chosen]
    for x, own in enumerate(chosen):
        for y in own:
            both[y].add(x)
    return [np.array(sorted(each), np.int64) for each in both]


def _own_blanket(links: Links[Any], x: int, n_variables: int, log_prior_odds: float) -> list[int]:
    """Add the link with most evidence while there is any; who says nothing by itself is not asked again."""
    blanket: list[int] = []
    others = np.delete(np.arange(n_variables), x)
    while len(others) and len(blanket) < MOST_NEIGHBOURS and links.kinds[x][0] > 1:
        told = links.where_seen(x, *blanket)
        found = told.weigh_with_holes(x, np.array(blanket, np.int64), others)
        evidence = found.factors[0, others] + log_prior_odds
        if evidence.max() <= 0:
            break
        best = int(evidence.argmax())
        blanket = sorted([*blanket, int(others[best])])
        is_left = np.arange(len(others)) != best
        others = others[is_left & (evidence > 0)] if len(blanket) == 1 else others[is_left]
    return blanket


def _draw(
    rows: Rows, v: int, probabilities: Floats, labels: NDArray[Any], order: Integers, rng: np.random.Generator
) -> None:
    """Draw the holes of one variable, given the probabilities of its states in the cell of each row."""
    holes = np.flatnonzero(~rows.seen[v])
    steps = np.cumsum(probabilities[:, order], axis=1)[labels[holes]]
    places = (rng.random(len(holes))[:, None] > steps).sum(axis=1)
    rows.codes[v, holes] = order[np.minimum(places, len(order) - 1)]


def _drawn_numbers(rows: Rows, v: int, values: Floats, rng: np.random.Generator) -> Floats:
    """Draw the holes of a number from the values that are seen in the same bin."""
    found, seen = values.copy(), rows.seen[v]
    if not seen.any():
        return np.zeros_like(values)
    for state in np.unique(rows.codes[v, ~seen]).tolist():
        here = rows.codes[v] == state
        donors, holes = np.flatnonzero(here & seen), np.flatnonzero(here & ~seen)
        distinct, places = np.unique(values[donors], return_inverse=True)
        steps = np.cumsum(np.bincount(places, rows.weights[donors]))
        drawn = np.searchsorted(steps, rng.random(len(holes)) * steps[-1], side="right")
        found[holes] = distinct[np.minimum(drawn, len(distinct) - 1)]
    return found


def _merged(rows: Rows, n_states: Integers) -> Rows:
    """Merge rows that are equal and were filled in equally, if that saves much; numbers keep rows apart."""
    if rows.numbers:
        return rows
    apart = np.where(rows.seen, rows.codes, rows.codes + n_states[:, None]).astype(np.uint16)
    _, first, labels = np.unique(apart, axis=1, return_index=True, return_inverse=True)
    if len(first) * MIN_REPETITION > apart.shape[1]:
        return rows
    weights: Floats = np.bincount(labels.reshape(-1), rows.weights)  # type: ignore[assignment]
    return Rows(
        np.ascontiguousarray(rows.codes[:, first]), np.ascontiguousarray(rows.seen[:, first]), weights
    )
