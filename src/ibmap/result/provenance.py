"""Where a result comes from: data, options, version, time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ibmap.data.table import EncodedTable

SCORES = {  # of learners by another score
    "bjp": "Blankets' joint posterior",
    "mpl": "Marginal pseudo-likelihood",
    "pic": "Pseudo-likelihood criterion",
}


@dataclass(frozen=True)
class Provenance:
    """Where a result comes from."""

    version: str
    algorithm: str  # as the command line names it
    options: dict[str, Any]
    fingerprint: str  # digest of the data
    n_samples: int  # rows used
    n_rows_dropped: int  # rows left out because of missing values
    seconds: float
    warnings: tuple[str, ...] = ()  # what deserved a second look
    notes: tuple[str, ...] = ()  # how the table was read
    copies: dict[str, str] = field(default_factory=dict)  # columns that another stands for, and which

    @property
    def score_name(self) -> str:
        """What the learner's score is called."""
        return SCORES.get(self.algorithm, "IB-score")


def provenance_of(table: EncodedTable, algorithm: str, options: dict[str, Any], seconds: float) -> Provenance:
    """Record where a result comes from."""
    from ibmap import __version__

    return Provenance(
        version=__version__,
        algorithm=algorithm,
        options={key: plain(value) for key, value in options.items()} | _weights(table),
        fingerprint=table.fingerprint,
        n_samples=table.n_samples,
        n_rows_dropped=table.preparation.n_rows_dropped,
        seconds=seconds,
        warnings=table.preparation.warnings,
        notes=table.preparation.notes,
        copies=table.preparation.copies,
    )


def _weights(table: EncodedTable) -> dict[str, Any]:
    """Name the column of the weights among the options, so that the table can be read again."""
    column = table.preparation.weights_column
    return {} if column is None else {"weights": column}


def plain(value: Any) -> Any:
    """Turn a label or option into something JSON can hold."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # JSON has no such number
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    return str(value)
