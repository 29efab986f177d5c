"""Log Bayes factors of one variable's links by compiled kernels: the way of large tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.numpy_fit import Floats, Integers
from ibmap.kernels import links as kernels


class CompiledLinks:
    """What links of the variables of a large table are worth; `NumpyLinks` has the same numbers."""

    def __init__(
        self,
        codes: NDArray[np.uint8],
        weights: Floats,
        kinds: tuple[Integers, NDArray[np.bool_], Floats],
        model: Floats,
    ) -> None:
        self.rows, self.model = (codes, weights), (kinds, model)

    def factors(self, x: int, members: Integers, others: Integers) -> Floats:
        """Give log Bayes factors of links of x: averaged, by main effects, by full tables."""
        n_variables, n_rows = self.rows[0].shape
        factors, labels = np.zeros((3, n_variables)), np.empty(n_rows, np.int64)
        blanket = kernels.fit_blanket(x, members, *self.rows, labels, *self.model)
        kernels.weigh_members(x, members, blanket, *self.model, factors)
        kernels.weigh_others(x, others, blanket, labels, *self.rows, *self.model, factors)
        return factors
