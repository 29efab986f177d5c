"""``ibmap explain``: why two variables are joined or not, and where the data are thin."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ibmap.cli.console import print_json, warnings_as_messages
from ibmap.cli.flags import argument, flag
from ibmap.cli.options import ReadingAsLearned
from ibmap.cli.progress import Waiting
from ibmap.errors import InvalidOptionError, NotExplainedError

if TYPE_CHECKING:
    from ibmap.data.table import EncodedTable
    from ibmap.result import SearchResult


def explain(
    network: str = argument(
        "NETWORK", "A network: .json as ibmap learn writes it, or any other with --data."
    ),
    variable: str | None = argument("A", "A variable: its blanket and how thin its data are.", None),
    other: str | None = argument("B", "Another one: why the two are joined, or not.", None),
    data: str | None = flag(
        None,
        "The table learned from, for pairs on which the network keeps no evidence; - reads standard input.",
        "TABLE",
    ),
    as_json: bool = flag(False, "Print the evidence as JSON.", None, "--json"),
    *,
    reading: ReadingAsLearned,
) -> None:
    """Explain a NETWORK: the evidence for its edges, of one variable A, or of a pair A B.

    Without variables: edges by weight of evidence, the missing edges nearest to being added, and the
    variables by how thin their data are.
    """
    from ibmap.result.formats import as_result, read_network

    if data is None and reading.given:
        msg = "options about reading a table need one; add --data TABLE, or leave them out"
        raise InvalidOptionError(msg)
    result = as_result(read_network(network))
    with warnings_as_messages(), Waiting("weighing the evidence"):
        table = None if data is None else reading.read(data, result)
        content, show = _answer(result, variable, other, table)
    if as_json:
        print_json(content)
    else:
        show()


def _answer(
    result: "SearchResult", variable: str | None, other: str | None, table: "EncodedTable | None"
) -> tuple[Any, Any]:
    """Find the explanation asked for: as plain values, and a function that prints it."""
    from ibmap.cli import evidence_tables as tables

    if variable is not None and other is not None:
        pair = result.explain(_variable(result, variable), _variable(result, other), data=table)
        return pair.to_dict(), lambda: tables.print_pair(pair)
    if variable is not None:
        own = result.explain_variable(_variable(result, variable), data=table)
        return own.to_dict(), lambda: tables.print_variable(own)
    full = result if table is None else result.with_evidence(table)
    if not full.evidence and not full.descriptions:
        msg = "the network file keeps no evidence; add the table it was learned from: --data TABLE"
        raise NotExplainedError(msg)
    return _as_dict(full), lambda: tables.print_network(full)


def _variable(result: "SearchResult", name: str) -> int | str:
    """Find a variable by its name or, if no variable is called so, by its number."""
    return int(name) if name not in result.graph.names and name.isdecimal() else name


def _as_dict(result: "SearchResult") -> dict[str, Any]:
    """Give the network-wide view as plain values."""
    from ibmap.evidence.variables import by_thinness

    names = result.graph.names
    pairs = [pair.to_dict() for pair in result.explanations]
    order = by_thinness(result.descriptions)
    return {
        "edges": [pair for pair in pairs if pair["is_edge"]],
        "nearest": [pair for pair in pairs if not pair["is_edge"]],
        "undecided": [
            {"x": names[x], "y": names[y], "is_edge": result.graph.has_edge(x, y), **own.to_dict()}
            for x, y, own in result.undecided
        ],
        "variables": [
            {
                "name": names[x],
                "blanket": [names[y] for y in result.graph.blanket(x)],
                "predictability": asdict(result.predictability[x]) if result.predictability else None,
                "thinness": result.descriptions[x].thinness,
                "description": asdict(result.descriptions[x]),
            }
            for x in order
        ],
    }
