"""One blanket after the other, and all of them joined to a graph."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np

from ibmap.graph import MarkovGraph
from ibmap.independence.protocol import IndependenceTest
from ibmap.progress import Monitor

RULES = ("or", "and")


def each_blanket(
    find: Callable[[IndependenceTest, int], tuple[int, ...]],
    test: IndependenceTest,
    deadline: float | None = None,
    monitor: Monitor | None = None,
) -> tuple[tuple[int, ...], ...]:
    """Find the blanket of every variable, as long as there is time.

    Parameters
    ----------
    find : callable
        Takes the test and a variable, returns its blanket.
    test : IndependenceTest
        The test that answers.
    deadline : float, optional
        When `time.monotonic` is past this, variables not reached get an empty blanket.
    monitor : Monitor, optional
        Told after every variable; if it is stopped, the same as past the deadline.

    Returns
    -------
    tuple of tuple of int
        For each variable its blanket.
    """
    found: list[tuple[int, ...]] = []
    monitor = monitor or Monitor()
    for x in range(test.n_variables):
        monitor.tell("blankets", x, test.n_variables, n_tests=test.n_tests)
        if monitor.is_stopped or (deadline is not None and time.monotonic() > deadline):
            return tuple(found) + ((),) * (test.n_variables - len(found))
        found.append(find(test, x))
    return tuple(found)


def join_blankets(found: Sequence[Sequence[int]], names: Sequence[str], rule: str) -> MarkovGraph:
    """Join blankets to a graph.

    Parameters
    ----------
    found : sequence of sequence of int
        The blanket of each variable.
    names : sequence of str
        Names of the variables.
    rule : {"or", "and"}
        What to do where two blankets disagree.

    Returns
    -------
    MarkovGraph
        The structure.

    Examples
    --------
    >>> join_blankets([(1,), ()], ("a", "b"), "and").n_edges
    0
    """
    claims = np.zeros((len(names), len(names)), bool)
    for x, members in enumerate(found):
        claims[x, list(members)] = True
    return MarkovGraph(claims | claims.T if rule == "or" else claims & claims.T, names)
