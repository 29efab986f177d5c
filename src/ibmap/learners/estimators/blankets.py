"""The learners without a score, which join Markov blankets, as scikit-learn estimators."""

from __future__ import annotations

from typing import Any

from ibmap.learners.estimators.base import StructureLearner
from ibmap.learners.estimators.documenting import documented


class TestingLearner(StructureLearner):
    """Base of the learners that answer with any test of independence."""

    __test__ = False  # not a test case, whatever its name begins with

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self, *, test: Any = "bayesian", prior: float = 0.5, hyperparameters: str = "sums",
        slices: str = "all", equivalent_sample_size: float = 1.0, penalty: float = 1.0, ridge: float = 1.0,
        ordered: Any = False, significance: float = 0.05,
        max_arguments: int | None = 1000, union: str = "single", missing: str = "error", bins: Any = None,
        max_seconds: float | None = None, max_memory: int | str | None = None,
        require: Any = None, forbid: Any = None, edge_prior: Any = None, knowledge: Any = None,
    ) -> None:  # fmt: skip
        self._keep(locals())


@documented
class GSMNStar(TestingLearner):
    """Learn a Markov network with GSMN*: GSMN whose blankets learn from each other.

    What the blanket of one variable has settled is not tested again for another, so
    it takes fewer tests than `GSMN` as a rule, and no two blankets can disagree.

    Examples
    --------
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> sorted(GSMNStar().fit(rows).graph_.edges)
    [('x0', 'x1')]
    """

    _algorithm = "gsmn-star"


@documented
class GSIMN(TestingLearner):
    """Learn a Markov network with GSIMN: GSMN* that infers what it can instead of testing.

    Strong Union and the triangle rules, which hold in every Markov network, are
    applied to the answers so far; only what they leave open is tested.

    Examples
    --------
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> sorted(GSIMN().fit(rows).graph_.edges)
    [('x0', 'x1')]
    """

    _algorithm = "gsimn"


@documented
class GSMN(TestingLearner):
    """Learn a Markov network with GSMN: the paper's baseline and starting point.

    A Markov blanket for every variable by growing and shrinking, joined to a
    graph.

    Examples
    --------
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> sorted(GSMN().fit(rows).graph_.edges)
    [('x0', 'x1')]
    """

    _algorithm = "gsmn"

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self, *, test: Any = "bayesian", rule: str = "or", grow: str = "once", order: str = "association",
        prior: float = 0.5, hyperparameters: str = "sums", slices: str = "all",
        equivalent_sample_size: float = 1.0, penalty: float = 1.0, ridge: float = 1.0, ordered: Any = False,
        significance: float = 0.05,
        max_arguments: int | None = 1000, union: str = "single", missing: str = "error", bins: Any = None,
        max_seconds: float | None = None, max_memory: int | str | None = None,
        require: Any = None, forbid: Any = None, edge_prior: Any = None, knowledge: Any = None,
    ) -> None:  # fmt: skip
        self._keep(locals())


@documented
class IAMB(TestingLearner):
    """Learn a Markov network by joining IAMB blankets.

    The candidate most dependent given the members so far joins the blanket next,
    until none is dependent; then members independent given the others leave.

    Examples
    --------
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> sorted(IAMB().fit(rows).graph_.edges)
    [('x0', 'x1')]
    """

    _algorithm = "iamb"

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self, *, rule: str = "or", test: Any = "bayesian", prior: float = 0.5,
        hyperparameters: str = "sums", slices: str = "all", equivalent_sample_size: float = 1.0,
        penalty: float = 1.0, ridge: float = 1.0, ordered: Any = False, significance: float = 0.05,
        max_arguments: int | None = 1000, union: str = "single", missing: str = "error", bins: Any = None,
        max_seconds: float | None = None, max_memory: int | str | None = None,
        require: Any = None, forbid: Any = None, edge_prior: Any = None, knowledge: Any = None,
    ) -> None:  # fmt: skip
        self._keep(locals())


@documented
class HITON(TestingLearner):
    """Learn a Markov network by joining HITON neighbours.

    A candidate stays while no subset of the other members makes it independent. In a
    Markov network the neighbours are the blanket, so this is HITON-PC.

    Examples
    --------
    >>> rows = [[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 10
    >>> sorted(HITON().fit(rows).graph_.edges)
    [('x0', 'x1')]
    """

    _algorithm = "hiton"

    def __init__(  # noqa: PLR0913 -- keyword-only options, as scikit-learn has them
        self, *, rule: str = "and", max_given: int | None = 3, test: Any = "bayesian", prior: float = 0.5,
        hyperparameters: str = "sums", slices: str = "all", equivalent_sample_size: float = 1.0,
        penalty: float = 1.0, ridge: float = 1.0, ordered: Any = False, significance: float = 0.05,
        max_arguments: int | None = 1000, union: str = "single", missing: str = "error", bins: Any = None,
        max_seconds: float | None = None, max_memory: int | str | None = None,
        require: Any = None, forbid: Any = None, edge_prior: Any = None, knowledge: Any = None,
    ) -> None:  # fmt: skip
        self._keep(locals())
