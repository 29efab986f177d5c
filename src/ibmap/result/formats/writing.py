"""Write networks: JSON, GraphML, DOT and CSV, by the extension of the name.

Names of variables come from other people's tables: each format is written so that any name
comes back as it was, or is refused; no name turns into syntax.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ibmap.data.files import write_atomically
from ibmap.data.text import harmless
from ibmap.errors import FileFormatError
from ibmap.result import SearchResult
from ibmap.result.formats.formats import (
    EDGE_HEADER,
    NETWORK_SUFFIXES,
    R_HEADER,
    RELATION_HEADER,
    Network,
    as_result,
    edge_chances,
    edge_relations,
    edge_weights,
    graph_of,
    suffix_of,
)

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SURROGATE = re.compile("[\ud800-\udfff]")


def write_network(network: Network, path: str | Path) -> None:
    """Write a network to a file, in the format of its extension, whole or not at all."""
    suffix = check_writable(path)
    graph = graph_of(network)
    culprit = next((name for name in graph.names if SURROGATE.search(name)), None)
    if culprit is not None:
        msg = f"cannot write {str(path)!r}: the name {culprit!r} is not valid Unicode; rename the column"
        raise FileFormatError(msg)
    try:
        content = _WRITERS[suffix](network)
    except FileFormatError as error:
        msg = f"cannot write {str(path)!r}: {error}"
        raise FileFormatError(msg) from None
    write_atomically(path, content)


def check_writable(path: str | Path) -> str:
    """Tell the format a network would be written in, before any work is done."""
    suffix = suffix_of(path)
    if suffix not in _WRITERS:
        msg = f"cannot write {str(path)!r}: the name must end in one of {', '.join(NETWORK_SUFFIXES)}"
        raise FileFormatError(msg)
    return suffix


def _as_json(network: Network) -> str:
    """Write everything; a bare graph becomes a result that says so."""
    return as_result(network).to_json()


def _as_graphml(network: Network) -> bytes:
    """Write GraphML: names as identifiers and as labels, weights as numbers."""
    import networkx as nx

    graph, weights, (kind, chances) = graph_of(network), edge_weights(network), edge_chances(network)
    for name in graph.names:
        odd = NOT_XML.search(name)
        if odd:
            msg = f"the name {name!r} has {odd[0]!r}, which GraphML cannot hold; rename the column"
            raise FileFormatError(msg)
    out, relations = nx.Graph(), edge_relations(network)
    out.add_nodes_from((name, {"label": name}) for name in graph.names)
    told = network.predictability if isinstance(network, SearchResult) else ()
    nx.set_node_attributes(
        out, {name: own.explained for name, own in zip(graph.names, told, strict=False)}, "explained"
    )
    for i, j in graph.edges:
        known: dict[str, float | str] = {"weight": weights[i, j]} if (i, j) in weights else {}
        known |= relations.get((i, j), {})
        if (i, j) in chances:
            known |= dict(zip((kind, "verdict"), chances[i, j], strict=True))
        out.add_edge(graph.names[i], graph.names[j], **known)
    buffer = io.BytesIO()
    nx.write_graphml_xml(out, buffer)
    return buffer.getvalue()


def _as_dot(network: Network) -> str:
    """Write DOT: numbered nodes with the names as labels, so that no name is syntax."""
    graph, weights, (kind, chances) = graph_of(network), edge_weights(network), edge_chances(network)
    top = max(weights.values(), default=0.0)
    lines = ["graph ibmap {", "  node [shape=box, style=rounded];"]
    lines += [f"  n{k} [label={_dot_text(name)}];" for k, name in enumerate(graph.names)]
    for i, j in graph.edges:
        weight = weights.get((i, j))
        width = 1 + 3 * max(weight, 0.0) / top if weight is not None and top > 0 else 1.0
        known = [] if weight is None else [f"loss={_dot_text(repr(weight))}", f"penwidth={width:.2f}"]
        if (i, j) in chances:
            value, verdict = chances[i, j]
            known += [f'{kind}="{value!r}"', f"style={'solid' if verdict == 'present' else 'dashed'}"]
        attributes = f" [{', '.join(known)}]" if known else ""
        lines.append(f"  n{i} -- n{j}{attributes};")
    return "\n".join([*lines, "}", ""])


def _dot_text(text: str) -> str:
    """Quote a label: backslashes, quotes and entities taken literally, control characters shown."""
    text = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    shown = (f"\\\\x{ord(c):02x}" if ord(c) < 32 or 127 <= ord(c) < 160 else c for c in text)
    return '"' + "".join(shown) + '"'


def _as_edge_list(network: Network) -> str:
    """Write a line for each edge, and one without target for each variable that has none."""
    graph, losses, relations = graph_of(network), edge_weights(network), edge_relations(network)
    sure, chances = _sure_columns(network)
    header = [*EDGE_HEADER, *sure, *(RELATION_HEADER if relations else [])]
    rows: list[list[str]] = [header]
    for edge in graph.edges:
        ends = sorted((graph.names[k] for k in edge), key=lambda name: name != "")  # a target is never empty
        told = [_number(relations[edge].get(name)) for name in RELATION_HEADER] if relations else []
        rows.append([*map(harmless, ends), _number(losses.get(edge)), *chances[edge], *told])
    alone = (name for k, name in enumerate(graph.names) if not graph.blanket(k))
    rows += [[harmless(name), *[""] * (len(header) - 1)] for name in alone]
    return _csv_text(rows)


def _as_r_edges(network: Network) -> str:
    """Write the edges as qgraph and igraph read them: names, the signed strength as weight, then the rest."""
    graph, losses, relations = graph_of(network), edge_weights(network), edge_relations(network)
    sure, chances = _sure_columns(network)
    rows = [[*R_HEADER, *sure, "loss", *RELATION_HEADER[1:]]]
    for edge in graph.edges:
        weight, *told = (_number(relations.get(edge, {}).get(name)) for name in RELATION_HEADER)
        names = (harmless(graph.names[k]) for k in edge)
        rows.append([*names, weight, *chances[edge], _number(losses.get(edge)), *told])
    return _csv_text(rows)


def _sure_columns(network: Network) -> tuple[list[str], dict[tuple[int, int], list[str]]]:
    """Give the headings of how sure edges are, if that is known, and the cells of each edge."""
    kind, chances = edge_chances(network)
    known = isinstance(network, SearchResult) and network.confidence is not None
    cells = {
        edge: [repr(chances[edge][0]), chances[edge][1]] if known else [] for edge in graph_of(network).edges
    }
    return [kind, "verdict"] if known else [], cells


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _as_matrix(network: Network) -> str:
    """Write the matrix with the names in the first row and column."""
    graph = graph_of(network)
    names = [harmless(name) for name in graph.names]
    cells = graph.adjacency.astype(int).astype(str).tolist()
    return _csv_text([["", *names], *([name, *row] for name, row in zip(names, cells, strict=True))])


def _csv_text(rows: Iterable[Sequence[str]]) -> str:
    """Write rows; Python's writer would leave a lone carriage return unquoted."""
    return "".join(",".join(map(_csv_cell, row)) + "\n" for row in rows)


def _csv_cell(text: str) -> str:
    """Quote a cell if it needs it."""
    return '"' + text.replace('"', '""') + '"' if re.search('[",\r\n]|^\\s|\\s$', text) else text


_WRITERS: dict[str, Callable[[Network], str | bytes]] = {
    ".json": _as_json,
    ".graphml": _as_graphml,
    ".dot": _as_dot,
    ".gv": _as_dot,
    ".csv": _as_edge_list,
    ".adjacency.csv": _as_matrix,
    ".matrix.csv": _as_matrix,
    ".edges.csv": _as_r_edges,
}
