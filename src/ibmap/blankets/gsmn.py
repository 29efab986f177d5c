"""GSMN: the GS blankets of all variables, joined to a graph."""

from __future__ import annotations

from functools import partial

from ibmap.blankets.grow_shrink import check_choices, grow_shrink
from ibmap.blankets.joining import RULES, each_blanket, join_blankets
from ibmap.graph import MarkovGraph
from ibmap.independence.protocol import IndependenceTest
from ibmap.options import as_choice
from ibmap.progress import Monitor


def gs_blanket(
    test: IndependenceTest, x: int, grow: str = "once", order: str = "association"
) -> tuple[int, ...]:
    """Find the blanket of one variable with GS."""
    operator = grow_shrink(test, x, grow, order)
    state = operator.begin()
    while (triplet := operator.question(state)) is not None:
        for answer in test.ask_each(x, operator.upcoming(state), triplet.given, until_dependent=True):
            state = operator.after(state, answer.independent)
    return operator.outcome(state)


def blankets(
    test: IndependenceTest,
    *,
    grow: str = "once",
    order: str = "association",
    deadline: float | None = None,
    monitor: Monitor | None = None,
    n_threads: int = 1,
) -> tuple[tuple[int, ...], ...]:
    """Find the blanket of every variable with GS."""
    check_choices("or", grow, order)
    find = partial(gs_blanket, grow=grow, order=order)
    return each_blanket(find, test, deadline, monitor, n_threads)


def gsmn(
    test: IndependenceTest,
    *,
    rule: str = "or",
    grow: str = "once",
    order: str = "association",
    deadline: float | None = None,
    monitor: Monitor | None = None,
    n_threads: int = 1,
) -> MarkovGraph:
    """Learn a structure with GSMN: the GS blankets of all variables, joined."""
    as_choice(rule, "rule", RULES)
    found = blankets(test, grow=grow, order=order, deadline=deadline, monitor=monitor, n_threads=n_threads)
    return join_blankets(found, test.names, rule)
