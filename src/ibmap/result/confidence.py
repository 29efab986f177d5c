"""How sure each edge is: probabilities, verdicts, and how they were found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.data.records import parse_json
from ibmap.errors import InvalidOptionError
from ibmap.evidence.sureness import Sureness
from ibmap.graph import MarkovGraph
from ibmap.options import as_choice, as_number
from ibmap.result.reliability import Reliability

Floats = NDArray[np.float64]

FORMAT, FORMAT_VERSION = "ibmap-confidence", 1
STRONG, MODERATE = 10.0, 3.0  # odds from which evidence is called so
METHODS = ("exact", "sampled", "open pairs", "bootstrap")


class Structure(NamedTuple):
    """A whole structure: how probable it is, and its edges."""

    probability: float
    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False, repr=False)
class Confidence:
    """How sure each edge of a network is.

    Parameters
    ----------
    names : tuple of str
        The variables.
    edge_probabilities : ndarray of shape (n_variables, n_variables)
        Symmetric, with 0 on the diagonal. With the method ``"bootstrap"`` they are frequencies.
    method : {"exact", "sampled", "open pairs", "bootstrap"}
        Summed over all structures, averaged over structures visited by chains, summed over the pairs that
        the chains leave open, or how often resampled rows give the edge.
    temperature : float, optional
        Structures have probability in proportion to exp(score / temperature); None for the bootstrap.
    is_mixed : ndarray of bool, optional
        Pairs on which the chains agree; all others are undecided. All pairs by default.
    diagnostics : dict
        How it went: `stopped`, `seconds`, `n_steps`, `worst_r_hat`, `smallest_effective_size`, ...
    structures : tuple of Structure
        The most probable structures, at most ten, each with `probability` and `edges`; none for the
        bootstrap. With many variables each is improbable: many differ in a few pairs that are undecided.
    sizes : tuple of (int, float)
        How probable each number of edges is; as far as the structures that chains visit tell.
    reliability : Reliability, optional
        Whether claims come true on simulated tables like this one, if that was asked for.

    Examples
    --------
    >>> import ibmap
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> sure = ibmap.IBMAP().fit(rows).confidence()
    >>> sure
    Confidence(exact: 1 present, 0 undecided, 2 absent)
    >>> sure.graph().edges
    ((0, 1),)
    """

    names: tuple[str, ...]
    edge_probabilities: Floats
    method: str
    temperature: float | None = None
    is_mixed: NDArray[np.bool_] | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    structures: tuple[Structure, ...] = ()
    sizes: tuple[tuple[int, float], ...] = ()
    reliability: Reliability | None = None

    def __post_init__(self) -> None:
        n = len(self.names)
        probabilities = np.array(self.edge_probabilities, np.float64)
        mixed = np.ones((n, n), bool) if self.is_mixed is None else np.array(self.is_mixed, bool)
        as_choice(self.method, "method", METHODS)
        if probabilities.shape != (n, n) or mixed.shape != (n, n):
            msg = f"edge_probabilities and is_mixed must have shape ({n}, {n}), as there are {n} names"
            raise InvalidOptionError(msg)
        if (
            not ((probabilities >= 0) & (probabilities <= 1)).all()
            or (probabilities != probabilities.T).any()
        ):
            msg = "edge_probabilities must be symmetric and lie between 0 and 1"
            raise InvalidOptionError(msg)
        for name, value in (("edge_probabilities", probabilities), ("is_mixed", mixed)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @cached_property
    def verdicts(self) -> NDArray[np.str_]:
        """What is said of each pair: present or absent at odds of ten to one, else undecided.

        A pair on which the chains disagree is undecided whatever its probability.
        """
        return self.verdicts_at(STRONG)

    def verdicts_at(self, odds: float) -> NDArray[np.str_]:
        """Say of each pair whether it is joined, at any odds.

        Parameters
        ----------
        odds : float
            Present from a probability of odds / (1 + odds), absent up to 1 / (1 + odds). The field calls
            evidence of 10 strong, of 3 moderate.

        Returns
        -------
        ndarray of str, shape (n_variables, n_variables)
            ``"present"``, ``"absent"`` or ``"undecided"``; ``""`` on the diagonal.
        """
        odds = as_number(odds, "odds", low=1, high=float("inf"), from_low=True)
        p = self.edge_probabilities
        # compared as a share of the whole, so that 10 / 11 itself is present
        is_present, is_absent = p * (1 + odds) >= odds, p * (1 + odds) <= 1
        verdicts = np.where(is_present, "present", np.where(is_absent, "absent", "undecided"))
        verdicts[~self.is_mixed] = "undecided"  # type: ignore[operator]
        np.fill_diagonal(verdicts, "")
        verdicts.setflags(write=False)
        return verdicts

    @property
    def counts(self) -> dict[str, int]:
        """Number of pairs of each verdict."""
        upper = self.verdicts[np.triu_indices(len(self.names), 1)]
        return {word: int((upper == word).sum()) for word in ("present", "undecided", "absent")}

    @property
    def kind(self) -> str:
        """What the numbers are: ``"probability"``, or ``"frequency"`` for the bootstrap."""
        return "frequency" if self.method == "bootstrap" else "probability"

    def pair(self, x: int, y: int, rows: Mapping[tuple[int, int], int] | None = None) -> Sureness:
        """Give how sure one pair is.

        Parameters
        ----------
        x, y : int
            Two variables, by number.
        rows : dict, optional
            About how many rows would decide undecided pairs.

        Returns
        -------
        Sureness
            Probability, verdict, whether the chains agree, and the rows that would settle it.
        """
        mixed = bool(self.is_mixed[x, y])  # type: ignore[index]
        needed = (rows or {}).get((min(x, y), max(x, y)))
        return Sureness(
            float(self.edge_probabilities[x, y]), self.kind, str(self.verdicts[x, y]), mixed, needed
        )

    def graph(self, threshold: float = 0.5) -> MarkovGraph:
        """Join the pairs whose probability is above a threshold.

        Parameters
        ----------
        threshold : float
            The median-probability network by default.

        Returns
        -------
        MarkovGraph
            Over the variables.
        """
        threshold = as_number(threshold, "threshold", low=0, high=1, from_low=True, to_high=True)
        return MarkovGraph(self.edge_probabilities > threshold, self.names)

    def to_frame(self, library: str = "polars") -> Any:
        """Give a table of all pairs, the most probable first.

        Parameters
        ----------
        library : {"polars", "pandas"}
            Whose frame.

        Returns
        -------
        polars.DataFrame or pandas.DataFrame
            Columns `x`, `y`, `probability`, `verdict`.
        """
        as_choice(library, "library", ("polars", "pandas"))
        columns = self._columns()
        if library == "polars":
            import polars as pl

            return pl.DataFrame(columns)
        import pandas as pd

        return pd.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain lists and dicts, ready for JSON.

        Returns
        -------
        dict
            With the upper triangle of probabilities, row after row.
        """
        upper = np.triu_indices(len(self.names), 1)
        mixed = self.is_mixed[upper]  # type: ignore[index]
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "names": list(self.names),
            "method": self.method,
            "temperature": self.temperature,
            "edge_probabilities": self.edge_probabilities[upper].tolist(),
            "not_mixed": np.flatnonzero(~mixed).tolist(),
            "diagnostics": dict(self.diagnostics),
            "structures": [{"probability": p, "edges": list(map(list, own))} for p, own in self.structures],
            "sizes": list(map(list, self.sizes)),
            "reliability": None if self.reliability is None else self.reliability.to_dict(),
        }

    def to_record(self, edges: Sequence[tuple[int, int]]) -> dict[str, Any]:
        """Give everything but the names, as the file of a network has it.

        Parameters
        ----------
        edges : sequence of (int, int)
            Those of the network.

        Returns
        -------
        dict
            As `to_dict`, with the edges once more, for reading.
        """
        own, words = self.to_dict(), self.verdicts
        told = [{self.kind: float(self.edge_probabilities[e]), "verdict": str(words[e])} for e in edges]
        del own["names"]
        return {**own, "counts": self.counts, "edges": told}

    def to_json(self) -> str:
        """Write everything as JSON.

        Returns
        -------
        str
            What `from_json` reads.
        """
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Confidence:
        """Read what `to_json` wrote.

        Parameters
        ----------
        text : str
            JSON.

        Returns
        -------
        Confidence
            The same value.
        """
        return cls.from_dict(parse_json(text))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Confidence:
        """Read what `to_dict` gave.

        Parameters
        ----------
        data : dict
            Plain values.

        Returns
        -------
        Confidence
            The same value.
        """
        from ibmap.result.network_file import read_confidence

        return read_confidence(data)

    def _columns(self) -> dict[str, list[Any]]:
        """List all pairs, the most probable first."""
        x, y = np.triu_indices(len(self.names), 1)
        order = np.argsort(-self.edge_probabilities[x, y], kind="stable")
        x, y = x[order], y[order]
        return {
            "x": [self.names[k] for k in x],
            "y": [self.names[k] for k in y],
            "probability": self.edge_probabilities[x, y].tolist(),
            "verdict": self.verdicts[x, y].tolist(),
        }

    def __repr__(self) -> str:
        words = ", ".join(f"{count} {word}" for word, count in self.counts.items())
        return f"Confidence({self.method}: {words})"
