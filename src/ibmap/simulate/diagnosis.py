"""Whether several chains tell the same story: split R-hat.

Each chain is cut in two halves. If the chains have forgotten where they
started, the halves differ no more than their own spread explains, and R-hat
(Gelman et al., Bayesian Data Analysis, 3rd ed., section 11.4) is near 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LIMIT = 1.1  # the customary bound of R-hat
MIN_DRAWS = 4  # draws a chain: two halves, each with a spread
FALSE_ALARMS = 1e-4  # chance of a warning if the draws were independent


def split_halves(statistics: NDArray[np.float64], n_chains: int) -> NDArray[np.float64]:
    """Arrange draws by half-chain; row r is a draw of chain ``r % n_chains``."""
    n_rounds = len(statistics) // n_chains
    rounds = statistics[: n_rounds * n_chains].reshape(n_rounds, n_chains, statistics.shape[1])
    half = n_rounds // 2
    return np.concatenate([rounds[:half], rounds[n_rounds - half :]], axis=1)


def split_r_hat(statistics: NDArray[np.float64], n_chains: int) -> NDArray[np.float64]:
    """Compare the spread between half-chains with the spread within."""
    halves = split_halves(statistics, n_chains)
    n_draws = len(halves)
    return np.sqrt((n_draws - 1 + _variance_ratio(halves)) / n_draws)


def worst_r_hat(statistics: NDArray[np.float64], n_chains: int) -> tuple[float, int] | None:
    """Find the largest R-hat and its column; None if it is small, or no larger than chance makes it."""
    from scipy.special import fdtrc

    if len(statistics) < MIN_DRAWS * n_chains or statistics.shape[1] == 0:
        return None
    halves = split_halves(statistics, n_chains)
    ratios = _variance_ratio(halves)
    n_draws, n_halves, n_statistics = halves.shape
    worst = int(ratios.argmax())
    r_hat = float(np.sqrt((n_draws - 1 + ratios[worst]) / n_draws))
    chance = float(fdtrc(n_halves - 1, n_halves * (n_draws - 1), ratios[worst]))
    return (r_hat, worst) if r_hat > LIMIT and chance * n_statistics < FALSE_ALARMS else None


def _variance_ratio(halves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide the variance between half-chains by that within; 1 where nothing varies."""
    between = len(halves) * halves.mean(axis=0).var(axis=0, ddof=1)
    within = halves.var(axis=0, ddof=1).mean(axis=0)
    rounding = 1e-12 * (1.0 + np.abs(halves).max(axis=(0, 1))) ** 2
    is_constant = within <= rounding
    ratio = between / np.where(is_constant, 1.0, within)
    return np.where(is_constant, np.where(between <= rounding, 1.0, np.inf), ratio)
