"""The options objects of the learners: those of their tests and searches, joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, cast

from ibmap.errors import InvalidOptionError
from ibmap.learners.knowledge import KnowledgeOptions
from ibmap.options import (
    BLANKETS,
    FINDERS,
    INFINITY,
    SEED,
    TESTS,
    ArgumentOptions,
    AveragedOptions,
    BayesianOptions,
    BestFirstOptions,
    Check,
    ClassicalOptions,
    ClimbOptions,
    FilterOptions,
    GrowShrinkOptions,
    PairwiseOptions,
    PriorOptions,
    RuleOptions,
    TimeOptions,
    as_bytes,
    count,
    declared,
    number,
    one_of,
    option,
)

if TYPE_CHECKING:
    from ibmap.data.table import EncodedTable
    from ibmap.independence.averaged import AveragedTest
    from ibmap.independence.protocol import IndependenceTest, ProbabilisticTest
    from ibmap.search.budget import Budget
    from ibmap.search.limits import Limits

READING = "Reading the table"
STARTS = (*FINDERS, "empty", "best")
# Tests that give Pr(I | D), which a score is made of.
PROBABILISTIC = ("bayesian", "pairwise", "partial-correlation")
NUMERIC = ("pairwise", "partial-correlation")  # tests that take numbers as they are
TEST_OPTIONS = {  # each test's own options
    "bayesian": tuple(declared(BayesianOptions)),
    "pairwise": tuple(declared(PairwiseOptions)),
    "averaged": tuple(declared(AveragedOptions)),
    "partial-correlation": tuple(declared(PriorOptions)),
    "chi-square": tuple(declared(ClassicalOptions)),
    "g": tuple(declared(ClassicalOptions)),
    "argumentative": (*declared(BayesianOptions), *declared(ArgumentOptions)),
}


@dataclass(frozen=True, kw_only=True)
class LearnerOptions(KnowledgeOptions):
    """Options that every learner has. They are only recorded: the table is encoded already."""

    tests: ClassVar[tuple[str, ...]] = ()  # those the learner can use, by name

    missing: str = option(
        "error",
        one_of("error", "drop", "state"),
        "Missing values: refuse them, drop their rows, or make them a state.",
        READING,
    )
    bins: Any = option(
        None,
        Check('{"both", "auto", "keep", "width", "frequency"}, int or dict'),
        "How to cut continuous columns; see `ibmap.encode`.",
        READING,
        none="",
    )
    max_memory: int | str | None = option(
        None,
        Check("int or str", as_bytes),
        'Refuse a table that would take more memory, by its shape: bytes, or a text such as "2 GB".',
        metavar="SIZE",
        none="what the machine has left",
    )

    @property
    def rule_for_bins(self) -> Any:
        """How the table is cut; see `ibmap.encode`."""
        return self.bins

    @property
    def reads_numbers(self) -> bool:
        """Whether the learner takes numbers as they are."""
        return False

    def check(self) -> None:
        """Refuse what needs no table to be seen as wrong, such as numbers kept where none are read."""
        super().check()
        rules = [*self.bins.values()] if isinstance(self.bins, dict) else [self.bins]
        if "keep" in rules and not self.reads_numbers:
            msg = (
                "bins='keep' (command line: --bins keep) keeps numbers, which this learner does not read: "
                f"tests {' and '.join(map(repr, NUMERIC))} and the recommended learner do; choose 'auto'"
            )
            raise InvalidOptionError(msg)
        if "both" in rules and "averaged" not in self.tests:
            msg = (
                "bins='both' (command line: --bins both) weighs numbers as they are and by their bins, which "
                "the recommended learner does; choose 'auto'"
            )
            raise InvalidOptionError(msg)

    def recorded(self) -> dict[str, Any]:
        """Give the options as results record them: functions by their names, graphs as ``"graph"``."""
        said = {each.name: _recorded(getattr(self, each.name)) for each in fields(self)}
        return {name: value for name, value in said.items() if name not in self.unsaid()}


class LimitedOptions(ClimbOptions):
    """Options of the hill climbs, as the searches take them."""

    def limits(self) -> Limits:
        """Collect the limits."""
        from ibmap.search.limits import Limits

        return Limits(self.max_ascents, self.max_seconds)


@dataclass(frozen=True, kw_only=True)
class RecommendedOptions(LimitedOptions, AveragedOptions, LearnerOptions):
    """Options of `ibmap.IBMAP`."""

    tests: ClassVar[tuple[str, ...]] = ("averaged",)

    missing: str = option(
        "use",
        one_of("use", "error", "drop", "state"),
        "Missing values: use every cell there is, refuse them, drop their rows, or make them a state.",
        READING,
    )
    bins: Any = option(
        "both",
        Check('{"both", "auto", "keep", "width", "frequency"}, int or dict'),
        'Columns of many numbers: weigh them as they are and by bins, by bins alone ("auto"), or as '
        "`ibmap.encode` says. None takes each number as a category.",
        READING,
        none="",
    )
    start: Any = option(
        "empty",
        one_of(*FINDERS, "empty", other="graph"),
        "Where the first climb begins: the structure of another learner, no edges, or a graph over the "
        "columns. A second climb begins with the blankets that the variables choose by themselves.",
    )
    ascent: str = option(
        "steepest",
        one_of("steepest", "rounds"),
        "Take the best flip at a time, or all flips at once that are the best of both their ends.",
    )
    screen: int | None = option(
        None,
        count(1),
        "Candidates of a variable: the others most associated with it. Pairs of which neither is a candidate "
        "of the other are taken as not joined.",
        metavar="K",
        none="64 where there are over 1,000 variables, else all pairs",
    )

    @property
    def reads_numbers(self) -> bool:
        """It does."""
        return True

    @property
    def rule_for_bins(self) -> Any:
        """How the table is cut: columns that a dict does not name as people do."""
        return {"*": "both", **self.bins} if isinstance(self.bins, dict) else self.bins

    def plain_test(self, table: EncodedTable) -> AveragedTest:
        """Make the test that the score is made of."""
        from ibmap.independence.averaged import AveragedTest

        return AveragedTest(table, self.prior, self.ordered, self.table_share)

    def recorded(self) -> dict[str, Any]:
        """Give the options as results record them, with the name of the test."""
        said = {"test": "averaged", **super().recorded(), "bins": self.rule_for_bins}
        return {name: value for name, value in said.items() if name != "screen" or value is not None}


@dataclass(frozen=True, kw_only=True)
class TestedOptions(PairwiseOptions, BayesianOptions, LearnerOptions):
    """Options that every learner with a choice of tests has."""

    test: Any  # by name, or a callable that makes it; a subclass says which

    @property
    def reads_numbers(self) -> bool:
        """Some tests do; a test of one's own may."""
        return callable(self.test) or self.test in NUMERIC

    def plain_test(self, table: EncodedTable) -> IndependenceTest:
        """Make the test that answers the learner: the one named, or what a callable makes."""
        from ibmap.independence.argumentative import ArgumentativeTest
        from ibmap.independence.bayesian import BayesianTest
        from ibmap.independence.classical import ChiSquareTest, GTest
        from ibmap.independence.pairwise import PairwiseTest
        from ibmap.independence.partial_correlation import PartialCorrelationTest

        if callable(self.test):
            made: IndependenceTest = self.test(table)
            return made
        declared(type(self))["test"].check.refuse(self.test, "test")
        makers: dict[str, Callable[..., IndependenceTest]] = {
            "bayesian": BayesianTest, "pairwise": PairwiseTest, "chi-square": ChiSquareTest, "g": GTest,
            "partial-correlation": PartialCorrelationTest,
        }  # fmt: skip
        asked = "bayesian" if self.test == "argumentative" else self.test
        test = makers[asked](table, **{name: getattr(self, name) for name in TEST_OPTIONS[asked]})
        if asked == self.test:
            return test
        own = {name: getattr(self, name) for name in declared(ArgumentOptions)}
        return ArgumentativeTest(cast("ProbabilisticTest", test), **own)

    def recorded(self) -> dict[str, Any]:
        """Give the options as results record them, without the options of other tests."""
        own = TEST_OPTIONS.get(self.test, ()) if isinstance(self.test, str) else ()
        foreign = {name for names in TEST_OPTIONS.values() for name in names}.difference(own)
        return {name: value for name, value in super().recorded().items() if name not in foreign}


