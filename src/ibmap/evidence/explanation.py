"""Why a pair is joined or not, and what a variable's place in the network rests on, in plain words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ibmap.data.text import printable
from ibmap.evidence.relation import Predictability, Relation
from ibmap.evidence.relation_words import known_by_neighbours, related, strength_sentence
from ibmap.evidence.statements import Statement
from ibmap.evidence.sureness import Sureness
from ibmap.evidence.variables import VariableDescription
from ibmap.evidence.words import amount, chance, in_words, listed, probability, rough, share, strength, whole
from ibmap.graph import MarkovGraph

BY_EFFECTS = ("pairwise", "averaged", "partial-correlation")  # tests that need no slices


@dataclass(frozen=True)
class PairExplanation:
    """The evidence for and against joining two variables; `str` gives it in words."""

    x: str
    y: str
    is_edge: bool
    loss: float  # how much the natural log of the score falls if that is changed
    # what the structure says of the two, given the blanket of `x` and that of `y`
    statements: tuple[Statement, ...]
    is_disputed: bool = False  # whether a second search ended in a structure that says otherwise
    sureness: Sureness | None = None  # how probable an edge is; None if that was not worked out
    relation: Relation | None = (
        None  # how the two are related; None if that is not known, or there is no edge
    )
    is_required: bool = False  # whether the edge is there because it was required

    @property
    def strength(self) -> str:
        """The evidence for the pair as it is, in a word."""
        return strength(self.loss)

    @property
    def is_thin(self) -> bool:
        """Whether the counts behind either statement break Cochran's rule, if the test rests on slices."""
        by_slices = [each for each in self.statements if each.verdicts[0].test not in BY_EFFECTS]
        return not all(each.counts.meets_cochran for each in by_slices)

    def headline(self) -> str:
        """Say in a sentence whether the two are joined and how sure that is."""
        state = ("joined, as required" if self.is_required else "joined") if self.is_edge else "not joined"
        change = "without the edge" if self.is_edge else "with an edge"
        return (
            f"{printable(self.x)} and {printable(self.y)}: {state}; evidence {self.strength}: {change} "
            f"the structure is {in_words(self.loss)} (loss {amount(self.loss)})."
        )

    def relationship(self) -> list[str]:
        """Say how the two are related, both ways; nothing if that is not known."""
        if self.relation is None:
            return []
        both = (related(self.relation, self.x, self.y), related(self.relation.reversed(), self.y, self.x))
        return [strength_sentence(self.relation), *both]

    def remarks(self) -> list[str]:
        """Say what a reader should bear in mind."""
        by_tables = [each for each in self.statements if each.verdicts[0].test not in BY_EFFECTS]
        silent = [_owner(each) for each in by_tables if each.counts.is_silent]
        sliced = [each for each in by_tables if not each.counts.is_silent]
        thin = [_owner(each) for each in sliced if not each.counts.meets_cochran]
        contrary = [_owner(each) for each in self.statements if each.is_contradicted]
        opposite = "independent" if self.is_edge else "dependent"
        shown = [
            (silent, "no slice holds two rows: the data say nothing, the prior decides."),
            (thin, "the data are thin: Cochran's rule is not met."),
            (contrary, f"the test by itself finds the two {opposite}."),
        ]
        shown += [([_owner(each)], _disagreement(each)) for each in self.statements]
        remarks = [
            f"Given the neighbours of {' and of '.join(who)}, {what}" for who, what in shown if who and what
        ]
        disputed = ["A second search ended in a structure that says otherwise: the data leave the pair open."]
        required = [
            "The edge was required: it is there whatever the data say. Loss and posteriors are the data's."
        ]
        return required * self.is_required + remarks + disputed * self.is_disputed

    def to_dict(self) -> dict[str, Any]:
        """Give the explanation as plain lists and dicts, ready for JSON."""
        own = {name: value for name, value in asdict(self).items() if name != "sureness"}
        sure = {} if self.sureness is None else self.sureness.to_dict()
        if self.relation is not None:
            own["relation"] |= {"x": self.x, "y": self.y, "words": self.relationship()}
        return {**own, "strength": self.strength, "is_thin": self.is_thin, **sure}

    def __str__(self) -> str:
        lines = [f"  {_condition(each)}: {_verdict(each)}; {_counted(each)}." for each in self.statements]
        sure = [] if self.sureness is None else [self.sureness.sentence()]
        return "\n".join([self.headline(), *sure, *self.relationship(), *lines, *self.remarks()])


