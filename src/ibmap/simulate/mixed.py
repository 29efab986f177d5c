"""Markov networks of numbers and categories, and samples of them.

The pairwise mixed network (Lee and Hastie 2015; the model of mgm): log p is a sum of φ_i' W_ij φ_j over the
edges, less half the square of every number. φ is a number itself, or the indicators of a category's states.
Given all others a number is normal with variance 1, and a category follows a multinomial logistic regression.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibmap.errors import InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.options import RandomState, as_count, as_generator, as_number
from ibmap.simulate.log_potentials import matching_table
from ibmap.simulate.structures import draw_structure

Floats = NDArray[np.float64]

LEAST_PRECISION = 0.1  # smallest eigenvalue of the numbers' precision matrix


@dataclass(frozen=True, eq=False, repr=False)
class MixedNetwork:
    """A Markov network of numbers and categories with one table of effects an edge.

    Parameters
    ----------
    graph : MarkovGraph
        The structure.
    n_states : tuple of int
        States of each variable; 0 for a number.
    effects : tuple of ndarray
        For each edge (i, j) of `graph.edges` the table W: a row for each state of i, a column for each
        of j, and one for a number.

    Examples
    --------
    >>> network = mixed_network([0, 0, 2, 3], 2, random_state=1)
    >>> network
    MixedNetwork(2 numbers, 2 categories, 4 edges)
    >>> network.sample(100, random_state=2).shape
    (100, 4)
    """

    graph: MarkovGraph
    n_states: tuple[int, ...]
    effects: tuple[Floats, ...]

    def sample(self, n_samples: int, *, random_state: RandomState = None, burn_in: int = 200) -> Floats:
        """Draw rows, each the end of a Gibbs chain of its own.

        Parameters
        ----------
        n_samples : int
            Rows to draw.
        random_state : int, numpy.random.Generator or None
            Seed.
        burn_in : int
            Sweeps over all variables.

        Returns
        -------
        ndarray of shape (n_samples, n_variables)
            Numbers as they are; categories by the number of their state, from 0.

        Examples
        --------
        >>> rows = mixed_network([0, 2], 1, random_state=1).sample(4, random_state=1)
        >>> rows[:, 1]
        array([0., 1., 0., 0.])
        """
        n_samples, rng = as_count(n_samples, "n_samples"), as_generator(random_state)
        sweeps = as_count(burn_in, "burn_in", low=1)
        features = [_drawn(np.zeros((n_samples, max(k, 1))), k, rng) for k in self.n_states]
        links: list[list[tuple[int, Floats]]] = [[] for _ in self.n_states]
        for (x, y), table in zip(self.graph.edges, self.effects, strict=True):
            links[x].append((y, table.T))
            links[y].append((x, table))
        for _ in range(sweeps):
            for x, k in enumerate(self.n_states):
                field = np.zeros((n_samples, max(k, 1)))
                for y, table in links[x]:
                    field += features[y] @ table
                features[x] = _drawn(field, k, rng)
        columns = [
            f[:, 0] if k == 0 else f.argmax(axis=1) for f, k in zip(features, self.n_states, strict=True)
        ]
        return np.array(columns, np.float64).T.reshape(n_samples, -1)

    def __repr__(self) -> str:
        n_numbers = self.n_states.count(0)
        n_categories = len(self.n_states) - n_numbers
        return f"MixedNetwork({n_numbers} numbers, {n_categories} categories, {self.graph.n_edges} edges)"


def mixed_network(
    n_states: Sequence[int],
    tau: float | None = None,
    *,
    random_state: RandomState = None,
    structure: str = "mean-degree",
    log_odds: float = 1.0,
) -> MixedNetwork:
    """Draw a Markov network of numbers and categories.

    Every edge is as strong as the others: W = e/4 for two numbers, so that their partial correlation
    is about e/4; e/4 · [[1, -1], [-1, 1]] for two binary variables, whose log-odds ratio is e; and a number
    is to others what a binary variable with the values -1 and 1 is. Signs are random.

    Parameters
    ----------
    n_states : sequence of int
        States of each category, from 2; 0 for a number.
    tau, random_state, structure
        As for `random_network`.
    log_odds : float
        Strength e of every edge. Effects of numbers on numbers are made smaller together
        where they would have no distribution.

    Returns
    -------
    MixedNetwork
        With `graph`, `effects` and `sample`.

    Examples
    --------
    >>> mixed_network([0] * 10 + [2] * 5, 3, random_state=1)
    MixedNetwork(10 numbers, 5 categories, 22 edges)
    """
    strength = as_number(log_odds, "log_odds", low=0, high=float("inf"))
    states = tuple(as_count(k, "n_states") for k in n_states)
    if 1 in states:
        msg = "n_states has a 1: a category has at least 2 states, and 0 stands for a number"
        raise InvalidOptionError(msg)
    rng = as_generator(random_state)
    graph = draw_structure(len(states), tau, structure, rng)
    effects = tuple(_draw_effects(states[x], states[y], strength, rng) for x, y in graph.edges)
    return MixedNetwork(graph, states, _with_distribution(graph, states, effects))


def _draw_effects(own: int, other: int, strength: float, rng: np.random.Generator) -> Floats:
    """Draw the table of an edge."""
    sign = rng.choice([-1.0, 1.0])
    if own and other:
        return np.asarray(sign * matching_table(strength, (own, other)))
    return np.asarray(sign * strength / 4 * np.outer(_contrast(own, rng), _contrast(other, rng)))


def _contrast(n_states: int, rng: np.random.Generator) -> Floats:
    """Draw values of a category's states with mean 0 and mean square 1; a number has its own."""
    if n_states == 0:
        return np.ones(1)
    values = rng.permutation(np.arange(n_states, dtype=float))
    return np.asarray((values - values.mean()) / values.std(), np.float64)


def _with_distribution(
    graph: MarkovGraph, n_states: tuple[int, ...], effects: tuple[Floats, ...]
) -> tuple[Floats, ...]:
    """Shrink effects between numbers until their precision matrix is positive definite."""
    matrix = np.zeros((len(n_states), len(n_states)))
    joins = [n_states[x] == n_states[y] == 0 for x, y in graph.edges]
    for (x, y), table, is_between in zip(graph.edges, effects, joins, strict=True):
        if is_between:
            matrix[x, y] = matrix[y, x] = table[0, 0]
    largest = float(np.linalg.eigvalsh(matrix)[-1])
    factor = min(1.0, (1 - LEAST_PRECISION) / largest) if largest > 0 else 1.0
    return tuple(
        factor * table if is_between else table for table, is_between in zip(effects, joins, strict=True)
    )


def _drawn(field: Floats, n_states: int, rng: np.random.Generator) -> Floats:
    """Draw a variable given all others: a number around its mean, or the indicators of a state."""
    if n_states == 0:
        return field + rng.normal(size=field.shape)
    return np.asarray(np.eye(n_states)[(field + rng.gumbel(size=field.shape)).argmax(axis=1)])
