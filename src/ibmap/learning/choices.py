"""From the words of an option to the thing: a test by its name, a start by its name."""

from __future__ import annotations

import time
from typing import Any

from ibmap.blankets.grow_shrink import gsmn
from ibmap.errors import InvalidGraphError, InvalidOptionError, UnknownVariableError
from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.classical import ChiSquareTest, GTest
from ibmap.independence.protocol import IndependenceTest
from ibmap.learning.options import GSMNOptions
from ibmap.options import as_choice
from ibmap.search.hill_climbing import Limits
from ibmap.table import EncodedTable

TESTS = ("bayesian", "chi-square", "g")
STARTS = ("gsmn", "empty")


def make_test(table: EncodedTable, options: GSMNOptions) -> IndependenceTest:
    """Make the test that answers a learner.

    Parameters
    ----------
    table : EncodedTable
        The data.
    options : GSMNOptions
        Name the test, or are given a callable that makes it.

    Returns
    -------
    IndependenceTest
        The test.
    """
    if callable(options.test):
        test: IndependenceTest = options.test(table)
        return test
    name = as_choice(options.test, "test", TESTS)
    if name == "bayesian":
        return options.bayesian_test(table)
    classical = ChiSquareTest if name == "chi-square" else GTest
    return classical(table, options.significance)


def find_start(test: BayesianTest, start: Any, limits: Limits) -> MarkovGraph:
    """Find where a climb begins, within its time.

    Parameters
    ----------
    test : BayesianTest
        Answers the learner that finds the start.
    start : str or graph
        One of `STARTS`, or a graph over the columns.
    limits : Limits
        How long it may take.

    Returns
    -------
    MarkovGraph
        The structure to begin with.
    """
    if isinstance(start, str):
        if as_choice(start, "start", STARTS) == "gsmn":
            seconds = limits.max_seconds
            return gsmn(test, deadline=None if seconds is None else time.monotonic() + seconds)
        return MarkovGraph.empty(test.n_variables, test.names)
    try:
        return as_graph(start, test.names)
    except (InvalidGraphError, UnknownVariableError) as error:
        msg = f"start must be 'gsmn', 'empty' or a graph over the columns: {error}"
        raise InvalidOptionError(msg) from error
