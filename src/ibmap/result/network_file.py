"""What a network file holds, by field, and what of it must fit together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct

from ibmap.data.records import Label, as_record, check_format, damaged
from ibmap.errors import FileFormatError, IbmapError
from ibmap.evidence.pairs import PairEvidence
from ibmap.evidence.relation import Predictability, Relation
from ibmap.evidence.variables import VariableDescription
from ibmap.graph import MarkovGraph
from ibmap.result.confidence import FORMAT as CONFIDENCE_FORMAT
from ibmap.result.confidence import FORMAT_VERSION as CONFIDENCE_VERSION
from ibmap.result.confidence import Confidence, Structure
from ibmap.result.provenance import Provenance
from ibmap.result.reliability import Reliability
from ibmap.search.climb import Flip

FORMAT = "ibmap-network"
FORMAT_VERSION = 1

AS_READ = (
    "score", "bound", "n_tests", "test_cost", "n_nodes", "n_ascents", "n_iterations", "start", "stopped",
    "disputed", "evidence", "provenance", "relations",
)  # fmt: skip

Pair = tuple[int, int]


class _Variable(Struct):
    name: str
    states: tuple[Label, ...]
    description: VariableDescription | None = None
    predictability: Predictability | None = None


class _Flip(Struct):
    x: int
    y: int
    added: bool
    gain: float
    score: float


class _Structure(Struct):
    probability: float
    edges: tuple[Pair, ...]


class _Confidence(Struct, kw_only=True):
    format: str
    format_version: int
    method: str
    temperature: float | None
    edge_probabilities: list[float]
    not_mixed: list[int]
    diagnostics: dict[str, Any]
    structures: tuple[_Structure, ...] = ()
    sizes: tuple[tuple[int, float], ...] = ()
    reliability: Reliability | None = None
    names: tuple[str, ...] = ()


class _Network(Struct, kw_only=True):
    """The fields of the file; those with a default are not in files of earlier versions."""

    variables: list[_Variable]
    edges: list[Pair]
    score: float | None
    n_tests: int
    n_ascents: int | None
    n_iterations: int | None
    stopped: str
    trace: tuple[_Flip, ...]
    evidence: tuple[PairEvidence, ...]
    provenance: Provenance
    bound: float | None = None
    test_cost: int | None = None
    n_nodes: int | None = None
    start: str | None = None
    disputed: tuple[Pair, ...] = ()
    confidence: _Confidence | None = None
    relations: tuple[Relation, ...] = ()


def parts(content: Any) -> dict[str, Any]:
    """Read the plain values of a network file, as the arguments of `SearchResult`."""
    check_format(content, "network", FORMAT, FORMAT_VERSION)
    read = as_record(content, _Network, "network file")
    try:
        found = _parts(read)
        _check_pairs(read)
        _check_relations(read)
    except (ValueError, OverflowError, IbmapError) as error:
        raise FileFormatError(damaged("network file", error)) from None
    return found


def _parts(read: _Network) -> dict[str, Any]:
    """Put together what was read."""
    names = tuple(variable.name for variable in read.variables)
    return {name: getattr(read, name) for name in AS_READ} | {
        "graph": MarkovGraph.from_edges(len(names), read.edges, names),
        "states": tuple(variable.states for variable in read.variables),
        "descriptions": _of_all(read.variables, "description"),
        "predictability": _of_all(read.variables, "predictability"),
        "trace": tuple(Flip(each.x, each.y, each.added, each.gain, each.score) for each in read.trace),
        "confidence": None if read.confidence is None else _confidence(read.confidence, names),
    }


def _of_all(variables: list[_Variable], name: str) -> tuple[Any, ...]:
    """Give what is told of all variables, or of none."""
    told = tuple(own for own in (getattr(each, name) for each in variables) if own is not None)
    if told and len(told) < len(variables):
        msg = f"some variables have a `{name}` and some have none"
        raise ValueError(msg)
    return told


def _check_relations(read: _Network) -> None:
    """Refuse relations that are not those of the edges, or tables of another shape."""
    edges = sorted((min(edge), max(edge)) for edge in read.edges)
    if read.relations and [(each.x, each.y) for each in read.relations] != edges:
        msg = "there must be one entry for each edge, in their order - at `$.relations`"
        raise ValueError(msg)
    for k, own in enumerate(read.relations):
        sizes = len(own.x_states), len(own.y_states)
        shapes = [[len(row) for row in rows] for rows in (own.y_given_x, own.x_given_y)]
        if shapes != [[sizes[1]] * sizes[0], [sizes[0]] * sizes[1]]:
            msg = f"the tables must be {sizes[0]} by {sizes[1]}, as there are states - at `$.relations[{k}]`"
            raise ValueError(msg)


def _check_pairs(read: _Network) -> None:
    """Refuse pairs of variables that do not exist, and numbers that count nothing."""
    n_variables = len(read.variables)
    for place, numbers in _numbers(read):
        if not all(isinstance(each, int) and 0 <= each < n_variables for each in numbers):
            msg = f"there is no pair {numbers[:2]} among {n_variables} variables - at `$.{place}`"
            raise ValueError(msg)
    for k, pair in enumerate(read.evidence):
        verdicts = [each.verdicts for each in pair.statements]
        if len(verdicts) not in (0, 2) or not all(verdicts):
            msg = f"a pair has two statements with a verdict each - at `$.evidence[{k}]`"
            raise ValueError(msg)
    source = read.provenance
    for name, count in (("n_samples", source.n_samples), ("n_rows_dropped", source.n_rows_dropped)):
        if not 0 <= count < 2**63:
            msg = f"{count} is no number of rows - at `$.provenance.{name}`"
            raise ValueError(msg)


def _numbers(read: _Network) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Give all numbers of variables, each with where it stands."""
    for k, pair in enumerate(read.disputed):
        yield f"disputed[{k}]", pair
    for k, flip in enumerate(read.trace):
        yield f"trace[{k}]", (flip.x, flip.y)
    for k, found in enumerate(read.evidence):
        yield f"evidence[{k}]", (found.x, found.y)
        for each in found.statements:
            yield f"evidence[{k}].statements", (each.x, each.y, *each.given)


