"""Means with their uncertainty, and ratios of two learners' errors, as the paper reports them.

The figures in parentheses of the paper's tables are half-widths of 95 % intervals: with 10 runs,
2.228 standard errors, Student's quantile for 10 degrees of freedom. A ratio r with half-width h is
an improvement if r + h < 1 and a reduction if r - h > 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ibmap.errors import InvalidOptionError

LEVEL = 0.95


@dataclass(frozen=True)
class MeanInterval:
    """A mean over runs with its uncertainty.

    Parameters
    ----------
    mean : float
        Mean of the runs; NaN if there are none.
    deviation : float
        Standard deviation of the runs (n - 1 in the denominator); NaN for fewer than two.
    half_width : float
        Half the width of the 95 % interval of the mean; NaN for fewer than two runs.
    n_runs : int
        Number of runs.
    """

    mean: float
    deviation: float
    half_width: float
    n_runs: int


@dataclass(frozen=True)
class ErrorRatio(MeanInterval):
    """The mean of the ratios of two learners' errors, run by run.

    Parameters
    ----------
    mean, deviation, half_width, n_runs
        As for `MeanInterval`, over the ratios that exist.
    n_infinite : int
        Runs left out because only the learner divided by made no error.
    """

    n_infinite: int = 0

    @property
    def mark(self) -> str:
        """``better`` if the interval lies below 1, ``worse`` if above, empty if it has 1 in it."""
        if self.mean + self.half_width < 1:
            return "better"
        return "worse" if self.mean - self.half_width > 1 else ""

    @property
    def excludes_one(self) -> bool:
        """Whether the 95 % interval leaves out 1, equal errors."""
        return bool(self.mark)


def mean_interval(values: Sequence[float]) -> MeanInterval:
    """Average runs.

    Parameters
    ----------
    values : sequence of float
        One number a run.

    Returns
    -------
    MeanInterval
        Mean, standard deviation and 95 % half-width.

    Examples
    --------
    >>> found = mean_interval([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    >>> found.mean, round(found.deviation, 3), round(found.half_width, 3)
    (5.5, 3.028, 2.133)
    """
    numbers = np.asarray(values, np.float64)
    n_runs = len(numbers)
    mean = float(numbers.mean()) if n_runs else math.nan
    if n_runs < 2:
        return MeanInterval(mean, math.nan, math.nan, n_runs)
    deviation = float(numbers.std(ddof=1))
    return MeanInterval(mean, deviation, _quantile(n_runs) * deviation / math.sqrt(n_runs), n_runs)


def error_ratio(errors: Sequence[float], baseline: Sequence[float]) -> ErrorRatio:
    """Divide a learner's errors by another's, run by run, and average.

    0/0 counts as 1: neither made an error. What is divided by 0 otherwise has no ratio; it is
    left out and counted.

    Parameters
    ----------
    errors, baseline : sequence of float
        Errors of the two learners on the same data sets, none negative.

    Returns
    -------
    ErrorRatio
        Mean of ratios, its uncertainty, and the number left out.

    Examples
    --------
    >>> found = error_ratio([1, 0, 3], [2, 0, 0])
    >>> found.mean, found.n_infinite, found.mark
    (0.75, 1, '')
    """
    above, below = np.asarray(errors, np.float64), np.asarray(baseline, np.float64)
    if above.shape != below.shape or above.ndim != 1:
        msg = f"errors and baseline must be as many numbers; got shapes {above.shape} and {below.shape}"
        raise InvalidOptionError(msg)
    if not ((above >= 0) & (below >= 0)).all():
        msg = "errors and baseline must be numbers from 0; a ratio of others means nothing"
        raise InvalidOptionError(msg)
    is_finite = (below > 0) | (above == 0)
    ratios = np.where(below > 0, above / np.where(below > 0, below, 1.0), 1.0)[is_finite]
    found = mean_interval(ratios.tolist())
    return ErrorRatio(
        found.mean, found.deviation, found.half_width, found.n_runs, int(np.count_nonzero(~is_finite))
    )


def _quantile(n_runs: int) -> float:
    """Give the paper's number of standard errors: Student's quantile, 2.228 for 10 runs."""
    from scipy.special import stdtrit

    return float(stdtrit(n_runs, (1 + LEVEL) / 2))
