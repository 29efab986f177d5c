"""A result in, a page out."""

from __future__ import annotations

from pathlib import Path

from ibmap.data.atomic import write_atomically
from ibmap.data.table import EncodedTable
from ibmap.learners.groups import GroupComparison
from ibmap.report.content import collect_content
from ibmap.report.page import render
from ibmap.result.formats import Network, as_result
from ibmap.result.relating import related_in_time


def write_report(
    network: Network,
    path: str | Path,
    *,
    title: str = "Learned network",
    table: EncodedTable | None = None,
    groups: GroupComparison | None = None,
) -> None:
    """Write a page about a network: one file that opens anywhere and asks nothing of any server.

    Parameters
    ----------
    network : SearchResult or MarkovGraph
        What to show. A bare graph has no evidence, no search and no states.
    path : str or Path
        Where to write it, whole or not at all; by custom ending in ``.html``.
    title : str
        What the network is of.
    table : EncodedTable, optional
        The data it was learned from (`ibmap.encode`): adds the evidence to a result that keeps none, and the
        columns left out.
    groups : GroupComparison, optional
        What `ibmap.compare_groups` gives, of the same variables: drawn side by side.

    Raises
    ------
    MissingLibraryError
        If the extra ``report`` is not installed.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import ibmap
    >>> learned = ibmap.IBMAPHC().fit([["sun", "play"], ["rain", "stay"]] * 20)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(learned.result_, Path(folder) / "page.html")
    """
    result = as_result(network)
    if table is not None and not result.evidence:
        result = result.with_evidence(table)
    if table is not None:
        result = related_in_time(result, table)
    write_atomically(path, render(collect_content(result, title, table, groups)))
