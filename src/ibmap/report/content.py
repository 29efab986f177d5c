"""What the page shows, as plain values: everything the page knows passes through here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from ibmap.data.table import EncodedTable
from ibmap.data.text import printable
from ibmap.graph.layout import MANY, block_order
from ibmap.graph.layout.overview import Overview, overview
from ibmap.learners.groups import GroupComparison
from ibmap.report.circles import CircleView, bridges, view_circles, what_circles_are
from ibmap.report.others import Row, other_networks
from ibmap.report.views import PairView, VariableView, raised, view_pairs, view_variables
from ibmap.result import SearchResult
from ibmap.result.formats import weight_matrix
from ibmap.result.notes import find_notes
from ibmap.result.words import (
    how_ended,
    how_learned,
    how_reliable,
    how_sure,
    missing_cells,
    what_verdicts_mean,
    why_no_evidence,
    why_unsure,
)

ABOUT_DESCRIPTIONS = (
    "Entropy is in nats; explained is the share of it that the blanket tells. Data are thin if at least half "
    "of the rows, and thin in places if a fifth, lie in "
    "configurations of the blanket with fewer than 5 rows for each state."
)


@dataclass(frozen=True)
class Content:
    """Everything on the page."""

    title: str  # what the network is of
    variables: tuple[VariableView, ...]  # in the order of the columns
    pairs: tuple[PairView, ...]  # the edges, the strongest first; then the nearest pairs that are not joined
    order: tuple[int, ...]  # the variables in an order that shows blocks
    start_score: float | None  # score before the first ascent
    trace: tuple[dict[str, Any], ...]  # the ascents: x, y, added, gain, score
    lede: str  # what to read first
    about_edges: str
    about_variables: str
    about_search: str
    figures: tuple[tuple[str, str, str], ...]  # figures to begin with: name, value, remark
    making: tuple[tuple[str, str], ...]  # how the network was made: name and value
    notes: tuple[tuple[str, str], ...]  # what deserves a second look: heading and text
    version: str
    caption: str = ""  # of the drawing: what is drawn, and what lines tell
    sure: dict[str, Any] | None = None  # how many pairs are of each verdict, and what the numbers are
    groups: dict[str, Any] | None = None  # the networks of groups of rows, and what differs
    about_groups: str = ""
    about_others: str = ""  # how probable the network is as a whole
    others: tuple[Row, ...] = ()  # the most probable others
    circles: tuple[CircleView, ...] = ()  # of an overview, if there are many variables
    bridges: tuple[dict[str, Any], ...] = ()  # how many edges there are between two circles

    def data(self) -> dict[str, Any]:
        """Give what the page's script reads."""
        overview = {"circles": [asdict(circle) for circle in self.circles], "bridges": list(self.bridges)}
        return {
            "variables": [asdict(variable) for variable in self.variables],
            "pairs": [asdict(pair) for pair in self.pairs],
            "order": list(self.order),
            "startScore": self.start_score,
            "trace": list(self.trace),
            "sure": self.sure,
            "groups": self.groups,
            **(overview if self.circles else {}),
        }


def collect_content(
    result: SearchResult,
    title: str,
    table: EncodedTable | None = None,
    groups: GroupComparison | None = None,
) -> Content:
    """Put together what the page shows of a result."""
    first = result.trace[0] if result.trace else None
    about_others, others = other_networks(result)
    many = _overview(result)
    return Content(
        title=title,
        variables=view_variables(result, many),
        pairs=view_pairs(result),
        order=() if many else tuple(block_order(result.graph.adjacency, weight_matrix(result)).tolist()),
        start_score=first.score - first.gain if first else result.score,
        trace=tuple(flip._asdict() for flip in result.trace),
        lede=_lede(result),
        about_edges=_about_edges(result),
        about_variables=ABOUT_DESCRIPTIONS if result.descriptions else "",
        about_search=_about_search(result),
        figures=_figures(result),
        making=_making(result),
        notes=find_notes(result, table),
        version=result.provenance.version,
        caption=_caption(result, title) + (what_circles_are(many) if many else ""),
        circles=view_circles(many, result.graph.names) if many else (),
        bridges=bridges(many) if many else (),
        groups=None if groups is None else _groups(groups, result.graph.names),
        about_groups="" if groups is None else _about_groups(groups),
        about_others=about_others,
        others=others,
        sure=None
        if result.confidence is None
        else {"kind": result.confidence.kind, **result.confidence.counts},
    )


def _overview(result: SearchResult) -> Overview | None:
    """Put variables into circles, if there are many."""
    if result.graph.n_variables <= MANY:
        return None
    return overview(result.graph.adjacency, weight_matrix(result))


def _caption(result: SearchResult, title: str) -> str:
    """Say what is drawn and what lines tell, so that the drawing can stand alone."""
    rows = f", {result.provenance.n_samples:,} rows" if result.provenance.n_samples else ""
    told = [
        f"{title}: {result.graph.n_variables:,} variables, {result.graph.n_edges:,} edges{rows}. A line "
        "joins two variables that depend on each other even when all others are known."
    ]
    if result.relations:
        told.append(
            "Its width is the strength of the relation, other neighbours being equal. Blue, positive: "
            "later states of the one go with later states of the other (yes with yes, high with high). Red, "
            "negative: with earlier ones. Grey: states in no order, or it depends on other variables."
        )
    elif any(pair.is_edge for pair in result.evidence):
        told.append("The thicker it is, the more evidence there is for it.")
    if result.confidence is not None:
        told.append(
            f"A full line is an edge that is present, a dashed one is undecided. {what_verdicts_mean(result)}"
        )
    return " ".join(told)


