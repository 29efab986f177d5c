"""IBMAP-HC as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ibmap.errors import InvalidTableError
from ibmap.estimators.base import StructureLearner, n_columns_of, n_threads_of
from ibmap.graph import MarkovGraph, as_graph
from ibmap.independence.pairwise import PENALTY
from ibmap.learning import HillClimbingOptions, learn_hc
from ibmap.result import SearchResult
from ibmap.score import local_score, total_score
from ibmap.search.hill_climbing import Callback


class IBMAPHC(StructureLearner):
    """Learn a Markov network with IBMAP-HC: hill climbing on the IB-score.

    Parameters
    ----------
    start : {"gsmn", "gsmn-star", "gsimn", "iamb", "hiton", "empty", "best"} or graph
        Where to begin: the structure GSMN finds (the paper's choice) or one of its
        relatives, no edges, GSMN's structure and no edges, keeping the better score
        ("best"), or a graph over the columns (networkx, MarkovGraph or matrix).
    test : {"bayesian", "pairwise"} or callable
        The test the score is made of. A callable takes the encoded table and
        returns a `ProbabilisticTest`.
    prior, hyperparameters, slices, equivalent_sample_size
        Options of `ibmap.BayesianTest`.
    penalty, ridge, ordered
        Options of `ibmap.PairwiseTest`, with `prior`.
    max_ascents : int, optional
        Stop after so many flips, with a `SearchWarning`.
    max_seconds : float, optional
        Stop after so many seconds, shared by the climbs, with a `SearchWarning`.
    missing : {"error", "drop", "state"}
        What to do with missing values: refuse them, drop their rows, or take them
        as a state of their own.
    bins : {"width", "frequency"}, int or dict, optional
        How to cut continuous columns; see `ibmap.encode`.
    n_jobs : int, optional
        Threads; 1 by default, -1 for one a core. The result is the same for
        any number.
    callback : callable, optional
        Called with the progress of the search; raise `ibmap.StopSearch` in it to end the search
        with the best so far.

    Attributes
    ----------
    graph_ : networkx.Graph
        The structure over the column names.
    adjacency_ : ndarray of bool
        The same as a matrix.
    score_ : float
        Natural log of the IB-score.
    n_ascents_, n_iterations_ : int
        Flips made, and neighbourhoods looked at.
    n_tests_ : int
        Distinct tests of independence, those of the start included.
    result_ : SearchResult
        Everything, with `to_json`.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Column names; ``x0, x1, ...`` for an array or a list, where other
        scikit-learn estimators have no such attribute.

    Examples
    --------
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> learner = IBMAPHC().fit(rows)
    >>> sorted(learner.graph_.edges), round(learner.score_, 3), learner.n_ascents_
    ([('x0', 'x1')], -1.471, 0)
    """

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self,
        *,
        start: Any = "gsmn",
        test: Any = "bayesian",
        prior: float = 0.5,
        hyperparameters: str = "sums",
        slices: str = "all",
        equivalent_sample_size: float = 1.0,
        penalty: float = PENALTY,
        ridge: float = 1.0,
        ordered: Any = False,
        max_ascents: int | None = None,
        max_seconds: float | None = None,
        missing: str = "error",
        bins: Any = None,
        n_jobs: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.start = start
        self.test = test
        self.prior = prior
        self.hyperparameters = hyperparameters
        self.slices = slices
        self.equivalent_sample_size = equivalent_sample_size
        self.penalty = penalty
        self.ridge = ridge
        self.ordered = ordered
        self.max_ascents = max_ascents
        self.max_seconds = max_seconds
        self.missing = missing
        self.bins = bins
        self.n_jobs = n_jobs
        self.callback = callback

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
        IBMAPHC
            Itself, fitted.
        """
        options, n_threads = self._options(), n_threads_of(self.n_jobs)
        options.limits()  # refused before the table is read
        options.check_test()
        result = learn_hc(self._encode(X), options, n_threads=n_threads, callback=self.callback)
        return self._store(result)

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

        The options of the test (`test`, `prior`, `hyperparameters`, `slices`,
        `equivalent_sample_size`, `penalty`, `ridge`, `ordered`) and of the
        encoding (`missing`, `bins`) change the score itself. To choose one of
        them, hold the measure still: give `GridSearchCV` a `scoring` such as
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
        return total_score(local_score(self._options().make_test(table)), as_graph(learned, table.names))

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
        self.score_ = result.score
        self.n_ascents_ = result.n_ascents
        self.n_iterations_ = result.n_iterations
        return super()._store(result)

    def _options(self) -> HillClimbingOptions:
        """Collect the options of the search."""
        params = self.get_params(deep=False)
        return HillClimbingOptions(**{k: v for k, v in params.items() if k not in ("n_jobs", "callback")})
