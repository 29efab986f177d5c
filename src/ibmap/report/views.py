"""Variables and pairs as the page shows them: plain values, words made in one place."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from ibmap.data.text import printable
from ibmap.evidence.explanation import PairExplanation
from ibmap.evidence.pairs import PairEvidence
from ibmap.evidence.relation import Relation
from ibmap.evidence.relation_words import in_a_word, measures, related
from ibmap.evidence.statements import Statement, Verdict
from ibmap.evidence.sureness import Sureness
from ibmap.evidence.words import chance, in_words, probability, rough, share, strength, whole
from ibmap.graph.layout import find_groups, group_colour, place
from ibmap.graph.layout.overview import Overview
from ibmap.result import SearchResult
from ibmap.result.formats import weight_matrix
from ibmap.result.relating import relation_of

N_LABELS = 60  # states of a variable that are listed
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class VariableView:
    """A variable as the page shows it; what is not known is None."""

    name: str  # its name, control characters as escapes
    states: tuple[str, ...]  # labels of its states, the first 60
    n_states: int | None
    blanket: tuple[int, ...]  # its neighbours, the strongest first
    group: int  # its group of variables that belong together; -1 without edges
    colour: str
    x: float  # where it is drawn, in lengths of an edge
    y: float  # downwards
    entropy: float | None = None  # of its distribution, in nats
    missing: int | None = None
    small: float | None = None  # share of the rows in slices of its blanket that hold too few
    thinness: str | None = None  # the same in words
    slices: str | None = None  # how many slices of its blanket hold data, in words
    copies: tuple[str, ...] = ()  # columns that say the same
    explained: float | None = None  # share of its entropy that its neighbours tell
    accuracy: float | None = None  # share of the rows in which they name its state right
    baseline: float | None = None  # and in which the most frequent state is right


@dataclass(frozen=True)
class StatementView:
    """One of the two things a structure says of a pair."""

    of: int  # the variable whose neighbours are given
    given: tuple[int, ...]
    independent: bool  # what is said: that the pair is independent, or dependent
    log_posterior: float  # natural log of the posterior of what is said
    posterior: str  # the posterior in words
    facts: tuple[tuple[str, str], ...]  # the counts it rests on: name and value


@dataclass(frozen=True)
class PairView:
    """A pair of variables as the page shows it."""

    x: int
    y: int
    edge: bool
    loss: float | None = None  # how much the log-score falls if the pair is flipped; None if not known
    words: str = ""  # the loss in words
    strength: str = ""  # the evidence in one word
    thin: bool | None = None  # whether the counts break Cochran's rule; None if not known
    # what the structure says, given the neighbours of either; empty if not known
    statements: tuple[StatementView, ...] = ()
    remarks: tuple[str, ...] = ()  # what to bear in mind
    probability: float | None = None  # of an edge, or how often resampled rows give it; None if not known
    chance: str = ""  # the same with three digits
    verdict: str = ""  # present, absent or undecided
    sure: str = ""  # the same as a sentence, with what would settle it
    relation: dict[str, Any] | None = None  # how the two are related; None if not joined or not known


def view_variables(result: SearchResult, many: Overview | None = None) -> tuple[VariableView, ...]:
    """Show every variable of a result, of many each within its circle."""
    graph = result.graph
    weights = weight_matrix(result)
    if many is None:
        places = place(graph.adjacency, weights=weights).round(3)
        groups = find_groups(graph.adjacency, weights)
    else:
        places, groups = many.inside.round(3), many.numbers
    copies: dict[str, list[str]] = {}
    for copy, each in result.provenance.copies.items():
        copies.setdefault(each, []).append(printable(copy))
    loss = {(pair.x, pair.y): pair.loss for pair in result.evidence if pair.is_edge}
    return tuple(
        VariableView(
            name=printable(name),
            states=tuple(map(_label, result.states[k][:N_LABELS])),
            n_states=len(result.states[k]) or None,
            blanket=tuple(sorted(graph.blanket(k), key=lambda j: -loss.get((min(j, k), max(j, k)), 0.0))),
            group=int(groups[k]),
            colour=group_colour(int(groups[k])),
            x=float(places[k, 0]),
            y=float(-places[k, 1]) + 0.0,
            copies=tuple(copies.get(name, ())),
            **_description(result, k),
        )
        for k, name in enumerate(graph.names)
    )


def view_pairs(result: SearchResult) -> tuple[PairView, ...]:
    """Show edges, the strongest first, then the nearest missing edges."""
    known = {(pair.x, pair.y) for pair in result.evidence}
    names = result.graph.names
    bare = [
        PairView(
            x,
            y,
            edge=True,
            relation=_relation(relation_of(result, x, y), names[x], names[y]),
            **_sure(result, x, y),
        )
        for x, y in result.graph.edges
        if (x, y) not in known
    ]
    known |= {*result.graph.edges}
    undecided = [
        PairView(x, y, edge=False, **_sure(result, x, y))
        for x, y, _ in result.undecided
        if (x, y) not in known
    ]
    told = zip(result.evidence, result.explanations, strict=True)
    views = [_view(pair, explanation) for pair, explanation in told]
    missing = [view for view in views if not view.edge]
    return tuple([view for view in views if view.edge] + bare + missing + undecided)


def _sure(result: SearchResult, x: int, y: int) -> dict[str, Any]:
    """Collect how sure a pair is, if it is known."""
    return {} if result.confidence is None else _sureness(result.sureness(x, y))


def _sureness(own: Sureness | None) -> dict[str, Any]:
    """Write how sure a pair is."""
    if own is None:
        return {}
    return {
        "probability": own.value,
        "chance": chance(own.value),
        "verdict": own.verdict,
        "sure": own.sentence(),
    }


def _relation(own: Relation | None, x: str, y: str) -> dict[str, Any] | None:
    """Collect how two joined variables are related, if it is known."""
    if own is None:
        return None
    labels = [tuple(map(printable, each)) for each in (own.x_states, own.y_states)]
    return {
        "strength": own.strength,
        "sign": own.sign,
        "kind": in_a_word(own),
        "words": (related(own, x, y), measures(own)),
        "there": {"rows": labels[0], "columns": labels[1], "values": own.y_given_x},
        "back": {"rows": labels[1], "columns": labels[0], "values": own.x_given_y},
    }


def _label(value: Any) -> str:
    return "(missing)" if value is None else printable(str(value))


def _description(result: SearchResult, k: int) -> dict[str, Any]:
    """Collect what the data hold about a variable, if it is known."""
    known = asdict(result.predictability[k]) if result.predictability else {}
    if not result.descriptions:
        return known
    own = result.descriptions[k]
    return {
        **known,
        "entropy": own.entropy,
        "missing": own.n_missing,
        "small": own.share_in_small_slices,
        "thinness": own.thinness,
        "slices": raised(f"{whole(own.n_seen)} of {whole(own.n_configurations)}"),
    }


def _view(pair: PairEvidence, explanation: PairExplanation) -> PairView:
    return PairView(
        x=pair.x,
        y=pair.y,
        edge=pair.is_edge,
        loss=pair.loss,
        words=raised(in_words(pair.loss)),
        strength=strength(pair.loss),
        thin=explanation.is_thin if pair.statements else None,
        statements=tuple(map(_statement, pair.statements)),
        remarks=tuple(explanation.remarks()),
        **_sureness(explanation.sureness),
        relation=_relation(explanation.relation, explanation.x, explanation.y),
    )


def _statement(statement: Statement) -> StatementView:
    counts, (first, *others) = statement.counts, statement.verdicts
    return StatementView(
        of=int(statement.x),
        given=tuple(map(int, statement.given)),
        independent=statement.independent,
        log_posterior=statement.log_posterior,
        posterior=_posterior(first, statement.independent),
        facts=(
            ("test", first.test),
            *((f"by the {each.test} test", _posterior(each, statement.independent)) for each in others),
            ("rows", whole(counts.n_rows)),
            ("slices seen", raised(f"{whole(counts.n_seen)} of {whole(counts.n_configurations)}")),
            ("slices of one row", whole(counts.n_single)),
            ("smallest expected count", rough(counts.smallest_expected)),
            ("expected counts under 5", share(counts.share_under_five)),
            ("Cochran's rule", "met" if counts.meets_cochran else "not met"),
        ),
    )


def _posterior(verdict: Verdict, independent: bool) -> str:
    """Write the posterior of what the structure says by one test."""
    both = (verdict.log_independent, verdict.log_dependent)
    return raised(probability(*(both if independent else both[::-1])))


def raised(text: str) -> str:
    """Write powers of ten in words of ours as superscripts.

    >>> raised("10^42 times"), raised("1 - 3.0e-12")
    ('10⁴² times', '1 − 3.0 × 10⁻¹²')
    """
    text = re.sub(r"(\d)e(-?\d+)", r"\1 × 10^\2", text.replace("1 - ", "1 − "))
    return re.sub(r"10\^(-?\d+)", lambda power: "10" + power[1].translate(SUPERSCRIPTS), text)
