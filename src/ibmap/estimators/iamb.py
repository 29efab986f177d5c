"""IAMB as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self

from ibmap.estimators.base import StructureLearner
from ibmap.independence.pairwise import PENALTY
from ibmap.learning import IAMBOptions, learn_iamb


class IAMB(StructureLearner):
    """Learn a Markov network by joining IAMB blankets.

    The candidate most dependent given the members so far joins the blanket next,
    until none is dependent; then members independent given the others leave.

    Parameters
    ----------
    rule : {"or", "and"}
        An edge if either variable is in the other's blanket, or only if both are.
    test : {"bayesian", "pairwise", "chi-square", "g"} or callable
        The test of independence. A callable takes the encoded table and returns
        an `IndependenceTest`.
    prior, hyperparameters, slices, equivalent_sample_size
        Options of `ibmap.BayesianTest`.
    penalty, ridge, ordered
        Options of `ibmap.PairwiseTest`, with `prior`.
    significance : float
        Level of the classical tests.
    missing : {"error", "drop", "state"}
        What to do with missing values: refuse them, drop their rows, or take them
        as a state of their own.
    bins : {"width", "frequency"}, int or dict, optional
        How to cut continuous columns; see `ibmap.encode`.

    Attributes
    ----------
    graph_ : networkx.Graph
        The structure over the column names.
    adjacency_ : ndarray of bool
        The same as a matrix.
    n_tests_ : int
        Distinct tests of independence.
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
    >>> sorted(IAMB().fit(rows).graph_.edges)
    [('x0', 'x1')]
    """

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self,
        *,
        rule: str = "or",
        test: Any = "bayesian",
        prior: float = 0.5,
        hyperparameters: str = "sums",
        slices: str = "all",
        equivalent_sample_size: float = 1.0,
        penalty: float = PENALTY,
        ridge: float = 1.0,
        ordered: Any = False,
        significance: float = 0.05,
        missing: str = "error",
        bins: Any = None,
    ) -> None:
        self.rule = rule
        self.test = test
        self.prior = prior
        self.hyperparameters = hyperparameters
        self.slices = slices
        self.equivalent_sample_size = equivalent_sample_size
        self.penalty = penalty
        self.ridge = ridge
        self.ordered = ordered
        self.significance = significance
        self.missing = missing
        self.bins = bins

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
        IAMB
            Itself, fitted.
        """
        options = IAMBOptions(**self.get_params(deep=False))
        return self._store(learn_iamb(self._encode(X), options))
