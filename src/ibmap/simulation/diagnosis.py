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
    """Arrange draws by half-chain.

    Parameters
    ----------
    statistics : ndarray of shape (n_draws, n_statistics)
        Row r is a draw of chain ``r % n_chains``.
    n_chains : int
        Number of chains.

    Returns
    -------
    ndarray of shape (n_draws_a_half, 2 * n_chains, n_statistics)
        The first and the last half of each chain, without a middle draw or the
        draws of an incomplete last round.

    Examples
    --------
    >>> split_halves(np.arange(8.0).reshape(8, 1), 2)[:, :, 0]
    array([[0., 1., 4., 5.],
           [2., 3., 6., 7.]])
    """
    n_rounds = len(statistics) // n_chains
    rounds = statistics[: n_rounds * n_chains].reshape(n_rounds, n_chains, statistics.shape[1])
    half = n_rounds // 2
    return np.concatenate([rounds[:half], rounds[n_rounds - half :]], axis=1)


def split_r_hat(statistics: NDArray[np.float64], n_chains: int) -> NDArray[np.float64]:
    """Compare the spread between half-chains with the spread within.

    Parameters
    ----------
    statistics : ndarray of shape (n_draws, n_statistics)
        Row r is a draw of chain ``r % n_chains``; at least 4 rows a chain.
    n_chains : int
        Number of chains.

    Returns
    -------
    ndarray of shape (n_statistics,)
        R-hat of each: 1 if the halves agree, infinite if they are constant and differ.

    Examples
    --------
    >>> stuck = np.tile([[0.0], [1.0]], (8, 1))
    >>> split_r_hat(stuck, n_chains=2)
    array([inf])
    """
    halves = split_halves(statistics, n_chains)
    n_draws = len(halves)
    return np.sqrt((n_draws - 1 + _variance_ratio(halves)) / n_draws)


def worst_r_hat(statistics: NDArray[np.float64], n_chains: int) -> tuple[float, int] | None:
    """Find the statistic on which the chains disagree beyond doubt, if any.

    Parameters
    ----------
    statistics : ndarray of shape (n_draws, n_statistics)
        Row r is a draw of chain ``r % n_chains``.
    n_chains : int
        Number of chains.

    Returns
    -------
    tuple of (float, int) or None
        The largest R-hat and the column it belongs to; None if it is at most
        `LIMIT`, or no larger than chance makes it with so few draws (F-test over
        all statistics at the level `FALSE_ALARMS`), or if there are fewer than
        `MIN_DRAWS` draws a chain.

    Examples
    --------
    >>> worst_r_hat(np.tile([[0.0], [1.0]], (8, 1)), n_chains=2)
    (inf, 0)
    >>> worst_r_hat(np.random.default_rng(0).random((80, 3)), n_chains=2) is None
    True
    """
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
