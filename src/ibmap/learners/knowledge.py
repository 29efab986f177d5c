"""The options by which a learner is told what is known of pairs before the data are seen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ibmap.errors import KnowledgeError
from ibmap.options import Check, Options, option

if TYPE_CHECKING:
    from ibmap.data.table import EncodedTable
    from ibmap.graph.knowledge import Knowledge
    from ibmap.independence.protocol import IndependenceTest

KNOWN = "What is known of pairs"
WITH_PRIOR = ("averaged", "bayesian", "pairwise")  # tests


def _refuse_pairs(value: Any, name: str) -> None:
    """Refuse what is no list of pairs, without a table."""
    from ibmap.graph.knowledge import pairs_of

    pairs_of(value, name)


def _refuse_probabilities(value: Any, name: str) -> None:
    """Refuse a file that cannot be read, without a table."""
    from ibmap.graph.knowledge_files import read_probabilities

    if isinstance(value, (str, bytes)) or hasattr(value, "__fspath__"):
        read_probabilities(value, name)


def _refuse_knowledge(value: Any, name: str) -> None:
    """Refuse a file that cannot be read, or keys that there are not."""
    from ibmap.graph.knowledge import said_in

    said_in(value)


_PAIRS = Check("list of pairs", _refuse_pairs)


@dataclass(frozen=True, kw_only=True)
class KnowledgeOptions(Options, ABC):
    """What is known of pairs, which every learner's test is told."""

    takes_edge_prior: ClassVar[bool] = True  # whether a pair can have a prior of its own

    require: Any = option(None, _PAIRS, "Edges that must be there: pairs of columns.", KNOWN, none="")
    forbid: Any = option(None, _PAIRS, "Edges that must not be there: pairs of columns.", KNOWN, none="")
    edge_prior: Any = option(
        None,
        Check("matrix, frame, list of (a, b, probability) or file", _refuse_probabilities),
        "Prior probabilities of edges; nothing is said of a pair that has none, or NaN.",
        KNOWN,
        metavar="FILE",
        none="",
    )
    knowledge: Any = option(
        None,
        Check("dict or file", _refuse_knowledge),
        "All of these in a JSON or TOML file or a dict, with the keys `require`, `forbid`, `forbid_within` "
        "(lists of columns), `forbid_between` (pairs of such lists) and `edge_prior`.",
        KNOWN,
        metavar="FILE",
        none="",
    )

    @abstractmethod
    def plain_test(self, table: EncodedTable) -> IndependenceTest:
        """Make the test that answers the learner, as if nothing were known of pairs."""

    def make_test(self, table: EncodedTable) -> Any:
        """Make the same test, told what is known of pairs."""
        from ibmap.independence.known import known_test

        return known_test(self.plain_test(table), self.known(table.names))

    def known(self, names: Sequence[str]) -> Knowledge:
        """Put together what is known of the pairs of a table."""
        from ibmap.graph.knowledge import make_knowledge

        known = make_knowledge(names, self.require, self.forbid, self.edge_prior, self.knowledge)
        has_prior = self.takes_edge_prior and getattr(self, "test", "averaged") in WITH_PRIOR
        if known.priors and not has_prior:
            msg = (
                "edge_prior takes a learner whose test has a prior probability of independence: the "
                "recommended one, or another with the Bayesian or the pairwise test, but not mpl, pic and "
                "pfmn; leave it out, or say require and forbid"
            )
            raise KnowledgeError(msg)
        return known

    def unsaid(self) -> list[str]:
        """Name the options by which nothing is said."""
        return [each.name for each in fields(KnowledgeOptions) if getattr(self, each.name) is None]

    def settled(self, names: Sequence[str]) -> Self:
        """Give the same options with what is known of pairs as lists of names, as results record it."""
        own = [each.name for each in fields(KnowledgeOptions)]
        if self.unsaid() == own:
            return self
        nothing: dict[str, Any] = dict.fromkeys(own)
        return replace(self, **{**nothing, **self.known(names).recorded()})
