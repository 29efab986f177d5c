"""How well numbers are learned from: as they are, cut into bins, and by others' ways."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.reproduce.comparison import Column, ComparisonTable
from ibmap.reproduce.curved_trees import CURVES, draw_tree
from ibmap.reproduce.metrics import EDGES
from ibmap.reproduce.mixed_baselines import ebic_glasso, false_discovery, mixed_l1
from ibmap.reproduce.paper_learners import run
from ibmap.reproduce.reports import TableReport
from ibmap.reproduce.study import Factors, Instance, Learned, Learner, Problem, Study
from ibmap.simulate.mixed import mixed_network

RULE = "the fewer wrong edges, the better"
OUTLIERS, OUTLYING = 0.02, 10.0  # share of cells, and by how many standard deviations they are off


@dataclass(frozen=True)
class MixedSample(Problem):
    """N rows of a random network of numbers and categories."""

    # "gaussian": numbers alone; "skewed": their exponentials; "outliers": one cell in fifty is far off;
    # "mixed": half are numbers, a quarter has two states, a quarter three; "skewed mixed"; "categorical":
    # two and three states; the names of curves: trees (`curved_trees`), alone or with "mixed"
    family: str
    n: int
    tau: int  # mean degree
    N: int

    @property
    def factors(self) -> Factors:
        """Family, n, tau and N."""
        return {"family": self.family, "n": self.n, "tau": self.tau, "N": self.N}

    @property
    def weight(self) -> float:
        """Grows with the variables and the rows."""
        return float(self.n**2 * (self.N + 500))

    @property
    def n_states(self) -> list[int]:
        """States of each variable, 0 for a number."""
        if self.family == "categorical":
            return [2 + v % 2 for v in range(self.n)]
        if self.family.endswith("mixed"):
            return [(0, 2, 0, 3)[v % 4] for v in range(self.n)]
        return [0] * self.n

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw a network and N rows of it."""
        states = self.n_states
        if self.curves in CURVES:
            rows, graph = draw_tree(self.curves, states, self.N, rng)
            return self._instance(rows, graph)
        network = mixed_network(states, self.tau, random_state=rng)
        rows = network.sample(self.N, random_state=rng)
        is_number = np.array(states) == 0
        if self.family.startswith("skewed"):
            rows[:, is_number] = np.exp(rows[:, is_number])
        if self.family == "outliers":
            rows += OUTLYING * rng.normal(size=rows.shape) * (rng.random(rows.shape) < OUTLIERS)
        return self._instance(rows, network.graph)

    @property
    def curves(self) -> str:
        """The relations of a tree, without its kinds of variables."""
        return self.family.removesuffix(" mixed")

    def _instance(self, rows: NDArray[Any], graph: MarkovGraph) -> Instance:
        """Read the rows; states are numbered in no order."""
        table = encode(rows, bins="keep")
        return Instance(replace(table, ordered=np.array(self.n_states) == 0), graph)


def straight(table: EncodedTable) -> Learned:
    """Run the recommended learner with numbers that act by one slope alone."""
    return run(table, "ibmap", ordered=[*table.numbers])


def binned(table: EncodedTable, ordered: Any) -> Learned:
    """Run the recommended learner on the bins alone."""
    return run(replace(table, numbers={}), "ibmap", ordered=ordered)


def partial_hc(table: EncodedTable) -> Learned:
    """Run IBMAP-HC with partial correlations, categories taken by the numbers of their states."""
    return run(table, "hc", test="partial-correlation", start="empty")


LEARNERS = (
    Learner("ibmap", partial(run, algorithm="ibmap")),
    Learner("straight", straight),
    Learner("bins", partial(binned, ordered=None)),
    Learner("states", partial(binned, ordered=False)),
    Learner("partial-hc", partial_hc),
    Learner("l1", mixed_l1),
    Learner("glasso", ebic_glasso),
    Learner("fdr", false_discovery),
)
TITLES = {
    "ibmap": "IBMAP",
    "straight": "one slope",
    "bins": "IBMAP on bins",
    "states": "on bins as states",
    "partial-hc": "HC partial correlation",
    "l1": "L1 EBIC",
    "glasso": "EBIC glasso",
    "fdr": "partial correlation, FDR",
}
TREES = tuple(f"{curves}{kind}" for curves in CURVES for kind in ("", " mixed"))
FAMILIES = ("gaussian", "skewed", "outliers", "mixed", "skewed mixed", "categorical", *TREES)


def mixed_studies() -> dict[str, Study]:
    """Give the study of tables with numbers by name."""
    sizes = [(n, rows) for n in (10, 20) for rows in (100, 300, 1000)]
    problems = tuple(
        MixedSample(family, n, 2 if family in TREES else 3, rows) for family in FAMILIES for n, rows in sizes
    )
    columns = tuple(Column(TITLES[each.name], "edge_errors", each.name) for each in LEARNERS)
    keys = ("family", "n", "tau", "N")
    cells = ComparisonTable("mixed", "Wrong edges. Tables with numbers", keys, columns, rule=RULE)
    means = ComparisonTable("mixed-mean", "Wrong edges. All cells by kind", keys[:1], columns, rule=RULE)
    study = Study(
        "mixed",
        "Tables with numbers, kept and cut into bins",
        problems,
        LEARNERS,
        (EDGES,),
        repetitions=5,
        reports=(TableReport(cells), TableReport(means)),
        quick=lambda problem: problem.n == 10 and problem.N <= 300,
        quick_repetitions=1,
    )
    return {study.name: study}
