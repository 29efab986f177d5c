"""What a learner found, with everything needed to explain and repeat it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.errors import FileFormatError
from ibmap.graph import MarkovGraph
from ibmap.search.hill_climbing import N_NEAREST, Flip
from ibmap.table import EncodedTable

FORMAT = "ibmap-network"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class PairEvidence:
    """How much the score would lose if one pair were flipped."""

    x: int
    y: int
    is_edge: bool
    loss: float


@dataclass(frozen=True)
class Provenance:
    """Where a result comes from.

    Parameters
    ----------
    version : str
        Version of ibmap.
    algorithm : str
        ``"gsmn"`` or ``"hc"``.
    options : dict
        The options it ran with.
    fingerprint : str
        Digest of the data.
    n_samples : int
        Rows used.
    n_rows_dropped : int
        Rows left out because of missing values.
    seconds : float
        How long it took.
    warnings : tuple of str
        What deserved a second look.
    """

    version: str
    algorithm: str
    options: dict[str, Any]
    fingerprint: str
    n_samples: int
    n_rows_dropped: int
    seconds: float
    warnings: tuple[str, ...] = ()


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
        Distinct tests of independence.
    score : float, optional
        Natural log of the IB-score; None for learners without a score.
    n_ascents, n_iterations : int, optional
        Flips made, and neighbourhoods looked at (hill climbing).
    stopped : str
        Why the search ended: ``"optimum"``, ``"max_ascents"``, ``"max_seconds"``
        or ``"finished"``.
    trace : tuple of Flip
        The ascents in order.
    evidence : tuple of PairEvidence
        Loss by flipping: all edges, and the nearest missing edges.
    start : str, optional
        Where the climb to this structure began: ``"gsmn"``, ``"empty"`` or ``"graph"``.
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

    @property
    def is_complete(self) -> bool:
        """Whether the search ended by itself rather than by a limit."""
        return self.stopped in ("optimum", "finished")

    def to_dict(self) -> dict[str, Any]:
        """Give the result as plain lists and dicts, ready for JSON.

        Returns
        -------
        dict
            In the documented format.
        """
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "variables": [
                {"name": name, "states": [_plain(label) for label in labels]}
                for name, labels in zip(self.graph.names, self.states, strict=True)
            ],
            "edges": [list(edge) for edge in self.graph.edges],
            "score": self.score,
            "n_tests": self.n_tests,
            "n_ascents": self.n_ascents,
            "n_iterations": self.n_iterations,
            "start": self.start,
            "stopped": self.stopped,
            "trace": [flip._asdict() for flip in self.trace],
            "evidence": [asdict(pair) for pair in self.evidence],
            "provenance": asdict(self.provenance),
        }

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
            from ibmap.io import write_atomically

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
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            msg = f"this is not JSON: {error}"
            raise FileFormatError(msg) from error
        return cls.from_dict(content)

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
        _check_format(content)
        try:
            _check_types(content)
            result = cls._from_checked(content)
            _check_pairs(content)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            msg = f"the network file is damaged: {type(error).__name__}: {error}"
            raise FileFormatError(msg) from error
        return result

    @classmethod
    def _from_checked(cls, content: dict[str, Any]) -> SearchResult:
        """Build the result from content whose format and version fit."""
        variables = content["variables"]
        names = [variable["name"] for variable in variables]
        edges = [(int(i), int(j)) for i, j in content["edges"]]
        source = content["provenance"]
        return cls(
            graph=MarkovGraph.from_edges(len(names), edges, names),
            states=tuple(tuple(variable["states"]) for variable in variables),
            provenance=Provenance(**{**source, "warnings": tuple(source["warnings"])}),
            n_tests=content["n_tests"],
            score=content["score"],
            n_ascents=content["n_ascents"],
            n_iterations=content["n_iterations"],
            start=content["start"],
            stopped=content["stopped"],
            trace=tuple(Flip(**flip) for flip in content["trace"]),
            evidence=tuple(PairEvidence(**pair) for pair in content["evidence"]),
        )

    def __repr__(self) -> str:
        score = "no score" if self.score is None else f"score {self.score:.3f}"
        return (
            f"SearchResult({self.provenance.algorithm}: {self.graph.n_variables} variables, "
            f"{self.graph.n_edges} edges, {score}, {self.n_tests} tests)"
        )


def provenance_of(table: EncodedTable, algorithm: str, options: dict[str, Any], seconds: float) -> Provenance:
    """Record where a result comes from.

    Parameters
    ----------
    table : EncodedTable
        The data.
    algorithm : str
        Name of the learner.
    options : dict
        Its options.
    seconds : float
        How long it took.

    Returns
    -------
    Provenance
        With this version of ibmap.
    """
    from ibmap import __version__

    return Provenance(
        version=__version__,
        algorithm=algorithm,
        options={key: _plain(value) for key, value in options.items()},
        fingerprint=table.fingerprint,
        n_samples=table.n_samples,
        n_rows_dropped=table.preparation.n_rows_dropped,
        seconds=seconds,
        warnings=table.preparation.warnings,
    )


def collect_evidence(
    graph: MarkovGraph, gains: NDArray[np.float64], n_nearest: int = N_NEAREST
) -> tuple[PairEvidence, ...]:
    """List what every edge is worth, and the missing edges nearest to being added.

    Parameters
    ----------
    graph : MarkovGraph
        The structure.
    gains : ndarray of shape (n_variables, n_variables)
        Gain of flipping each pair; minus infinity where it is not known.
    n_nearest : int
        Missing edges to keep.

    Returns
    -------
    tuple of PairEvidence
        Edges first, the strongest first; then missing edges, the nearest first. A pair
        whose gain is not known is left out.
    """
    pairs = np.argwhere(np.triu(np.ones_like(graph.adjacency), 1))
    every = [PairEvidence(int(i), int(j), bool(graph.adjacency[i, j]), float(-gains[i, j])) for i, j in pairs]
    known = [pair for pair in every if np.isfinite(pair.loss)]
    edges = sorted((pair for pair in known if pair.is_edge), key=lambda pair: -pair.loss)
    missing = sorted((pair for pair in known if not pair.is_edge), key=lambda pair: pair.loss)
    return tuple(edges + missing[:n_nearest])


def _plain(value: Any) -> Any:
    """Turn a label or option into something JSON can hold."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return str(value)


