"""``ibmap compare``: a network beside another one, or beside a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ibmap.cli.arguments import (
    BinsAsLearned,
    MissingAsLearned,
    MissingMarks,
    NoHeader,
    Separator,
    TextEncoding,
)
from ibmap.cli.console import interruptible, output, print_json, printable, warnings_as_messages
from ibmap.cli.options import read_bins, reading_as_learned, text_options
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    from ibmap.export import Network
    from ibmap.metrics import EdgeComparison

MAX_LISTED = 30  # edges of a kind


def register(app: typer.Typer) -> None:
    """Add the command to the program.

    Parameters
    ----------
    app : typer.Typer
        The program.
    """
    app.command("compare")(interruptible(_compare))


def _compare(  # noqa: PLR0913, PLR0917 - a command's options are its parameters
    learned: Annotated[
        str,
        typer.Argument(
            metavar="LEARNED",
            help="A network: .json, .graphml, or .csv (edges or matrix).",
            show_default=False,
        ),
    ],
    reference: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCE",
            help="A network over the same variables, or a table with them as columns.",
            show_default=False,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
    triplets: Annotated[
        int, typer.Option(metavar="N", min=1, help="Questions of independence to draw.")
    ] = 2000,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="S",
            min=0,
            help="Seed of the questions, to repeat them exactly. (default: 0)",
            show_default=False,
        ),
    ] = None,
    missing: MissingAsLearned = None,
    bins: BinsAsLearned = None,
    separator: Separator = None,
    encoding: TextEncoding = None,
    na: MissingMarks = None,
    no_header: NoHeader = False,
) -> None:
    """Compare a network LEARNED with a REFERENCE: another network, or a table.

    Two networks: edges shared, missing and extra, and the share of questions of independence that they answer
    differently. A network and a table: that share alone, the table answering by the Bayesian test.
    """
    from ibmap.export import is_network_file, read_network
    from ibmap.metrics import independence_hamming

    network = read_network(learned)
    text = text_options(separator, encoding, na, no_header)
    seed = 0 if seed is None else seed
    if reference != "-" and is_network_file(_existing(reference)):
        _refuse_table_options({"missing": missing, "bins": bins, **text})
        other = read_network(reference)
        edges = _edges(network, other, learned, reference)
        share = independence_hamming(_graph(network), _graph(other), triplets, seed)
    else:
        with warnings_as_messages():
            table = reading_as_learned(network, missing, read_bins(bins), text).read(reference)
        edges = None
        share = independence_hamming(_graph(network), table, triplets, seed)
    if as_json:
        print_json(_as_dict(edges, share, triplets, seed))
    else:
        _print(edges, share, triplets, against_table=edges is None)


def print_edges(edges: EdgeComparison) -> None:
    """Write how two networks' edges compare to standard output.

    Parameters
    ----------
    edges : EdgeComparison
        The comparison.
    """
    n_learned, n_reference = (len(edges.shared) + len(each) for each in (edges.extra, edges.missing))
    _print_facts(
        [
            ("Edges", f"{n_learned} learned, {n_reference} in the reference, {len(edges.shared)} shared"),
            ("Edge Hamming distance", f"{edges.hamming}"),
            ("Precision", f"{edges.precision:.3f} of the learned edges are in the reference"),
            ("Recall", f"{edges.recall:.3f} of the reference's edges were learned"),
            ("F1", f"{edges.f1:.3f}"),
        ]
    )
    _print_list("Missing", edges.missing)
    _print_list("Extra", edges.extra)


def _existing(path: str) -> str:
    """Refuse a file that is not there, by the reader that says it best."""
    from pathlib import Path

    if not Path(path).exists():
        msg = f"there is no file {path}; check the name and the folder"
        raise FileNotFoundError(msg)
    return path


def _graph(network: Network) -> Any:
    """Give the structure alone."""
    from ibmap.export import graph_of

    return graph_of(network)


def _edges(network: Network, other: Network, learned: str, reference: str) -> EdgeComparison:
    """Compare two networks, with the files in the message if they do not fit."""
    from ibmap.errors import InvalidGraphError
    from ibmap.metrics import compare_edges

    try:
        return compare_edges(_graph(network), _graph(other))
    except InvalidGraphError as error:
        msg = f"{learned} and {reference} cannot be compared: {error}"
        raise InvalidGraphError(msg) from None


def _refuse_table_options(given: dict[str, Any]) -> None:
    """Refuse options about a table when there is none."""
    for name, value in given.items():
        if value:
            flag = {"header": "--no-header"}.get(name, f"--{name}")
            msg = f"{flag} is about reading a table, but REFERENCE is a network; leave it out"
            raise InvalidOptionError(msg)
    if given.get("header") is False:
        msg = "--no-header is about reading a table, but REFERENCE is a network; leave it out"
        raise InvalidOptionError(msg)


def _as_dict(edges: EdgeComparison | None, share: float, triplets: int, seed: int) -> dict[str, Any]:
    """Give the figures as plain values."""
    figures: dict[str, Any] = {
        "independence_hamming": share,
        "n_triplets": triplets,
        "seed": seed,
    }
    if edges is None:
        return figures
    names = ("hamming", "precision", "recall", "f1", "shared", "missing", "extra")
    return {("edge_hamming" if n == "hamming" else n): getattr(edges, n) for n in names} | figures


def _print(edges: EdgeComparison | None, share: float, triplets: int, *, against_table: bool) -> None:
    """Write the figures as text."""
    if edges is not None:
        print_edges(edges)
    answers = "the table's tests say otherwise" if against_table else "the networks differ"
    _print_facts(
        [
            (
                "Independence Hamming distance",
                f"{share:.4f}: of {triplets:,} questions, {answers} on {round(share * triplets):,}",
            )
        ]
    )


def _print_facts(facts: list[tuple[str, str]]) -> None:
    """Write names and values in two columns."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for fact in facts:
        grid.add_row(*fact)
    output().print(grid)


def _print_list(title: str, edges: tuple[tuple[str, str], ...]) -> None:
    """Write some edges, one a line."""
    if not edges:
        return
    console = output()
    console.print(f"{title}:")
    for x, y in edges[:MAX_LISTED]:
        console.print(f"  {printable(x)} -- {printable(y)}", soft_wrap=True)
    if len(edges) > MAX_LISTED:
        console.print(f"  ... and {len(edges) - MAX_LISTED:,} more; --json has them all")
