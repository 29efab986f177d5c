"""The answer to a question: a distribution over the states of some variables."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Posterior:
    """The joint distribution of some variables, and how it was found.

    Parameters
    ----------
    names : tuple of str
        The variables asked about.
    states : tuple of tuple
        Labels of the states of each.
    probabilities : ndarray
        One axis a variable.
    method : str
        ``"exact"`` or ``"gibbs"``.
    standard_errors : ndarray or None
        Of each probability, for an estimate.
    r_hat : float or None
        The largest split R-hat of the chains, for an estimate; near 1 if they agree.

    Examples
    --------
    >>> Posterior(("play",), (("no", "yes"),), np.array([0.25, 0.75]), "exact").as_dict()
    {'no': 0.25, 'yes': 0.75}
    """

    names: tuple[str, ...]
    states: tuple[tuple[Any, ...], ...]
    probabilities: NDArray[np.float64]
    method: str
    standard_errors: NDArray[np.float64] | None = None
    r_hat: float | None = None

    @property
    def keys(self) -> list[Any]:
        """The states in the order of the probabilities: labels, or tuples of labels for several variables."""
        return list(self.states[0]) if len(self.states) == 1 else list(product(*self.states))

    def as_dict(self) -> dict[Any, float]:
        """Give the probability of each state.

        Returns
        -------
        dict
            From label, or tuple of labels, to probability.
        """
        return dict(zip(self.keys, self.probabilities.ravel().tolist(), strict=True))
