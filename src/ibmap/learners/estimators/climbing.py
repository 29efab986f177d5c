"""The learners that climb by a score, as scikit-learn estimators; IBMAP-HC is the paper's."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidTableError
from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.learners.estimators.base import StructureLearner, n_columns_of
from ibmap.learners.estimators.documenting import documented
from ibmap.progress import Callback
from ibmap.result import SearchResult
from ibmap.score import local_score, total_score


class ClimbingLearner(StructureLearner):
    """Base of the learners that climb by a score."""

    score_: float
    n_ascents_: int
    n_iterations_: int

    def score(self, X: Any, y: Any = None) -> float:
        """Give the IB-score of the learned structure on a table.

        The whole score, not divided by the number of rows. States and bins are
        those of this table.

        Parameters
        ----------
        X : table
            Data with the same columns; those of an array or a list are taken
            in the order learned from.
        y : object, optional
            Ignored; there for scikit-learn's interface.

        Returns
        -------
        float
            Natural log of the IB-score, with this learner's options; higher is
            better.

        Notes
        -----
        The score tells how well the independences of a structure agree with
        one table. It compares structures on the *same* table: cross-validation
        may compare learners because all see the same folds, but a score on one
        table says nothing next to a score on another, longer or shorter.

        The options of the test and of the encoding (`missing`, `bins`) change the
        score itself. To choose one of them, hold the measure still: give
        `GridSearchCV` a `scoring` such as
        ``lambda learner, X, y=None: ibmap.ib_score(X, learner.graph_)``.

        A fold is smaller than the table, its tests are weaker, and so
        held-out scores favour structures sparser than the whole table supports.
        """
        check_is_fitted(self)
        self._check_width(X)
        table = self._read(X, keep=self._kept(X))
        learned = self.result_.graph
        if isinstance(X, (np.ndarray, list, tuple)) and table.n_variables == learned.n_variables:
            learned = MarkovGraph(learned.adjacency, table.names)  # columns without names: by position
        return total_score(local_score(self._scoring_test(table)), as_graph(learned, table.names))

    def _scoring_test(self, table: EncodedTable) -> ProbabilisticTest:
        """Make the test that another table is scored with."""
        test: ProbabilisticTest = self._options().make_test(table)
        return test

    def _check_width(self, X: Any) -> None:
        """Refuse a table with more or fewer columns than the one learned from."""
        n_columns = n_columns_of(X)
        if n_columns is not None and n_columns != self.n_features_in_:
            msg = (
                f"X has {n_columns} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input: the columns it learned from"
            )
            raise InvalidTableError(msg)

    def _store(self, result: SearchResult) -> Self:
        """Set the public attributes, those of the search included."""
        self.score_ = float("nan") if result.score is None else result.score
        self.n_ascents_ = result.n_ascents or 0
        self.n_iterations_ = result.n_iterations or 0
        return super()._store(result)


@documented
class IBMAPHC(ClimbingLearner):
    """Learn a Markov network with IBMAP-HC: hill climbing on the IB-score.

    Attributes
    ----------
    score_ : float
        Natural log of the IB-score.
    n_ascents_, n_iterations_ : int
        Flips made, and neighbourhoods searched.
    n_tests_ : int
        Distinct tests of independence, those of the start included.

    Examples
    --------
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> learner = IBMAPHC().fit(rows)
    >>> sorted(learner.graph_.edges), round(learner.score_, 3), learner.n_ascents_
    ([('x0', 'x1')], -1.471, 0)
    """

    _algorithm = "hc"

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self, *, start: Any = "gsmn", test: Any = "bayesian", prior: float = 0.5,
        hyperparameters: str = "sums", slices: str = "all", equivalent_sample_size: float = 1.0,
        penalty: float = 1.0, ridge: float = 1.0, ordered: Any = False, max_ascents: int | None = None,
        max_seconds: float | None = None, max_memory: int | str | None = None,
        missing: str = "error", bins: Any = None, require: Any = None,
        forbid: Any = None, edge_prior: Any = None, knowledge: Any = None,
        n_jobs: int | None = None, callback: Callback | None = None,
    ) -> None:  # fmt: skip
        self._keep(locals())
