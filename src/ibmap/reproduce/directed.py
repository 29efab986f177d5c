"""Baselines: Bayesian networks learned by pyAgrum, moralised or as they are without directions.

The moral graph is the Markov network of a Bayesian network. Of data from an undirected network it joins many
pairs that are not linked, and the skeleton is the better answer; so studies of those show both.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.util import find_spec

from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.reproduce.bayesian_networks import moral_graph
from ibmap.reproduce.study import Learned


def has_pyagrum() -> bool:
    """Tell whether these baselines can run here."""
    return find_spec("pyagrum") is not None and find_spec("pandas") is not None


def moralised(table: EncodedTable, method: str, *, join: bool = True) -> Learned:
    """Learn a directed graph, and drop its directions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of bindings, on import
        parents = _learned_parents(table, method)
    if join:
        return Learned(moral_graph(parents, table.names))
    links = sorted({(min(x, y), max(x, y)) for x, above in enumerate(parents) for y in above})
    return Learned(MarkovGraph.from_edges(table.n_variables, links, table.names))


def _learned_parents(table: EncodedTable, method: str) -> tuple[tuple[int, ...], ...]:
    """Let pyAgrum learn; its names and labels are made from ours by counting."""
    gum, pandas = import_module("pyagrum"), import_module("pandas")
    network = gum.BayesNet()
    codes = table.codes.repeat(table.weights, axis=0).astype(int).astype(str)
    names = [f"x{k}" for k in range(table.n_variables)]
    for name, n_states in zip(names, table.cardinalities.tolist(), strict=True):
        network.add(gum.RangeVariable(name, "", 0, n_states - 1))
    learner = gum.BNLearner(pandas.DataFrame(codes, columns=names), network)
    learner.setNumberOfThreads(1)
    if method == "miic":
        learner.useMIIC()
    else:
        learner.useGreedyHillClimbing()
        learner.useScoreBDeu()
    found = learner.learnDAG()
    return tuple(tuple(sorted(found.parents(x))) for x in range(table.n_variables))
