"""Explanations as sentences and small tables to read."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from ibmap.cli.console import output, printable
from ibmap.cli.summary import LOSS, WITH, WITHOUT, edge_table, laid_out
from ibmap.evidence.relation_words import strength_text
from ibmap.evidence.sureness import rounded
from ibmap.evidence.variables import by_thinness
from ibmap.evidence.words import amount, chance, listed, probability, rough, share, whole
from ibmap.result.words import what_verdicts_mean

if TYPE_CHECKING:
    from rich.console import Console

    from ibmap.evidence.explanation import PairExplanation, VariableExplanation
    from ibmap.evidence.relation import Relation
    from ibmap.evidence.statements import Statement
    from ibmap.result import SearchResult

N_VARIABLES = 12  # thinnest ones listed
N_UNDECIDED = 15  # pairs listed
N_NEAREST = 10  # missing edges listed
MAX_EDGES = 40  # lines of the table of edges
THIN = (
    "Small slices: share of the rows that lie in slices with fewer than 5 rows for each state of the "
    "variable. Thin: at least half of them; thin in places: a fifth."
)


def print_pair(pair: PairExplanation) -> None:
    """Write an explanation of a pair to standard output."""
    console = output()
    _print_text(console, pair.headline())
    if pair.sureness is not None:
        _print_text(console, pair.sureness.sentence())
    for sentence in pair.relationship():
        _print_text(console, sentence)
    console.print("")
    if pair.relation is not None:
        _print_text(
            console, f"{printable(pair.y)} for each state of {printable(pair.x)}, others being equal:"
        )
        console.print(_cross_table(pair.relation, pair.x), "")
    console.print(_statements(pair), "")
    for remark in pair.remarks():
        _print_text(console, remark)


def _cross_table(relation: Relation, x: str) -> Table:
    """Lay out the probabilities of y's states for each state of x."""
    rows = [
        (label, *(share(p) for p in row))
        for label, row in zip(relation.x_states, relation.y_given_x, strict=True)
    ]
    return laid_out("", (x, *(f">{label}" for label in relation.y_states)), rows)


def print_variable(own: VariableExplanation) -> None:
    """Write an explanation of a variable to standard output."""
    console = output()
    _print_text(console, own.headline())
    edges = _partners("Edges, most evidence first", own.name, own.neighbours)
    nearest = _partners("Nearest to being joined", own.name, own.nearest[:N_NEAREST])
    for table, pairs in ((edges, own.neighbours), (nearest, own.nearest)):
        if pairs:
            console.print("", table, sep="\n")
    _print_unexplained(console, len(own.blanket) - len(own.neighbours))


def print_network(result: SearchResult) -> None:
    """Write the network-wide view to standard output."""
    console = output()
    edges = [pair for pair in result.evidence if pair.is_edge]
    missing = [pair for pair in result.evidence if not pair.is_edge][:N_NEAREST]
    if edges:
        console.print(edge_table("Edges by weight of evidence", WITHOUT, result, edges[:MAX_EDGES]), "")
    if len(edges) > MAX_EDGES:
        console.print(f"... and {len(edges) - MAX_EDGES:,} weaker edges; --json has them all.\n")
    if missing:
        console.print(edge_table("Nearest rejected edges", WITH, result, missing), "")
    if edges or missing:
        console.print(LOSS, "", sep="\n")
    if result.confidence is not None:
        _print_undecided(console, result)
    _print_unexplained(console, result.graph.n_edges - len(edges))
    if result.descriptions:
        console.print(_thin_variables(result), "")
        _print_text(console, THIN)


def _print_undecided(console: Console, result: SearchResult) -> None:
    """Write the pairs left undecided, the most probable first, with what would settle them."""
    undecided = result.undecided
    rows = []
    for x, y, own in undecided[:N_UNDECIDED]:
        joined = "yes" if result.graph.has_edge(x, y) else "no"
        needed = "" if own.rows is None else f"about {whole(rounded(own.rows))}"
        needed = needed if own.is_mixed else "chains disagree"
        rows.append((result.graph.names[x], result.graph.names[y], joined, chance(own.value), needed))
    kind = "Probability" if undecided and undecided[0][2].kind == "probability" else "Frequency"
    if rows:
        cut = f" ({N_UNDECIDED} of {len(undecided):,})" if len(undecided) > N_UNDECIDED else ""
        headings = ("Variable", "Variable", "-Joined", f">{kind}", "-Rows that would settle it")
        console.print(laid_out(f"Undecided pairs, the most probable first{cut}", headings, rows), "")
    _print_text(console, what_verdicts_mean(result))
    console.print("")


