"""The recommended learner as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

from ibmap.data.table import EncodedTable
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.learners import LEARNERS
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
        self, *, start: Any = "empty", ascent: str = "steepest", screen: int | None = None,
        prior: float | None = None,
        ordered: Any = None, table_share: float = 0.25, max_ascents: int | None = None,
        max_seconds: float | None = None, max_memory: int | str | None = None,
        missing: str = "use", bins: Any = "both", require: Any = None,
        forbid: Any = None, edge_prior: Any = None, knowledge: Any = None, n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:  # fmt: skip
        self._keep(locals())

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        client: Any = None,
        spread: str | None = None,
    ) -> Self:
        """Learn the structure of a table.

        Parameters
        ----------
        X : table
            Anything `ibmap.encode` takes: a frame, also a lazy one of polars, DuckDB or Dask, an array or a
            list of rows.
        y : object, optional
            Ignored; there for scikit-learn's interface.
        sample_weight : array_like of shape (n_rows,), optional
            Whole numbers count rows: the same as a table in which each row is repeated so often. Fractions
            are survey weights, scaled to the effective number of rows (Kish).
        client : dask.distributed.Client, optional
            Fits are made by its workers instead of threads; the result is the same. Codes and counts
            travel, names and labels do not.
        spread : {"variables", "rows"}, optional
            What the workers share. Variables: each has the whole table, and makes its part of the fits.
            Rows: each has its part of the table, and counts for every fit; not for tables with missing
            cells, kept numbers or weights that are not whole numbers. By default variables, unless the table
            takes over a quarter of a worker's memory. The result is the same.

        Returns
        -------
        IBMAP
            Itself, fitted.

        Raises
        ------
        ClusterError
            If the cluster has no workers, or one without this package or with another version.
        """
        table = self._prepared(X, sample_weight)
        how = {"client": client, "spread": spread, **self._running()}
        found = LEARNERS[self._algorithm].learn(table, self._options(), **how)
        return self._finished(found, table, X)

    @property
    def prior_(self) -> float:
        """Prior probability that two variables are independent, as learned."""
        return float(self.result_.provenance.options["prior"])

    def _scoring_test(self, table: EncodedTable) -> ProbabilisticTest:
        """Make the test that another table is scored with: with the prior learned."""
        test: ProbabilisticTest = replace(self._options(), prior=self.prior_).make_test(table)
        return test
