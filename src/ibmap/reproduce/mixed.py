"""How well numbers are learned from: as they are, cut into bins, and by others' ways."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.reproduce.comparison import Column, ComparisonTable
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
    # two and three states
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
        network = mixed_network(states, self.tau, random_state=rng)
        rows = network.sample(self.N, random_state=rng)
        is_number = np.array(states) == 0
        if self.family.startswith("skewed"):
            rows[:, is_number] = np.exp(rows[:, is_number])
        if self.family == "outliers":
            rows += OUTLYING * rng.normal(size=rows.shape) * (rng.random(rows.shape) < OUTLIERS)
        table = encode(rows, bins="keep")
        return Instance(replace(table, ordered=is_number), network.graph)  # states are numbered in no order


def binned(table: EncodedTable, ordered: Any) -> Learned:
    """Run the recommended learner on the bins alone."""
    return run(replace(table, numbers={}), "ibmap", ordered=ordered)


def partial_hc(table: EncodedTable) -> Learned:
    """Run IBMAP-HC with partial correlations, categories taken by the numbers of their states."""
    return run(table, "hc", test="partial-correlation", start="empty")


LEARNERS = (
    Learner("ibmap", partial(run, algorithm="ibmap")),
    Learner("bins", partial(binned, ordered=None)),
    Learner("states", partial(binned, ordered=False)),
    Learner("partial-hc", partial_hc),
    Learner("l1", mixed_l1),
    Learner("glasso", ebic_glasso),
    Learner("fdr", false_discovery),
)
TITLES = {
    "ibmap": "IBMAP",
    "bins": "IBMAP on bins",
    "states": "on bins as states",
    "partial-hc": "HC partial correlation",
    "l1": "L1 EBIC",
    "glasso": "EBIC glasso",
    "fdr": "partial correlation, FDR",
}
FAMILIES = ("gaussian", "skewed", "outliers", "mixed", "skewed mixed", "categorical")


def mixed_studies() -> dict[str, Study]:
    """Give the study of tables with numbers by name."""
    sizes = [(n, rows) for n in (10, 20) for rows in (100, 300, 1000)]
    problems = tuple(MixedSample(family, n, 3, rows) for family in FAMILIES for n, rows in sizes)
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
