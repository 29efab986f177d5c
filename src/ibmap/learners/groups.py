"""Networks of groups of rows, side by side: learned for each, and which edges differ between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable, take_columns, take_rows
from ibmap.data.text import either
from ibmap.errors import InvalidOptionError, InvalidTableError, UnknownVariableError
from ibmap.evidence.groups import Difference, log_bayes_factors
from ibmap.evidence.relations import relate
from ibmap.graph import MarkovGraph
from ibmap.learners.options import RecommendedOptions
from ibmap.learners.recommended import learn_recommended
from ibmap.result import SearchResult
from ibmap.result.relating import related

MAX_GROUPS = 10
FEWEST = 10  # rows of a group


@dataclass(frozen=True, eq=False)
class GroupComparison:
    """Networks of groups of rows, and which relations differ between the groups.

    Parameters
    ----------
    by : str
        The column that tells the groups.
    groups : dict of str to SearchResult
        The network of each group.
    differences : tuple of Difference
        All pairs joined in any of them, those that differ most first.
    graph : MarkovGraph
        All these pairs as edges.
    """

    by: str
    groups: Mapping[str, SearchResult]
    differences: tuple[Difference, ...]
    graph: MarkovGraph

    def to_dict(self) -> dict[str, Any]:
        """Give the comparison as plain lists and dicts, ready for JSON.

        Returns
        -------
        dict
            The groups with their rows and edges, and the pairs with Bayes factors and strengths.
        """
        told = [
            {
                "name": name,
                "n_samples": result.provenance.n_samples,
                "edges": [[result.graph.names[k] for k in edge] for edge in result.graph.edges],
            }
            for name, result in self.groups.items()
        ]
        pairs = [{**asdict(each), "verdict": each.verdict} for each in self.differences]
        return {"by": self.by, "variables": list(self.graph.names), "groups": told, "pairs": pairs}


def compare_groups(
    X: Any, by: str | int, *, options: RecommendedOptions | None = None, n_threads: int = 1
) -> GroupComparison:
    """Learn a network for each group of rows, and say which edges differ.

    Parameters
    ----------
    X : table
        Anything `ibmap.encode` takes, with a column that tells the group of each row.
    by : str or int
        That column, by name or number. Rows without a group are left out.
    options : RecommendedOptions, optional
        How each network is learned.
    n_threads : int
        Threads; the result is the same for any number.

    Returns
    -------
    GroupComparison
        The networks, and for each pair joined in any of them the Bayes factor of an effect for each group
        against one common effect.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> group, x = rng.integers(0, 2, (2, 600))
    >>> y = np.where(rng.random(600) < 0.8, x ^ group, 1 - (x ^ group))
    >>> found = compare_groups(np.column_stack([group, x, y]), by=0)
    >>> [(each.x, each.y, each.verdict) for each in found.differences]
    [('x1', 'x2', 'different')]
    """
    options = options or RecommendedOptions()
    table = (
        X if isinstance(X, EncodedTable) else encode(X, missing=options.missing, bins=options.rule_for_bins)
    )
    try:
        column = table.index(by)
    except UnknownVariableError as error:
        msg = f"{either('by', '--by')}: {error}"
        raise UnknownVariableError(msg) from None
    kept = [k for k in range(table.n_variables) if k != column]
    whole, name = take_columns(table, kept), table.names[column]
    rows = _rows(table, column)
    found = {}
    for label, chosen in rows.items():
        own = take_rows(whole, chosen)
        found[label] = related(learn_recommended(own, options, n_threads=n_threads), own)
    edges = sorted({edge for result in found.values() for edge in result.graph.edges})
    graph = MarkovGraph.from_edges(whole.n_variables, edges, whole.names)
    factors = log_bayes_factors(whole, [*rows.values()], graph)
    told = [relate(take_rows(whole, chosen), graph)[0] for chosen in rows.values()]
    differences = [
        Difference(
            graph.names[x],
            graph.names[y],
            factors[x, y],
            tuple(result.graph.has_edge(x, y) for result in found.values()),
            tuple(each[k].strength for each in told),
            tuple(each[k].sign for each in told),
        )
        for k, (x, y) in enumerate(graph.edges)
    ]
    differences.sort(key=lambda each: -each.log_bayes_factor)
    return GroupComparison(name, found, tuple(differences), graph)


def _rows(table: EncodedTable, column: int) -> dict[str, np.ndarray]:
    """Find the rows of each group, in the order of the states; refuse too many groups and too small ones."""
    known = np.ones(table.n_rows, bool) if table.missing is None else ~table.missing[:, column]
    name, codes = table.names[column], table.codes[:, column]
    found = {
        str(table.labels[column][k]): known & (codes == k)
        for k in range(int(table.cardinalities[column]))
        if (known & (codes == k)).any()
    }
    if not 2 <= len(found) <= MAX_GROUPS:
        msg = f"column {name!r} tells {len(found)} groups; 2 to {MAX_GROUPS} can be compared"
        raise InvalidOptionError(msg)
    for label, rows in found.items():
        if table.weights[rows].sum() < FEWEST:
            msg = (
                f"group {label!r} of column {name!r} has fewer than {FEWEST} rows, too few for a network of "
                "its own; join it with another group, or leave its rows out"
            )
            raise InvalidTableError(msg)
    return found
