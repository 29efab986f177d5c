"""What is known of pairs before the data are seen: required, forbidden, more or less probable edges.

A required edge has the prior probability 1, a forbidden one 0: what is known is not tested. So it
enters a score as every prior does: an assertion about a pair that is settled has posterior 1 if it
says what is known, 0 if it says the opposite, whatever the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import variable_index
from ibmap.errors import KnowledgeError, UnknownVariableError
from ibmap.graph.graph import MarkovGraph
from ibmap.graph.knowledge_files import read_knowledge, read_probabilities

Pair = tuple[int, int]

SURE = 1e-12  # a probability nearer to 0 or 1, but not there, is refused
KEYS = ("require", "forbid", "forbid_within", "forbid_between", "edge_prior")


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Pairs of numbered variables, the lower first, of which something is known."""

    names: tuple[str, ...]
    required: frozenset[Pair] = frozenset()
    forbidden: frozenset[Pair] = frozenset()
    priors: Mapping[Pair, float] = field(default_factory=dict)  # probability of an edge, between 0 and 1

    def __bool__(self) -> bool:
        return bool(self.required or self.forbidden or self.priors)

    @cached_property
    def said(self) -> dict[int, dict[int, float]]:
        """By variable and other variable the log-odds of an edge; infinite where the pair is settled."""
        odds = {pair: math.log(p) - math.log1p(-p) for pair, p in self.priors.items()}
        odds |= dict.fromkeys(self.required, math.inf) | dict.fromkeys(self.forbidden, -math.inf)
        found: dict[int, dict[int, float]] = {}
        for (x, y), log_odds in odds.items():
            found.setdefault(x, {})[y] = found.setdefault(y, {})[x] = log_odds
        return found

    def settled(self, x: int, y: int) -> bool | None:
        """Tell whether two variables are joined, if that is known."""
        log_odds = self.said.get(x, {}).get(y, 0.0)
        return log_odds > 0 if math.isinf(log_odds) else None

    def log_odds(self, x: int, default: float) -> NDArray[np.float64]:
        """Give the prior log-odds of the edges of one variable, the default where nothing is said."""
        row = np.full(len(self.names), default)
        own = self.said.get(x, {})
        row[list(own)] = list(own.values())
        return row

    def is_open(self, x: int) -> NDArray[np.bool_]:
        """Tell with which others the edge of a variable is not settled."""
        row = np.isfinite(self.log_odds(x, 0.0))
        row[x] = False
        return row

    @cached_property
    def open_pairs(self) -> NDArray[np.bool_]:
        """A matrix of the pairs that are not settled."""
        n = len(self.names)
        return np.array([self.is_open(x) for x in range(n)], bool).reshape(n, n)

    @property
    def pairs(self) -> list[Pair]:
        """The pairs that are not settled."""
        return [(int(x), int(y)) for x, y in np.argwhere(np.triu(self.open_pairs, 1))]

    def allows(self, x: int, blanket: Iterable[int]) -> bool:
        """Tell whether a blanket agrees with what is known."""
        members = {*blanket}
        return all(
            (y in members) == (odds > 0) for y, odds in self.said.get(x, {}).items() if math.isinf(odds)
        )

    def applied(self, adjacency: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Give a structure that agrees with what is known: edges required are in, edges forbidden out."""
        matrix = adjacency.copy()
        for pairs, is_edge in ((self.required, True), (self.forbidden, False)):
            for x, y in pairs:
                matrix[x, y] = matrix[y, x] = is_edge
        return matrix

    def agreeing(self, graph: MarkovGraph) -> MarkovGraph:
        """Give the graph itself if it agrees with what is known, else one that does."""
        edges = {*graph.edges}
        told = (edges | self.required) - self.forbidden
        return graph if told == edges else MarkovGraph.from_edges(len(graph.names), told, graph.names)

    def lifted(self, x: int, y: int) -> Knowledge:
        """Give what is known, but for whether one pair is joined."""
        pair = {(min(x, y), max(x, y))}
        return replace(self, required=self.required - pair, forbidden=self.forbidden - pair)

    def recorded(self) -> dict[str, list[Any]]:
        """Give what is known as lists of names, which `make_knowledge` takes."""

        def named(pairs: Iterable[Pair]) -> list[list[Any]]:
            return [[self.names[x], self.names[y]] for x, y in sorted(pairs)]

        priors = [
            [*ends, self.priors[pair]]
            for pair, ends in zip(sorted(self.priors), named(self.priors), strict=True)
        ]
        found = {"require": named(self.required), "forbid": named(self.forbidden), "edge_prior": priors}
        return {key: value for key, value in found.items() if value}


def make_knowledge(
    names: Sequence[str],
    require: Any = None,
    forbid: Any = None,
    edge_prior: Any = None,
    knowledge: Any = None,
) -> Knowledge:
    """Put together what is known of the pairs of some variables, and refuse contradictions."""
    told = _Told(tuple(names))
    content = said_in(knowledge)
    for source, pairs in (("require", require), ("knowledge: require", content.get("require"))):
        told.settle(source, pairs_of(pairs, source), True)
    for source, pairs in (("forbid", forbid), ("knowledge: forbid", content.get("forbid"))):
        told.settle(source, pairs_of(pairs, source), False)
    told.forbid_groups(content)
    for source, given in (("edge_prior", edge_prior), ("knowledge: edge_prior", content.get("edge_prior"))):
        told.weigh(source, probabilities_of(given, names, source))
    joined = {pair for pair, (is_edge, _) in told.settled.items() if is_edge}
    return Knowledge(told.names, frozenset(joined), frozenset({*told.settled} - joined), told.priors)


def said_in(knowledge: Any) -> dict[str, Any]:
    """Give the content of a knowledge file, or of a dict like one."""
    if knowledge is None:
        return {}
    content = dict(knowledge) if isinstance(knowledge, Mapping) else read_knowledge(knowledge)
    unknown = [key for key in content if key not in KEYS]
    if unknown:
        msg = f"knowledge has no key {unknown[0]!r}; its keys are {', '.join(map(repr, KEYS))}"
        raise KnowledgeError(msg)
    return content


def pairs_of(given: Any, source: str) -> list[Any]:
    """Read a list of pairs, each two variables or a text such as ``a--b``."""
    if given is None:
        return []
    is_list = isinstance(given, Iterable) and not isinstance(given, (str, Mapping))
    pairs = list(given) if is_list else [None]
    for pair in pairs:
        if not isinstance(pair, str) and (not isinstance(pair, (list, tuple)) or len(pair) != 2):
            what = given if pair is None else pair
            msg = f"{source} must be a list of pairs such as [('a', 'b')] or ['a--b']; got {what!r}"
            raise KnowledgeError(msg)
    return pairs


def probabilities_of(given: Any, names: Sequence[str], source: str) -> list[tuple[Any, Any, float]]:
    """Read probabilities of edges: a matrix, a frame, a file, or a list of (a, b, probability)."""
    if given is None:
        return []
    if isinstance(given, (str, bytes)) or hasattr(given, "__fspath__"):
        given = read_probabilities(given, source)
    if isinstance(given, Mapping):
        given = [(*pair, p) for pair, p in given.items()]
    is_list = isinstance(given, (list, tuple))
    is_list = is_list and all(isinstance(each, (list, tuple)) and len(each) == 3 for each in given)
    if is_list and not (len(names) == 3 == len(given) and _is_symmetric(given)):
        return [(a, b, _probability(p, f"{source} of {a!r} and {b!r}")) for a, b, p in given]
    return _from_matrix(given, names, source)


def _is_symmetric(given: Sequence[Sequence[Any]]) -> bool:
    """Tell three lines of a matrix from three triples."""
    is_number = all(isinstance(each, (int, float, np.number)) for row in given for each in row)
    return is_number and np.array_equal(np.array(given, float), np.array(given, float).T, equal_nan=True)


def _from_matrix(given: Any, names: Sequence[str], source: str) -> list[tuple[Any, Any, float]]:
    """Read a symmetric matrix; NaN says nothing of a pair, and the diagonal is not read."""
    columns = [str(each) for each in getattr(given, "columns", names)]
    index = [str(each) for each in getattr(given, "index", columns)] if hasattr(given, "columns") else columns
    try:
        matrix = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape != (len(names), len(names)):
        msg = (
            f"{source} must be a matrix of {len(names)} x {len(names)} probabilities, one row and column for "
            f"each variable, or a list of (a, b, probability); got {_shape(given, matrix)}"
        )
        raise KnowledgeError(msg)
    if index != columns and [*map(str, range(len(names)))] != index:
        msg = (
            f"{source}: its rows must have the names of its columns in the same order; got {index[:4]} and "
            f"{columns[:4]}"
        )
        raise KnowledgeError(msg)
    uneven = np.argwhere(np.triu(~np.isclose(matrix, matrix.T, rtol=0, atol=1e-9, equal_nan=True), 1))
    if len(uneven):
        x, y = uneven[0]
        msg = (
            f"{source} is not symmetric: {matrix[x, y]:g} for {columns[x]!r} and {columns[y]!r}, "
            f"{matrix[y, x]:g} the other way round; give each pair one probability"
        )
        raise KnowledgeError(msg)
    told = np.argwhere(np.triu(~np.isnan(matrix), 1))
    return [
        (
            columns[x],
            columns[y],
            _probability(float(matrix[x, y]), f"{source} of {columns[x]!r} and {columns[y]!r}"),
        )
        for x, y in told.tolist()
    ]


def _shape(given: Any, matrix: NDArray[np.float64]) -> str:
    """Say what was given in the place of a matrix."""
    return " x ".join(map(str, matrix.shape)) if matrix.size else f"{given!r}"[:60]


def _probability(value: Any, what: str) -> float:
    """Check a probability: 0, 1, or clearly between them."""
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not is_number or not (value in (0, 1) or SURE <= value <= 1 - SURE):
        msg = f"{what} must be a probability from 0 to 1 (0 forbids the edge, 1 requires it); got {value!r}"
        raise KnowledgeError(msg)
    return float(value)


class _Told:
    """What has been said so far, with where it was said."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.settled: dict[Pair, tuple[bool, str]] = {}
        self.priors: dict[Pair, float] = {}

    def settle(self, source: str, pairs: Iterable[Any], is_edge: bool) -> None:
        """Take note that some pairs are joined, or not; refuse what was said otherwise."""
        for given in pairs:
            pair = self.pair(given, source)
            known, where = self.settled.setdefault(pair, (is_edge, source))
            if known != is_edge:
                word = "required" if known else "forbidden"
                msg = f"{source} {self.shown(pair)}: the pair is also {word} ({where}); leave one of them out"
                raise KnowledgeError(msg)

    def forbid_groups(self, content: Mapping[str, Any]) -> None:
        """Forbid the pairs within lists, and those between two lists."""
        for group in _lists(content.get("forbid_within"), "forbid_within", "['a', 'b', 'c']"):
            self.settle("knowledge: forbid_within", combinations(group, 2), False)
        for both in _lists(content.get("forbid_between"), "forbid_between", "[['a', 'b'], ['c']]"):
            if len(both) != 2 or not all(isinstance(side, (list, tuple)) for side in both):
                msg = (
                    "knowledge: forbid_between must be a list of two lists each, such as "
                    f"[[['a', 'b'], ['c']]]; got {both!r}"
                )
                raise KnowledgeError(msg)
            self.settle("knowledge: forbid_between", [(a, b) for a in both[0] for b in both[1]], False)

    def weigh(self, source: str, given: Iterable[tuple[Any, Any, float]]) -> None:
        """Take note of probabilities; 0 and 1 settle a pair."""
        for a, b, p in given:
            if p in (0, 1):
                self.settle(f"{source} {p:g}", [(a, b)], p == 1)
                continue
            pair = self.pair((a, b), source)
            if self.priors.setdefault(pair, p) != p:
                both = f"{self.priors[pair]:g} and {p:g}"
                msg = f"{source} {self.shown(pair)}: two probabilities, {both}; give one"
                raise KnowledgeError(msg)

    def pair(self, given: Any, source: str) -> Pair:
        """Find the two variables of a pair."""
        a, b = self._split(given, source) if isinstance(given, str) else given
        try:
            x, y = (variable_index(self.names, each) for each in (a, b))
        except UnknownVariableError as error:
            msg = f"{source} {a!r}--{b!r}: {error}"
            raise KnowledgeError(msg) from error
        if x == y:
            msg = f"{source} {a!r}--{b!r}: a pair has two different variables"
            raise KnowledgeError(msg)
        return min(x, y), max(x, y)

    def _split(self, text: str, source: str) -> tuple[str, str]:
        """Cut a text in two names; names may contain dashes too."""
        parts = text.split("--")
        cuts = [("--".join(parts[:k]), "--".join(parts[k:])) for k in range(1, len(parts))]
        known = [(a, b) for a, b in cuts if a in self.names and b in self.names]
        if len(known) == 1 or (not known and len(cuts) == 1):
            return (known or cuts)[0]
        reason = "it can be read in several ways" if known else "it is not two names of columns joined by --"
        msg = f'{source} {text!r}: {reason}; write a--b, or in a knowledge file ["a", "b"]'
        raise KnowledgeError(msg)

    def shown(self, pair: Pair) -> str:
        """Name a pair."""
        return f"{self.names[pair[0]]!r}--{self.names[pair[1]]!r}"


def _lists(given: Any, key: str, example: str) -> list[Any]:
    """Read a list of lists."""
    groups = [] if given is None else given
    if not isinstance(groups, (list, tuple)) or not all(isinstance(each, (list, tuple)) for each in groups):
        msg = f"knowledge: {key} must be a list of lists, such as [{example}]; got {given!r}"
        raise KnowledgeError(msg)
    return list(groups)
