"""A bare structure as objects of other packages: the uniform distribution over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ibmap.errors import InvalidOptionError
from ibmap.model.cliques import pairwise_scopes
from ibmap.model.network import MarkovNetwork
from ibmap.model.potentials import Factor
from ibmap.result.formats import Network, as_result


def flat_network(network: Network, states: Sequence[Sequence[Any]] | None = None) -> MarkovNetwork:
    """Give a structure a factor of 1 on every edge: ready to be filled, or taken elsewhere."""
    result = as_result(network)
    labels = tuple(tuple(each) for each in (result.states if states is None else states))
    if len(labels) != result.graph.n_variables or not all(labels):
        msg = (
            "a Markov network needs the states of every variable, and these are not known; give them as "
            "states=[('no', 'yes'), ...], one entry for each of the "
            f"{result.graph.n_variables} variables"
        )
        raise InvalidOptionError(msg)
    sizes = [len(each) for each in labels]
    scopes = pairwise_scopes(result.graph)
    factors = tuple(Factor(scope, np.zeros([sizes[v] for v in scope])) for scope in scopes)
    return MarkovNetwork(result.graph, labels, factors)


def to_pgmpy(network: Network, states: Sequence[Sequence[Any]] | None = None) -> Any:
    """Give a structure as a pgmpy DiscreteMarkovNetwork with a factor of 1 on every edge."""
    return flat_network(network, states).to_pgmpy()


def to_pyagrum(network: Network, states: Sequence[Sequence[Any]] | None = None) -> Any:
    """Give a structure as a pyAgrum MarkovRandomField with a factor of 1 on every edge."""
    return flat_network(network, states).to_pyagrum()
