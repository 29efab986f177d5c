"""Links of variables whose states are in order, or are said to be: one slope and an effect of every state.

One slope for each pair needs far fewer rows where the order means something, and is blind where it does not:
states are often numbered in no order, and numbers often act by their distance from the middle. So both models
stand next to each other, equally probable beforehand, and are weighed by their marginal likelihoods, with the
link and without. The states of a number are its bins. As evidence is relative to X by itself, of which both
models say the same, that of a number and that of its bins can be compared. docs/numbers.md has the study.
"""

from __future__ import annotations

import numpy as np

from ibmap.independence.links import Weighed, Weighing
from ibmap.independence.numpy_fit import Integers


class OrderLinks:
    """What links are worth, averaged over one slope and effects of every state."""

    def __init__(self, slopes: Weighing, states: Weighing) -> None:
        self.models = slopes, states

    def weigh(self, x: int, members: Integers, others: Integers) -> Weighed:
        """Weigh links of x with members of its blanket and with others."""
        found = [each.weigh(x, members, others) for each in self.models]
        factors = np.array([each.factors for each in found])
        evidence = np.array([each.log_evidence for each in found])[:, None, None]
        whole = float(np.logaddexp(*evidence.ravel()))
        averaged = np.zeros(factors.shape[1:])
        with np.errstate(invalid="ignore"):  # numbers have no full tables: NaN
            averaged[:, others] = np.logaddexp(*(evidence + factors[:, :, others])) - whole
            averaged[:, members] = whole - np.logaddexp(*(evidence - factors[:, :, members]))
        return Weighed(averaged, whole - float(np.log(2)))
