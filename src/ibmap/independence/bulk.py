"""Many variables against all others at once, each given a set of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.rows import RowMaker
from ibmap.pools.threads import ThreadPool

Floats = NDArray[np.float64]
Question = tuple[int, tuple[int, ...]]
BLOCK = 16  # questions a thread takes at a time: a few milliseconds


def test_rows(
    n_variables: int, make_row: RowMaker, questions: Sequence[Question], n_threads: int
) -> tuple[Floats, Floats]:
    """Test each variable against all others given its set; NaN for the variable itself and its set."""
    independent = np.full((len(questions), n_variables), np.nan)
    dependent = independent.copy()

    def answer(first: int) -> None:
        for k in range(first, min(first + BLOCK, len(questions))):
            x, given = questions[k]
            is_other = np.ones(n_variables, bool)
            is_other[[x, *given]] = False
            others = np.flatnonzero(is_other)
            independent[k, others], dependent[k, others] = make_row(x, given).log_posteriors(others.tolist())

    with ThreadPool(n_threads) as threads:
        threads.map(answer, range(0, len(questions), BLOCK))
    return independent, dependent
