"""Our numbers next to the published ones, with a verdict on each.

A table is declared as columns, each a mean or a ratio of one measured quantity for one learner,
with the published column it belongs to. Every number of the table becomes a `Comparison`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ibmap.metrics.ratios import ErrorRatio, MeanInterval, error_ratio, mean_interval
from ibmap.reproduce.published import published_rows

AGREES = "agrees"


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    title: str
    quantity: str  # the measured column of the rows
    learner: str  # whose numbers
    baseline: str = ""  # the learner divided by; empty for a mean
    published: str = ""  # the published column; empty if there is none
    mark: str = ""  # the published column with marks of significance; for ratios
    words: tuple[str, str] = ("better", "worse")  # verdicts for numbers below and above the published one


@dataclass(frozen=True)
class Comparison:
    """One number of a table, with the published one."""

    factors: Mapping[str, Any]  # the cell: tau, N, the data set
    column: str
    ours: float  # our mean, or mean of ratios
    half_width: float = math.nan  # half-width of its 95 % interval
    n_runs: int = 0  # runs behind it
    n_left_out: int = 0  # runs without a ratio, because only the baseline made no error
    mark: str = ""  # for ratios, ``better`` or ``worse`` if the interval excludes 1
    published: float = math.nan  # the published number; NaN if there is none
    published_half_width: float = math.nan  # the published figure in parentheses
    published_mark: str = ""
    tolerance: float = math.nan  # how far apart the two may be and agree
    verdict: str = ""  # AGREES, or the word for below or above; empty if there is nothing to compare with


Tolerance = Callable[[Mapping[str, Any], Column, float, float], float]


def overlap(factors: Mapping[str, Any], column: Column, ours: float, published: float) -> float:
    """Let two numbers agree if their 95 % intervals meet: give the sum of the half-widths."""
    return ours + published


@dataclass(frozen=True)
class ComparisonTable:
    """A table of the paper: its cells, its columns, and when two numbers agree."""

    name: str  # names its files
    title: str  # one line for people
    keys: tuple[str, ...]  # the factors that tell its lines apart
    columns: tuple[Column, ...]
    published: str = ""  # the published table; empty if there is none
    tolerance: Tolerance = overlap  # gives the difference up to which two numbers agree
    rule: str = "two numbers agree if their 95 % intervals meet"  # the tolerance in words
    match: tuple[str, ...] = ()  # the keys by which a published line is found; all by default

    def compare(self, rows: pl.DataFrame) -> list[Comparison]:
        """Sum up the rows, number by number."""
        match = self.match or self.keys
        lines = published_rows(self.published) if self.published else []
        printed = {_key(row, match): row for row in lines}
        found = []
        for key, part in rows.group_by(self.keys, maintain_order=True):
            cell = dict(zip(self.keys, key, strict=True))
            line = printed.get(_key(cell, match), {})
            found += [self._compared(cell, column, part, line) for column in self.columns]
        return found

    def _compared(
        self, cell: Mapping[str, Any], column: Column, rows: pl.DataFrame, printed: Mapping[str, Any]
    ) -> Comparison:
        """Sum up one number and hold it against the published one."""
        ours = _summed_up(column, rows)
        value, width = printed.get(column.published, math.nan), printed.get(f"{column.published}_sd", 0.0)
        known = not (math.isnan(value) or math.isnan(ours.mean))
        own_width = ours.half_width if ours.n_runs > 1 else 0.0
        tolerance = self.tolerance(cell, column, own_width, width) if known else math.nan
        return Comparison(
            factors=cell,
            column=column.title,
            ours=ours.mean,
            half_width=ours.half_width,
            n_runs=ours.n_runs,
            n_left_out=ours.n_infinite if isinstance(ours, ErrorRatio) else 0,
            mark=ours.mark if isinstance(ours, ErrorRatio) else "",
            published=value,
            published_half_width=math.nan if math.isnan(value) else width,
            published_mark=str(printed.get(column.mark, "")),
            tolerance=tolerance,
            verdict=_verdict(ours.mean - value, tolerance, column.words) if known else "",
        )


def _key(row: Mapping[str, Any], keys: Sequence[str]) -> tuple[Any, ...]:
    """Give what tells a line apart."""
    return tuple(row[name] for name in keys)


def _summed_up(column: Column, rows: pl.DataFrame) -> MeanInterval:
    """Average a column's runs, or divide them by the baseline's."""
    numbers = _numbers(rows, column.learner, column.quantity)
    if not column.baseline:
        return mean_interval(numbers)
    return error_ratio(numbers, _numbers(rows, column.baseline, column.quantity))


def _numbers(rows: pl.DataFrame, learner: str, quantity: str) -> list[float]:
    """Give a learner's numbers, one a repetition."""
    if quantity not in rows.columns:
        return []
    own = rows.filter(pl.col("learner") == learner).sort("repetition")
    return own[quantity].drop_nulls().to_list()


def _verdict(difference: float, tolerance: float, words: tuple[str, str]) -> str:
    """Name a difference."""
    if abs(difference) <= tolerance + 1e-9:
        return AGREES
    return words[0] if difference < 0 else words[1]
