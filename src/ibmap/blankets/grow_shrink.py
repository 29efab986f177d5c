"""GS and GSMN: blankets by growing and shrinking, joined to a graph.

An algorithm is written as a generator that yields the triplet it asks next,
is sent the answer (independent or not), and returns what it found. Run with a
statistical test it is the algorithm of the literature; the answers may as well
come from anywhere else.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence

import numpy as np

from ibmap.graph import MarkovGraph
from ibmap.independence.protocol import IndependenceTest, Triplet
from ibmap.options import as_choice
from ibmap.ties import order_with_ties

Questions = Generator[Triplet, bool, tuple[int, ...]]
RULES = ("or", "and")
GROW = ("once", "repeat")
ORDERS = ("association", "columns")


def grow_shrink(x: int, candidates: Sequence[int], grow: str = "once") -> Questions:
    """Ask for the Markov blanket of one variable (Margaritis and Thrun's GS).

    Parameters
    ----------
    x : int
        The variable.
    candidates : sequence of int
        The others, in the order they are tried.
    grow : {"once", "repeat"}
        One grow pass, or passes until one adds nothing.

    Yields
    ------
    Triplet
        The next question.

    Returns
    -------
    tuple of int
        The blanket, in order of inclusion.

    Examples
    --------
    >>> questions = grow_shrink(0, [1, 2])
    >>> next(questions)
    Triplet(x=0, y=1, given=())
    >>> questions.send(False)
    Triplet(x=0, y=2, given=(1,))
    """
    blanket: list[int] = []
    while (yield from _grow_pass(x, candidates, blanket)) and grow == "repeat":
        pass
    while (yield from _shrink_pass(x, blanket)):
        pass
    return tuple(blanket)


def _grow_pass(x: int, candidates: Sequence[int], blanket: list[int]) -> Generator[Triplet, bool, bool]:
    """Add every candidate dependent given the blanket so far; tell if any was."""
    size = len(blanket)
    for y in candidates:
        if y not in blanket and not (yield Triplet(x, y, tuple(sorted(blanket)))):
            blanket.append(y)
    return len(blanket) > size


def _shrink_pass(x: int, blanket: list[int]) -> Generator[Triplet, bool, bool]:
    """Drop every member independent given the others; tell if any was."""
    size = len(blanket)
    for y in tuple(blanket):
        if (yield Triplet(x, y, tuple(sorted(b for b in blanket if b != y)))):
            blanket.remove(y)
    return len(blanket) < size


def answer(questions: Questions, test: IndependenceTest) -> tuple[int, ...]:
    """Run an algorithm to its end with the answers of a test.

    Parameters
    ----------
    questions : generator
        The algorithm.
    test : IndependenceTest
        Who answers.

    Returns
    -------
    tuple of int
        What the algorithm found.
    """
    try:
        triplet = next(questions)
        while True:
            triplet = questions.send(test.ask_triplet(triplet).independent)
    except StopIteration as end:
        return tuple(end.value)


def association_order(test: IndependenceTest, x: int) -> list[int]:
    """Order the other variables, the most dependent on `x` first.

    Parameters
    ----------
    test : IndependenceTest
        Its unconditional support for independence is what is sorted by.
    x : int
        The variable.

    Returns
    -------
    list of int
        The others; ties go to the lower column.
    """
    others = [y for y in range(test.n_variables) if y != x]
    supports = [test.ask_triplet(Triplet(x, y, ())).log_support for y in others]
    return [others[k] for k in order_with_ties(np.array(supports))]


def blankets(
    test: IndependenceTest, *, grow: str = "once", order: str = "association", deadline: float | None = None
) -> tuple[tuple[int, ...], ...]:
    """Find the blanket of every variable with GS.

    Parameters
    ----------
    test : IndependenceTest
        The test that answers.
    grow : {"once", "repeat"}
        One grow pass, or passes until one adds nothing.
    order : {"association", "columns"}
        Try the most dependent first, or go by column.
    deadline : float, optional
        When `time.monotonic` is past this, variables not reached get an empty blanket.

    Returns
    -------
    tuple of tuple of int
        For each variable its blanket in order of inclusion.
    """
    as_choice(grow, "grow", GROW)
    as_choice(order, "order", ORDERS)
    found: list[tuple[int, ...]] = []
    for x in range(test.n_variables):
        if deadline is not None and time.monotonic() > deadline:
            return tuple(found) + ((),) * (test.n_variables - len(found))
        by_column = [y for y in range(test.n_variables) if y != x]
        candidates = association_order(test, x) if order == "association" else by_column
        found.append(answer(grow_shrink(x, candidates, grow), test))
    return tuple(found)


def gsmn(
    test: IndependenceTest,
    *,
    rule: str = "or",
    grow: str = "once",
    order: str = "association",
    deadline: float | None = None,
) -> MarkovGraph:
    """Learn a structure with GSMN: the GS blankets of all variables, joined.

    Parameters
    ----------
    test : IndependenceTest
        The test that answers.
    rule : {"or", "and"}
        An edge if either is in the other's blanket, or only if both are.
    grow : {"once", "repeat"}
        One grow pass, or passes until one adds nothing.
    order : {"association", "columns"}
        Try the most dependent first, or go by column.
    deadline : float, optional
        When `time.monotonic` is past this, variables not reached get an empty blanket.

    Returns
    -------
    MarkovGraph
        The structure.

    Examples
    --------
    >>> from ibmap.independence.separation import SeparationTest
    >>> true = MarkovGraph.from_edges(4, [(0, 1), (1, 2), (2, 3)])
    >>> gsmn(SeparationTest(true)) == true
    True
    """
    as_choice(rule, "rule", RULES)
    found = blankets(test, grow=grow, order=order, deadline=deadline)
    return join_blankets(found, test.names, rule)


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
