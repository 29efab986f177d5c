"""Print the tables of docs/tree-search.md.

Run ``python scripts/tree_search_tables.py`` with ``edges`` (wrong edges beside GSMN), ``relatives`` (tests
and wrong edges of GSMN, GSMN* and GSIMN) or ``time`` (time, nodes and bound).
"""

from __future__ import annotations

import statistics
import sys
import time
import warnings

import numpy as np

import ibmap

CELLS = ((12, 1), (12, 2), (12, 4), (12, 8)), (40, 200, 800, 5000, 12000)
LARGE = ((30, 2, 200), (30, 2, 800), (30, 2, 5000), (50, 2, 12000))
SECONDS = 300.0  # for each table of the large problems


def problem(n: int, tau: int, n_samples: int, seed: int) -> tuple[ibmap.MarkovGraph, np.ndarray]:
    """Draw a network and a table from it."""
    network = ibmap.simulate.random_network(n, tau, random_state=seed)
    return network.graph, network.sample(n_samples, random_state=seed)


def edges(n_networks: int = 10) -> None:
    """Print the mean number of wrong edges of GSMN, TS and HC."""
    print("| tau | N | GSMN | TS | HC |\n|---|---|---|---|---|")
    for tau in (1, 2):
        for n_samples in (40, 200, 800):
            wrong: list[list[int]] = [[], [], []]
            for seed in range(n_networks):
                truth, table = problem(12, tau, n_samples, seed)
                for k, learner in enumerate((ibmap.GSMN(), ibmap.IBMAPTS(), ibmap.IBMAPHC())):
                    found = learner.fit(table).result_.graph
                    wrong[k].append(int(np.triu(found.adjacency != truth.adjacency).sum()))
            means = " | ".join(f"{statistics.mean(each):.1f}" for each in wrong)
            print(f"| {tau} | {n_samples} | {means} |", flush=True)


def relatives(n_networks: int = 5) -> None:
    """Print the distinct tests of all tables together, and the mean number of wrong edges."""
    print("| tau | N | GSMN | GSMN* | GSIMN |\n|---|---|---|---|---|")
    for tau, n_samples in ((2, 200), (2, 800), (2, 5000), (4, 5000)):
        cells = []
        for learner in (ibmap.GSMN(), ibmap.GSMNStar(), ibmap.GSIMN()):
            tests, wrong = 0, []
            for seed in range(n_networks):
                truth, table = problem(30, tau, n_samples, seed)
                result = learner.fit(table).result_
                tests += result.n_tests
                wrong.append(int(np.triu(result.graph.adjacency != truth.adjacency).sum()))
            cells.append(f"{tests} ({statistics.mean(wrong):.1f})")
        print(f"| {tau} | {n_samples} | {' | '.join(cells)} |", flush=True)


def line(n: int, tau: int, n_samples: int, seeds: range, limit: float | None) -> None:
    """Print one line of the table of times."""
    seconds, nodes, gaps = [], [], []
    for seed in seeds:
        _, table = problem(n, tau, n_samples, seed)
        learner = ibmap.IBMAPTS(max_seconds=limit)
        begun = time.process_time()
        learner.fit(table)
        seconds.append(time.process_time() - begun)
        nodes.append(learner.n_nodes_)
        gaps.append(learner.bound_ - learner.score_)
    exact = sum(gap < 1e-8 for gap in gaps)
    print(
        f"| {n} | {tau} | {n_samples} | {statistics.median(seconds):.3f} | {max(seconds):.3f} | "
        f"{statistics.median(nodes):,.0f} | {exact} of {len(gaps)} | {max(gaps):.1f} |",
        flush=True,
    )


def times() -> None:
    """Print time, nodes and bound over the sizes of the paper's table and beyond."""
    warnings.simplefilter("ignore")
    print("| n | tau | N | CPU s (median) | (most) | nodes (median) | proven best | largest gap |")
    print("|---|---|---|---|---|---|---|---|")
    ibmap.IBMAPTS().fit(problem(4, 1, 50, 0)[1])  # compiles
    ibmap.IBMAPTS().fit(problem(8, 1, 5000, 0)[1])
    for n, tau in CELLS[0]:
        for n_samples in CELLS[1]:
            line(n, tau, n_samples, range(5), None)
    for n, tau, n_samples in LARGE:
        line(n, tau, n_samples, range(3), SECONDS)


if __name__ == "__main__":
    {"edges": edges, "relatives": relatives, "time": times}[sys.argv[1]]()