def _groups(groups: GroupComparison, names: Sequence[str]) -> dict[str, Any]:
    """Give the networks of groups by the numbers of the page's variables."""
    place = {name: k for k, name in enumerate(names)}
    return {
        "by": place.get(groups.by),
        "groups": [
            {"name": printable(name), "rows": own.provenance.n_samples, "edges": own.graph.n_edges}
            for name, own in groups.groups.items()
        ],
        "pairs": [
            {**asdict(each), "x": place[each.x], "y": place[each.y], "verdict": each.verdict}
            | {"words": raised(each.factor)}
            for each in groups.differences
        ],
    }


def _about_groups(groups: GroupComparison) -> str:
    """Explain the small drawings and their table."""
    return (
        f"A network for each group of {groups.by}, every variable where it is above. A yellow ground marks "
        "pairs that differ: an effect for each group is at least ten times as probable as one for all. "
        "Alike: one for all is ten times as probable. In brackets: the strength where that group's network "
        "does not join the pair."
    )


def _figures(result: SearchResult) -> tuple[tuple[str, str, str], ...]:
    """Choose the figures to begin with."""
    source, graph = result.provenance, result.graph
    n_pairs = graph.n_variables * (graph.n_variables - 1) // 2
    dropped = f"{source.n_rows_dropped:,} more dropped for missing values" if source.n_rows_dropped else ""
    figures = [
        ("Variables", f"{graph.n_variables:,}", ""),
        ("Edges", f"{graph.n_edges:,}", f"of {n_pairs:,} pairs"),
    ]
    if source.n_samples:
        figures.append(("Rows", f"{source.n_samples:,}", dropped))
    if result.confidence is not None:
        counts = result.confidence.counts
        remark = f"pairs; {counts['present']:,} present, {counts['absent']:,} absent"
        figures.append(("Undecided", f"{counts['undecided']:,}", remark))
    if result.score is not None:
        figures.append((result.provenance.score_name, f"{result.score:,.2f}", "natural log"))
    if result.n_tests:
        figures.append(("Tests", f"{result.n_tests:,}", f"of independence, in {source.seconds:,.2f}\u00a0s"))
    return tuple(figures)


def _making(result: SearchResult) -> tuple[tuple[str, str], ...]:
    """Say how the network was made."""
    source = result.provenance
    facts = [("Learned by", how_learned(result))]
    sure = how_sure(result) or why_unsure(result)
    facts += [("How sure", sure)] if sure else []
    facts += [("Calibration", how_reliable(result))] if how_reliable(result) else []
    if result.score is not None:
        facts += [(result.provenance.score_name, repr(result.score)), ("Ended", how_ended(result))]
    facts += [
        ("Distinct tests of independence", f"{result.n_tests:,}"),
        ("Time", f"{source.seconds:.3f} s"),
        ("Rows used", f"{source.n_samples:,}"),
        ("Rows dropped for missing values", f"{source.n_rows_dropped:,}"),
        ("Missing cells", missing_cells(result) or "none"),
        ("Fingerprint of the data", source.fingerprint or "none"),
        ("Version of ibmap", source.version),
    ]
    options = [(f"Option {name}", str(value)) for name, value in source.options.items() if value is not None]
    return tuple(facts + options)


def _lede(result: SearchResult) -> str:
    """Say in a few sentences what was found, and whether the search was done."""
    graph = result.graph
    n_alone = sum(not graph.blanket(k) for k in range(graph.n_variables))
    n_pairs = graph.n_variables * (graph.n_variables - 1) // 2
    joined = f"{graph.n_edges:,} of {n_pairs:,} pairs of variables depend on each other directly."
    have = "has" if n_alone == 1 else "have"
    alone = f" {n_alone:,} of {graph.n_variables:,} variables {have} no edge." if n_alone else ""
    learned = f" Learned by {how_learned(result)}."
    return joined + alone + learned + (f" {_sentence(how_ended(result))}" if result.score is not None else "")


def _sentence(text: str) -> str:
    """Make a sentence of a phrase."""
    return f"{text[:1].upper()}{text[1:]}."


def _about_edges(result: SearchResult) -> str:
    """Explain the losses, or why there are none."""
    if result.graph.n_edges and not any(pair.is_edge for pair in result.evidence):
        return why_no_evidence(result)
    return (
        "Loss: by how much the natural log of the IB-score falls if the pair is changed: an edge taken out, "
        "or a missing edge added. Posterior: how probable the test makes what the network says of the pair, "
        "of its two statements the less probable one. Thin: Cochran's rule is not met. Below the edges are "
        "the pairs nearest to being joined."
    )


def _about_search(result: SearchResult) -> str:
    """Explain the trace, or why there is none."""
    if result.trace:
        scores = [flip.score for flip in result.trace]
        falls = any(later < earlier for earlier, later in pairwise(scores))
        return (
            "The score after each ascent, the change of one edge that gains most. A full mark is an edge "
            "added, an open one an edge taken out."
        ) + (" It falls where the density of the network is learned anew, on which the score rests." * falls)
    if result.n_ascents == 0:
        return f"The search ended where it began: {how_ended(result)}."
    return "There was no search by score, so there is no trace."
