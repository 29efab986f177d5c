"""Where data sets come from: samples of random networks, parts of tables."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.binning import BinRule
from ibmap.data.table import EncodedTable, take_rows
from ibmap.datasets import benchmark_table
from ibmap.errors import SamplingWarning
from ibmap.reproduce.study import Factors, Instance, Problem, as_remark, reason
from ibmap.simulate import random_network
from ibmap.simulate.pairwise_network import PairwiseNetwork

POOL = 12000  # rows sampled of each network; the N rows learned from are drawn from these, as in the paper


@dataclass(frozen=True)
class SampledNetwork(Problem):
    """N rows out of a sample of a random network."""

    n: int
    tau: int  # mean degree
    N: int
    signs: str = "positive"  # signs of the potentials; see `ibmap.simulate.random_network`
    structure: str = "mean-degree"  # kind of structure; see `ibmap.simulate.random_network`
    log_odds: float = 1.0

    @property
    def factors(self) -> Factors:
        """n, tau and N, and whatever is not as in the paper."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return {each.name: given[each.name] for each in fields(self) if given[each.name] != each.default}

    @property
    def weight(self) -> float:
        """Grows as a climb from a dense start: n^3 and the degree, little with N."""
        return float(self.n**3 * self.tau * (1 + self.N / 5000)) + 2000

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw a network, a large sample of it, and N rows of that."""
        options: Any = {"structure": self.structure, "signs": self.signs, "log_odds": self.log_odds}
        network = random_network(self.n, self.tau, random_state=rng, **options)
        rows, remarks = large_sample(network, max(POOL, self.N), rng)
        chosen = rows[rng.permutation(len(rows))[: self.N]]
        table = EncodedTable.from_codes(chosen, network.cardinalities.tolist(), network.graph.names)
        return Instance(table, network.graph, remarks)


def large_sample(
    network: PairwiseNetwork, n_rows: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint16], tuple[str, ...]]:
    """Draw the rows of which data sets are parts, and what the sampler warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SamplingWarning)
        rows = network.sample(n_rows, random_state=rng, n_threads=1)
    return rows, tuple(map(as_remark, caught))


@dataclass(frozen=True)
class PartOfTable(Problem):
    """A random part of a benchmark set, held against the whole."""

    dataset: str
    part: int  # the part is one of so many: 3 for a third
    n: int
    N: int  # rows of the whole
    folder: str = ""  # where ``NAME.csv`` is, for sets that do not follow from rules; empty if there is none
    bins: BinRule = "width"  # how columns of many numbers are cut

    @property
    def factors(self) -> Factors:
        """The set with its size."""
        return {"dataset": self.dataset, "n": self.n, "N": self.N}

    @property
    def data_key(self) -> str:
        """The set and the size of the part."""
        return f"{self.dataset} {self.N} 1/{self.part}"

    @property
    def weight(self) -> float:
        """Grows with the variables, and a little with the rows."""
        return float(self.n**4 + 10 * self.N)

    def missing_data(self) -> str:
        """Say why the file cannot be read."""
        return reason(_whole, self.dataset, self.folder, self.bins)

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw a part of the rows."""
        whole = _whole(self.dataset, self.folder, self.bins)
        chosen = np.sort(rng.permutation(whole.n_rows)[: max(whole.n_rows // self.part, 1)])
        return Instance(take_rows(whole, chosen), whole)


@lru_cache(maxsize=32)
def _whole(dataset: str, folder: str, bins: BinRule) -> EncodedTable:
    """Read a set once in each process."""
    return benchmark_table(dataset, folder or None, bins=bins)
