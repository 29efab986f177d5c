"""One triplet at a time with NumPy and a cache, as the paper's experiments were run.

The counts of one test are one `bincount`; the posterior is a few vector
operations on them; a dict remembers the answers. Binary data and the
package's default prior.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln

from ibmap.data.table import EncodedTable

LOG_HALF = math.log(0.5)
MAX_DENSE = 16  # beyond this many conditions the slices are renumbered


class NumpyTest:
    """Log posteriors of independence, remembered by canonical triplet."""

    def __init__(self, table: EncodedTable) -> None:
        self._columns = [column.astype(np.int64) for column in table.codes.T]
        self._log_gamma = np.concatenate([[0.0], gammaln(np.arange(1, table.n_samples + 6, dtype=float))])
        self._known: dict[tuple[int, int, tuple[int, ...]], float] = {}

    def log_independent(self, x: int, y: int, given: tuple[int, ...]) -> float:
        key = (min(x, y), max(x, y), tuple(sorted(given)))
        if key not in self._known:
            self._known[key] = self._test(*key)
        return self._known[key]

    def _test(self, x: int, y: int, given: tuple[int, ...]) -> float:
        counts = self._count(x, y, given)
        lookup = self._log_gamma
        rows, columns = counts[:, 0:2] + counts[:, 2:4], counts[:, 0::2] + counts[:, 1::2]
        factors = lookup[counts + 1].sum(1) - lookup[rows + 2].sum(1) - lookup[columns + 2].sum(1)
        factors += lookup[counts.sum(1) + 4] - lookup[4]
        n_slices = 2.0 ** len(given)
        log_odds = math.log(math.expm1(-LOG_HALF / n_slices))
        unseen = LOG_HALF * (n_slices - len(counts)) / n_slices
        return float(unseen - np.logaddexp(0.0, log_odds + factors).sum())

    def _count(self, x: int, y: int, given: tuple[int, ...]) -> np.ndarray:
        """Count the four cells of each slice (those seen, if there are many)."""
        key = self._columns[x] + 2 * self._columns[y]
        if len(given) <= MAX_DENSE:
            for k, z in enumerate(given):
                key = key + (self._columns[z] << (k + 2))
            return np.bincount(key, minlength=4 << len(given)).reshape(-1, 4)
        slices = sum(self._columns[z] << k for k, z in enumerate(given))
        seen, labels = np.unique(slices, return_inverse=True)
        return np.bincount(key + 4 * labels, minlength=4 * len(seen)).reshape(-1, 4)
