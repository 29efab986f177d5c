"""Our numbers beside the published ones, with a verdict on each.

A table is declared as columns, each a mean or a ratio of one measured quantity for one learner,
with the published column it belongs to. Every number of the table becomes a `Comparison`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ibmap.experiments.published import published_rows
from ibmap.ratios import ErrorRatio, MeanInterval, error_ratio, mean_interval

AGREES = "agrees"


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    title : str
        Its head.
    quantity : str
        The measured column of the rows.
    learner : str
        Whose numbers.
    baseline : str
        The learner divided by; empty for a mean.
    published : str
        The published column; empty if there is none.
    mark : str
        The published column with marks of significance; for ratios.
    words : tuple of str
        Verdicts for numbers below and above the published one.
    """

    title: str
    quantity: str
    learner: str
    baseline: str = ""
    published: str = ""
    mark: str = ""
    words: tuple[str, str] = ("better", "worse")


@dataclass(frozen=True)
class Comparison:
    """One number of a table, with the published one.

    Parameters
    ----------
    factors : dict
        The cell: tau, N, the data set.
    column : str
        The column's title.
    ours : float
        Our mean, or mean of ratios.
    half_width : float
        Half-width of its 95 % interval.
    n_runs : int
        Runs behind it.
    n_left_out : int
        Runs without a ratio, because only the baseline made no error.
    mark : str
        For ratios, ``better`` or ``worse`` if the interval excludes 1.
    published : float
        The published number; NaN if there is none.
    published_half_width : float
        The published figure in parentheses.
    published_mark : str
        The published mark.
    tolerance : float
        How far apart the two may be and agree; NaN if there is nothing to compare with.
    verdict : str
        ``agrees`` or the word for below or above; empty if there is nothing to compare with.
    """

    factors: Mapping[str, Any]
    column: str
    ours: float
    half_width: float
    n_runs: int
    n_left_out: int
    mark: str
    published: float
    published_half_width: float
    published_mark: str
    tolerance: float
    verdict: str


Tolerance = Callable[[Mapping[str, Any], Column, float, float], float]


def overlap(factors: Mapping[str, Any], column: Column, ours: float, published: float) -> float:
    """Let two numbers agree if their 95 % intervals meet.

    Parameters
    ----------
    factors : mapping
        The cell.
    column : Column
        The column.
    ours, published : float
        The two half-widths.

    Returns
    -------
    float
        Their sum.

    Examples
    --------
    >>> overlap({}, Column("HC", "edge_errors", "hc"), 0.5, 0.25)
    0.75
    """
    return ours + published


@dataclass(frozen=True)
class ComparisonTable:
    """A table of the paper: its cells, its columns, and when two numbers agree.

    Parameters
    ----------
    name : str
        Names its files.
    title : str
        One line for people.
    keys : tuple of str
        The factors that tell its lines apart.
    columns : tuple of Column
        Its columns.
    published : str
        The published table; empty if there is none.
    tolerance : callable
        Gives the difference up to which two numbers agree.
    rule : str
        The tolerance in words.
    match : tuple of str
        The keys by which a published line is found; all by default.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    columns: tuple[Column, ...]
    published: str = ""
    tolerance: Tolerance = overlap
    rule: str = "two numbers agree if their 95 % intervals meet"
    match: tuple[str, ...] = ()

    def compare(self, rows: pl.DataFrame) -> list[Comparison]:
        """Sum up the rows, number by number.

        Parameters
        ----------
        rows : polars.DataFrame
            What `run_study` gave.

        Returns
        -------
        list of Comparison
            Line after line, in the order of the rows.
        """
        match = self.match or self.keys
        lines = published_rows(self.published) if self.published else []
        printed = {_key(row, match): row for row in lines}
        found = []
        for key, part in rows.group_by(self.keys, maintain_order=True):
            cell = dict(zip(self.keys, key, strict=True))
            beside = printed.get(_key(cell, match), {})
            found += [self._compared(cell, column, part, beside) for column in self.columns]
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
