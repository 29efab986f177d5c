"""IBMAP-HC as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, ClassVar

from ibmap.estimators.climbing import ClimbingLearner
from ibmap.independence.pairwise import PENALTY
from ibmap.progress import Callback


class IBMAPHC(ClimbingLearner):
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
        The structure over the column names; edges have the attribute `loss`.
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

    _algorithm: ClassVar[str] = "hc"

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
