"""``ibmap compare``: a network compared with another one, or with a table."""

from pathlib import Path
from typing import TYPE_CHECKING

from ibmap.cli.console import output, print_facts, print_json, printable, warnings_as_messages
from ibmap.cli.flags import argument, flag
from ibmap.cli.groups import Groups, compare_tables
from ibmap.cli.options import ReadingAsLearned
from ibmap.errors import InvalidGraphError, InvalidOptionError

if TYPE_CHECKING:
    from ibmap.graph import MarkovGraph
    from ibmap.metrics import EdgeComparison

MAX_LISTED = 30  # edges of a kind
FIGURES = ("hamming", "precision", "recall", "f1", "shared", "missing", "extra")


def compare(
    learned: str = argument("LEARNED", "A network: .json, .graphml, or .csv (edges or matrix); or a table."),
    reference: str | None = argument(
        "REFERENCE", "A network over the same variables, or a table with them as columns.", None
    ),
    as_json: bool = flag(False, "Print the figures as JSON.", None, "--json"),
    triplets: int = flag(2000, "Questions of independence to draw.", "N", min=1),
    seed: int = flag(0, "Seed of the questions, to repeat them exactly.", "S", min=0),
    *,
    asked: Groups,
    reading: ReadingAsLearned,
) -> None:
    """Compare a network LEARNED with a REFERENCE: another network, or a table.

    Two networks: edges shared, missing and extra, and the share of questions of independence that they answer
    differently. A network and a table: that share alone, the table answering by the Bayesian test.
    A table with --by, or two tables: a network for each group, and which edges differ between them.
    """
    if asked.by is not None or (learned != "-" and not is_network(learned)):
        if (asked.by is None) != (reference is not None):
            msg = "compare takes a network and a REFERENCE, two tables, or one table with --by COLUMN"
            raise InvalidOptionError(msg)
        compare_tables([learned] if reference is None else [learned, reference], asked, reading, as_json)
        return
    if reference is None or asked != Groups():
        what = (
            "REFERENCE is missing"
            if reference is None
            else "--weights, --picture and --report are for groups of rows"
        )
        msg = f"{what}: compare takes a network and a REFERENCE, two tables, or one table with --by COLUMN"
        raise InvalidOptionError(msg)
    from ibmap.metrics import independence_hamming
    from ibmap.result.formats import graph_of, is_network_file, read_network

    network = read_network(learned)
    graph, edges, other = graph_of(network), None, None
    if reference != "-" and is_network_file(_existing(reference)):
        _refuse_table_options(reading)
        other = graph_of(read_network(reference))
        edges = _edges(graph, other, f"{learned} and {reference}")
        share = independence_hamming(graph, other, triplets, seed)
    else:
        with warnings_as_messages():
            table = reading.read(reference, network)
        share = independence_hamming(graph, table, triplets, seed)
    if as_json:
        figures = {name: getattr(edges, name) for name in FIGURES} if edges else {}
        figures = {"edge_hamming" if name == "hamming" else name: each for name, each in figures.items()}
        print_json({**figures, "independence_hamming": share, "n_triplets": triplets, "seed": seed})
        return
    if edges:
        print_edges(edges)
    answers = "the networks differ" if edges else "the table's tests say otherwise"
    text = f"{share:.4f}: of {triplets:,} questions, {answers} on {round(share * triplets):,}"
    print_facts([("Independence Hamming distance", text)])


def print_edges(edges: "EdgeComparison") -> None:
    """Write how two networks' edges compare to standard output."""
    n_learned, n_reference = (len(edges.shared) + len(each) for each in (edges.extra, edges.missing))
    print_facts(
        [
            ("Edges", f"{n_learned} learned, {n_reference} in the reference, {len(edges.shared)} shared"),
            ("Edge Hamming distance", f"{edges.hamming}"),
            ("Precision", f"{edges.precision:.3f} of the learned edges are in the reference"),
            ("Recall", f"{edges.recall:.3f} of the reference's edges were learned"),
            ("F1", f"{edges.f1:.3f}"),
        ]
    )
    for title, listed in (("Missing", edges.missing), ("Extra", edges.extra)):
        _print_list(title, listed)


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


def is_network(path: str) -> bool:
    """Tell whether a file is a network rather than a table."""
    from ibmap.result.formats import is_network_file

    return is_network_file(_existing(path))


def _existing(path: str) -> str:
    """Refuse a file that is not there."""
    if not Path(path).exists():
        msg = f"there is no file {path}; check the name and the folder"
        raise FileNotFoundError(msg)
    return path


def _edges(graph: "MarkovGraph", other: "MarkovGraph", files: str) -> "EdgeComparison":
    """Compare two networks, with the files in the message if they do not fit."""
    from ibmap.metrics import compare_edges

    try:
        return compare_edges(graph, other)
    except InvalidGraphError as error:
        msg = f"{files} cannot be compared: {error}"
        raise InvalidGraphError(msg) from None


def _refuse_table_options(reading: ReadingAsLearned) -> None:
    """Refuse options about a table when there is none."""
    for name in reading.given:
        option = "--no-header" if name == "header" else f"--{name}"
        msg = f"{option} is about reading a table, but REFERENCE is a network; leave it out"
        raise InvalidOptionError(msg)
