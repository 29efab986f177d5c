"""IAMB as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

from ibmap.estimators.testing import TestingLearner
from ibmap.independence.pairwise import PENALTY


class IAMB(TestingLearner):
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

    _algorithm = "iamb"

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
        super().__init__(
            test=test,
            prior=prior,
            hyperparameters=hyperparameters,
            slices=slices,
            equivalent_sample_size=equivalent_sample_size,
            penalty=penalty,
            ridge=ridge,
            ordered=ordered,
            significance=significance,
            missing=missing,
            bins=bins,
        )
        self.rule = rule
