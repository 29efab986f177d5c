"""At which temperature the probabilities of the recommended learner mean what they say.

Its score weighs each pair twice, once from either end, and from few rows it takes too little as proof: at
temperature 1 pairs that it calls absent are linked too often. The rule was chosen on simulated networks and
judged on others (``ibmap reproduce confidence``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROWS = 100.0  # by which the temperature falls
HIGHEST = 1.6  # with a hundred rows: above that weak claims are too many


def recommended_temperature(n_samples: int) -> float:
    """Give the temperature of the recommended learner: 1.6 for few rows, 1 for very many.

    Examples
    --------
    >>> recommended_temperature(100), recommended_temperature(12000)
    (1.6, 1.0083333333333333)
    """
    return min(1.0 + ROWS / max(n_samples, 1), HIGHEST)


def calibration_error(probabilities: Floats, truths: NDArray[np.bool_], n_bins: int = 20) -> float:
    """Give the expected calibration error: how far claims are from shares, bin by bin.

    Examples
    --------
    >>> calibration_error(np.array([0.25, 0.25, 0.25, 0.25]), np.array([True, False, False, False]))
    0.0
    """
    bins = np.minimum((probabilities * n_bins).astype(int), n_bins - 1)
    excess = np.bincount(bins, probabilities - truths, n_bins)
    return float(np.abs(excess).sum() / max(len(probabilities), 1))


def log_loss(probabilities: Floats, truths: NDArray[np.bool_], lowest: float = 1e-3) -> float:
    """Give the mean of minus the log probability of what is true; no claim is surer than 0.999."""
    bounded = np.clip(probabilities, lowest, 1 - lowest)
    return float(-np.log(np.where(truths, bounded, 1 - bounded)).mean())
