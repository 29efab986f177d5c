"""Potentials: what a Markov network multiplies, as logarithms.

Pr(x) = exp(sum of the factors at x) / Z. A factor is a table over a few
variables; minus infinity stands for a probability of zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ibmap.errors import InvalidGraphError, InvalidOptionError
from ibmap.graph import MarkovGraph

Floats = NDArray[np.float64]
Codes = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Factor:
    """The logarithm of a potential over some variables."""

    variables: tuple[int, ...]
    log_values: Floats  # one axis for each of `variables`, in that order

    def __post_init__(self) -> None:
        values = np.array(self.log_values, np.float64, order="C")
        values.setflags(write=False)
        object.__setattr__(self, "log_values", values)
        object.__setattr__(self, "variables", tuple(int(v) for v in self.variables))
        if len(set(self.variables)) != len(self.variables) or values.ndim != len(self.variables):
            msg = (
                f"a factor over {self.variables} needs one axis for each of different variables; "
                f"its table has {values.ndim} axes"
            )
            raise InvalidOptionError(msg)
        if np.isnan(values).any() or (values == np.inf).any():
            msg = f"the log-potential over {self.variables} must be finite, or -inf for a probability of zero"
            raise InvalidOptionError(msg)
        if values.size and (values == -np.inf).all():
            msg = f"the potential over {self.variables} is zero everywhere: no configuration is possible"
            raise InvalidOptionError(msg)

    def at(self, codes: Codes) -> Floats:
        """Give the log-potential of each row of states."""
        return np.asarray(self.log_values[tuple(codes[:, v] for v in self.variables)]) + np.zeros(len(codes))

    def __repr__(self) -> str:
        return f"Factor({self.variables}, {' x '.join(map(str, self.log_values.shape))})"


@dataclass(frozen=True, eq=False)
class Potentials:
    """The factors of a network over variables numbered from 0."""

    cardinalities: tuple[int, ...]
    factors: tuple[Factor, ...]

    def __post_init__(self) -> None:
        for factor in self.factors:
            _check_shape(factor, self.cardinalities)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.cardinalities)

    @property
    def n_configurations(self) -> int:
        """Number of joint states of all variables."""
        return math.prod(self.cardinalities)

    @cached_property
    def adjacency(self) -> NDArray[np.bool_]:
        """Which variables are together in a factor."""
        matrix = np.zeros((self.n_variables, self.n_variables), bool)
        for factor in self.factors:
            matrix[np.ix_(factor.variables, factor.variables)] = True
        np.fill_diagonal(matrix, False)
        return matrix

    @property
    def is_pairwise(self) -> bool:
        """Whether no factor is over more than two variables."""
        return all(len(factor.variables) <= 2 for factor in self.factors)

    @property
    def is_positive(self) -> bool:
        """Whether no configuration has probability zero."""
        return all(bool(np.isfinite(factor.log_values).all()) for factor in self.factors)

    def log_unnormalised(self, codes: Codes) -> Floats:
        """Add up the factors at rows of states."""
        total = np.zeros(len(codes))
        for factor in self.factors:
            total += factor.at(codes)
        return total

    def given(self, variables: Sequence[int], codes: Sequence[int]) -> tuple[Potentials, tuple[int, ...]]:
        """Fix some variables; the others are numbered anew, and their old numbers come second."""
        seen = dict(zip(variables, codes, strict=True))
        free = tuple(v for v in range(self.n_variables) if v not in seen)
        place = {v: k for k, v in enumerate(free)}
        factors = []
        for factor in self.factors:
            index = tuple(seen.get(v, slice(None)) for v in factor.variables)
            left = tuple(place[v] for v in factor.variables if v in place)
            factors.append(Factor(left, factor.log_values[index]))
        return Potentials(tuple(self.cardinalities[v] for v in free), tuple(factors)), free


def merged(factors: Iterable[Factor], scopes: Sequence[Sequence[int]], shape: Sequence[int]) -> list[Factor]:
    """Add each factor to the table over the first set of variables that contains its own."""
    tables = [np.zeros([shape[v] for v in scope]) for scope in scopes]
    holders = [frozenset(scope) for scope in scopes]
    for factor in factors:
        home = next(k for k, holder in enumerate(holders) if holder.issuperset(factor.variables))
        tables[home] += broadcast_over(factor.log_values, factor.variables, scopes[home])
    return [Factor(tuple(scope), table) for scope, table in zip(scopes, tables, strict=True)]


def broadcast_over(values: ArrayLike, variables: Sequence[int], scope: Sequence[int]) -> Floats:
    """Shape a table so that it broadcasts over a larger set of variables."""
    table = np.asarray(values, np.float64)
    order = sorted(range(len(variables)), key=lambda k: variables[k])
    lengths = iter(table.shape[k] for k in order)
    return table.transpose(order).reshape([next(lengths) if v in variables else 1 for v in scope])


def check_cliques(graph: MarkovGraph, factors: Iterable[Factor]) -> None:
    """Refuse factors over variables that are not joined."""
    for factor in factors:
        for k, v in enumerate(factor.variables):
            for u in factor.variables[:k]:
                if not (0 <= u < graph.n_variables and 0 <= v < graph.n_variables and graph.adjacency[u, v]):
                    msg = f"a factor is over variables {u} and {v}, which the graph does not join"
                    raise InvalidGraphError(msg)


def _check_shape(factor: Factor, cardinalities: Sequence[int]) -> None:
    """Refuse a factor that does not fit the variables."""
    if any(not 0 <= v < len(cardinalities) for v in factor.variables):
        msg = f"a factor is over {factor.variables}; the variables are 0 to {len(cardinalities) - 1}"
        raise InvalidOptionError(msg)
    wanted = tuple(cardinalities[v] for v in factor.variables)
    if factor.log_values.shape != wanted:
        msg = f"the factor over {factor.variables} must have shape {wanted}; got {factor.log_values.shape}"
        raise InvalidOptionError(msg)
