"""Many binary variables against all others at once, each given a small set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.binary_rows import BinaryColumns
from ibmap.kernels import binary_bulk as kernels
from ibmap.sharing import Team

Floats = NDArray[np.float64]
BLOCK = 8  # variables a thread counts pairs of at a time


class BitRows:
    """Tests of some variables, each given a few of them, by the pairs they are in and by masks of bits.

    Parameters
    ----------
    columns : BinaryColumns
        The data, without weights.
    variables : iterable of int
        All that are asked about or given.
    team : Team
        Threads that count pairs.
    """

    def __init__(self, columns: BinaryColumns, variables: Iterable[int], team: Team) -> None:
        n, wanted = len(columns.words), np.array(sorted(variables), np.int64)
        self._columns = columns
        self._pairs = np.zeros((n, n), np.int32)
        np.fill_diagonal(self._pairs, columns.n_ones)
        blocks = [wanted[k : k + BLOCK] for k in range(0, len(wanted), BLOCK)]
        team.map(lambda block: kernels.count_pairs(columns.words, block, self._pairs), blocks)

    def log_independent(self, questions: Sequence[tuple[int, tuple[int, ...]]]) -> Floats:
        """Test variables against all others.

        Parameters
        ----------
        questions : sequence of (int, tuple of int)
            Some of the variables, each with a small set of others of them.

        Returns
        -------
        ndarray of shape (n_questions, n_variables)
            log Pr(I | D); NaN for the variable itself and its set.
        """
        columns, prior = self._columns, self._columns.prior
        minus_log_p = np.full((len(questions), len(columns.words)), np.nan)
        n_given = [len(given) for _, given in questions]
        odds = {size: prior.log_slice_odds(1 << size) for size in set(n_given)}
        kernels.all_rows(
            columns.words,
            len(columns.weights),
            self._pairs,
            np.array([x for x, _ in questions], np.int64),
            np.cumsum([0, *n_given]),
            np.array([z for _, given in questions for z in given], np.int64),
            np.array([odds[size] for size in n_given]),
            -prior.log_unseen(1, 0),
            columns.tables,
            minus_log_p,
        )
        return -minus_log_p
