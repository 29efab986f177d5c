"""Rows that stand for more or less than one: counts and survey weights.

Whole numbers count rows: the table is the one in which every row is repeated so often. Fractions
are survey weights: they are scaled to sum to the effective number of rows, (sum w)^2 / sum w^2 (Kish 1965).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable, Weights, repeated, with_weights
from ibmap.data.text import either
from ibmap.errors import InvalidTableError

MAX_SAMPLES = 2**53  # counts up to there are exact as floats


def read_weights(values: Any, n_rows: int, origin: str) -> Weights:
    """Check weights: whole numbers come back as integers, others as floats."""
    try:
        weights = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        weights = np.empty(0)
        problem = "is not made of numbers"
    else:
        problem = _problem(weights, n_rows)
    if problem:
        msg = (
            f"{origin} {problem}; weights are one number a row, from 0 on: counts of rows, or survey weights"
        )
        raise InvalidTableError(msg)
    return weights.astype(np.int64) if (weights == np.floor(weights)).all() else weights


def _problem(weights: Any, n_rows: int) -> str:
    """Say what is wrong with weights; nothing if they are fine."""
    if weights.shape != (n_rows,):
        return f"has shape {weights.shape}, but the table has {n_rows} rows"
    if not np.isfinite(weights).all():
        row = int(np.flatnonzero(~np.isfinite(weights))[0])
        return f"has no number in row {row} ({weights[row]})"
    if (weights < 0).any():
        row = int(np.flatnonzero(weights < 0)[0])
        return f"has a negative value in row {row} ({weights[row]:g})"
    if not weights.any():
        return "has only zeros"
    return f"sums to {weights.sum():g}, more than 2**53" if weights.sum() > MAX_SAMPLES else ""


def kish(weights: Weights) -> Weights:
    """Scale weights to the effective number of rows."""
    return np.asarray(weights * (weights.sum() / np.square(weights.astype(np.float64)).sum()))


def weigh(table: EncodedTable, weights: Weights) -> EncodedTable:
    """Give the rows of a table their weights."""
    if weights.dtype.kind == "i":
        return repeated(table, weights.astype(np.int64))
    return with_weights(table, kish(weights))


def is_counted(table: EncodedTable) -> bool:
    """Tell whether the weights of a table count rows."""
    return table.weights.dtype.kind != "f"


def counted(table: EncodedTable, who: str) -> EncodedTable:
    """Refuse survey weights where rows are counted."""
    if is_counted(table):
        return table
    msg = (
        f"{who} count rows, and these rows have survey weights; learn with "
        f"{either('ibmap.IBMAP', '--algorithm ibmap')}, which uses them, or give whole numbers"
    )
    raise InvalidTableError(msg)


def weighting_in_words(weights: Weights, origin: str) -> str:
    """Say what the weights make of the rows."""
    n_rows = int(np.count_nonzero(weights))
    if weights.dtype.kind == "i":
        return f"{origin} counts rows: {n_rows:,} rows stand for {int(weights.sum()):,}."
    return (
        f"{origin} holds survey weights: {n_rows:,} rows, worth {kish(weights).sum():,.1f} of equal weight "
        "(Kish's effective number)."
    )


@dataclass(frozen=True)
class Weighing:
    """The weights of the rows read, if they have any."""

    n_rows: int
    weights: Weights | None = None
    column: str | None = None  # where they stand
    origin: str | None = "weights"  # None if rows were found so often

    def told(self, own: Weights) -> tuple[str, ...]:
        """Say what weights make of the rows, if they were given."""
        return () if self.origin is None else (weighting_in_words(own, self.origin),)

    @property
    def used(self) -> NDArray[np.bool_] | None:
        """Rows of a weight; None if all are."""
        return None if self.weights is None or self.weights.all() else self.weights > 0

    @property
    def is_used(self) -> NDArray[np.bool_]:
        """Rows of a weight."""
        return np.ones(self.n_rows, bool) if self.weights is None else self.weights > 0

    def taken(self, rows: NDArray[np.bool_]) -> Weights | None:
        """Give the weights of some rows."""
        return None if self.weights is None else self.weights[rows]

    def count(self, rows: NDArray[np.bool_] | None) -> int:
        """Count rows, each as often as it occurs."""
        rows = self.is_used if rows is None else rows & self.is_used
        if self.weights is None or self.weights.dtype.kind == "f":
            return int(np.count_nonzero(rows))
        return int(self.weights[rows].sum())
