"""IAMB: the candidate most dependent given the members so far joins them next (Tsamardinos and others)."""

from __future__ import annotations

import numpy as np

from ibmap.blankets.joining import RULES, each_blanket, join_blankets
from ibmap.graph import MarkovGraph
from ibmap.independence.protocol import IndependenceTest, Triplet
from ibmap.options import as_choice
from ibmap.progress import Monitor
from ibmap.ties import order_with_ties


def iamb_blanket(test: IndependenceTest, x: int) -> tuple[int, ...]:
    """Find the blanket of one variable with IAMB."""
    members: list[int] = []
    while (y := _most_dependent(test, x, members)) is not None:
        members.append(y)
    for y in tuple(members):
        others = tuple(sorted(z for z in members if z != y))
        if test.ask_triplet(Triplet(x, y, others)).independent:
            members.remove(y)
    return tuple(members)


def _most_dependent(test: IndependenceTest, x: int, members: list[int]) -> int | None:
    """Find the candidate with the least support for independence; None if none is dependent."""
    given = tuple(sorted(members))
    candidates = [y for y in range(test.n_variables) if y != x and y not in members]
    answers = test.ask_each(x, candidates, given)
    dependent = [k for k, answer in enumerate(answers) if not answer.independent]
    if not dependent:
        return None
    supports = np.array([answers[k].log_support for k in dependent])
    return candidates[dependent[order_with_ties(supports)[0]]]


def iamb(
    test: IndependenceTest,
    *,
    rule: str = "or",
    deadline: float | None = None,
    monitor: Monitor | None = None,
    n_threads: int = 1,
) -> MarkovGraph:
    """Learn a structure by joining the IAMB blankets of all variables."""
    as_choice(rule, "rule", RULES)
    return join_blankets(each_blanket(iamb_blanket, test, deadline, monitor, n_threads), test.names, rule)
