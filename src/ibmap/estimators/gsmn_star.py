"""GSMN* and GSIMN as scikit-learn estimators."""

from __future__ import annotations

from ibmap.estimators.testing import TestingLearner


class GSMNStar(TestingLearner):
    """Learn a Markov network with GSMN*: GSMN whose blankets learn from each other.

    What the blanket of one variable has settled is not tested again for another, so
    it takes fewer tests than `GSMN` as a rule, and no two blankets can disagree.

    Parameters
    ----------
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
    >>> sorted(GSMNStar().fit(rows).graph_.edges)
    [('x0', 'x1')]
    """

    _algorithm = "gsmn-star"


class GSIMN(TestingLearner):
    """Learn a Markov network with GSIMN: GSMN* that infers what it can instead of testing.

    Strong Union and the triangle rules, which hold in every Markov network, are
    applied to the answers so far; only what they leave open is tested.

    Parameters
    ----------
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
    >>> sorted(GSIMN().fit(rows).graph_.edges)
    [('x0', 'x1')]
    """

    _algorithm = "gsimn"