@dataclass(frozen=True)
class VariableExplanation:
    """What a variable's place in the network rests on; `str` gives it in words."""

    name: str
    blanket: tuple[str, ...]
    description: VariableDescription | None  # its data; None if the result does not tell
    # its edges, the strongest first, as far as the result explains them
    neighbours: tuple[PairExplanation, ...]
    # missing edges of it that are nearest to being added, the nearest first
    nearest: tuple[PairExplanation, ...]
    predictability: Predictability | None = None  # how well its neighbours tell it; None if not known

    def to_dict(self) -> dict[str, Any]:
        """Give the explanation as plain lists and dicts, ready for JSON."""
        return {
            "name": self.name,
            "blanket": list(self.blanket),
            "description": None if self.description is None else asdict(self.description),
            "thinness": None if self.description is None else self.description.thinness,
            "predictability": None if self.predictability is None else asdict(self.predictability),
            "neighbours": [each.to_dict() for each in self.neighbours],
            "nearest": [each.to_dict() for each in self.nearest],
        }

    def headline(self) -> str:
        """Say what the blanket is and how thin the data are."""
        name = printable(self.name)
        joined = f"joined to {listed(self.blanket)}" if self.blanket else "joined to nothing"
        known = "" if self.predictability is None else f" {known_by_neighbours(self.predictability)}"
        return f"{name}: {joined}. {_data(self.description)}{known * bool(self.blanket)}"

    def __str__(self) -> str:
        lines = [self.headline()]
        for title, pairs in (("Joined to", self.neighbours), ("Nearest to being joined to", self.nearest)):
            if pairs:
                lines.append(f"{title}:")
                lines += [f"  {self._other(each)}: {_in_short(each)}" for each in pairs]
        return "\n".join(lines)

    def _other(self, pair: PairExplanation) -> str:
        """Name the other variable of a pair."""
        return printable(pair.y if pair.x == self.name else pair.x)


def not_kept(graph: MarkovGraph, x: int, y: int) -> str:
    """Say that a result has nothing to say about a pair, and what to do."""
    return (
        f"the result keeps no evidence on {graph.names[x]!r} and {graph.names[y]!r}: if any, it has that of "
        "edges and of the missing edges nearest to being added. Give the table it was learned from: "
        "explain(x, y, data=X), on the command line --data TABLE"
    )


def _in_short(pair: PairExplanation) -> str:
    """Say how strong a pair is, and whether its data are thin."""
    change = "without the edge" if pair.is_edge else "with it"
    thin = ", thin data" if pair.is_thin else ""
    sure = pair.sureness
    told = "" if sure is None else f"{sure.kind} {chance(sure.value)} ({sure.verdict}), "
    return f"{told}evidence {pair.strength}, {change} {in_words(pair.loss)}{thin}"


def _data(description: VariableDescription | None) -> str:
    """Say how much data there is for each slice of the blanket."""
    if description is None:
        return "The result does not tell how thin its data are."
    return (
        f"Its data are {description.thinness}: {rough(description.rows_per_slice)} rows on average in "
        f"{whole(description.n_seen)} of {whole(description.n_configurations)} slices, "
        f"{share(description.share_in_small_slices)} of the rows in slices with under "
        f"{5 * description.n_states} rows."
    )


def _condition(statement: Statement) -> str:
    """Say what is given."""
    x = printable(str(statement.x))
    others = "neighbours" if statement.independent else "other neighbours"
    if not statement.given:
        return f"given nothing ({x} has no {others})"
    return f"given the {others} of {x} ({listed([str(z) for z in statement.given])})"


def _verdict(statement: Statement) -> str:
    """Say the posterior of what the structure says, by each test."""
    word = "independent" if statement.independent else "dependent"
    shown = []
    for each in statement.verdicts:
        both = (each.log_independent, each.log_dependent)
        value = probability(*(both if statement.independent else both[::-1]))
        shown.append(f"{value} ({each.test})" if len(statement.verdicts) > 1 else value)
    return f"Pr({word}) = {', '.join(shown)}"


def _counted(statement: Statement) -> str:
    """Say what counts there are."""
    counts = statement.counts
    single = f", {whole(counts.n_single)} of a single row" if counts.n_single else ""
    return (
        f"{counts.n_rows:,} rows in {whole(counts.n_seen)} of {whole(counts.n_configurations)} "
        f"slices{single}; smallest expected count {rough(counts.smallest_expected)}, "
        f"{share(counts.share_under_five)} under 5"
    )


def _disagreement(statement: Statement) -> str:
    """Say which tests decide otherwise than the others; nothing if they agree."""
    found = {
        word: [each.test for each in statement.verdicts if each.is_independent == independent]
        for word, independent in (("independent", True), ("dependent", False))
    }
    if not all(found.values()):
        return ""
    parts = [f"{word} by the {' and '.join(tests)} test" for word, tests in found.items()]
    return f"the tests disagree: {', '.join(parts)}."


def _owner(statement: Statement) -> str:
    """Name the variable whose blanket is given."""
    return printable(str(statement.x))
