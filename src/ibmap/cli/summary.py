"""A learned network as tables to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ibmap.cli.console import output, print_facts, printable
from ibmap.evidence.relation_words import related, strength_text
from ibmap.evidence.words import amount, chance, in_words, share
from ibmap.result.notes import find_notes
from ibmap.result.relating import relation_of
from ibmap.result.words import (
    how_ended,
    how_learned,
    how_reliable,
    how_sure,
    missing_cells,
    prior_in_words,
    what_verdicts_mean,
    why_no_evidence,
    why_unsure,
)

if TYPE_CHECKING:
    from rich.console import Console

    from ibmap.data.table import EncodedTable
    from ibmap.evidence.pairs import PairEvidence
from ibmap.result import SearchResult

MAX_VARIABLES = 40  # lines of the table of variables
MAX_NEIGHBOURS = 12  # names in one line of it
MANY_EDGES = 12  # beyond this only the strongest and the weakest are shown
N_SHOWN = 6  # of each
WITHOUT, WITH = "-Without it the structure is", "-With it the structure is"
LOSS = "Loss: by how much the natural log of the IB-score falls if the pair is changed."
STRENGTH = (
    "Strength: from 0 to 1 on the scale of a correlation, other neighbours being equal; + or - where the "
    "states of both are two or in order. Explained: share of a variable's entropy that its neighbours tell."
)


def print_summary(result: SearchResult, title: str, table: EncodedTable | None = None) -> None:
    """Write what was learned to standard output."""
    console = output()
    print_facts(_facts(result, title))
    console.print("")
    console.print(_variables(result), "")
    _print_notes(console, result, table)
    _print_edges(console, result)


def laid_out(title: str, headings: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> Table:
    """Make a table; a heading with ``>`` is of numbers, one with ``-`` of words that are not wrapped."""
    table = Table(
        title=Text(printable(title)),
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    for heading in headings:
        kept, is_number = heading[:1] in (">", "-"), heading[:1] == ">"
        table.add_column(
            Text(printable(heading[kept:])),
            no_wrap=kept,
            justify="right" if is_number else "left",
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(printable(cell)) if isinstance(cell, str) else cell for cell in row))
    return table


def edge_table(title: str, heading: str, result: SearchResult, pairs: Sequence[PairEvidence]) -> Table:
    """Lay out pairs of variables with how sure they are or, if not known, their evidence in words."""
    names, sure = result.graph.names, result.confidence
    mark = dict.fromkeys(result.required, "; required")
    headings = ["Variable", "Variable", ">Loss", heading]
    if sure is not None:  # and no words, which would not fit into 80 characters
        headings[2:] = [f">{sure.kind.capitalize()}", "-Verdict", ">Loss"]
    rows = []
    for each in pairs:
        row, told = [names[each.x], names[each.y], amount(each.loss)], mark.get((each.x, each.y), "")
        if sure is None:
            row.append(in_words(each.loss) + told)
        else:
            own = sure.pair(each.x, each.y)
            row[2:2] = [chance(own.value), own.verdict + told]
        rows.append(row)
    known = [relation_of(result, each.x, each.y) for each in pairs]
    if any(known):
        for row, relation in zip(rows, known, strict=True):
            row[2:2] = [strength_text(relation) if relation else ""]
        headings[2:2] = [">Strength"]
    return laid_out(title, headings, rows)


def _facts(result: SearchResult, title: str) -> list[tuple[str, str]]:
    source, graph = result.provenance, result.graph
    n_pairs = graph.n_variables * (graph.n_variables - 1) // 2
    density = graph.n_edges / max(n_pairs, 1)
    dropped = f" ({source.n_rows_dropped:,} more dropped for missing values)" if source.n_rows_dropped else ""
    score = "" if result.score is None else f"{result.score:.3f} (natural log); {how_ended(result)}"
    facts = [
        ("Table", title),
        ("Rows", f"{source.n_samples:,} used{dropped}"),
        ("Missing", missing_cells(result)),
        ("Variables", f"{graph.n_variables:,}"),
        ("Edges", f"{graph.n_edges:,} of {n_pairs:,} possible (density {density:.2g})"),
        ("Learned by", how_learned(result)),
        ("Prior", prior_in_words(result)),
        (source.score_name, score),
        ("How sure", how_sure(result) or why_unsure(result)),
        ("Calibration", how_reliable(result)),
        ("Cost", f"{_cost(result)}, {source.seconds:.2f} s"),
    ]
    return [(name, value) for name, value in facts if value]


def _cost(result: SearchResult) -> str:
    """Say what the learner asked of the data."""
    if result.provenance.algorithm in ("mpl", "pic"):
        return f"{result.n_tests:,} blankets weighed"
    involved = "" if result.test_cost is None else f" of {result.test_cost:,} variables in all"
    return f"{result.n_tests:,} distinct tests of independence{involved}"


def _variables(result: SearchResult) -> Table:
    """Lay out each variable with its states and its blanket."""
    graph = result.graph
    loss = {(e.x, e.y): e.loss for e in result.evidence if e.is_edge}
    rows = []
    for x in range(min(graph.n_variables, MAX_VARIABLES)):
        near = sorted(graph.blanket(x), key=lambda y: -loss.get((min(x, y), max(x, y)), 0.0))
        known = (share(result.predictability[x].explained),) if result.predictability else ()
        rows.append((graph.names[x], str(len(result.states[x])), *known, _listed(near, graph.names)))
    known = (">Explained",) if result.predictability else ()
    headings = ("Variable", ">States", *known, "Blanket, most evidence first" if loss else "Blanket")
    return laid_out("Variables and their Markov blankets (direct neighbours)", headings, rows)


def _listed(variables: Sequence[int], names: Sequence[str]) -> Text:
    """Join a few names."""
    shown = ", ".join(printable(names[y]) for y in variables[:MAX_NEIGHBOURS])
    rest = len(variables) - MAX_NEIGHBOURS
    return Text(f"{shown} and {rest} more" if rest > 0 else shown or "(none)", style="" if shown else "dim")


def _print_notes(console: Console, result: SearchResult, table: EncodedTable | None) -> None:
    """Say what was left out of the table of variables, and what a reader should know of."""
    hidden = result.graph.n_variables - MAX_VARIABLES
    if hidden > 0:
        console.print(f"... and {hidden:,} more variables; --output or --json has them all.\n")
    told = set(result.provenance.warnings)  # as messages, when the table was read
    for heading, text in find_notes(result, table):
        if text not in told:
            console.print(Text.assemble((f"{heading}. ", "bold"), printable(text)), "", sep="\n")


def _print_edges(console: Console, result: SearchResult) -> None:
    """Write the strongest and weakest edges, and the nearest missing ones."""
    edges = [pair for pair in result.evidence if pair.is_edge]
    missing = [pair for pair in result.evidence if not pair.is_edge]
    tables = [("Edges, most evidence first", WITHOUT, edges)]
    if len(edges) > MANY_EDGES:
        strongest = ("Edges with most evidence", WITHOUT, edges[:N_SHOWN])
        tables = [strongest, ("Edges with least evidence, the least last", WITHOUT, edges[-N_SHOWN:])]
    for title, heading, pairs in [*tables, ("Pairs nearest to being joined", WITH, missing[:N_SHOWN])]:
        if pairs:
            console.print(edge_table(title, heading, result, pairs), "")
    console.print(LOSS if edges or missing else why_no_evidence(result))
    if result.confidence is not None:
        console.print(what_verdicts_mean(result))
    if result.relations:
        console.print(STRENGTH, "", sep="\n")
        _print_relations(console, result)


def _print_relations(console: Console, result: SearchResult) -> None:
    """Say how the ends of the strongest edges are related."""
    names = result.graph.names
    console.print(Text("How they are related", "bold"))
    for each in sorted(result.relations, key=lambda each: -abs(each.strength))[:N_SHOWN]:
        sentence = Text(related(each, names[each.x], names[each.y]))
        console.print(Padding(sentence, (0, 0, 0, 2), expand=False))
    if len(result.relations) > N_SHOWN:
        console.print(f"  ... and {len(result.relations) - N_SHOWN:,} more; ibmap explain NETWORK A B tells.")
