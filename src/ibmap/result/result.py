"""What a learner found, with everything needed to explain and repeat it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ibmap.data.records import parse_json
from ibmap.errors import FileFormatError, InvalidOptionError, NotExplainedError
from ibmap.evidence.display import evidence_html
from ibmap.evidence.explanation import PairExplanation, VariableExplanation, not_kept
from ibmap.evidence.pairs import PairEvidence, collect_evidence
from ibmap.evidence.relation import Predictability, Relation
from ibmap.evidence.sureness import Sureness
from ibmap.evidence.variables import VariableDescription, describe_variables
from ibmap.graph import MarkovGraph
from ibmap.result.confidence import Confidence
from ibmap.result.provenance import Provenance, plain
from ibmap.result.relating import related, relation_of
from ibmap.result.settling import rows_of_pairs
from ibmap.search.climb import Flip

if TYPE_CHECKING:
    from ibmap.evidence.witness import Witness

__all__ = ["SearchResult"]


@dataclass(frozen=True, eq=False)
class SearchResult:
    """A learned structure, its score, how it was found and what it cost.

    Parameters
    ----------
    graph : MarkovGraph
        The structure.
    states : tuple of tuple
        Labels of the states of each variable.
    provenance : Provenance
        Data, options, version.
    n_tests : int
        Distinct tests of independence; blankets weighed, if the score is a pseudo-likelihood.
    score : float, optional
        Natural log of the learner's score, as a rule the IB-score; None for learners without one.
    n_ascents, n_iterations : int, optional
        Flips made, and neighbourhoods searched (hill climbing).
    stopped : str
        Why the search ended: ``"optimum"``, ``"finished"``, ``"interrupted"`` or the name of a limit.
    trace : tuple of Flip
        The ascents in order.
    evidence : tuple of PairEvidence
        Loss by flipping, and what it rests on: all edges, and the nearest missing edges.
    start : str, optional
        Where its climb began: a learner's name, ``"empty"``, ``"graph"`` or ``"blankets"`` (variables' own).
    descriptions : tuple of VariableDescription
        The data of each variable; empty if not known.
    bound : float, optional
        No structure of the search has a higher score (tree search).
    n_nodes : int, optional
        States whose question was branched on (tree search).
    disputed : tuple of (int, int)
        Pairs on which climbs from two starts disagree (recommended learner).
    test_cost : int, optional
        How many variables the tests involve, summed over the tests (PFMN).
    confidence : Confidence, optional
        How sure each edge is, if that was worked out.
    relations : tuple of Relation
        How the ends of each edge are related, in the order of the edges; empty if not known.
    predictability : tuple of Predictability
        How well each variable is known by its neighbours; empty if not known.
    """

    graph: MarkovGraph
    states: tuple[tuple[Any, ...], ...]
    provenance: Provenance
    n_tests: int
    score: float | None = None
    n_ascents: int | None = None
    n_iterations: int | None = None
    stopped: str = "finished"
    trace: tuple[Flip, ...] = ()
    evidence: tuple[PairEvidence, ...] = field(default=())
    start: str | None = None
    descriptions: tuple[VariableDescription, ...] = ()
    bound: float | None = None
    n_nodes: int | None = None
    disputed: tuple[tuple[int, int], ...] = ()
    test_cost: int | None = None
    confidence: Confidence | None = None
    relations: tuple[Relation, ...] = ()
    predictability: tuple[Predictability, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether the search ended by itself rather than by a limit."""
        return self.stopped in ("optimum", "finished")

    @cached_property
    def relation_by_pair(self) -> dict[tuple[int, int], Relation]:
        """How the ends of each edge are related, by the edge."""
        return {(min(each.x, each.y), max(each.x, each.y)): each for each in self.relations}

    @property
    def required(self) -> frozenset[tuple[int, int]]:
        """The edges that were required, whatever the data say, as pairs of numbers."""
        pairs = self.provenance.options.get("require") or ()
        ends = [sorted(self.graph.index(name) for name in pair) for pair in pairs]
        return frozenset((x, y) for x, y in ends)

    def explain(self, x: int | str, y: int | str, data: Any = None) -> PairExplanation:
        """Explain why two variables are joined, or why not.

        Parameters
        ----------
        x, y : int or str
            Two variables, by name or number.
        data : table, optional
            What the structure was learned from. Needed only for pairs that are neither joined nor
            among the nearest to being joined, and for results that keep no evidence.

        Returns
        -------
        PairExplanation
            What the structure says of the two, with posteriors and counts; `print` it.

        Examples
        --------
        >>> from ibmap import IBMAPHC
        >>> rows = [["sun", "play"], ["rain", "stay"]] * 20
        >>> found = IBMAPHC().fit(rows).result_.explain("x0", "x1")
        >>> found.is_edge, found.strength, len(found.statements)
        (True, 'very strong', 2)
        """
        i, j = self.graph.index(x), self.graph.index(y)
        if i == j:
            msg = f"a pair has two different variables; got {x!r} twice"
            raise InvalidOptionError(msg)
        if data is not None:
            witness = self._witness(data)
            loss, statements = witness.loss(self.graph, i, j), witness.statements(self.graph, i, j)
            pair = PairEvidence(i, j, self.graph.has_edge(i, j), loss, statements)
            return related(self, witness.table)._named(pair)
        known = next((pair for pair in self.evidence if {pair.x, pair.y} == {i, j}), None)
        if known is None or not known.statements:
            raise NotExplainedError(not_kept(self.graph, i, j))
        return self._named(known if known.x == i else known.reversed())

    def explain_variable(self, x: int | str, data: Any = None) -> VariableExplanation:
        """Explain what the place of a variable in the structure rests on.

        Parameters
        ----------
        x : int or str
            A variable, by name or number.
        data : table, optional
            What the structure was learned from, to weigh all missing edges of the variable, or
            if the result keeps no evidence.

        Returns
        -------
        VariableExplanation
            Its edges and nearest missing edges, and how thin its data are; `print` it.
        """
        i = self.graph.index(x)
        if data is not None:
            witness = self._witness(data)
            evidence = collect_evidence(self.graph, witness.gains_of(self.graph, i), witness=witness)
            descriptions = describe_variables(witness.table, self.graph)
            full = replace(related(self, witness.table), evidence=evidence, descriptions=descriptions)
            return full.explain_variable(i)
        own = [self._named(pair) for pair in self.evidence if i in (pair.x, pair.y) and pair.statements]
        return VariableExplanation(
            name=self.graph.names[i],
            blanket=tuple(self.graph.names[y] for y in self.graph.blanket(i)),
            description=self.descriptions[i] if self.descriptions else None,
            neighbours=tuple(pair for pair in own if pair.is_edge),
            nearest=tuple(pair for pair in own if not pair.is_edge),
            predictability=self.predictability[i] if self.predictability else None,
        )

    @property
    def explanations(self) -> tuple[PairExplanation, ...]:
        """Everything known of pairs: edges, the strongest first, then missing edges, the nearest first."""
        return tuple(self._named(pair) for pair in self.evidence)

    @property
    def undecided(self) -> tuple[tuple[int, int, Sureness], ...]:
        """The pairs left undecided with how sure they are, the most probable first; none if not known."""
        sure = self.confidence
        if sure is None:
            return ()
        x, y = np.nonzero(np.triu(sure.verdicts == "undecided", 1))
        order = np.argsort(-sure.edge_probabilities[x, y], kind="stable").tolist()
        pairs = [(int(x[k]), int(y[k])) for k in order]
        return tuple((i, j, sure.pair(i, j, self._rows_to_settle)) for i, j in pairs)

    def with_evidence(self, data: Any) -> SearchResult:
        """Give the same result with the evidence on its edges worked out from the table.

        Parameters
        ----------
        data : table
            What the structure was learned from.

        Returns
        -------
        SearchResult
            With evidence on all edges, on the nearest missing edges if there are at most 100 variables,
            with descriptions and with how the ends of edges are related.
        """
        witness = self._witness(data)
        evidence = collect_evidence(self.graph, witness.gains(self.graph), witness=witness)
        described = describe_variables(witness.table, self.graph)
        return replace(related(self, witness.table), evidence=evidence, descriptions=described)

    def _witness(self, data: Any) -> Witness:
        """Bring back the table and its tests."""
        source = self.provenance
        from ibmap.evidence.recorded import recorded_witness

        return recorded_witness(data, self.graph.names, source.options, source.fingerprint)

    def _named(self, pair: PairEvidence) -> PairExplanation:
        """Replace numbers by names."""
        names = self.graph.names
        statements = tuple(each.named(names) for each in pair.statements)
        is_disputed = any({pair.x, pair.y} == {*each} for each in self.disputed)
        told = PairExplanation(names[pair.x], names[pair.y], pair.is_edge, pair.loss, statements, is_disputed)
        sure, relation = self.sureness(pair.x, pair.y), relation_of(self, pair.x, pair.y)
        is_required = (min(pair.x, pair.y), max(pair.x, pair.y)) in self.required
        return replace(told, sureness=sure, relation=relation, is_required=is_required)

    def sureness(self, x: int, y: int) -> Sureness | None:
        """Give how sure one pair is.

        Parameters
        ----------
        x, y : int
            Two variables, by number.

        Returns
        -------
        Sureness or None
            Probability, verdict, and about how many rows would settle it; None if that was not worked out.
        """
        return None if self.confidence is None else self.confidence.pair(x, y, self._rows_to_settle)

    @cached_property
    def _rows_to_settle(self) -> dict[tuple[int, int], int]:
        """About how many rows would decide undecided pairs, where that can be told."""
        source = self.provenance
        prior, learner = source.options.get("prior"), source.options.get("algorithm", source.algorithm)
        if self.confidence is None or learner != "ibmap" or not isinstance(prior, float):
            return {}
        return rows_of_pairs(self.confidence, source.n_samples, prior)

    def to_dict(self) -> dict[str, Any]:
        """Give the result as plain lists and dicts, ready for JSON.

        Returns
        -------
        dict
            In the documented format.
        """
        return {
            "format": "ibmap-network",
            "format_version": 1,
            "variables": [self._variable(x) for x in range(self.graph.n_variables)],
            "edges": [list(edge) for edge in self.graph.edges],
            "edge_names": [[self.graph.names[i], self.graph.names[j]] for i, j in self.graph.edges],
            "score": self.score,
            "bound": self.bound,
            "n_tests": self.n_tests,
            "test_cost": self.test_cost,
            "n_nodes": self.n_nodes,
            "n_ascents": self.n_ascents,
            "n_iterations": self.n_iterations,
            "start": self.start,
            "stopped": self.stopped,
            "disputed": [list(pair) for pair in self.disputed],
            "trace": [flip._asdict() for flip in self.trace],
            "evidence": [pair.to_dict() for pair in self.evidence],
            "relations": [each.to_dict() for each in self.relations],
            "provenance": asdict(self.provenance),
            "confidence": None if self.confidence is None else self.confidence.to_record(self.graph.edges),
        }

    def _variable(self, x: int) -> dict[str, Any]:
        states = [plain(label) for label in self.states[x]]
        described = {"description": asdict(self.descriptions[x])} if self.descriptions else {}
        told = {"predictability": asdict(self.predictability[x])} if self.predictability else {}
        return {"name": self.graph.names[x], "states": states, **described, **told}

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the result as JSON.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it as well; whole or not at all.

        Returns
        -------
        str
            The text.
        """
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        if path is not None:
            from ibmap.data.files import write_atomically

            write_atomically(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> SearchResult:
        """Read a result from JSON text, or from a file.

        Parameters
        ----------
        source : str or Path
            The text (it begins with a brace), or a file's path.

        Returns
        -------
        SearchResult
            Every field as it was written.
        """
        text = source if isinstance(source, str) and source.lstrip().startswith("{") else _read(source)
        return cls.from_dict(parse_json(text))

    @classmethod
    def from_dict(cls, content: Any) -> SearchResult:
        """Read a result from the plain lists and dicts of `to_dict`.

        Parameters
        ----------
        content : dict
            In the documented format.

        Returns
        -------
        SearchResult
            Every field as it was written.
        """
        from ibmap.result.network_file import parts

        return cls(**parts(content))

    def _repr_html_(self) -> str:
        source = self.provenance
        facts = [("Learner", source.algorithm), ("Rows", f"{source.n_samples:,}")]
        facts += [] if self.score is None else [(source.score_name, f"{self.score:,.2f}")]
        facts += [("Tests", f"{self.n_tests:,}"), ("Seconds", f"{source.seconds:.2f}")]
        return evidence_html(self.graph, self.evidence, facts)

    def __repr__(self) -> str:
        score = "no score" if self.score is None else f"score {self.score:.3f}"
        return (
            f"SearchResult({self.provenance.algorithm}: {self.graph.n_variables} variables, "
            f"{self.graph.n_edges} edges, {score}, {self.n_tests} tests)"
        )


def _read(path: str | Path) -> str:
    """Read a text file, with an error that names it."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"cannot read {str(path)!r}: {error}"
        raise FileFormatError(msg) from error
