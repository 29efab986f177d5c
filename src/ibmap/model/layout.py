"""Factors laid end to end, as the compiled loops read them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibmap.kernels import factors as kernels
from ibmap.model.potentials import Codes, Factor, Floats, Potentials

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """Where everything is in the log-values of all factors laid end to end."""

    cardinalities: Ints  # shape (n_variables,); states of each variable
    scopes: tuple[tuple[int, ...], ...]
    arrays: tuple[Ints, ...]  # as `ibmap.kernels.factors` wants them

    @classmethod
    def of(cls, cardinalities: Sequence[int], scopes: Sequence[tuple[int, ...]]) -> Layout:
        """Lay out factors over given sets of variables."""
        shape = [int(c) for c in cardinalities]
        sizes = [math.prod(shape[v] for v in scope) for scope in scopes]
        places = [(v, f, step) for f, scope in enumerate(scopes) for v, step in _steps(scope, shape)]
        by_variable = sorted(places)
        arrays = (
            _sums(sizes),
            _sums([len(scope) for scope in scopes]),
            _ints([v for v, _, _ in places]),
            _ints([step for _, _, step in places]),
            _sums(np.bincount(_ints([v for v, _, _ in places]), minlength=len(shape)).tolist()),
            _ints([f for _, f, _ in by_variable]),
            _ints([step for _, _, step in by_variable]),
        )
        return cls(_ints(shape), tuple(tuple(scope) for scope in scopes), arrays)

    @property
    def n_cells(self) -> int:
        """Log-values of all factors."""
        return int(self.arrays[0][-1])

    def join(self, tables: Sequence[Floats]) -> Floats:
        """Lay tables end to end."""
        return np.concatenate([np.zeros(0), *(np.asarray(table, np.float64).ravel() for table in tables)])

    def split(self, values: Floats) -> list[Floats]:
        """Undo `join`."""
        offsets = self.arrays[0]
        shapes = [[int(self.cardinalities[v]) for v in scope] for scope in self.scopes]
        return [values[offsets[f] : offsets[f + 1]].reshape(shape) for f, shape in enumerate(shapes)]

    def factors(self, values: Floats) -> tuple[Factor, ...]:
        """Turn log-values into factors."""
        return tuple(
            Factor(scope, table) for scope, table in zip(self.scopes, self.split(values), strict=True)
        )

    def room(self) -> tuple[Ints, Floats]:
        """Make what the kernels write on: cells of the factors, and weights of a variable's states."""
        return np.empty(len(self.scopes), np.int64), np.empty(int(self.cardinalities.max(initial=1)))


class Conditionals:
    """The distribution of each variable given all others, for many rows at once."""

    def __init__(self, potentials: Potentials) -> None:
        self.layout = Layout.of(potentials.cardinalities, [f.variables for f in potentials.factors])
        self.log_values = self.layout.join([f.log_values for f in potentials.factors])

    def pseudo_log_likelihood(self, codes: Codes) -> Floats:
        """Sum the log-probability of every variable given all others."""
        rows = as_rows(codes)
        values = np.empty(len(rows))
        shape, arrays = self.layout.cardinalities, self.layout.arrays
        cells, weights = self.layout.room()
        kernels.pseudo_log_likelihoods(rows, shape, arrays, self.log_values, cells, weights, values)
        return values

    def of(self, variable: int, codes: Codes) -> Floats:
        """Give the distribution of a variable given all others; NaN where these are impossible together."""
        rows = as_rows(codes)
        weights = np.empty((len(rows), int(self.layout.cardinalities[variable])))
        kernels.conditional_log_weights(
            rows,
            variable,
            weights.shape[1],
            self.layout.arrays,
            self.log_values,
            self.layout.room()[0],
            weights,
        )
        top = weights.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            shares = np.exp(weights - top)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def as_rows(codes: Codes) -> Ints:
    """Copy codes so that a row is contiguous."""
    return np.ascontiguousarray(codes, np.int64)


def _steps(scope: Sequence[int], shape: Sequence[int]) -> list[tuple[int, int]]:
    """Tell how far one state of each variable moves in a factor's table."""
    lengths = [shape[v] for v in scope]
    return [(v, math.prod(lengths[k + 1 :])) for k, v in enumerate(scope)]


def _sums(sizes: Sequence[int]) -> Ints:
    """Tell where each of some parts begins, and the end."""
    return np.concatenate([[0], np.cumsum(_ints(sizes))]).astype(np.int64)


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, np.int64)