def _read(path: str | Path) -> str:
    """Read a text file, with an error that names it."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"cannot read {str(path)!r}: {error}"
        raise FileFormatError(msg) from error


_TYPES: dict[str, tuple[type, ...]] = {
    "score": (float, int, type(None)),
    "n_tests": (int,),
    "n_ascents": (int, type(None)),
    "n_iterations": (int, type(None)),
    "stopped": (str,),
    "start": (str, type(None)),
}


def _check_types(content: dict[str, Any]) -> None:
    """Refuse values that are not of the documented type."""
    for key, types in _TYPES.items():
        value = content[key]
        if isinstance(value, bool) or not isinstance(value, types) or str(value) == "nan":
            msg = f"{key!r} cannot be {value!r}"
            raise ValueError(msg)


def _check_pairs(content: dict[str, Any]) -> None:
    """Refuse pairs of variables that do not exist."""
    n_variables = len(content["variables"])
    for entry in [*content["trace"], *content["evidence"]]:
        if not (0 <= entry["x"] < n_variables and 0 <= entry["y"] < n_variables):
            msg = f"there is no pair ({entry['x']!r}, {entry['y']!r}) among {n_variables} variables"
            raise ValueError(msg)


def _check_format(content: Any) -> None:
    """Refuse what is not a network file of a version known here."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        msg = f'this is not a network file: it has no "format": "{FORMAT}"'
        raise FileFormatError(msg)
    if content.get("format_version") != FORMAT_VERSION:
        msg = (
            f"the network file has format version {content.get('format_version')!r}; "
            f"this version of ibmap reads {FORMAT_VERSION}"
        )
        raise FileFormatError(msg)
