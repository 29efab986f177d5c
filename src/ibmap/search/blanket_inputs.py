"""What the compiled search of one binary variable's runs is given."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.binary_rows import BinaryColumns
from ibmap.independence.posterior import Prior
from ibmap.independence.slice_tables import log_tables
from ibmap.kernels import refined_slices as kernels
from ibmap.kernels.run_slices import LARGEST

Arrays = tuple[NDArray[Any], ...]


def data_of(columns: BinaryColumns, x: int, order: NDArray[np.int64]) -> tuple[Any, ...]:
    """Arrange the data of a variable as the kernels take it."""
    n_rows = columns.states.shape[1]
    keys = np.zeros(n_rows, np.uint64)
    states = np.zeros((n_rows, 8 * ((len(order) + 7) // 8)), np.uint8)
    for k, y in enumerate(order):
        keys |= columns.states[y].astype(np.uint64) << np.uint64(k)
        states[:, k] = columns.states[y]
    packed = np.ascontiguousarray(states.view("<u8").astype(np.uint64).T)
    x_column = np.ascontiguousarray(columns.states[x])
    return columns.states, order, keys, x_column, packed


def prior_of(columns: BinaryColumns, n_candidates: int) -> tuple[Any, ...]:
    """Tabulate the prior by the size of the conditioning set, as the kernels take it."""
    tables = np.array([columns.tables.given(size) for size in range(n_candidates + 1)])
    return tables, columns.tables.logs, _refined(columns.prior, n_candidates)


@lru_cache(maxsize=4)
def _refined(prior: Prior, n_candidates: int) -> Arrays:
    """Tabulate what small slices contribute by the size of the set, and at most."""
    starts, factors, bounds, corners = refined_tables(prior)
    odds = np.exp([prior.log_slice_odds(1 << size) for size in range(n_candidates + 1)])
    return starts, np.log1p(odds[:, None] * factors), bounds, corners


@lru_cache(maxsize=4)
def refined_tables(prior: Prior) -> Arrays:
    """Tabulate Bayes factors of small slices and what dividing slices can make of them."""
    logs = log_tables(LARGEST, prior)
    starts = np.zeros((kernels.SMALL + 1, kernels.SMALL + 1), np.int64)
    n_entries = kernels.lay_out(starts)
    factors, bounds = np.empty(n_entries), np.empty((n_entries, 2))
    kernels.refine(starts, logs, factors, bounds)
    corners = np.full((LARGEST + 1, LARGEST + 1), math.inf)
    if prior.hyperparameters == "sums":
        kernels.corner_ratios(logs, corners)
    return starts, factors, bounds, corners
