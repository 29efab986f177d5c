"""About how many rows would settle what a table leaves undecided.

The evidence for a link grows with the number of rows, that against one only with its logarithm, as the prior
on a link's effects says. Rough, but of the right order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ibmap.result.confidence import STRONG, Confidence

ABSENCE = 3.0  # log-odds against a link by each factor e of rows: 3/2 from either end, at temperature 1
FARTHEST = 1000.0  # times as many rows: more is said to be out of reach


class Settling(NamedTuple):
    """An undecided pair, its probability, and about how many rows in all would settle it, if any would."""

    x: str
    y: str
    probability: float
    n_samples: int | None


def rows_to_settle(sure: Confidence, n_samples: int, prior: float) -> list[Settling]:
    """Estimate, for each undecided pair, from how many rows on it would be decided; the nearest first.

    A pair that leans to a link gains evidence in proportion to the rows, any other as their logarithm grows.
    """
    x, y = np.nonzero(np.triu(sure.verdicts == "undecided", 1))
    temperature = 1.0 if sure.temperature is None else sure.temperature
    before = (math.log1p(-prior) - math.log(prior)) * 2 / temperature  # each pair is weighed from both ends
    found = []
    for i, j in zip(x.tolist(), y.tolist(), strict=True):
        p = float(np.clip(sure.edge_probabilities[i, j], 1e-9, 1 - 1e-9))
        times = _times(math.log(p / (1 - p)), before, temperature)
        needed = math.ceil(times * n_samples) if times <= FARTHEST else None
        found.append(Settling(sure.names[i], sure.names[j], p, needed))
    return sorted(found, key=lambda each: math.inf if each.n_samples is None else each.n_samples)


def rows_of_pairs(sure: Confidence, n_samples: int, prior: float) -> dict[tuple[int, int], int]:
    """Give the rows that would settle each undecided pair of variables, where more rows would."""
    place = {name: k for k, name in enumerate(sure.names)}
    told = [] if sure.kind == "frequency" else rows_to_settle(sure, n_samples, prior)
    return {
        (place[each.x], place[each.y]): each.n_samples
        for each in told
        if each.n_samples is not None and each.n_samples > n_samples
    }


def _times(log_odds: float, before: float, temperature: float) -> float:
    """Give how many times as many rows make log-odds sure."""
    wanted = math.log(STRONG)
    if log_odds >= 0 or log_odds - before > wanted:  # evidence for a link, of which the prior is the start
        grown = log_odds - before
        return max((wanted - before) / grown, 1.0) if grown > 0 else math.inf
    return math.exp(max(log_odds + wanted, 0.0) * temperature / ABSENCE)