@dataclass(frozen=True, kw_only=True)
class TestOptions(TimeOptions, ArgumentOptions, ClassicalOptions, TestedOptions):
    """Options of the learners that answer with any test."""

    __test__: ClassVar[bool] = False  # not a test case, whatever its name begins with
    tests: ClassVar[tuple[str, ...]] = (*PROBABILISTIC, "chi-square", "g", "argumentative")

    test: Any = option(
        "bayesian",
        one_of(*tests, other="callable"),
        "The test of independence. A callable takes the encoded table and returns an `IndependenceTest`.",
        TESTS,
    )


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(TestedOptions):
    """Options of the learners with a score: their test gives probabilities."""

    tests: ClassVar[tuple[str, ...]] = PROBABILISTIC

    test: Any = option(
        "bayesian",
        one_of(*tests, other="callable"),
        "The test of the score. A callable takes the encoded table and returns a `ProbabilisticTest`.",
        TESTS,
    )

    def plain_test(self, table: EncodedTable) -> ProbabilisticTest:
        """Make the test that the score is made of."""
        from ibmap.independence.protocol import ProbabilisticTest

        self._check_test()
        test = super().plain_test(table)
        if not isinstance(test, ProbabilisticTest):
            msg = (
                f"test made a {type(test).__name__}, which gives no probabilities: the score is made of "
                "them; return an ibmap ProbabilisticTest, or learn with ibmap.GSMN"
            )
            raise InvalidOptionError(msg)
        return test

    def check(self) -> None:
        """Refuse what needs no table to be seen as wrong."""
        self._check_test()
        super().check()

    def _check_test(self) -> None:
        """Refuse a test by name that gives no probabilities."""
        if isinstance(self.test, str) and self.test in TEST_OPTIONS and self.test not in PROBABILISTIC:
            msg = (
                f"test={self.test!r} gives no probabilities, which the score is made of; "
                f"use {' or '.join(map(repr, PROBABILISTIC))}, or learn with GSMN"
            )
            raise InvalidOptionError(msg)


