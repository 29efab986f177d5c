"""A small table with a known structure, to try the package on.

The table is made up: answers to a health survey, drawn from a Markov network written
here by hand. So what is learned from it can be held against the truth.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.simulate import PairwiseNetwork

N_ROWS = 2000
SEED = 1

STATES: dict[str, tuple[str, ...]] = {
    "age": ("under 30", "30 to 49", "50 and over"),
    "exercise": ("rarely", "weekly", "daily"),
    "overweight": ("no", "yes"),
    "blood pressure": ("normal", "high"),
    "stress": ("low", "high"),
    "sleep": ("good", "poor"),
    "coffee": ("none", "1-2 cups", "3 or more"),
    "smoker": ("no", "yes"),
    "cough": ("no", "yes"),
    "region": ("north", "south"),
}

# Association of the outermost states of two variables, as a log-odds ratio
STRENGTHS: dict[tuple[str, str], float] = {
    ("age", "exercise"): -2.2,
    ("age", "blood pressure"): 2.4,
    ("exercise", "overweight"): -2.4,
    ("overweight", "blood pressure"): 1.5,
    ("stress", "sleep"): 1.8,
    ("stress", "coffee"): 1.9,
    ("coffee", "sleep"): 1.6,
    ("stress", "smoker"): 1.4,
    ("smoker", "cough"): 2.4,
}

# How much more likely the last state is than the first, all else equal, as a log-odds
TILTS = {
    "smoker": -1.1,
    "cough": -1.3,
    "overweight": -0.3,
    "blood pressure": -0.8,
    "exercise": -0.6,
    "sleep": -0.7,
}


def demo_network() -> PairwiseNetwork:
    """Give the network the demonstration's table is drawn from."""
    names = tuple(STATES)
    numbered = {_edge(names, pair): strength for pair, strength in STRENGTHS.items()}
    graph = MarkovGraph.from_edges(len(names), numbered, names)
    scores = [_scores(len(labels)) for labels in STATES.values()]
    tables = [numbered[i, j] * np.outer(scores[i], scores[j]) for i, j in graph.edges]
    fields = [TILTS.get(name, 0.0) * scores[x] for x, name in enumerate(names)]
    return PairwiseNetwork(graph, tables, fields)


@cache
def demo_table() -> EncodedTable:
    """Draw the demonstration's table, always the same."""
    network = demo_network()
    codes = network.sample(N_ROWS, random_state=SEED, method="exact")
    table = EncodedTable.from_codes(codes, network.cardinalities.tolist(), network.graph.names)
    return replace(table, labels=tuple(STATES.values()))


def demo_rows() -> list[list[str]]:
    """Give the demonstration's table as text: a header and the rows of labels."""
    table = demo_table()
    labels = [np.array(each, dtype=object) for each in table.labels]
    columns = [names[codes] for names, codes in zip(labels, table.codes.T, strict=True)]
    return [list(table.names), *np.stack(columns, axis=1).tolist()]


def _edge(names: tuple[str, ...], pair: tuple[str, str]) -> tuple[int, int]:
    """Number a pair, the lower number first."""
    first, second = sorted(map(names.index, pair))
    return first, second


def _scores(n_states: int) -> NDArray[np.float64]:
    """Place states evenly from -1/2 to 1/2, so that the outermost differ by 1."""
    return np.linspace(-0.5, 0.5, n_states)
