"""The answer to a question: a distribution over the states of some variables."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Posterior:
    """The joint distribution of some variables, and how it was found."""

    names: tuple[str, ...]
    states: tuple[tuple[Any, ...], ...]  # labels of the states of each
    probabilities: NDArray[np.float64]  # one axis a variable
    method: str  # "exact", "pyagrum" or "gibbs"
    standard_errors: NDArray[np.float64] | None = None  # of each probability, for an estimate
    r_hat: float | None = None  # the largest of the chains, for an estimate; near 1 if they agree

    @property
    def keys(self) -> list[Any]:
        """The states in the order of the probabilities: labels, or tuples of labels for several variables."""
        return list(self.states[0]) if len(self.states) == 1 else list(product(*self.states))

    def as_dict(self) -> dict[Any, float]:
        """Give the probability of each state."""
        return dict(zip(self.keys, self.probabilities.ravel().tolist(), strict=True))