@dataclass(frozen=True, kw_only=True)
class GSMNOptions(GrowShrinkOptions, TestOptions):
    """Options of `ibmap.GSMN`."""


@dataclass(frozen=True, kw_only=True)
class IAMBOptions(RuleOptions, TestOptions):
    """Options of `ibmap.IAMB`."""


@dataclass(frozen=True, kw_only=True)
class HITONOptions(TestOptions):
    """Options of `ibmap.HITON`."""

    rule: str = option(
        "and",
        one_of("and", "or"),
        "Join two variables only if each finds the other (HITON's symmetry correction), or if either does.",
        BLANKETS,
    )
    max_given: int | None = option(
        3,
        count(),
        "Variables a test is given at most.",
        BLANKETS,
        metavar="K",
        none="no limit, which takes time exponential in the number of neighbours",
    )


@dataclass(frozen=True, kw_only=True)
class HillClimbingOptions(LimitedOptions, ScoreOptions):
    """Options of `ibmap.IBMAPHC`."""

    start: Any = option(
        "gsmn",
        one_of(*STARTS, other="graph"),
        "Where to begin: the structure GSMN finds (the paper's choice) or one of its relatives, no edges, "
        'GSMN\'s structure and no edges, keeping the better score ("best"), or a graph over the columns '
        "(networkx, MarkovGraph or matrix).",
    )


@dataclass(frozen=True, kw_only=True)
class TreeSearchOptions(BestFirstOptions, GrowShrinkOptions, ScoreOptions):
    """Options of `ibmap.IBMAPTS`."""

    def check(self) -> None:
        """Refuse what needs no table to be seen as wrong, such as options of GSMN with another closure."""
        super().check()
        if self.closure == "gsmn":
            return
        for each in fields(GrowShrinkOptions):
            if getattr(self, each.name) != each.default:
                msg = f"{each.name} belongs to closure='gsmn'; leave it out with closure={self.closure!r}"
                raise InvalidOptionError(msg)

    def budget(self) -> Budget:
        """Collect the limits, from now on."""
        from ibmap.search.budget import make_budget

        return make_budget(self.max_nodes, self.max_seconds, self.max_memory)


