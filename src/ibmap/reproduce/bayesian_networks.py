"""Well-known Bayesian networks: their moral graphs, and samples of them.

A distribution that factorises over a directed graph has the moral graph as its Markov network: parents are
joined to their child and to each other. The networks come with pgmpy, as files; no network access is needed.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache
from graphlib import TopologicalSorter
from importlib import import_module
from importlib.resources import files
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable
from ibmap.errors import MissingLibraryError, UnavailableDataError
from ibmap.graph import MarkovGraph
from ibmap.reproduce.study import Factors, Instance, Problem, reason


@dataclass(frozen=True, eq=False)
class BayesianNetwork:
    """A directed graph with a table of conditional probabilities for each variable."""

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    # of each variable: axis 0 is its own state, the others are its parents' in order
    tables: tuple[NDArray[np.float64], ...]

    @property
    def graph(self) -> MarkovGraph:
        """The moral graph."""
        return moral_graph(self.parents, self.names)

    def sample(self, n_rows: int, rng: np.random.Generator) -> EncodedTable:
        """Draw rows, parents before children."""
        codes = np.zeros((n_rows, len(self.names)), np.uint16)
        for x in TopologicalSorter(dict(enumerate(self.parents))).static_order():
            limits = np.cumsum(np.moveaxis(self.tables[x], 0, -1), axis=-1)[..., :-1]
            own = limits[tuple(codes[:, y] for y in self.parents[x])]  # those of the row's parents
            codes[:, x] = (rng.random((n_rows, 1)) >= own).sum(axis=1)
        return EncodedTable.from_codes(codes, [len(table) for table in self.tables], self.names)


def moral_graph(parents: tuple[tuple[int, ...], ...], names: tuple[str, ...]) -> MarkovGraph:
    """Join parents to their child and to each other."""
    edges = {pair for x, above in enumerate(parents) for pair in combinations(sorted((x, *above)), 2)}
    return MarkovGraph.from_edges(len(names), sorted(edges), names)


@lru_cache(maxsize=8)
def bayesian_network(name: str) -> BayesianNetwork:
    """Get a network that comes with pgmpy."""
    try:
        reader = import_module("pgmpy.readwrite").BIFReader
    except ImportError as error:
        msg = f"the network {name!r} comes with pgmpy, which is not installed: pip install 'ibmap[pgmpy]'"
        raise MissingLibraryError(msg) from error
    try:
        packed = (files("pgmpy.utils") / "example_models" / f"{name}.bif.gz").read_bytes()
    except OSError as error:
        msg = f"the installed pgmpy has no network {name!r}: utils/example_models/{name}.bif.gz is not there"
        raise UnavailableDataError(msg) from error
    model = reader(string=gzip.decompress(packed).decode()).get_model()
    names = tuple(map(str, model.nodes()))
    given = [model.get_cpds(each) for each in names]
    parents = tuple(tuple(names.index(each) for each in table.variables[1:]) for table in given)
    return BayesianNetwork(names, parents, tuple(np.asarray(table.values, np.float64) for table in given))


@dataclass(frozen=True)
class NetworkSample(Problem):
    """N rows of a well-known Bayesian network."""

    network: str
    N: int

    @property
    def factors(self) -> Factors:
        """The network and N."""
        return {"network": self.network, "N": self.N}

    @property
    def data_key(self) -> str:
        """The network and N: each sample is drawn by itself."""
        return f"network={self.network} N={self.N}"

    @property
    def weight(self) -> float:
        """Grows with the rows."""
        return float(self.N + 500)

    def missing_data(self) -> str:
        """Say what to install."""
        return reason(bayesian_network, self.network)

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw a sample; the moral graph is its reference."""
        network = bayesian_network(self.network)
        return Instance(network.sample(self.N, rng), network.graph)
