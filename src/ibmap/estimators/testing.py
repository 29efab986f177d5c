"""What the learners share that answer with any test of independence: its options, and fitting."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from ibmap.estimators.base import StructureLearner
from ibmap.independence.pairwise import PENALTY
from ibmap.learning import LEARNERS


class TestingLearner(StructureLearner):
    """Base of the learners without a score; a subclass names its algorithm and adds its own options.

    Parameters
    ----------
    test : str or callable
        The test of independence.
    prior, hyperparameters, slices, equivalent_sample_size
        Options of `ibmap.BayesianTest`.
    penalty, ridge, ordered
        Options of `ibmap.PairwiseTest`, with `prior`.
    significance : float
        Level of the classical tests.
    missing : {"error", "drop", "state"}
        What to do with missing values.
    bins : {"width", "frequency"}, int or dict, optional
        How to cut continuous columns.
    """

    __test__ = False  # not a test case, whatever its name begins with
    _algorithm: ClassVar[str]  # its name in `ibmap.learning.LEARNERS`

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self,
        *,
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
        TestingLearner
            Itself, fitted.
        """
        learner = LEARNERS[self._algorithm]
        options = learner.options(**self.get_params(deep=False))
        return self._store(learner.learn(self._encode(X), options))
