"""The docstrings of the estimators: what is said of every option and every attribute is said once."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable
from typing import Any, TypeVar

from ibmap.learners.options import OPTIONS, TEST_OPTIONS
from ibmap.options import declared, defaults

L = TypeVar("L", bound=type[Any])
RUNNING = {
    "n_jobs": (
        "int, optional",
        "Threads; 1 by default, -1 for one a core. The result is the same for any number.",
    ),
    "callback": (
        "callable, optional",
        "Called with the progress of the search; raise `ibmap.StopSearch` in it to end the search with the "
        "best so far.",
    ),
}
ATTRIBUTES = {
    "graph_": (
        "networkx.Graph",
        "The structure over the column names, whole numbers as such; edges have the attribute `loss` where "
        "it is known.",
    ),
    "adjacency_": ("ndarray of bool", "The same as a matrix."),
    "n_tests_": ("int", "Distinct tests of independence."),
    "result_": ("SearchResult", "Everything, with `to_json`."),
    "n_features_in_": ("int", "Number of columns."),
    "feature_names_in_": (
        "ndarray of str",
        "Column names; ``x0, x1, ...`` for an array or a list, where other scikit-learn estimators have no "
        "such attribute.",
    ),
}


def documented(learner: L) -> L:
    """Add the parameters, from the learner's options, and the common attributes to its docstring."""
    if learner.__doc__ is None:  # python -OO
        return learner
    options = OPTIONS[learner._algorithm]
    default = defaults(options)
    said = {name: each.describe(default[name]) for name, each in declared(options).items()}
    said = {
        name: (kind, text + _only_for(name, options.tests)) for name, (kind, text) in said.items()
    } | RUNNING
    names = inspect.signature(learner).parameters
    head, examples = inspect.cleandoc(learner.__doc__).split("Examples\n", 1)
    head, _, own = head.partition("Attributes\n----------\n")
    common = {name: said for name, said in ATTRIBUTES.items() if f"{name} : " not in own}
    parameters = _entries((name, *said[name]) for name in names)
    attributes = f"{own.strip()}\n{_entries((name, *text) for name, text in common.items())}".strip()
    learner.__doc__ = (
        f"{head}Parameters\n----------\n{parameters}\n\n"
        f"Attributes\n----------\n{attributes}\n\nExamples\n{examples}\n"
    )
    return learner


def _only_for(name: str, tests: tuple[str, ...]) -> str:
    """Say which tests an option is for, if not for all."""
    own = [f'"{test}"' for test in tests if name in TEST_OPTIONS[test]]
    return f" Only for `test` {' or '.join(own)}." if 0 < len(own) < len(tests) else ""


def _entries(said: Iterable[tuple[str, str, str]]) -> str:
    """Write names, types and texts as numpydoc has them."""
    indented = (
        (f"{name} : {kind}", textwrap.indent(textwrap.fill(text, 86, break_on_hyphens=False), " " * 4))
        for name, kind, text in said
    )
    return "\n".join(line for entry in indented for line in entry)
