"""Random Markov networks with known structure, and samples of them.

This is what learners are judged on: draw a network, sample it, learn, compare
with ``network.graph``.

Examples
--------
>>> network = random_network(12, 4, random_state=1)
>>> network.graph
MarkovGraph(12 variables, 24 edges)
>>> network.sample(200, random_state=2).shape
(200, 12)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ibmap.graph import MarkovGraph, named_graph
from ibmap.options import RandomState, as_generator
from ibmap.simulate.log_potentials import PotentialOptions, as_cardinalities, draw_fields, draw_log_potentials
from ibmap.simulate.mixed import MixedNetwork, mixed_network
from ibmap.simulate.pairwise_network import PairwiseNetwork
from ibmap.simulate.structures import draw_structure

__all__ = ["MixedNetwork", "PairwiseNetwork", "mixed_network", "network_on", "random_network"]


def random_network(
    n_variables: int,
    tau: float | None = None,
    *,
    random_state: RandomState = None,
    structure: str = "mean-degree",
    log_odds: float = 1.0,
    signs: str = "positive",
    fields: float = 0.0,
    cardinalities: int | Sequence[int] = 2,
) -> PairwiseNetwork:
    """Draw a Markov network.

    Parameters
    ----------
    n_variables : int
        Number of variables.
    tau : float, optional
        Connectivity τ, from 0 to n - 1; see `structure`, which may not need it.
    random_state : int, numpy.random.Generator or None
        Seed. For one seed the structure is the same whatever the options below it.
    structure : str
        ``mean-degree``: nτ/2 edges (rounded) drawn from all pairs, the reading
        that meets the paper's numbers. ``paper``: each variable joined to the
        first τ of a random permutation of the others, the paper's words, with
        up to nτ edges. ``regular``: every variable has τ neighbours, nτ even.
        ``erdos-renyi``: each pair joined with probability τ/(n - 1).
        ``scale-free``: preferential attachment (Barabási and Albert), each
        newcomer bringing τ/2 edges, τ even. ``grid`` (nearly square, filled row
        after row), ``chain`` and ``star`` (around the first variable) are not
        random and ignore `tau`.
    log_odds : float
        Log-odds ratio e of every edge: ψ = exp(e/4 · [[1, -1], [-1, 1]]) for
        two states. For more, ψ = exp(e/4) where the states are equal and
        exp(-e/4) elsewhere (Potts), so that any two states a, b that both
        variables have give log(ψaa ψbb / ψab ψba) = e.
    signs : {"positive", "random", "drawn"}
        ``positive``: every edge has e. ``random``: e or -e, with equal chance.
        ``drawn``: e, in a table with first row and column uniform on (0, 1] and
        the rest solved for; for two states three entries and the fourth.
    fields : float
        Standard deviation of the normal node fields, which give each state its
        own log-odds against the first; 0 for none.
    cardinalities : int or sequence of int
        States of every variable, or of each.

    Returns
    -------
    PairwiseNetwork
        With `graph`, `potentials`, `fields`, `sample`, ...

    Examples
    --------
    >>> random_network(50, 4, random_state=1)
    PairwiseNetwork(50 variables, 100 edges)
    >>> random_network(6, structure="grid", cardinalities=3).graph.edges
    ((0, 1), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (4, 5))
    """
    options = PotentialOptions(log_odds, signs, fields)
    rng = as_generator(random_state)
    graph = draw_structure(n_variables, tau, structure, rng)
    return _furnished(graph, options, cardinalities, rng)


def network_on(
    graph: Any,
    *,
    random_state: RandomState = None,
    log_odds: float = 1.0,
    signs: str = "positive",
    fields: float = 0.0,
    cardinalities: int | Sequence[int] = 2,
) -> PairwiseNetwork:
    """Put potentials on a given structure.

    Parameters
    ----------
    graph : MarkovGraph, networkx.Graph or array_like
        The structure. A networkx graph over 0, 1, ... numbers the variables;
        any other names them, in the order of its nodes.
    random_state : int, numpy.random.Generator or None
        Seed of random signs, drawn tables and fields.
    log_odds, signs, fields, cardinalities
        As for `random_network`.

    Returns
    -------
    PairwiseNetwork
        With `graph`, `potentials`, `fields`, `sample`, ...

    Examples
    --------
    >>> network = network_on([[0, 1], [1, 0]], log_odds=2.0)
    >>> network.potentials[0, 1].round(2)
    array([[1.65, 0.61],
           [0.61, 1.65]])
    """
    options = PotentialOptions(log_odds, signs, fields)
    return _furnished(named_graph(graph), options, cardinalities, as_generator(random_state))


def _furnished(
    graph: MarkovGraph, options: PotentialOptions, cardinalities: int | Sequence[int], rng: Any
) -> PairwiseNetwork:
    """Draw what the structure lacks to be a network."""
    n_states = as_cardinalities(cardinalities, graph.n_variables)
    log_potentials = draw_log_potentials(graph.edges, n_states, options, rng)
    return PairwiseNetwork(graph, log_potentials, draw_fields(n_states, options.fields, rng))
