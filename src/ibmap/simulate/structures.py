"""Random and regular structures of Markov networks.

The paper's networks have n variables and a connectivity τ. Its numbers are
met best when τ is the mean degree: nτ/2 edges drawn from all pairs. The other
structures are the paper's literal recipe and the usual ones of the field.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ibmap.errors import InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.options import as_choice, as_count

Edges = Iterable[tuple[int, int]]


def draw_structure(
    n_variables: int, tau: float | None, structure: str, rng: np.random.Generator
) -> MarkovGraph:
    """Draw the graph of a network."""
    as_choice(structure, "structure", STRUCTURES)
    n_variables = as_count(n_variables, "n_variables", low=1)
    if structure in _FIXED:
        return MarkovGraph.from_edges(n_variables, _FIXED[structure](n_variables))
    degree = _checked_tau(tau, n_variables, structure)
    return MarkovGraph.from_edges(n_variables, _RANDOM[structure](n_variables, degree, rng))


def _checked_tau(tau: float | None, n_variables: int, structure: str) -> float:
    """Refuse a connectivity that no graph of this size has."""
    is_number = isinstance(tau, (int, float, np.number)) and not isinstance(tau, bool)
    if tau is None or not is_number or not 0 <= tau <= n_variables - 1:
        msg = (
            f"tau must be a number from 0 to n_variables - 1 = {n_variables - 1} "
            f"for the structure {structure!r}; got {tau!r}"
        )
        raise InvalidOptionError(msg)
    return float(tau)


def _whole_tau(tau: float, structure: str) -> int:
    """Refuse a fractional connectivity."""
    if not tau.is_integer():
        msg = f"tau must be a whole number for the structure {structure!r}; got {tau!r}"
        raise InvalidOptionError(msg)
    return int(tau)


def _mean_degree(n_variables: int, tau: float, rng: np.random.Generator) -> Edges:
    """Choose nτ/2 of all pairs."""
    n_pairs = n_variables * (n_variables - 1) // 2
    return _pairs(rng.choice(n_pairs, size=round(n_variables * tau / 2), replace=False), n_variables)


def _paper(n_variables: int, tau: float, rng: np.random.Generator) -> Edges:
    """Join each variable to the first τ of a permutation of the others."""
    n_partners = _whole_tau(tau, "paper")
    for x in range(n_variables):
        others = np.delete(np.arange(n_variables), x)
        for y in rng.permutation(others)[:n_partners]:
            yield x, int(y)


def _regular(n_variables: int, tau: float, rng: np.random.Generator) -> Edges:
    """Give every variable exactly τ neighbours."""
    import networkx as nx

    degree = _whole_tau(tau, "regular")
    if n_variables * degree % 2:
        msg = (
            f"tau must make n_variables * tau even for the structure 'regular'; "
            f"got {degree} for {n_variables} variables"
        )
        raise InvalidOptionError(msg)
    return list(nx.random_regular_graph(degree, n_variables, seed=_networkx_seed(rng)).edges())


def _erdos_renyi(n_variables: int, tau: float, rng: np.random.Generator) -> Edges:
    """Take each pair independently, with the probability that gives mean degree τ."""
    n_pairs = n_variables * (n_variables - 1) // 2
    return _pairs(np.flatnonzero(rng.random(n_pairs) * (n_variables - 1) < tau), n_variables)


def _scale_free(n_variables: int, tau: float, rng: np.random.Generator) -> Edges:
    """Let each newcomer join τ/2 variables, the well-connected ones first (Barabási and Albert)."""
    import networkx as nx

    n_joined = tau / 2
    if n_joined < 1 or not n_joined.is_integer():
        msg = (
            f"tau must be an even number from 2 for the structure 'scale-free', where each new variable "
            f"brings tau / 2 edges; got {tau!r}"
        )
        raise InvalidOptionError(msg)
    seed = _networkx_seed(rng)
    return list(nx.barabasi_albert_graph(n_variables, int(n_joined), seed=seed).edges())


def _pairs(numbers: NDArray[np.int64], n_variables: int) -> Edges:
    """Turn places in the list (0, 1), (0, 2), ..., (n - 2, n - 1) of all pairs into the pairs."""
    first, second = np.triu_indices(n_variables, 1)
    return zip(first[numbers].tolist(), second[numbers].tolist(), strict=True)


def _networkx_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


def _grid(n_variables: int) -> Iterator[tuple[int, int]]:
    """Fill the rows of a nearly square grid, joining each cell to the right and below."""
    width = math.isqrt(n_variables - 1) + 1
    for cell in range(n_variables):
        if (cell + 1) % width and cell + 1 < n_variables:
            yield cell, cell + 1
        if cell + width < n_variables:
            yield cell, cell + width


def _chain(n_variables: int) -> Edges:
    """Join each variable to the next."""
    return [(x, x + 1) for x in range(n_variables - 1)]


def _star(n_variables: int) -> Edges:
    """Join the first variable to all others."""
    return [(0, x) for x in range(1, n_variables)]


_RANDOM: dict[str, Callable[[int, float, np.random.Generator], Edges]] = {
    "mean-degree": _mean_degree,
    "paper": _paper,
    "regular": _regular,
    "erdos-renyi": _erdos_renyi,
    "scale-free": _scale_free,
}
_FIXED: dict[str, Callable[[int], Edges]] = {"grid": _grid, "chain": _chain, "star": _star}
STRUCTURES = (*_RANDOM, *_FIXED)
