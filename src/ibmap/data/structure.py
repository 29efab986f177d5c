"""Structure in a table that is not statistics: columns that say the same, follow from another, or are sums.

Columns are the same if each state of one goes with one state of the other in every row, whatever the
states are called. A column follows from another if the other's state tells its own: a region from a city.
With few rows that happens by chance; it is told only where chance is no explanation.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable

CHANCE = 1e-6  # that a column seems to follow from another, over all pairs
MAX_COLUMNS = 200  # of a table in which columns are compared by pairs
EXACT = 1e-6  # how far from whole shares, and from the sum, rounding may lead
MIN_ROWS = 10  # more than columns, for a sum to be no chance
GLANCE = 500  # rows after which most pairs are ruled out


def find_copies(table: EncodedTable) -> dict[int, int]:
    """Find columns that say the same as an earlier one: each with the first that does."""
    first: dict[bytes, int] = {}
    copies: dict[int, int] = {}
    for k in range(table.n_variables):
        column = _by_appearance(table.codes[:, k])
        if column.max(initial=0) == 0:
            continue  # constant columns are told of as such
        holes = b"" if table.missing is None else table.missing[:, k].tobytes()
        original = first.setdefault(hashlib.sha256(column.tobytes() + holes).digest(), k)
        if original != k and _is_no_chance(table, original, k, table.n_variables):
            copies[k] = original
    return copies


def find_functions(table: EncodedTable) -> list[tuple[int, int]]:
    """Find columns that follow from one of more states: pairs of the cause's number and the column's."""
    n = table.n_variables
    if n > MAX_COLUMNS or table.n_rows < 2:
        return []
    codes, found = table.codes, []
    for a in range(n):
        follows = np.array(table.cardinalities < table.cardinalities[a])
        for part in (codes[:GLANCE], codes):
            others = np.flatnonzero(follows)
            if len(others):
                _, first, states = np.unique(part[:, a], return_index=True, return_inverse=True)
                follows[others] = (part[first][states.reshape(-1)][:, others] == part[:, others]).all(axis=0)
        found += [(a, b) for b in np.flatnonzero(follows).tolist() if _is_no_chance(table, a, b, n)]
    return found


def find_totals(numbers: Mapping[str, NDArray[Any]]) -> dict[str, list[str]]:
    """Find columns that are the sum of two or more others in every row: each with its parts."""
    varying = {name: values for name, values in numbers.items() if 0 < np.ptp(values) < np.inf}
    distinct = {values.tobytes(): name for name, values in reversed(varying.items())}
    parts = {name: numbers[name] for name in reversed(distinct.values())}
    n_rows = len(next(iter(parts.values()), ()))
    if not 2 < len(parts) <= MAX_COLUMNS or n_rows < len(parts) + MIN_ROWS:
        return {}
    found: dict[str, list[str]] = {}
    glance = {name: values[:GLANCE].astype(float) for name, values in parts.items()}
    smaller: list[str] = []  # columns that a total may be the sum of
    basis = np.empty((len(glance[next(iter(glance))]), 0))  # of what they span
    for total in sorted(parts, key=lambda name: float(np.abs(glance[name]).sum())):
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
            if len(chosen) > 1 and is_exact and _adds_up(parts, total, chosen):
                found[total] = [name for name in parts if name in chosen]
                continue
        smaller.append(total)
    return found


def _adds_up(numbers: Mapping[str, NDArray[Any]], total: str, parts: list[str]) -> bool:
    """Tell whether a column is the sum of others in every row, but for rounding."""
    whole = numbers[total].astype(float)
    rest = whole - np.sum([numbers[name].astype(float) for name in parts], axis=0)
    return bool(np.abs(rest).max() <= EXACT * np.abs(whole).max())


def _by_appearance(codes: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Renumber states in the order in which they appear, so that columns that say the same are equal."""
    _, first, labels = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[labels.reshape(-1)], np.int64)


def _is_no_chance(table: EncodedTable, a: int, b: int, n: int) -> bool:
    """Tell whether rows of one state of a column would hardly agree on another by chance so often."""
    shares = np.bincount(table.codes[:, b], table.weights) / table.weights.sum()
    n_agreeing = table.n_samples - len(np.unique(table.codes[:, a]))
    log_chance = n_agreeing * math.log(max(float(np.square(shares).sum()), 1e-300))
    return bool((shares > 0).sum() > 1) and log_chance < math.log(CHANCE / max(n * (n - 1), 1))
