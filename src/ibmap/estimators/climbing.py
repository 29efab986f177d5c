"""What the learners share that climb by a score: fitting, and scoring another table."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ibmap.errors import InvalidTableError
from ibmap.estimators.base import StructureLearner, n_columns_of, n_threads_of
from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.learning import LEARNERS
from ibmap.result import SearchResult
from ibmap.score import local_score, total_score
from ibmap.table import EncodedTable


class ClimbingLearner(StructureLearner):
    """Base of the learners with a score; a subclass names its algorithm and stores its options."""

    score_: float
    n_ascents_: int
    n_iterations_: int
    _algorithm: ClassVar[str]  # its name in `ibmap.learning.LEARNERS`

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the structure of a table.

        Parameters
        ----------
        X : table
            Anything `ibmap.encode` takes: a frame, an array or a list of rows.
        y : object, optional
            Ignored; there for scikit-learn's interface.

        Returns
        -------
        ClimbingLearner
            Itself, fitted.
        """
        options, n_threads = self._options(), n_threads_of(self.n_jobs)
        options.check()  # refused before the table is read
        learn = LEARNERS[self._algorithm].learn
        return self._store(learn(self._encode(X), options, n_threads=n_threads, callback=self.callback))

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
        table = self._read(X)
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

    def _options(self) -> Any:
        """Collect the options of the search."""
        params = self.get_params(deep=False)
        options = LEARNERS[self._algorithm].options
        return options(**{k: v for k, v in params.items() if k not in ("n_jobs", "callback")})
