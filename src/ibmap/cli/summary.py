"""A learned network as tables to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from ibmap.cli.console import output, printable
from ibmap.evidence.words import amount, in_words
from ibmap.notes import find_notes
from ibmap.words import how_ended, how_learned, prior_in_words, why_no_evidence

if TYPE_CHECKING:
    from rich.console import Console

    from ibmap.result import PairEvidence, SearchResult

MAX_VARIABLES = 40  # lines of the table of variables
MAX_NEIGHBOURS = 12  # names in one line of it
MANY_EDGES = 12  # beyond this only the strongest and the weakest are shown
N_SHOWN = 6  # of each


def print_summary(result: SearchResult, title: str) -> None:
    """Write what was learned to standard output.

    Parameters
    ----------
    result : SearchResult
        What was learned.
    title : str
        What it was learned from.
    """
    console = output()
    console.print(_facts(result, title), "")
    console.print(_variables(result), "")
    _print_notes(console, result)
    _print_edges(console, result)


def edge_table(title: str, heading: str, names: Sequence[str], pairs: Sequence[PairEvidence]) -> Table:
    """Lay out pairs of variables with their evidence.

    Parameters
    ----------
    title : str
        What they are.
    heading : str
        Of the last column.
    names : sequence of str
        Names of all variables.
    pairs : sequence of PairEvidence
        The pairs, in order.

    Returns
    -------
    rich.table.Table
        One row for each.
    """
    table = titled(title)
    table.add_column("Variable", overflow="fold")
    table.add_column("Variable", overflow="fold")
    table.add_column("Loss", justify="right", no_wrap=True)
    table.add_column(heading, no_wrap=True)
    for pair in pairs:
        ends = (Text(printable(names[k])) for k in (pair.x, pair.y))
        table.add_row(*ends, amount(pair.loss), in_words(pair.loss))
    return table


def titled(title: str) -> Table:
    """Make an empty table.

    Parameters
    ----------
    title : str
        What it shows.

    Returns
    -------
    rich.table.Table
        Without columns or rows.
    """
    return Table(
        title=Text(title),
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )


def _facts(result: SearchResult, title: str) -> Table:
    """Lay out the totals."""
    source, graph = result.provenance, result.graph
    n_pairs = graph.n_variables * (graph.n_variables - 1) // 2
    dropped = f" ({source.n_rows_dropped:,} more dropped for missing values)" if source.n_rows_dropped else ""
    facts = [
        ("Table", title),
        ("Rows", f"{source.n_samples:,} used{dropped}"),
        ("Variables", f"{graph.n_variables:,}"),
        (
            "Edges",
            f"{graph.n_edges:,} of {n_pairs:,} possible (density {graph.n_edges / max(n_pairs, 1):.2f})",
        ),
        ("Learned by", how_learned(result)),
        ("Prior", prior_in_words(result)),
        ("Cost", f"{result.n_tests:,} distinct tests of independence, {source.seconds:.2f} s"),
    ]
    if result.score is not None:
        facts.insert(6, ("IB-score", f"{result.score:.3f} (natural log); {how_ended(result)}"))
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in facts:
        if value:
            grid.add_row(name, Text(printable(value)))
    return grid


def _variables(result: SearchResult) -> Table:
    """Lay out each variable with its states and its blanket."""
    graph = result.graph
    loss = {(e.x, e.y): e.loss for e in result.evidence if e.is_edge}
    blanket = "Blanket, strongest first" if loss else "Blanket"
    table = titled("Variables and their Markov blankets (direct neighbours)")
    table.add_column("Variable", overflow="fold")
    table.add_column("States", justify="right")
    table.add_column(blanket, overflow="fold")
    for x in range(min(graph.n_variables, MAX_VARIABLES)):
        near = sorted(graph.blanket(x), key=lambda y: -loss.get((min(x, y), max(x, y)), 0.0))
        table.add_row(Text(printable(graph.names[x])), str(len(result.states[x])), _listed(near, graph.names))
    return table


def _listed(variables: Sequence[int], names: Sequence[str]) -> Text:
    """Join a few names."""
    shown = ", ".join(printable(names[y]) for y in variables[:MAX_NEIGHBOURS])
    rest = len(variables) - MAX_NEIGHBOURS
    return Text(f"{shown} and {rest} more" if rest > 0 else shown or "(none)", style="" if shown else "dim")


def _print_notes(console: Console, result: SearchResult) -> None:
    """Say what was left out of the table of variables, and what a reader should know of."""
    hidden = result.graph.n_variables - MAX_VARIABLES
    if hidden > 0:
        console.print(f"... and {hidden:,} more variables; --output or --json has them all.\n")
    told = set(result.provenance.warnings)  # as messages, when the table was read
    for heading, text in find_notes(result):
        if text not in told:
            console.print(Text.assemble((f"{heading}. ", "bold"), printable(text)), "")


def _print_edges(console: Console, result: SearchResult) -> None:
    """Write the strongest and weakest edges, and the nearest missing ones."""
    names = result.graph.names
    edges = [pair for pair in result.evidence if pair.is_edge]
    missing = [pair for pair in result.evidence if not pair.is_edge]
    without, with_it = "Without it the structure is", "With it the structure is"
    if len(edges) > MANY_EDGES:
        console.print(edge_table("Strongest edges", without, names, edges[:N_SHOWN]), "")
        console.print(edge_table("Weakest edges, the weakest last", without, names, edges[-N_SHOWN:]), "")
    elif edges:
        console.print(edge_table("Edges, strongest first", without, names, edges), "")
    if missing:
        title = "Pairs nearest to being joined"
        console.print(edge_table(title, with_it, names, missing[:N_SHOWN]), "")
    if edges or missing:
        console.print("Loss: by how much the natural log of the IB-score falls if the pair is changed.")
    else:
        console.print(why_no_evidence(result))
