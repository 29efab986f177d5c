"""Read networks: JSON, GraphML and CSV, by the extension of the name."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from ibmap.data.records import parse_json
from ibmap.data.text import read_text, unmarked
from ibmap.errors import FileFormatError, InvalidGraphError
from ibmap.graph import MarkovGraph
from ibmap.result import SearchResult
from ibmap.result.formats.formats import (
    EDGE_HEADER,
    NETWORK_SUFFIXES,
    R_HEADER,
    RELATION_HEADER,
    SURE_HEADERS,
    Network,
    suffix_of,
)

KNOWN_HEADERS = [
    [*sure, *more]
    for sure in ([], *SURE_HEADERS)
    for more in ([], RELATION_HEADER, ["loss", *RELATION_HEADER[1:]])
]


def read_network(path: str | Path) -> Network:
    """Read a network from a file: JSON gives the result, anything else the graph."""
    suffix = suffix_of(path)
    if suffix not in _READERS:
        hint = "DOT is written for drawing only; " if suffix in (".dot", ".gv") else ""
        msg = f"cannot read a network from {str(path)!r}: {hint}give a .json, .graphml or .csv file"
        raise FileFormatError(msg)
    text = read_text(path)
    try:
        return _READERS[suffix](text)
    except (FileFormatError, InvalidGraphError) as error:
        msg = f"{path}: {error}"
        raise FileFormatError(msg) from None


def is_network_file(path: str | Path) -> bool:
    """Tell whether a file is a network rather than a table."""
    suffix = suffix_of(path)
    if suffix != ".csv":
        return suffix in NETWORK_SUFFIXES
    with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
        try:
            return _csv_kind(next(csv.reader(file), [])) is not None
        except csv.Error:
            return False


def _from_json(text: str) -> SearchResult:
    """Read JSON in the documented format."""
    return SearchResult.from_dict(parse_json(text))


def _from_graphml(text: str) -> MarkovGraph:
    """Read GraphML, the identifiers as names."""
    import networkx as nx

    try:
        found = nx.parse_graphml(text)
    except Exception as error:  # another library's reader: whatever it raises, the file is to blame
        msg = f"this is not GraphML: {error}"
        raise FileFormatError(msg) from None
    if found.is_directed():
        msg = "the graph is directed; a Markov network is undirected"
        raise InvalidGraphError(msg)
    return _graph_from_names([str(node) for node in found], [(str(u), str(v)) for u, v in found.edges()])


def _from_csv(text: str) -> MarkovGraph:
    """Read a list of edges or a matrix, whichever it begins like."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except csv.Error as error:
        msg = f"this is not CSV: {error}"
        raise FileFormatError(msg) from None
    kind = _csv_kind(rows[0] if rows else [])
    if kind is None:
        msg = (
            "this is not a network: a list of edges begins with source,target, "
            "a matrix with an empty cell and the names"
        )
        raise FileFormatError(msg)
    return _from_matrix(rows) if kind == "matrix" else _from_edge_list(rows)


def _csv_kind(header: Sequence[str]) -> str | None:
    """Tell a list of edges from a matrix by its first row; None if it is neither."""
    cells = [cell.strip().lower() for cell in header]
    if cells[:2] in (EDGE_HEADER[:2], R_HEADER[:2]) and cells[3:] in KNOWN_HEADERS:
        return "edges"
    return "matrix" if len(header) > 1 and header[0] == "" else None


def _from_edge_list(rows: list[list[str]]) -> MarkovGraph:
    """Read a list of edges; variables in the order they appear."""
    edges = []
    names: dict[str, None] = {}
    for number, row in enumerate(rows[1:], 2):
        if not 2 <= len(row) <= max(len(rows[0]), len(EDGE_HEADER)):
            msg = (
                f"record {number} has {len(row)} values; a list of edges has {' and '.join(rows[0][:2])}, "
                "and may have the other columns of the first line"
            )
            raise FileFormatError(msg)
        source, target = map(unmarked, row[:2])
        names[source] = None
        if target:
            names[target] = None
            edges.append((source, target))
    return _graph_from_names(list(names), edges)


def _from_matrix(rows: list[list[str]]) -> MarkovGraph:
    names = [unmarked(cell) for cell in rows[0][1:]]
    if [unmarked(row[0]) for row in rows[1:]] != names:
        msg = "the names in the first column are not those in the first row, in the same order"
        raise FileFormatError(msg)
    for name, row in zip(names, rows[1:], strict=True):
        if len(row) != len(names) + 1 or not set(row[1:]) <= {"0", "1"}:
            msg = f"the row of {name!r} must have {len(names)} values, each 0 or 1"
            raise FileFormatError(msg)
    return MarkovGraph(np.array([row[1:] for row in rows[1:]], int), names)


def _graph_from_names(names: list[str], edges: Iterable[tuple[str, str]]) -> MarkovGraph:
    place = {name: k for k, name in enumerate(names)}
    return MarkovGraph.from_edges(len(names), [(place[u], place[v]) for u, v in edges], names)


_READERS: dict[str, Callable[[str], Network]] = {
    ".json": _from_json,
    ".graphml": _from_graphml,
    ".csv": _from_csv,
    ".adjacency.csv": _from_csv,
    ".matrix.csv": _from_csv,
    ".edges.csv": _from_csv,
}