def _print_unexplained(console: Console, n_edges: int) -> None:
    """Say that some edges have no evidence, and how to get it."""
    if n_edges:
        _print_text(console, f"No evidence is kept on {n_edges:,} edges; --data TABLE works it out.")


def _print_text(console: Console, text: str) -> None:
    """Write a sentence, wrapped between words."""
    for line in textwrap.wrap(text, console.width, break_on_hyphens=False) or [""]:
        console.print(Text(line), soft_wrap=True)


def _statements(pair: PairExplanation) -> Table:
    """Lay out the two statements of a pair, a column for each."""
    word = "independent" if pair.statements[0].independent else "dependent"
    counts = [each.counts for each in pair.statements]
    rows = [
        (f"Pr({word}), {verdict.test} test", *(_posterior(each, k) for each in pair.statements))
        for k, verdict in enumerate(pair.statements[0].verdicts)
    ]
    rows += [
        ("these are", *(_given(each) for each in pair.statements)),
        ("rows", *(f"{c.n_rows:,}" for c in counts)),
        ("slices seen", *(f"{whole(c.n_seen)} of {whole(c.n_configurations)}" for c in counts)),
        ("slices of one row", *(whole(c.n_single) for c in counts)),
        ("smallest expected count", *(rough(c.smallest_expected) for c in counts)),
        ("expected counts under 5", *(share(c.share_under_five) for c in counts)),
        ("Cochran's rule", *("met" if c.meets_cochran else "not met: thin" for c in counts)),
    ]
    headings = [f"given the neighbours of {printable(str(each.x))}" for each in pair.statements]
    return laid_out("What the structure says, and what it rests on", ("", *headings), rows)


def _posterior(statement: Statement, k: int) -> str:
    """Write the posterior of what the structure says by one test."""
    verdict = statement.verdicts[k]
    both = (verdict.log_independent, verdict.log_dependent)
    return probability(*(both if statement.independent else both[::-1]))


def _given(statement: Statement) -> str:
    """Name the conditioning set."""
    names = [str(z) for z in statement.given]
    if not statement.independent:
        return f"{listed(names)}, {printable(str(statement.y))} left out" if names else "(no others)"
    return listed(names) or "(none)"


def _partners(title: str, name: str, pairs: tuple[PairExplanation, ...]) -> Table:
    """Lay out the partners of one variable."""
    rows = []
    for pair in pairs:
        partner, data = pair.y if pair.x == name else pair.x, "thin" if pair.is_thin else "enough"
        told = () if pair.relation is None else (strength_text(pair.relation),)
        rows.append((partner, *told, amount(pair.loss), pair.strength, data))
    told = (">Strength",) if pairs and pairs[0].relation is not None else ()
    return laid_out(title, ("Variable", *told, ">Loss", "-Evidence", "-Data"), rows)


def _thin_variables(result: SearchResult) -> Table:
    """Lay out the variables with the thinnest data."""
    order, rows = by_thinness(result.descriptions), []
    for x in order[:N_VARIABLES]:
        described = result.descriptions[x]
        rows.append(
            (
                result.graph.names[x],
                f"{len(result.graph.blanket(x))}",
                f"{whole(described.n_seen)} of {whole(described.n_configurations)}",
                rough(described.rows_per_slice),
                share(described.share_in_small_slices),
                described.thinness,
            )
        )
    cut = f" ({N_VARIABLES} of {len(order):,})" if len(order) > N_VARIABLES else ""
    headings = ("Variable", ">Neighbours", ">Slices seen", ">Rows a slice", ">Small slices", "-Data")
    return laid_out(f"Variables, the thinnest data first{cut}", headings, rows)
