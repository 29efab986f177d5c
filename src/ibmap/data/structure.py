"""Structure in a table that is not statistics: columns that say the same, follow from another, or are sums.

Columns are the same if each state of one goes with one state of the other in every row, whatever the
states are called; numbers that are kept also need the same ranks, or the ranks turned round. A column
follows from another if the other's state tells its own: a region from a city.
With few rows that happens by chance; it is told only where chance is no explanation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.counting import state_totals
from ibmap.data.merging import BLOCK, blocks
from ibmap.data.table import EncodedTable

Loader = Callable[[], NDArray[Any] | None]  # reads the values of a column
CHANCE = 1e-6  # that a column seems to follow from another, over all pairs
MAX_COLUMNS = 200  # of a table in which columns are compared by pairs
EXACT = 1e-6  # how far from whole shares, and from the sum, rounding may lead
MIN_ROWS = 10  # more than columns, for a sum to be no chance
GLANCE = 500  # rows after which most pairs are ruled out


def find_copies(table: EncodedTable) -> dict[int, int]:
    """Find columns that say the same as an earlier one: each with the first that does."""
    alike: dict[bytes, list[int]] = {}  # in the first rows
    copies: dict[int, int] = {}
    numbers: list[NDArray[np.uint16]] = []
    for k in range(table.n_variables):
        numbers.append(_by_appearance(table.codes[:, k], int(table.cardinalities[k])))
        if numbers[k].max(initial=0) == 0:
            continue  # constant columns are told of as such
        others = alike.setdefault(numbers[k][table.codes[:BLOCK, k]].tobytes(), [])
        original = next((j for j in others if _is_same(table, j, k, numbers)), k)
        if original == k:
            others.append(k)
        elif _is_no_chance(table, original, k, table.n_variables):
            copies[k] = original
    return copies


def _is_same(table: EncodedTable, a: int, b: int, numbers: list[NDArray[np.uint16]]) -> bool:
    """Tell whether two columns say the same in every row, and have the same holes and the same order."""
    one, other = (_ranks(table.numbers[k]) if k in table.numbers else np.empty(0) for k in (a, b))
    return np.array_equal(one, other) and all(
        np.array_equal(numbers[a][table.codes[part, a]], numbers[b][table.codes[part, b]])
        and (table.missing is None or np.array_equal(table.missing[part, a], table.missing[part, b]))
        for part in blocks(table.n_rows)
    )


def find_functions(table: EncodedTable) -> list[tuple[int, int]]:
    """Find columns that follow from one of more states: pairs of the cause's number and the column's."""
    n = table.n_variables
    if n > MAX_COLUMNS or table.n_rows < 2:
        return []
    codes, found = table.codes, []
    for a in range(n):
        others = np.flatnonzero(table.cardinalities < table.cardinalities[a])
        examples: NDArray[np.uint16] = np.zeros((int(table.cardinalities[a]), n), np.uint16)
        is_known = np.zeros(len(examples), bool)
        for part in (slice(0, GLANCE), *blocks(len(codes))):
            if not len(others):
                break
            states, firsts = np.unique(codes[part, a], return_index=True)
            new = ~is_known[states]
            examples[states[new]] = codes[part][firsts[new]]  # the first row of each state
            is_known[states] = True
            own = codes[part, a]
            others = others[[bool((examples[own, b] == codes[part, b]).all()) for b in others]]
        found += [(a, b) for b in others.tolist() if _is_no_chance(table, a, b, n)]
    return found


def find_totals(numbers: Mapping[str, Loader]) -> dict[str, list[str]]:
    """Find columns that are the sum of two or more others in every row: each with its parts."""
    glance = _glances(numbers)
    n_rows = len(next(iter(glance.values()), ()))
    if not 2 < len(glance) <= MAX_COLUMNS or n_rows < len(glance) + MIN_ROWS:
        return {}
    found: dict[str, list[str]] = {}
    smaller: list[str] = []  # columns that a total may be the sum of
    basis = np.empty((n_rows, 0))  # of what they span
    for total in sorted(glance, key=lambda name: float(np.abs(glance[name]).sum())):
        rest = glance[total]
        for _ in range(2):  # once more for what rounding leaves
            rest = rest - basis @ (basis.T @ rest)
        if np.abs(rest).max() > EXACT * np.abs(glance[total]).max():
            basis = np.column_stack([basis, rest / np.linalg.norm(rest)])
        elif len(smaller) > 1:
            columns = np.column_stack([glance[name] for name in smaller])
            shares = np.linalg.lstsq(columns, glance[total], rcond=None)[0]
            chosen = [name for name, share in zip(smaller, shares, strict=True) if share > 0.5]
            is_exact = np.abs(shares - np.round(shares)).max() < EXACT
            if len(chosen) > 1 and is_exact and _adds_up(numbers, total, chosen):
                found[total] = [name for name in glance if name in chosen]
                continue
        smaller.append(total)
    return found


def _glances(numbers: Mapping[str, Loader]) -> dict[str, NDArray[np.float64]]:
    """Give the first rows of each column that varies, of columns that are the same of the first."""
    found: dict[str, NDArray[np.float64]] = {}
    alike: dict[bytes, list[str]] = {}  # in these rows
    for name, load in numbers.items():
        values = load()
        if values is None or not 0 < float(values.max()) - float(values.min()) < np.inf:
            continue
        glance = values[:GLANCE].astype(np.float64)
        others = alike.setdefault(glance.tobytes(), [])
        if not any(np.array_equal(np.asarray(numbers[other]()), values) for other in others):
            others.append(name)
            found[name] = glance
    return found


def _adds_up(numbers: Mapping[str, Loader], total: str, parts: list[str]) -> bool:
    """Tell whether a column is the sum of others in every row, but for rounding."""
    rest = np.asarray(numbers[total](), np.float64).copy()
    largest = np.abs(rest).max()
    for name in parts:
        rest -= np.asarray(numbers[name](), np.float64)
    return bool(np.abs(rest).max() <= EXACT * largest)


def _by_appearance(codes: NDArray[np.uint16], n_states: int) -> NDArray[np.uint16]:
    """Number states in the order in which they appear, so that columns that say the same are equal."""
    numbers: NDArray[np.uint16] = np.zeros(n_states, np.uint16)
    order: dict[int, int] = {}
    for part in blocks(len(codes)):
        states, firsts = np.unique(codes[part], return_index=True)
        for state in states[np.argsort(firsts)].tolist():
            order.setdefault(state, len(order))
        if len(order) == n_states:
            break
    numbers[[*order]] = [*order.values()]
    return numbers


def _ranks(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Number distinct values in their order, or in the other one, whichever begins with the lower half."""
    distinct, ranks = np.unique(numbers, return_inverse=True)
    turned = len(distinct) - 1 - ranks
    return np.asarray(min(ranks, turned, key=lambda each: each[:GLANCE].tolist()), np.int64)


def _is_no_chance(table: EncodedTable, a: int, b: int, n: int) -> bool:
    """Tell whether rows of one state of a column would hardly agree on another by chance so often."""
    shares = state_totals(table, b) / table.weights.sum()
    n_agreeing = table.n_samples - int(np.count_nonzero(state_totals(table, a)))
    log_chance = n_agreeing * math.log(max(float(np.square(shares).sum()), 1e-300))
    return bool((shares > 0).sum() > 1) and log_chance < math.log(CHANCE / max(n * (n - 1), 1))
