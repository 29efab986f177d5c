"""Anyone's learner beside ours: the same families, the same tables, wrong edges and seconds.

A learner is a function from an array of codes (rows by variables, integers from 0) to a structure: an
adjacency matrix or a networkx graph over 0, 1, ... It is named as ``file.py:function`` or
``package.module:function``, so that it travels to other processes by its name alone.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidGraphError, InvalidOptionError
from ibmap.graph import MarkovGraph, named_graph
from ibmap.reproduce.comparison import Column, ComparisonTable
from ibmap.reproduce.families import Family
from ibmap.reproduce.metrics import EDGES
from ibmap.reproduce.paper_learners import LEARNERS, run
from ibmap.reproduce.reports import TableReport
from ibmap.reproduce.study import Learned, Learner, Study

OWN = (Learner("ibmap", partial(run, algorithm="ibmap")), LEARNERS["gsmn"])


def benchmark_study(sources: Sequence[str] = ()) -> Study:
    """Put the study together: IBMAP, GSMN and the learners named."""
    for source in sources:
        load_learner(source)  # what cannot be had is refused before anything runs
    learners = (*OWN, *(Learner(source, partial(foreign, source=source)) for source in sources))
    reports = tuple(
        TableReport(_table(name, title, quantity, learners))
        for name, title, quantity in (
            ("benchmark", "Wrong edges", "edge_errors"),
            ("benchmark-seconds", "Seconds of processor time", "cpu_seconds"),
        )
    )
    return Study(
        "benchmark",
        "Your learner beside ours",
        _problems(),
        learners,
        (EDGES,),
        repetitions=5,
        reports=reports,
        quick=lambda problem: problem.N <= 500,
        quick_repetitions=1,
        options={"learners": ", ".join(sources)},
    )


def foreign(table: EncodedTable, source: str) -> Learned:
    """Let somebody's function learn a structure from codes."""
    found = load_learner(source)(table.codes.astype("int64"))
    try:
        graph = named_graph(found)
    except (InvalidGraphError, TypeError, ValueError) as error:
        msg = (
            f"{source} must return an adjacency matrix or a networkx graph over 0, 1, ...; "
            f"it returned {type(found).__name__}: {error}"
        )
        raise InvalidOptionError(msg) from error
    return Learned(MarkovGraph(graph.adjacency, table.names))


@cache
def load_learner(source: str) -> Callable[[Any], Any]:
    """Find a function by ``file.py:function`` or ``package.module:function``."""
    place, _, name = source.rpartition(":")
    if not place or not name:
        msg = f"a learner is named as file.py:function or package.module:function, not {source!r}"
        raise InvalidOptionError(msg)
    try:
        module = _from_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
        learner = getattr(module, name)
    except (ImportError, OSError, AttributeError, SyntaxError) as error:
        msg = f"the learner {source!r} cannot be loaded: {error}"
        raise InvalidOptionError(msg) from error
    if not callable(learner):
        msg = f"{source!r} is not a function but {type(learner).__name__}"
        raise InvalidOptionError(msg)
    return learner  # type: ignore[no-any-return]


def _from_file(path: Path) -> Any:
    """Run a file of Python as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        msg = f"{path} is no Python file"
        raise ImportError(msg)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _problems() -> tuple[Any, ...]:
    """Give short and longer tables of random networks, of three states too, and triples that act together."""
    shapes = ((20, 2), (20, 4), (50, 4))
    random = [Family("signed", n, tau, rows) for n, tau in shapes for rows in (200, 1000)]
    states = [Family("three-state", 12, 2, rows) for rows in (200, 1000)]
    triples = [Family(kind, 12, 2, 500) for kind in ("interaction", "gates")]
    return (*random, *states, *triples)


def _table(name: str, title: str, quantity: str, learners: Sequence[Learner]) -> ComparisonTable:
    columns = tuple(Column(each.name, quantity, each.name) for each in learners)
    return ComparisonTable(name, title, ("family", "n", "tau", "N"), columns, rule="the fewer, the better")
