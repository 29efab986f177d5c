"""HITON as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

from ibmap.estimators.testing import TestingLearner
from ibmap.independence.pairwise import PENALTY


class HITON(TestingLearner):
    """Learn a Markov network by joining HITON neighbours.

    A candidate stays while no subset of the other members makes it independent. In a
    Markov network the neighbours are the blanket, so this is HITON-PC.

    Parameters
    ----------
    rule : {"and", "or"}
        An edge only if each variable finds the other, which is HITON's symmetry
        correction, or if either does.
    max_given : int or None
        Variables a test is given at most; None for no limit, which takes time
        exponential in the number of neighbours.
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
    >>> sorted(HITON().fit(rows).graph_.edges)
    [('x0', 'x1')]
    """

    _algorithm = "hiton"

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self,
        *,
        rule: str = "and",
        max_given: int | None = 3,
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
        self.max_given = max_given
