"""GSMN as a function: an encoded table and options in, a result out."""

from __future__ import annotations

import time
import warnings

from ibmap.blankets.gsmn import gsmn
from ibmap.errors import SearchWarning
from ibmap.evidence.variables import describe_variables
from ibmap.graph import as_graph
from ibmap.learning.options import GSMNOptions
from ibmap.progress import Callback, Monitor
from ibmap.result import SearchResult, provenance_of
from ibmap.table import EncodedTable


def learn_gsmn(
    table: EncodedTable, options: GSMNOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with GSMN.

    Parameters
    ----------
    table : EncodedTable
        The data.
    options : GSMNOptions
        The options.
    callback : callable, optional
        Called with the progress of the search. If it raises `ibmap.StopSearch`, the search ends
        there: variables not reached have the neighbours that others claim, or none.

    Returns
    -------
    SearchResult
        Without a score; a `SearchWarning` if it ended early.
    """
    begun = time.perf_counter()
    test = options.make_test(table)
    monitor = Monitor(callback)
    found = gsmn(test, rule=options.rule, grow=options.grow, order=options.order, monitor=monitor)
    graph = as_graph(found, table.names)  # a callable's test may number the variables
    provenance = provenance_of(table, "gsmn", options.recorded(), time.perf_counter() - begun)
    descriptions = describe_variables(table, graph)
    stopped = "interrupted" if monitor.is_stopped else "finished"
    if monitor.is_stopped:
        msg = "the search was interrupted: variables not reached have the neighbours that others claim"
        warnings.warn(msg, SearchWarning, stacklevel=3)
    return SearchResult(
        graph, table.labels, provenance, test.n_tests, stopped=stopped, descriptions=descriptions
    )
