"""GSMN as a function: an encoded table and options in, a result out."""

from __future__ import annotations

import time

from ibmap.blankets.grow_shrink import gsmn
from ibmap.evidence.variables import describe_variables
from ibmap.graph import as_graph
from ibmap.learning.options import GSMNOptions
from ibmap.result import SearchResult, provenance_of
from ibmap.table import EncodedTable


def learn_gsmn(table: EncodedTable, options: GSMNOptions) -> SearchResult:
    """Learn a structure with GSMN.

    Parameters
    ----------
    table : EncodedTable
        The data.
    options : GSMNOptions
        The options.

    Returns
    -------
    SearchResult
        Without a score.
    """
    begun = time.perf_counter()
    test = options.make_test(table)
    found = gsmn(test, rule=options.rule, grow=options.grow, order=options.order)
    graph = as_graph(found, table.names)  # a callable's test may number the variables
    provenance = provenance_of(table, "gsmn", options.recorded(), time.perf_counter() - begun)
    descriptions = describe_variables(table, graph)
    return SearchResult(graph, table.labels, provenance, test.n_tests, descriptions=descriptions)
