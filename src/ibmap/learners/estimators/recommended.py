"""The recommended learner as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ibmap.data.table import EncodedTable
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.learners.estimators.climbing import ClimbingLearner
from ibmap.learners.estimators.documenting import documented
from ibmap.progress import Callback


@documented
class IBMAP(ClimbingLearner):
    """Learn a Markov network: the best answer known here, with nothing to choose.

    The IB-score of the averaged test (`ibmap.AveragedTest`), with the density of the network learned
    together with its structure, and a search that also takes short chains of changes. On nearly every
    table it makes fewer errors than the paper's learners, and it needs far fewer rows.

    Attributes
    ----------
    score_ : float
        Natural log of the IB-score.
    prior_ : float
        Prior probability that two variables are independent, as learned.
    n_ascents_, n_iterations_ : int
        Flips made, and neighbourhoods searched.
    n_tests_ : int
        Assertions weighed: one for every other variable in each fit.

    Examples
    --------
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> learner = IBMAP().fit(rows)
    >>> sorted(learner.graph_.edges), learner.n_ascents_
    ([('x0', 'x1')], 1)
    """

    _algorithm = "ibmap"

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self, *, start: Any = "empty", ascent: str = "steepest", prior: float | None = None,
        ordered: Any = None, table_share: float = 0.25, max_ascents: int | None = None,
        max_seconds: float | None = None, max_memory: int | str | None = None,
        missing: str = "use", bins: Any = "auto", require: Any = None,
        forbid: Any = None, edge_prior: Any = None, knowledge: Any = None, n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:  # fmt: skip
        self._keep(locals())

    @property
    def prior_(self) -> float:
        """Prior probability that two variables are independent, as learned."""
        return float(self.result_.provenance.options["prior"])

    def _scoring_test(self, table: EncodedTable) -> ProbabilisticTest:
        """Make the test that another table is scored with: with the prior learned."""
        test: ProbabilisticTest = replace(self._options(), prior=self.prior_).make_test(table)
        return test
