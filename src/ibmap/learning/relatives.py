"""GSMN's relatives as functions: an encoded table and options in, a result out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

from ibmap.blankets.gsmn_star import gsimn, gsmn_star
from ibmap.blankets.hiton import hiton
from ibmap.blankets.iamb import iamb
from ibmap.errors import SearchWarning
from ibmap.evidence.variables import describe_variables
from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.protocol import IndependenceTest
from ibmap.learning.options import HITONOptions, IAMBOptions, TestOptions
from ibmap.progress import Callback, Monitor
from ibmap.result import SearchResult, provenance_of
from ibmap.table import EncodedTable


def learn_gsmn_star(
    table: EncodedTable, options: TestOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with GSMN*.

    Parameters
    ----------
    table : EncodedTable
        The data.
    options : TestOptions
        The options.
    callback : callable, optional
        Called with the progress; it may raise `ibmap.StopSearch`.

    Returns
    -------
    SearchResult
        Without a score; a `SearchWarning` if it ended early.
    """
    return _learned(
        "gsmn-star", table, options, callback, lambda test, monitor: gsmn_star(test, monitor=monitor)
    )


def learn_gsimn(
    table: EncodedTable, options: TestOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with GSIMN.

    Parameters
    ----------
    table : EncodedTable
        The data.
    options : TestOptions
        The options.
    callback : callable, optional
        Called with the progress; it may raise `ibmap.StopSearch`.

    Returns
    -------
    SearchResult
        Without a score; a `SearchWarning` if it ended early.
    """
    return _learned("gsimn", table, options, callback, lambda test, monitor: gsimn(test, monitor=monitor))


def learn_iamb(
    table: EncodedTable, options: IAMBOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure by joining IAMB blankets.

    Parameters
    ----------
    table : EncodedTable
        The data.
    options : IAMBOptions
        The options.
    callback : callable, optional
        Called with the progress; it may raise `ibmap.StopSearch`.

    Returns
    -------
    SearchResult
        Without a score; a `SearchWarning` if it ended early.
    """
    return _learned(
        "iamb", table, options, callback, lambda test, monitor: iamb(test, rule=options.rule, monitor=monitor)
    )


def learn_hiton(
    table: EncodedTable, options: HITONOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure by joining HITON neighbours.

    Parameters
    ----------
    table : EncodedTable
        The data.
    options : HITONOptions
        The options.
    callback : callable, optional
        Called with the progress; it may raise `ibmap.StopSearch`.

    Returns
    -------
    SearchResult
        Without a score; a `SearchWarning` if it ended early.
    """
    return _learned(
        "hiton",
        table,
        options,
        callback,
        lambda test, monitor: hiton(test, rule=options.rule, max_given=options.max_given, monitor=monitor),
    )


def _learned(
    name: str,
    table: EncodedTable,
    options: TestOptions,
    callback: Callback | None,
    find: Callable[[IndependenceTest, Monitor], MarkovGraph],
) -> SearchResult:
    """Run an algorithm and put its result together."""
    begun = time.perf_counter()
    test, monitor = options.make_test(table), Monitor(callback)
    graph = as_graph(find(test, monitor), table.names)  # a callable's test may number the variables
    provenance = provenance_of(table, name, options.recorded(), time.perf_counter() - begun)
    if monitor.is_stopped:
        msg = "the search was interrupted: variables not reached have the neighbours that others claim"
        warnings.warn(msg, SearchWarning, stacklevel=4)
    return SearchResult(
        graph,
        table.labels,
        provenance,
        test.n_tests,
        stopped="interrupted" if monitor.is_stopped else "finished",
        descriptions=describe_variables(table, graph),
    )
