"""How a quantity grows with the number of variables: the exponent of a power law."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from ibmap.metrics.ratios import MeanInterval, mean_interval
from ibmap.reproduce.comparison import AGREES, Comparison


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Fit the exponent k of values = c sizes^k by least squares of the logarithms."""
    points = [(math.log(n), math.log(value)) for n, value in zip(sizes, values, strict=True) if value > 0]
    if len(points) < 2:
        return math.nan
    x, y = np.array(points).T
    centred = x - x.mean()
    return float(centred @ y / (centred @ centred))


@dataclass(frozen=True)
class GrowthTable:
    """Means of a quantity at every number of variables, and the exponent of its growth."""

    name: str  # names its files
    title: str  # one line for people
    keys: tuple[str, ...]  # the factors that tell its lines apart
    quantity: str  # the measured column of the rows
    learner: str  # whose numbers
    symbol: str  # its name in heads
    exponent: float  # the exponent the paper gives
    tolerance: float  # how far ours may be from that and agree
    # published values at some numbers of variables
    published: Mapping[int, float] = field(default_factory=dict)
    words: tuple[str, str] = ("lower", "higher")  # verdicts for numbers below and above the published ones
    rule: str = ""  # the tolerance in words

    def compare(self, rows: pl.DataFrame) -> list[Comparison]:
        """Sum up the rows, line by line."""
        own = rows.filter(pl.col("learner") == self.learner)
        sizes = own["n"].unique().sort().to_list()
        found = []
        for key, part in own.group_by(self.keys, maintain_order=True):
            cell = dict(zip(self.keys, key, strict=True))
            means = [mean_interval(_at(part, n, self.quantity)) for n in sizes]
            found += [self._mean(cell, n, mean) for n, mean in zip(sizes, means, strict=True)]
            measured = [(n, mean.mean) for n, mean in zip(sizes, means, strict=True) if mean.n_runs]
            found.append(self._exponent(cell, measured))
        return found

    def _mean(self, cell: Mapping[str, Any], n: int, mean: MeanInterval) -> Comparison:
        """Give one mean, with the published value if there is one."""
        published = self.published.get(n, math.nan)
        known = mean.n_runs > 0 and not math.isnan(published)
        verdict = self.words[0] if mean.mean < published else self.words[1]
        return Comparison(
            factors=cell,
            column=f"{self.symbol} at n={n}",
            ours=mean.mean,
            half_width=mean.half_width,
            n_runs=mean.n_runs,
            published=published,
            verdict=verdict if known else "",
        )

    def _exponent(self, cell: Mapping[str, Any], points: Sequence[tuple[float, float]]) -> Comparison:
        """Give the exponent with the paper's."""
        found = slope([n for n, _ in points], [value for _, value in points])
        if math.isnan(found):
            verdict = ""
        elif abs(found - self.exponent) <= self.tolerance:
            verdict = AGREES
        else:
            verdict = self.words[0] if found < self.exponent else self.words[1]
        return Comparison(
            factors=cell,
            column="exponent",
            ours=found,
            n_runs=len(points),
            published=self.exponent,
            tolerance=self.tolerance,
            verdict=verdict,
        )


def _at(rows: pl.DataFrame, n: int, quantity: str) -> list[float]:
    """Give the numbers at one size."""
    return rows.filter(pl.col("n") == n)[quantity].drop_nulls().to_list()
