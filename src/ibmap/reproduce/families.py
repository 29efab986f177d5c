"""Families of random networks that a test of independence may meet, triples that act together included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.reproduce.bayesian_networks import BayesianNetwork
from ibmap.reproduce.problems import POOL, large_sample
from ibmap.reproduce.study import Factors, Instance, Problem
from ibmap.simulate import random_network
from ibmap.simulate.pairwise_network import PairwiseNetwork

PARITY_NOISE = 0.1  # share of rows in which a third variable is not the parity of the other two
BIASED = 0.25  # share of ones of the second variable of a triple in the family "interaction"
WEAKEST, STRONGEST = 0.8, 2.0  # log-odds of the family "mixed"
GATE_NOISE = 0.05  # share of rows in which a gate gives the wrong answer
SIMPSON = (  # probability of 1: of the second given the first, of the third given the first and the second
    np.array([0.2, 0.8]),
    np.array([[0.3, 0.1], [0.9, 0.7]]),
)


@dataclass(frozen=True)
class Family(Problem):
    """N rows of a random network of some kind."""

    # "positive": log-odds 1 on every edge; "signed": with random signs; "mixed": of random sign and 0.8 to 2
    # in size; "three-state": signed; "interaction", "parity": triples linked by parity, with a biased coin,
    # which shows in one pair, or a fair one, where no pair shows anything; "gates", "simpson": see `triples`
    family: str
    n: int
    tau: int  # mean degree; 2 for triples
    N: int

    @property
    def factors(self) -> Factors:
        """Family, n, tau and N."""
        return {"family": self.family, "n": self.n, "tau": self.tau, "N": self.N}

    @property
    def weight(self) -> float:
        """Grows as the regressions of all variables do."""
        return float(self.n**2.5 * self.tau**0.5 * (1 + self.N / 1000)) + 500

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw a network, a sample of it, and N rows of that."""
        if self.family in ("parity", "interaction"):
            share = BIASED if self.family == "interaction" else 0.5
            rows, graph = parity_rows(self.n, POOL, rng, share)
            remarks: tuple[str, ...] = ()
        elif self.family in ("gates", "simpson"):
            source = triples(self.family, self.n)
            rows, graph, remarks = source.sample(POOL, rng).codes, source.graph, ()
        else:
            network = self._network(rng)
            graph, (rows, remarks) = network.graph, large_sample(network, POOL, rng)
        chosen = rows[rng.permutation(len(rows))[: self.N]]
        n_states = [3 if self.family == "three-state" else 2] * self.n
        return Instance(EncodedTable.from_codes(chosen, n_states, graph.names), graph, remarks)

    def _network(self, rng: np.random.Generator) -> PairwiseNetwork:
        signs = "positive" if self.family == "positive" else "random"
        n_states = 3 if self.family == "three-state" else 2
        network = random_network(self.n, self.tau, random_state=rng, signs=signs, cardinalities=n_states)
        if self.family != "mixed":
            return network
        strengths = rng.uniform(WEAKEST, STRONGEST, network.graph.n_edges)
        tables = [a * table for a, table in zip(strengths, network.log_potentials, strict=True)]
        return PairwiseNetwork(network.graph, tables, network.fields)


def parity_rows(
    n: int, n_rows: int, rng: np.random.Generator, share: float = 0.5
) -> tuple[NDArray[np.uint16], MarkovGraph]:
    """Draw triples of coins of which the third is mostly the parity of the other two."""
    rows = rng.integers(0, 2, (n_rows, n), dtype=np.uint16)
    noise = rng.random((n_rows, n)) < PARITY_NOISE
    biased = rng.random((n_rows, n)) < share
    edges = []
    for first in range(0, n - 2, 3):
        x, y, z = first, first + 1, first + 2
        if share != 0.5:
            rows[:, y] = biased[:, y]
        rows[:, z] = (rows[:, x] + rows[:, y] + noise[:, z]) % 2
        edges += [(x, y), (x, z), (y, z)]
    return rows, MarkovGraph.from_edges(n, edges, [f"x{k}" for k in range(n)])


def triples(kind: str, n: int) -> BayesianNetwork:
    """Make separate triples: noisy OR and AND by turns, or associations that the first reverses."""
    parents: list[tuple[int, ...]] = [()] * n
    ones = [np.array(0.5)] * n
    for first in range(0, n - 2, 3):
        second, third = first + 1, first + 2
        parents[third] = (first, second)
        if kind == "simpson":
            parents[second] = (first,)
            ones[second], ones[third] = SIMPSON
        else:
            gate = np.array([[0, 1], [1, 1]]) if first % 2 == 0 else np.array([[0, 0], [0, 1]])
            ones[third] = np.abs(gate - GATE_NOISE)
    tables = tuple(np.stack([1 - each, each]) for each in ones)
    return BayesianNetwork(tuple(f"x{k}" for k in range(n)), tuple(parents), tables)
