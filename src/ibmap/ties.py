"""When two log values count as equal.

Exact ties are common (a constant column, slices of one row each, equal
tables), so rounding must never decide: log values within `TOLERANCE` are
equal, and the lower column, or independence, wins.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-9
LOWEST_TIE = -math.log1p(math.exp(TOLERANCE))  # log p where log p = log(1 - p) - TOLERANCE


def is_at_least_half(log_probability: float) -> bool:
    """Tell whether log p is log(1 - p) or more, ties included."""
    return log_probability >= LOWEST_TIE


def order_with_ties(values: NDArray[np.float64]) -> list[int]:
    """Order positions by increasing value, equal values by position."""
    ascending = np.argsort(values, kind="stable").tolist()
    result: list[int] = []
    run: list[int] = []
    for position in ascending:
        if run and not values[position] <= values[run[0]] + TOLERANCE:
            result += sorted(run)
            run = []
        run.append(position)
    return result + sorted(run)
