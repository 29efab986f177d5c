"""GSMN and its relatives as functions: an encoded table and options in, a result without a score out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from functools import partial

from ibmap.blankets.gsmn import gsmn
from ibmap.blankets.gsmn_star import gsimn, gsmn_star
from ibmap.blankets.hiton import hiton
from ibmap.blankets.iamb import iamb
from ibmap.data.table import EncodedTable
from ibmap.errors import SearchWarning
from ibmap.evidence.variables import describe_variables
from ibmap.graph import MarkovGraph, as_graph
from ibmap.learners.options import GSMNOptions, HITONOptions, IAMBOptions, TestOptions
from ibmap.progress import Callback, Monitor
from ibmap.result import SearchResult
from ibmap.result.provenance import provenance_of


def learn_gsmn(
    table: EncodedTable, options: GSMNOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with GSMN."""
    find = partial(gsmn, rule=options.rule, grow=options.grow, order=options.order)
    return _learned("gsmn", table, options, callback, find)


def learn_gsmn_star(
    table: EncodedTable, options: TestOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with GSMN*."""
    return _learned("gsmn-star", table, options, callback, gsmn_star)


def learn_gsimn(
    table: EncodedTable, options: TestOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with GSIMN."""
    return _learned("gsimn", table, options, callback, gsimn)


def learn_iamb(
    table: EncodedTable, options: IAMBOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure by joining IAMB blankets."""
    return _learned("iamb", table, options, callback, partial(iamb, rule=options.rule))


def learn_hiton(
    table: EncodedTable, options: HITONOptions, *, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure by joining HITON neighbours."""
    find = partial(hiton, rule=options.rule, max_given=options.max_given)
    return _learned("hiton", table, options, callback, find)


def _learned(
    name: str,
    table: EncodedTable,
    options: TestOptions,
    callback: Callback | None,
    find: Callable[..., MarkovGraph],
) -> SearchResult:
    """Run an algorithm and put its result together; warn if it was ended early."""
    begun = time.perf_counter()
    options.check()
    options = options.settled(table.names)
    test, monitor = options.make_test(table), Monitor(callback)
    deadline = None if options.max_seconds is None else time.monotonic() + options.max_seconds
    found = find(test, deadline=deadline, monitor=monitor)
    stopped = "interrupted" if monitor.is_stopped else "finished"
    if deadline is not None and time.monotonic() > deadline:
        stopped = "max_seconds"
    graph = as_graph(found, table.names)  # a callable's test may number the variables
    graph = options.known(table.names).agreeing(graph)  # blankets that time left out know nothing
    provenance = provenance_of(table, name, options.recorded(), time.perf_counter() - begun)
    if stopped != "finished":
        ended = "was interrupted" if stopped == "interrupted" else "stopped at its limit max_seconds"
        msg = f"the search {ended}: variables not reached have the neighbours that others claim"
        warnings.warn(msg, SearchWarning, stacklevel=5)
    return SearchResult(
        graph,
        table.labels,
        provenance,
        test.n_tests,
        stopped=stopped,
        descriptions=describe_variables(table, graph),
    )
