"""Whether one slope helps where states are in order, and harms where they are not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable
from ibmap.reproduce.comparison import Column, ComparisonTable
from ibmap.reproduce.metrics import EDGES
from ibmap.reproduce.mixed import RULE
from ibmap.reproduce.paper_learners import run
from ibmap.reproduce.problems import large_sample
from ibmap.reproduce.reports import TableReport
from ibmap.reproduce.study import Factors, Instance, Learner, Problem, Study
from ibmap.simulate import mixed_network, random_network
from ibmap.simulate.pairwise_network import PairwiseNetwork

STRENGTH = 0.3  # effect of two standardised scores on each other
LATENT = 1.2  # strength of a network of numbers that are then cut
THINNEST = 0.1  # share of the rows beyond the outermost cuts


@dataclass(frozen=True)
class OrderedSample(Problem):
    """N rows of a random network of variables with several states, said to be in order."""

    # "linear": states act by their scores; "latent": numbers cut at random places; "unordered": the scores
    # of each edge are shuffled; "bent": one end acts by how far it is from the middle
    family: str
    n: int
    n_states: int
    N: int

    @property
    def factors(self) -> Factors:
        """Family, n, states and N."""
        return {"family": self.family, "n": self.n, "states": self.n_states, "N": self.N}

    @property
    def weight(self) -> float:
        """Grows with the effects of a link, and the rows."""
        return float(self.n_states**4 * (self.N + 500))

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw a network and N rows of it."""
        remarks: tuple[str, ...] = ()
        codes: NDArray[np.integer[Any]]
        if self.family == "latent":
            source = mixed_network([0] * self.n, 3, random_state=rng, log_odds=LATENT)
            codes, graph = self._cut(source.sample(self.N, random_state=rng), rng), source.graph
        else:
            network = self._network(rng)
            codes, remarks = large_sample(network, self.N, rng)
            graph = network.graph
        table = EncodedTable.from_codes(codes, [self.n_states] * self.n, graph.names)
        return Instance(replace(table, ordered=np.ones(self.n, bool)), graph, remarks)

    def _cut(self, rows: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Cut numbers at random places."""
        shares = np.sort(rng.uniform(THINNEST, 1 - THINNEST, (self.n, self.n_states - 1)), axis=1)
        columns = [np.searchsorted(np.quantile(x, cuts), x) for x, cuts in zip(rows.T, shares, strict=True)]
        return np.array(columns).T

    def _network(self, rng: np.random.Generator) -> PairwiseNetwork:
        """Draw the network."""
        source = random_network(self.n, 3, random_state=rng, cardinalities=self.n_states)
        tables = [STRENGTH * rng.choice([-1, 1]) * np.outer(*self._scores(rng)) for _ in source.graph.edges]
        return PairwiseNetwork(source.graph, tables, source.fields)

    def _scores(self, rng: np.random.Generator) -> list[NDArray[np.float64]]:
        """Draw the standardised scores by which the states of both ends of an edge act."""
        scores = [np.arange(self.n_states, dtype=float) for _ in range(2)]
        if self.family == "unordered":
            scores = [rng.permutation(each) for each in scores]
        if self.family == "bent":
            scores[0] = (scores[0] - (self.n_states - 1) / 2) ** 2
        return [(each - each.mean()) / each.std() for each in scores]


LEARNERS = (
    Learner("averaged", partial(run, algorithm="ibmap")),
    Learner("slopes", partial(run, algorithm="ibmap", ordered=True)),
    Learner("states", partial(run, algorithm="ibmap", ordered=False)),
)
TITLES = {"averaged": "averaged (default)", "slopes": "one slope", "states": "every state"}
FAMILIES = ("linear", "latent", "unordered", "bent")


def ordered_studies() -> dict[str, Study]:
    """Give the study of variables in order by name."""
    sizes = [(k, rows) for k in (3, 5) for rows in (150, 500)]
    problems = tuple(OrderedSample(family, 10, *size) for family in FAMILIES for size in sizes)
    columns = tuple(Column(TITLES[each.name], "edge_errors", each.name) for each in LEARNERS)
    keys = ("family", "n", "states", "N")
    cells = ComparisonTable("ordered", "Wrong edges. States said to be in order", keys, columns, rule=RULE)
    means = ComparisonTable("ordered-mean", "Wrong edges. All cells by kind", keys[:1], columns, rule=RULE)
    study = Study(
        "ordered",
        "States in order: one slope, an effect of every state, or both averaged",
        problems,
        LEARNERS,
        (EDGES,),
        repetitions=6,
        reports=(TableReport(cells), TableReport(means)),
        quick=lambda problem: problem.n_states == 3 and problem.N == 150,
        quick_repetitions=1,
    )
    return {study.name: study}
