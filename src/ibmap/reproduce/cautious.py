"""A second reading of the paper's GSMN: tests with more slices than rows are not trusted.

The paper does not say what its GSMN does where the data are thin. With the Bayesian test as it is,
GSMN's blankets grow to 20 and more variables there, where slices of one row decide nothing and a few
of two rows decide everything. Implementations of the time commonly held such tests to be
independences. The published numbers of wrong edges with 50 variables are much nearer to that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.protocol import Answer


class CautiousTest(BayesianTest):
    """The Bayesian test, but for independence wherever there are more slices than rows."""

    def _answer_each(
        self, x: int, candidates: Sequence[int], given: tuple[int, ...], until_dependent: bool
    ) -> Sequence[Answer]:
        """Answer as the Bayesian test, unless the data are too thin."""
        n_slices = math.prod(int(self.table.cardinalities[z]) for z in given)
        if n_slices > self.table.n_samples:
            return [Answer(True, 0.0)] * len(candidates)
        return super()._answer_each(x, candidates, given, until_dependent)
