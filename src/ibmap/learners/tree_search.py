"""IBMAP-TS as a function: an encoded table and options in, a result out."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

from ibmap.blankets.grow_shrink import gsmn_operator
from ibmap.blankets.gsmn_star import star_operator
from ibmap.blankets.operator import Operator
from ibmap.data.table import EncodedTable
from ibmap.errors import SearchWarning
from ibmap.evidence.variables import describe_variables
from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.learners.options import TreeSearchOptions
from ibmap.result import SearchResult
from ibmap.result.provenance import provenance_of
from ibmap.search.triplet_set import TripletSet

if TYPE_CHECKING:
    from ibmap.search.tree_search import Callback, TreeSearch


def learn_ts(
    table: EncodedTable, options: TreeSearchOptions, *, n_threads: int = 1, callback: Callback | None = None
) -> SearchResult:
    """Learn a structure with IBMAP-TS; the same for any number of threads."""
    from ibmap.search.tree_search import tree_search  # other learners do without its many kernels

    begun = time.perf_counter()
    options.check()
    options = options.settled(table.names)
    budget = options.budget()
    test = options.make_test(table)
    operator = make_operator(test, options)
    search = tree_search(operator, test, budget=budget, n_threads=n_threads, callback=callback)
    _warn_if_stopped(search)
    ordering = TripletSet.from_triplets(test.asked, test.n_variables)
    graph = as_graph(search.found, table.names)  # a callable's test may number the variables
    return SearchResult(
        graph=graph,
        states=table.labels,
        provenance=provenance_of(table, "ts", options.recorded(), time.perf_counter() - begun),
        n_tests=len(TripletSet.join([search.tests, ordering])),
        score=search.score,
        bound=search.bound,
        n_nodes=search.n_nodes,
        stopped=search.stopped,
        descriptions=describe_variables(table, graph),
    )


def make_operator(test: ProbabilisticTest, options: TreeSearchOptions) -> Operator[Any, MarkovGraph]:
    """Make the algorithm whose runs are searched."""
    if options.closure == "gsmn":
        return gsmn_operator(test, rule=options.rule, grow=options.grow, order=options.order)
    return star_operator(test, infers=options.closure == "gsimn")


def _warn_if_stopped(search: TreeSearch) -> None:
    """Say that a limit ended the search, and how far it can be from the optimum."""
    if search.stopped != "optimum":
        msg = (
            f"the search stopped ({search.stopped}) after {search.n_nodes} nodes; the structure is the best "
            f"so far, and no run has a log score more than {search.gap:.4g} above it"
        )
        warnings.warn(msg, SearchWarning, stacklevel=5)
