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
from ibmap.independence.protocol import IndependenceTest
from ibmap.options import as_choice
from ibmap.progress import Monitor

FINDERS: dict[str, Callable[..., MarkovGraph]] = {
    "gsmn": gsmn,
    "gsmn-star": gsmn_star,
    "gsimn": gsimn,
    "iamb": iamb,
    "hiton": hiton,
}
THREADED = ("gsmn", "iamb", "hiton")  # blanket by blanket
STARTS = (*FINDERS, "empty", "best")


def start_names(start: Any) -> tuple[str, ...]:
    """Name the climbs that an option asks for.

    Parameters
    ----------
    start : str or graph
        One of `STARTS`, or a graph over the columns.

    Returns
    -------
    tuple of str
        ``"best"`` is a climb from GSMN's structure and one from no edges.

    Examples
    --------
    >>> start_names("best"), start_names("empty"), start_names([[0, 1], [1, 0]])
    (('gsmn', 'empty'), ('empty',), ('graph',))
    """
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
    """Find where one climb begins.

    Parameters
    ----------
    test : IndependenceTest
        Answers the learner that finds the start.
    start : str or graph
        The name of one of `FINDERS`, ``"empty"``, or a graph over the columns.
    seconds : float, optional
        How long it may take.
    monitor : Monitor, optional
        Told where it stands.
    n_threads : int
        Threads of learners that can use them; the start is the same for any number.

    Returns
    -------
    MarkovGraph
        The structure to begin with.
    """
    if isinstance(start, str):
        if start in FINDERS:
            deadline = None if seconds is None else time.monotonic() + seconds
            threads = {"n_threads": n_threads} if start in THREADED else {}
            return FINDERS[start](test, deadline=deadline, monitor=monitor, **threads)
        return MarkovGraph.empty(test.n_variables, test.names)
    try:
        return as_graph(start, test.names)
    except (InvalidGraphError, UnknownVariableError) as error:
        msg = f"start must be {', '.join(map(repr, STARTS))} or a graph over the columns: {error}"
        raise InvalidOptionError(msg) from error
