"""Where a climb begins: from an option's word, or a graph, to structures."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ibmap.blankets.gsmn import gsmn
from ibmap.blankets.gsmn_star import gsimn, gsmn_star
from ibmap.blankets.hiton import hiton
from ibmap.blankets.iamb import iamb
from ibmap.errors import InvalidGraphError, InvalidOptionError, UnknownVariableError
from ibmap.graph import MarkovGraph, as_graph
from ibmap.graph.knowledge import Knowledge
from ibmap.independence.protocol import IndependenceTest
from ibmap.learners.options import STARTS
from ibmap.options import FINDERS, as_choice
from ibmap.progress import Monitor

FIND: dict[str, Callable[..., MarkovGraph]] = dict(
    zip(FINDERS, (gsmn, gsmn_star, gsimn, iamb, hiton), strict=True)
)
THREADED = ("gsmn", "iamb", "hiton")  # blanket by blanket


def start_names(start: Any) -> tuple[str, ...]:
    """Name the climbs that an option asks for."""
    if not isinstance(start, str):
        return ("graph",)
    return ("gsmn", "empty") if as_choice(start, "start", STARTS) == "best" else (start,)


def find_start(
    test: IndependenceTest,
    start: Any,
    seconds: float | None = None,
    monitor: Monitor | None = None,
    n_threads: int = 1,
) -> MarkovGraph:
    """Find where one climb begins, in agreement with what the test knows; `seconds` bound the learner."""
    found = _find(test, start, seconds, monitor, n_threads)
    known: Knowledge | None = getattr(test, "knowledge", None)
    return found if known is None else known.agreeing(found)


def _find(
    test: IndependenceTest, start: Any, seconds: float | None, monitor: Monitor | None, n_threads: int
) -> MarkovGraph:
    """Read where a climb begins: a graph, or the name of the learner that finds one."""
    if isinstance(start, str):
        if start in FIND:
            deadline = None if seconds is None else time.monotonic() + seconds
            threads = {"n_threads": n_threads} if start in THREADED else {}
            return FIND[start](test, deadline=deadline, monitor=monitor, **threads)
        return MarkovGraph.empty(test.n_variables, test.names)
    try:
        return as_graph(start, test.names)
    except (InvalidGraphError, UnknownVariableError) as error:
        msg = f"start must be {', '.join(map(repr, STARTS))} or a graph over the columns: {error}"
        raise InvalidOptionError(msg) from error
