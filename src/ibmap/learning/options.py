"""Options of the learners, shared by the scikit-learn estimators and the command line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ibmap.errors import InvalidOptionError
from ibmap.independence.averaged import TABLE_SHARE, AveragedTest
from ibmap.independence.pairwise import PENALTY, PairwiseTest
from ibmap.independence.protocol import IndependenceTest, ProbabilisticTest
from ibmap.learning.starts import FINDERS
from ibmap.options import as_choice, as_count, as_number
from ibmap.search.budget import Budget, make_budget
from ibmap.search.limits import Limits
from ibmap.table import EncodedTable

BAYESIAN = ("prior", "hyperparameters", "slices", "equivalent_sample_size")
PAIRWISE = ("penalty", "ridge", "ordered", "prior")
AVERAGED = ("prior", "ordered", "table_share")
TEST_OPTIONS: dict[str, tuple[str, ...]] = {  # each test's own options
    "bayesian": BAYESIAN,
    "pairwise": PAIRWISE,
    "averaged": AVERAGED,
    "chi-square": ("significance",),
    "g": ("significance",),
}
PROBABILISTIC = ("bayesian", "pairwise")  # tests that give Pr(I | D), which a score is made of


@dataclass(frozen=True, kw_only=True)
class LearnerOptions(ABC):
    """Options that every learner has. They are only recorded: the table is encoded already."""

    tests: ClassVar[tuple[str, ...]] = ()  # those the learner can use, by name

    missing: str = "error"
    bins: Any = None

    @abstractmethod
    def make_test(self, table: EncodedTable) -> IndependenceTest:
        """Make the test that answers the learner."""

    def check(self) -> None:
        """Refuse options that need no table to be seen as wrong."""
        as_choice(self.missing, "missing", ("error", "drop", "state"))

    def recorded(self) -> dict[str, Any]:
        """Give the options as results record them: functions by their names, graphs as ``"graph"``."""
        return {each.name: _recorded(getattr(self, each.name)) for each in fields(self)}


@dataclass(frozen=True, kw_only=True)
class RecommendedOptions(LearnerOptions):
    """Options of the recommended learner; see `ibmap.IBMAP`."""

    tests: ClassVar[tuple[str, ...]] = ("averaged",)

    start: Any = "empty"
    prior: float | None = None
    ordered: Any = False
    table_share: float = TABLE_SHARE
    max_ascents: int | None = None
    max_seconds: float | None = None

    def make_test(self, table: EncodedTable) -> AveragedTest:
        """Make the test that the score is made of."""
        return AveragedTest(table, self.prior, self.ordered, self.table_share)

    def limits(self) -> Limits:
        """Check and collect the limits."""
        return make_limits(self.max_ascents, self.max_seconds)

    def check(self) -> None:
        """Refuse options that need no table to be seen as wrong."""
        self.limits()
        if isinstance(self.start, str):
            as_choice(self.start, "start", (*FINDERS, "empty"))
        super().check()

    def recorded(self) -> dict[str, Any]:
        """Give the options as results record them, with the name of the test."""
        return {"test": "averaged", **super().recorded()}


@dataclass(frozen=True, kw_only=True)
class TestOptions(LearnerOptions):
    """Options that every learner with a choice of tests has."""

    __test__: ClassVar[bool] = False  # not a test case, whatever its name begins with
    tests: ClassVar[tuple[str, ...]] = ("bayesian", "pairwise", "chi-square", "g")

    test: Any = "bayesian"
    prior: float = 0.5
    hyperparameters: str = "sums"
    slices: str = "all"
    equivalent_sample_size: float = 1.0
    significance: float = 0.05
    penalty: float = PENALTY
    ridge: float = 1.0
    ordered: Any = False

    def make_test(self, table: EncodedTable) -> IndependenceTest:
        """Make the test that answers the learner.

        Parameters
        ----------
        table : EncodedTable
            The data.

        Returns
        -------
        IndependenceTest
            The one named, with its options, or what a callable makes.
        """
        if callable(self.test):
            test: IndependenceTest = self.test(table)
            return test
        from ibmap.independence.bayesian import BayesianTest
        from ibmap.independence.classical import ChiSquareTest, GTest

        makers: dict[str, Callable[[EncodedTable], IndependenceTest]] = {
            "bayesian": lambda data: BayesianTest(data, *(getattr(self, name) for name in BAYESIAN)),
            "pairwise": lambda data: PairwiseTest(data, *(getattr(self, name) for name in PAIRWISE)),
            "chi-square": lambda data: ChiSquareTest(data, self.significance),
            "g": lambda data: GTest(data, self.significance),
        }
        return makers[as_choice(self.test, "test", tuple(makers))](table)

    def recorded(self) -> dict[str, Any]:
        """Give the options as results record them.

        Returns
        -------
        dict
            Functions by their names, graphs as ``"graph"``; without the options of other tests.
        """
        own = TEST_OPTIONS.get(self.test, ()) if isinstance(self.test, str) else ()
        foreign = {name for names in TEST_OPTIONS.values() for name in names}.difference(own)
        return {name: value for name, value in super().recorded().items() if name not in foreign}


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(TestOptions):
    """Options that every learner with a score has: its test gives probabilities."""

    tests: ClassVar[tuple[str, ...]] = PROBABILISTIC

    def make_test(self, table: EncodedTable) -> ProbabilisticTest:
        """Make the test that the score is made of.

        Parameters
        ----------
        table : EncodedTable
            The data.

        Returns
        -------
        ProbabilisticTest
            The one named, with its options, or what a callable makes.
        """
        self.check_test()
        test = super().make_test(table)
        if not isinstance(test, ProbabilisticTest):
            msg = (
                f"test made a {type(test).__name__}, which gives no probabilities: the score is made of "
                "them; return an ibmap ProbabilisticTest, or learn with ibmap.GSMN"
            )
            raise InvalidOptionError(msg)
        return test

    def check_test(self) -> None:
        """Refuse a test by name that gives no probabilities."""
        if isinstance(self.test, str) and self.test in TEST_OPTIONS and self.test not in PROBABILISTIC:
            msg = (
                f"test={self.test!r} gives no probabilities, which the score is made of; "
                f"use {' or '.join(map(repr, PROBABILISTIC))}, or learn with GSMN"
            )
            raise InvalidOptionError(msg)


@dataclass(frozen=True, kw_only=True)
class GSMNOptions(TestOptions):
    """Options of GSMN; see `ibmap.GSMN`."""

    rule: str = "or"
    grow: str = "once"
    order: str = "association"


@dataclass(frozen=True, kw_only=True)
class IAMBOptions(TestOptions):
    """Options of IAMB; see `ibmap.IAMB`."""

    rule: str = "or"


@dataclass(frozen=True, kw_only=True)
class HITONOptions(TestOptions):
    """Options of HITON; see `ibmap.HITON`."""

    rule: str = "and"
    max_given: int | None = 3


@dataclass(frozen=True, kw_only=True)
class HillClimbingOptions(ScoreOptions):
    """Options of IBMAP-HC; see `ibmap.IBMAPHC`."""

    start: Any = "gsmn"
    max_ascents: int | None = None
    max_seconds: float | None = None

    def limits(self) -> Limits:
        """Check and collect the limits.

        Returns
        -------
        Limits
            When to stop early.
        """
        return make_limits(self.max_ascents, self.max_seconds)

    def check(self) -> None:
        """Refuse options that need no table to be seen as wrong."""
        self.limits()
        self.check_test()
        super().check()


@dataclass(frozen=True, kw_only=True)
class TreeSearchOptions(ScoreOptions):
    """Options of IBMAP-TS; see `ibmap.IBMAPTS`."""

    closure: str = "gsmn"
    rule: str = "or"
    grow: str = "once"
    order: str = "association"
    max_nodes: int | None = None
    max_seconds: float | None = None
    max_memory: int | str | None = "1 GB"

    def budget(self) -> Budget:
        """Check and collect the limits.

        Returns
        -------
        Budget
            When to stop early, from now on.
        """
        return make_budget(self.max_nodes, self.max_seconds, self.max_memory)


def make_limits(max_ascents: int | None, max_seconds: float | None) -> Limits:
    """Check and collect the limits of a climb."""
    if max_ascents is not None:
        as_count(max_ascents, "max_ascents")
    if max_seconds is not None:
        as_number(max_seconds, "max_seconds", low=0, high=float("inf"))
    return Limits(max_ascents, max_seconds)


def _recorded(value: Any) -> Any:
    """Give an option as results record it."""
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    is_plain = value is None or isinstance(value, (str, bool, int, float, dict, list, tuple))
    return value if is_plain or (hasattr(value, "item") and getattr(value, "ndim", 1) == 0) else "graph"
