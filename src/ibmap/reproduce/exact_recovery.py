"""How many rows a learner needs until every sample gives the exact structure (the protocol of SLIDE)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from ibmap.data.table import EncodedTable
from ibmap.reproduce.comparison import Comparison
from ibmap.reproduce.study import Factors, Instance, Problem
from ibmap.simulate import random_network
from ibmap.simulate.pairwise_network import PairwiseNetwork

N_SPINS = 16
WEAKEST = 0.4  # coupling θ in exp(θ s t) of two values -1 and 1; the log-odds ratio is four times as large
LADDER = tuple(250 * 2**k for k in range(9))


@dataclass(frozen=True)
class IsingSample(Problem):
    """N rows of a network of 16 variables with couplings of random sign, the weakest 0.4 in size."""

    structure: str
    strongest: float
    N: int

    @property
    def factors(self) -> Factors:
        """Structure, strongest coupling and N."""
        return {"structure": self.structure, "strongest": self.strongest, "N": self.N}

    @property
    def weight(self) -> float:
        """Grows with the rows."""
        return float(self.N + 2000)

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw a network and independent rows of it."""
        network = self.network(rng)
        rows = network.sample(self.N, random_state=rng, method="exact")
        return Instance(EncodedTable.from_codes(rows, [2] * N_SPINS, network.graph.names), network.graph)

    def network(self, rng: np.random.Generator) -> PairwiseNetwork:
        """Draw the network."""
        network = random_network(
            N_SPINS, 3, random_state=rng, structure=self.structure, signs="random", log_odds=4.0
        )
        sizes = rng.uniform(WEAKEST, self.strongest, network.graph.n_edges)
        sizes[rng.permutation(len(sizes))[:2]] = WEAKEST, self.strongest
        tables = [size * table for size, table in zip(sizes, network.log_potentials, strict=True)]
        return PairwiseNetwork(network.graph, tables, network.fields)


@dataclass(frozen=True)
class RowsNeeded:
    """A table of the smallest N of the ladder from which on all samples give the exact structure."""

    name: str
    title: str
    learners: tuple[tuple[str, str], ...]  # title and name
    rule: str = (
        "the smallest N from which on every sample gives exactly the true structure; - if there is none"
    )

    def compare(self, rows: pl.DataFrame) -> list[Comparison]:
        """Find the smallest N of every cell."""
        found = []
        for key, part in rows.group_by("structure", "strongest", maintain_order=True):
            cell = dict(zip(("structure", "strongest"), key, strict=True))
            for title, learner in self.learners:
                own = part.filter(pl.col("learner") == learner)
                needed = _needed(own.group_by("N").agg(pl.max("edge_errors")).sort("N").rows())
                found.append(Comparison(cell, title, needed, n_runs=own["repetition"].n_unique()))
        return found


def _needed(worst: list[tuple[int, float]]) -> float:
    """Go down the ladder while no sample has a wrong edge."""
    needed = math.nan
    for n_rows, errors in reversed(worst):
        if errors > 0:
            break
        needed = float(n_rows)
    return needed
