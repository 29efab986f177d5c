"""Many variables against all others at once, each given a set of its own.

Python takes part once for a block of questions, so that threads hardly wait for each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.binary_bulk import BitRows
from ibmap.independence.binary_rows import BinaryColumns, is_masked, log_dependent
from ibmap.independence.rows import RowMaker
from ibmap.sharing import Team

Floats = NDArray[np.float64]
Question = tuple[int, tuple[int, ...]]
BLOCK = 16  # questions a thread takes at a time: about a millisecond


@dataclass(frozen=True, eq=False)
class Bulk:
    """What answers questions about whole rows of tests.

    Parameters
    ----------
    n_variables : int
        How many there are.
    make_row : callable
        Takes a variable and a sorted set, returns a row of tests.
    columns : BinaryColumns or None
        The data as bits, if all of it is binary.
    """

    n_variables: int
    make_row: RowMaker
    columns: BinaryColumns | None

    def log_posteriors(self, questions: Sequence[Question], n_threads: int) -> tuple[Floats, Floats]:
        """Test each variable against all others given its set.

        Parameters
        ----------
        questions : sequence of (int, tuple of int)
            Variables, each with its set, sorted.
        n_threads : int
            Threads; the answers are the same for any number.

        Returns
        -------
        independent, dependent : ndarray of shape (n_questions, n_variables)
            NaN for the variable itself and its set.
        """
        asked = {v for x, given in questions if self._is_masked(given) for v in (x, *given)}
        blocks = [questions[k : k + BLOCK] for k in range(0, len(questions), BLOCK)]
        with Team(min(n_threads, max(len(blocks), 1))) as team:
            bits = None if self.columns is None or not asked else BitRows(self.columns, asked, team)
            answers = team.map(partial(self._block, bits), blocks)
        nothing = np.empty((0, self.n_variables))
        independent, dependent = zip((nothing, nothing), *answers, strict=True)
        return np.concatenate(independent), np.concatenate(dependent)

    def _is_masked(self, given: tuple[int, ...]) -> bool:
        """Tell whether masks of bits suit a set."""
        return self.columns is not None and is_masked(self.columns, given)

    def _block(self, bits: BitRows | None, questions: Sequence[Question]) -> tuple[Floats, Floats]:
        """Answer a few questions: by masks of bits at once where that suits all of them."""
        if bits is not None and all(self._is_masked(given) for _, given in questions):
            independent = bits.log_independent(questions)
            return independent, log_dependent(independent)
        independent = np.full((len(questions), self.n_variables), np.nan)
        dependent = independent.copy()
        for k, (x, given) in enumerate(questions):
            others = [y for y in range(self.n_variables) if y != x and y not in given]
            independent[k, others], dependent[k, others] = self.make_row(x, given).log_posteriors(others)
        return independent, dependent
