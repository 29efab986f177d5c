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
LOG_HALF = math.log(0.5)


def is_at_least_half(log_probability: float) -> bool:
    """Tell whether a log-probability is log(1/2) or more, ties included."""
    return log_probability >= LOG_HALF - TOLERANCE


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
