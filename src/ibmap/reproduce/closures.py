"""Closures side by side: what each asserts of one small structure, and how it scores all others.

The closure of an algorithm is the run of it that ends in the structure: what it asks, with the answers that
the structure gives by separation. ``python -m ibmap.reproduce.closures`` prints the table of
docs/family.md.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

from ibmap.blankets.grow_shrink import gsmn_operator
from ibmap.blankets.gsmn_star import star_operator
from ibmap.blankets.operator import Operator
from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.graph.closure import Assertion, blanket_closure, pairwise_closure
from ibmap.independence.bayesian import BayesianTest
from ibmap.score import closure_score
from ibmap.simulate import random_network

Closure = Callable[[MarkovGraph], tuple[Assertion, ...]]
N_VARIABLES, N_ROWS = 4, 100


class Line(NamedTuple):
    """One closure: its assertions about the true structure, scores, and what scores best."""

    closure: str
    n_assertions: int
    n_distinct: int
    log_score: float
    best: MarkovGraph
    log_best: float


def run_closure(operator: Operator[Any, MarkovGraph], graph: MarkovGraph) -> tuple[Assertion, ...]:
    """Give the run of an algorithm whose answers are those of a structure.

    >>> chain = MarkovGraph.from_edges(3, [(0, 1), (1, 2)])
    >>> from ibmap.independence.separation import SeparationTest
    >>> len(run_closure(gsmn_operator(SeparationTest(chain)), chain))
    9
    """
    state, asserted = operator.begin(), []
    while (triplet := operator.question(state)) is not None:
        independent = graph.separated(*triplet)
        asserted.append(Assertion(*triplet, independent))
        state = operator.after(state, independent)
    return tuple(asserted)


def closures(test: BayesianTest) -> dict[str, Closure]:
    """Name the closures; the test gives the orders in which algorithms try variables."""
    return {
        "pairwise": pairwise_closure,
        "blankets": blanket_closure,
        "GSMN": lambda graph: run_closure(gsmn_operator(test), graph),
        "GSMN*": lambda graph: run_closure(star_operator(test), graph),
        "GSIMN": lambda graph: run_closure(star_operator(test, infers=True), graph),
    }


def example() -> tuple[EncodedTable, MarkovGraph]:
    """Draw rows of a chain of four variables."""
    network = random_network(N_VARIABLES, structure="chain", log_odds=1.5, random_state=0)
    rows = network.sample(N_ROWS, random_state=1)
    return EncodedTable.from_codes(rows, [2] * N_VARIABLES), network.graph


def side_by_side() -> list[Line]:
    """Score the true structure, and all others, by each closure."""
    table, truth = example()
    test = BayesianTest(table)
    pairs = list(combinations(range(N_VARIABLES), 2))
    every = [
        MarkovGraph.from_edges(N_VARIABLES, chosen)
        for size in range(len(pairs) + 1)
        for chosen in combinations(pairs, size)
    ]
    lines = []
    for name, closure in closures(test).items():
        own = closure(truth)
        distinct = {(min(a.x, a.y), max(a.x, a.y), a.given) for a in own}
        scored = [(closure_score(test, closure(graph)), graph) for graph in every]
        log_best, best = max(scored, key=lambda each: each[0])
        lines.append(Line(name, len(own), len(distinct), closure_score(test, own), best, log_best))
    return lines


def as_markdown(lines: list[Line]) -> str:
    """Write the table."""
    rows = [
        "| closure | assertions | distinct | log score of the chain | best structure | its log score |",
        "|---|---|---|---|---|---|",
    ]
    for line in lines:
        edges = ", ".join(f"{x}-{y}" for x, y in line.best.edges)
        numbers = f"{line.n_assertions} | {line.n_distinct} | {line.log_score:.2f}"
        rows.append(f"| {line.closure} | {numbers} | {edges} | {line.log_best:.2f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(as_markdown(side_by_side()))