@dataclass(frozen=True, kw_only=True)
class _StartOptions(LimitedOptions, LearnerOptions):
    """Options of the family's other searches."""

    start: Any = option(
        "empty",
        one_of(*FINDERS, "empty", other="graph"),
        "Where to begin: no edges, the structure of another learner, or a graph over the columns.",
    )


@dataclass(frozen=True, kw_only=True)
class HeuristicOptions(_StartOptions, ScoreOptions):
    """Options of IBMAP-HHC."""


@dataclass(frozen=True, kw_only=True)
class BeamOptions(_StartOptions, ScoreOptions):
    """Options of the beam search."""

    width: int = option(5, count(1), "Structures that ascend side by side.", metavar="N")
    patience: int = option(
        1, count(), "Levels, or pools of candidates, in a row that may bring nothing new.", metavar="N"
    )


@dataclass(frozen=True, kw_only=True)
class RestartOptions(_StartOptions, ScoreOptions):
    """Options of the climbs with random restarts."""

    restarts: int = option(5, count(), "Climbs after the first.", metavar="N")
    restart: str = option(
        "shaken",
        one_of("shaken", "random"),
        "A restart begins with the best structure, some pairs flipped, or a random one of as many edges.",
    )
    shaken: int = option(5, count(1), "Pairs that a shaken restart flips.", metavar="N")
    random_state: int = option(0, *SEED, metavar="S")


@dataclass(frozen=True, kw_only=True)
class JointOptions(_StartOptions, ScoreOptions):
    """Options of the climb by the blankets' joint posterior."""

    ties: str = option(
        "column",
        one_of("column", "mean"),
        "Of two blankets of one size that of the lower column judges the pair, or both do, by half.",
    )


@dataclass(frozen=True, kw_only=True)
class LikelihoodOptions(_StartOptions):
    """Options of the climbs by a pseudo-likelihood; the Bayesian test explains what they find."""

    tests: ClassVar[tuple[str, ...]] = ("bayesian",)
    takes_edge_prior: ClassVar[bool] = False  # a pseudo-likelihood has none

    def plain_test(self, table: EncodedTable) -> ProbabilisticTest:
        """Make the test that explains the structure."""
        from ibmap.independence.bayesian import BayesianTest

        return BayesianTest(table)


@dataclass(frozen=True, kw_only=True)
class MarginalOptions(LikelihoodOptions):
    """Options of the climb by the marginal pseudo-likelihood."""

    dirichlet: str = option(
        "bdeu",
        one_of("bdeu", "jeffreys", "laplace"),
        "Parameters of the Dirichlet priors: of BDeu, all 1/2, or all 1.",
    )
    dirichlet_size: float = option(
        1.0, number(0, INFINITY), "Equivalent sample size of BDeu's parameters.", metavar="A"
    )


@dataclass(frozen=True, kw_only=True)
class PenalisedOptions(LikelihoodOptions):
    """Options of the climb by the penalised pseudo-likelihood."""

    factor: float = option(
        0.5,
        number(0, INFINITY, from_low=True),
        "Price of a parameter, times the log of the rows.",
        metavar="F",
    )


@dataclass(frozen=True, kw_only=True)
class ParticleOptions(FilterOptions, ScoreOptions):
    """Options of PFMN."""

    takes_edge_prior: ClassVar[bool] = False  # its tests are given any set, not a blanket


OPTIONS: dict[str, type[LearnerOptions]] = {  # of each learner
    "ibmap": RecommendedOptions,
    "hc": HillClimbingOptions,
    "ts": TreeSearchOptions,
    "gsmn": GSMNOptions,
    "gsmn-star": TestOptions,
    "gsimn": TestOptions,
    "iamb": IAMBOptions,
    "hiton": HITONOptions,
    "hhc": HeuristicOptions,
    "beam": BeamOptions,
    "restarts": RestartOptions,
    "bjp": JointOptions,
    "mpl": MarginalOptions,
    "pic": PenalisedOptions,
    "pfmn": ParticleOptions,
}


def _recorded(value: Any) -> Any:
    """Give an option as results record it."""
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    is_plain = value is None or isinstance(value, (str, bool, int, float, dict, list, tuple))
    return value if is_plain or (hasattr(value, "item") and getattr(value, "ndim", 1) == 0) else "graph"
