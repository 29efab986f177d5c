"""What missing cells cost: the recommended learner on tables with holes, beside other treatments of them.

Holes are punched into samples of known networks, so that the same rows are also learned from whole. They are
drawn at random, or more often in rows in which the first column, which has none, is not in its first state.
Tables with numbers have a study of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable, take_rows
from ibmap.graph import MarkovGraph
from ibmap.reproduce.bayesian_networks import NetworkSample
from ibmap.reproduce.comparison import Column, ComparisonTable
from ibmap.reproduce.families import Family
from ibmap.reproduce.metrics import EDGES
from ibmap.reproduce.mixed import MixedSample
from ibmap.reproduce.paper_learners import run
from ibmap.reproduce.recommended import RULE
from ibmap.reproduce.reports import TableReport
from ibmap.reproduce.study import Factors, Instance, Learned, Learner, Problem, Study

UNEVEN = 0.9  # of the holes that depend on the first column: how much rarer or more frequent they are
TITLES = {
    "use": "every row used",
    "whole": "the whole table",
    "fewer": "fewer rows, whole",
    "drop": "rows dropped",
    "state": "a state more",
}
BINS = {"bins": "every row used, bins alone"}  # what is done to numbers besides
Source = Family | NetworkSample | MixedSample


@dataclass(frozen=True)
class Holed(Problem):
    """A sample of a known network with holes; what was in them still stands there."""

    source: Source
    share: float  # of the cells that are missing
    depends: bool = False  # on the first column, or on nothing

    @property
    def factors(self) -> Factors:
        """The network and its sample, the share of holes and what they depend on."""
        data = " ".join(map(str, self.source.factors.values()))
        return {"holes": f"{self.share:.0%}" + (" uneven" if self.depends else ""), "data": data}

    @property
    def weight(self) -> float:
        """Some times that of the source."""
        return 4 * self.source.weight

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw a sample, and punch holes into it."""
        found = self.source.draw(rng)
        table, rate = found.table, np.full(found.table.n_rows, self.share)
        if self.depends:
            rate *= np.where(table.codes[:, 0] == 0, 1 - UNEVEN, 1 + UNEVEN)
        missing = rng.random(table.codes.shape) < rate[:, None]
        missing[:, 0] &= not self.depends
        return replace(found, table=replace(table, missing=np.asfortranarray(missing)))


def learn_holed(table: EncodedTable, treatment: str) -> Learned:
    """Learn from a table with holes, treated in one of several ways."""
    missing = np.zeros(table.codes.shape, bool) if table.missing is None else table.missing
    whole, n_states = replace(table, missing=None), table.cardinalities.tolist()
    if treatment == "whole":
        return run(whole, "ibmap")
    if treatment == "fewer":  # as many as show a given pair
        n_rows = round(table.n_rows * float((~missing).mean()) ** 2)
        return run(take_rows(whole, np.arange(n_rows)), "ibmap")
    if treatment == "drop" and missing.any(axis=1).all():
        return Learned(MarkovGraph.empty(table.n_variables, table.names), {})
    if treatment == "state":
        codes = np.where(missing, table.cardinalities, table.codes)
        return run(EncodedTable.from_codes(codes, [k + 1 for k in n_states], table.names), "ibmap")
    numbers = {v: np.where(missing[:, v], np.nan, values) for v, values in table.numbers.items()}
    holed = replace(table, codes=np.asfortranarray(np.where(missing, 0, table.codes)), numbers=numbers)
    if treatment == "bins":
        return run(replace(holed, numbers={}), "ibmap")
    return run(encode(holed, missing=treatment), "ibmap")


def hole_studies() -> dict[str, Study]:
    """Give the studies of missing cells by name."""
    both = (
        _study("holes", "Missing cells", _problems(), TITLES),
        _study(
            "holes-numbers", "Missing cells of tables with numbers", _problems_with_numbers(), TITLES | BINS
        ),
    )
    return {study.name: study for study in both}


def _study(name: str, title: str, problems: tuple[Holed, ...], titles: dict[str, str]) -> Study:
    """Put a study together."""
    learners = tuple(Learner(each, partial(learn_holed, treatment=each)) for each in titles)
    columns = tuple(Column(titles[each.name], "edge_errors", each.name) for each in learners)
    cells = ComparisonTable(name, f"Wrong edges. {title}", ("holes", "data"), columns, rule=RULE)
    means = ComparisonTable(f"{name}-mean", f"Wrong edges. {title}, all data", ("holes",), columns, rule=RULE)
    return Study(
        name,
        title,
        problems,
        learners,
        (EDGES,),
        repetitions=5,
        reports=(TableReport(cells), TableReport(means)),
        quick=lambda problem: not isinstance(problem.source, NetworkSample) and problem.source.n < 20,
        quick_repetitions=1,
    )


def _problems() -> tuple[Holed, ...]:
    """Give samples of five kinds with three shares of holes, and with holes that depend on a column."""
    sources: list[Source] = [
        Family("signed", 12, 3, 400),
        Family("mixed", 12, 3, 400),
        Family("three-state", 12, 2, 800),
        Family("signed", 20, 4, 1500),
        NetworkSample("sachs", 1000),
    ]
    kinds = [(0.05, False), (0.15, False), (0.3, False), (0.3, True)]
    return tuple(Holed(source, *kind) for kind in kinds for source in sources)


def _problems_with_numbers() -> tuple[Holed, ...]:
    """Give samples of numbers, straight and bent, alone and next to categories."""
    sources = [
        MixedSample("gaussian", 10, 3, 300),
        MixedSample("skewed mixed", 10, 3, 300),
        MixedSample("bent", 10, 2, 300),
        MixedSample("straight or bent mixed", 10, 2, 300),
        MixedSample("mixed", 20, 3, 1000),
    ]
    return tuple(Holed(source, share) for share in (0.05, 0.15, 0.3) for source in sources)