def read_confidence(content: Any) -> Confidence:
    """Read the plain values of a file of edge probabilities."""
    check_format(content, "confidence", CONFIDENCE_FORMAT, CONFIDENCE_VERSION)
    read = as_record(content, _Confidence, "file of edge probabilities")
    try:
        return _confidence(read, read.names)
    except ValueError as error:
        raise FileFormatError(damaged("file of edge probabilities", error)) from None


def _confidence(read: _Confidence, names: tuple[str, ...]) -> Confidence:
    """Spread probabilities over both halves of the matrix."""
    if (read.format, read.format_version) != (CONFIDENCE_FORMAT, CONFIDENCE_VERSION):
        msg = f"format {read.format!r}, version {read.format_version!r} - at `$.confidence`"
        raise ValueError(msg)
    n_variables = len(names)
    n_pairs = n_variables * (n_variables - 1) // 2
    if len(read.edge_probabilities) != n_pairs or not all(0 <= k < n_pairs for k in read.not_mixed):
        msg = f"{n_variables} variables have {n_pairs} edge_probabilities - at `$.confidence`"
        raise ValueError(msg)
    upper = np.triu_indices(n_variables, 1)
    probabilities, is_mixed = np.zeros((n_variables, n_variables)), np.ones((n_variables, n_variables), bool)
    probabilities[upper] = read.edge_probabilities
    mixed = np.ones(n_pairs, bool)
    mixed[read.not_mixed] = False
    is_mixed[upper] = is_mixed.T[upper] = mixed
    whole = probabilities + probabilities.T
    if not all(0 <= x < y < n_variables for each in read.structures for x, y in each.edges):
        msg = f"there are edges of other than {n_variables} variables - at `$.confidence.structures`"
        raise ValueError(msg)
    return Confidence(
        names,
        whole,
        read.method,
        read.temperature,
        is_mixed,
        read.diagnostics,
        tuple(Structure(each.probability, each.edges) for each in read.structures),
        read.sizes,
        read.reliability,
    )
