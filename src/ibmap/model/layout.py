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
    """Where everything is in the log-values of all factors laid end to end.

    Parameters
    ----------
    cardinalities : ndarray of shape (n_variables,)
        States of each variable.
    scopes : tuple of tuple of int
        The variables of each factor.
    arrays : tuple of ndarray
        As `ibmap.kernels.factors` wants them.
    """

    cardinalities: Ints
    scopes: tuple[tuple[int, ...], ...]
    arrays: tuple[Ints, ...]

    @classmethod
    def of(cls, cardinalities: Sequence[int], scopes: Sequence[tuple[int, ...]]) -> Layout:
        """Lay out factors over given sets of variables.

        Parameters
        ----------
        cardinalities : sequence of int
            States of each variable.
        scopes : sequence of tuple of int
            The variables of each factor.

        Returns
        -------
        Layout
            The arrays.

        Examples
        --------
        >>> Layout.of([2, 3], [(0,), (0, 1)]).n_cells
        8
        """
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
        """Lay tables end to end.

        Parameters
        ----------
        tables : sequence of ndarray
            One a factor.

        Returns
        -------
        ndarray of shape (n_cells,)
            All of them.
        """
        return np.concatenate([np.zeros(0), *(np.asarray(table, np.float64).ravel() for table in tables)])

    def split(self, values: Floats) -> list[Floats]:
        """Undo `join`.

        Parameters
        ----------
        values : ndarray of shape (n_cells,)
            All tables.

        Returns
        -------
        list of ndarray
            Views, one a factor.
        """
        offsets = self.arrays[0]
        shapes = [[int(self.cardinalities[v]) for v in scope] for scope in self.scopes]
        return [values[offsets[f] : offsets[f + 1]].reshape(shape) for f, shape in enumerate(shapes)]

    def factors(self, values: Floats) -> tuple[Factor, ...]:
        """Turn log-values into factors.

        Parameters
        ----------
        values : ndarray of shape (n_cells,)
            All tables.

        Returns
        -------
        tuple of Factor
            One a scope.
        """
        return tuple(
            Factor(scope, table) for scope, table in zip(self.scopes, self.split(values), strict=True)
        )

    def room(self) -> tuple[Ints, Floats]:
        """Make what the kernels write on: cells of the factors, and weights of a variable's states.

        Returns
        -------
        tuple of ndarray
            One entry a factor; one a state.
        """
        return np.empty(len(self.scopes), np.int64), np.empty(int(self.cardinalities.max(initial=1)))


class Conditionals:
    """The distribution of each variable given all others, for many rows at once.

    Parameters
    ----------
    potentials : Potentials
        The network.

    Examples
    --------
    >>> pair = Potentials((2, 2), (Factor((0, 1), np.log([[1.0, 2.0], [3.0, 4.0]])),))
    >>> Conditionals(pair).of(1, np.array([[0, 0]])).round(6)
    array([[0.333333, 0.666667]])
    """

    def __init__(self, potentials: Potentials) -> None:
        self.layout = Layout.of(potentials.cardinalities, [f.variables for f in potentials.factors])
        self.log_values = self.layout.join([f.log_values for f in potentials.factors])

    def pseudo_log_likelihood(self, codes: Codes) -> Floats:
        """Sum the log-probability of every variable given all others.

        Parameters
        ----------
        codes : ndarray of shape (n_rows, n_variables)
            States of all variables.

        Returns
        -------
        ndarray of shape (n_rows,)
            Natural logarithms.
        """
        rows = as_rows(codes)
        values = np.empty(len(rows))
        shape, arrays = self.layout.cardinalities, self.layout.arrays
        cells, weights = self.layout.room()
        kernels.pseudo_log_likelihoods(rows, shape, arrays, self.log_values, cells, weights, values)
        return values

    def of(self, variable: int, codes: Codes) -> Floats:
        """Give the distribution of a variable given all others.

        Parameters
        ----------
        variable : int
            Which.
        codes : ndarray of shape (n_rows, n_variables)
            States of all variables; that of `variable` itself does not matter.

        Returns
        -------
        ndarray of shape (n_rows, n_states)
            Probabilities; NaN where the others are impossible together.
        """
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
    """Copy codes so that a row is contiguous.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_variables)
        States.

    Returns
    -------
    ndarray of int64
        The same, row after row in memory.

    Examples
    --------
    >>> as_rows(np.zeros((2, 3), np.uint16)).dtype
    dtype('int64')
    """
    return np.ascontiguousarray(codes, np.int64)


def _steps(scope: Sequence[int], shape: Sequence[int]) -> list[tuple[int, int]]:
    """Tell how far one state of each variable moves in a factor's table."""
    lengths = [shape[v] for v in scope]
    return [(v, math.prod(lengths[k + 1 :])) for k, v in enumerate(scope)]


def _sums(sizes: Sequence[int]) -> Ints:
    """Tell where each of some parts begins, and the end."""
    return np.concatenate([[0], np.cumsum(_ints(sizes))]).astype(np.int64)


def _ints(values: Sequence[int]) -> Ints:
    """Make an array of integers."""
    return np.array(values, np.int64)
