"""What a study is: problems x learners x repetitions, and what is measured.

Everything here is declared, nothing is run. A problem draws data; a learner makes a structure of
it; metrics compare the structure with the problem's reference. All of these are named, so that
every run can be told from every other by words and numbers alone: its seed and its row depend on
nothing else.

Examples
--------
>>> from ibmap.reproduce.paper_learners import LEARNERS
>>> from ibmap.reproduce.metrics import EDGES
>>> from ibmap.reproduce.problems import SampledNetwork
>>> problems = tuple(SampledNetwork(n=6, tau=2, N=rows) for rows in (50, 500))
>>> study = Study("small", "Six variables", problems, (LEARNERS["gsmn"],), (EDGES,), repetitions=3)
>>> len(study.runs), study.runs[0].key
(6, 'n=6 tau=2 N=50 #0')
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ibmap.data.table import EncodedTable
from ibmap.errors import FileFormatError, InvalidOptionError, MissingLibraryError, UnavailableDataError
from ibmap.graph import MarkovGraph

Factors = Mapping[str, int | float | str]


def as_remark(warning: warnings.WarningMessage) -> str:
    """Write a warning as a remark of a row."""
    return f"{warning.category.__name__}: {' '.join(str(warning.message).split())}"


def reason(get: Callable[..., object], *arguments: object) -> str:
    """Say why data cannot be had; nothing if they can."""
    try:
        get(*arguments)
    except (MissingLibraryError, UnavailableDataError, FileFormatError) as error:
        return str(error)
    return ""


@dataclass(frozen=True, eq=False)
class Instance:
    """One data set to learn from, with what the outcome is held against."""

    table: EncodedTable
    reference: MarkovGraph | EncodedTable  # the true structure, or a table that says what is independent
    # what went wrong while the data was made: a badly mixing chain, for example
    remarks: tuple[str, ...] = ()


class Problem(Protocol):
    """Draws data sets. A frozen dataclass of module level, so that it travels to other processes."""

    @property
    def factors(self) -> Factors:
        """The cell of the table this problem belongs to, such as {"n": 12, "tau": 2, "N": 40}."""

    @property
    def data_key(self) -> str:
        """Names what data sets are drawn from: all but N, so that they are parts of one large data set."""
        return " ".join(f"{name}={value}" for name, value in self.factors.items() if name != "N")

    @property
    def weight(self) -> float:
        """Roughly how long a run takes, in any unit that is the same for the study's problems."""

    def missing_data(self) -> str:
        """Say why the data cannot be had; nothing if they can."""
        return ""

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw a data set."""


@dataclass(frozen=True, eq=False)
class Learned:
    """What a learner gives back."""

    graph: MarkovGraph  # the structure, over the table's variables
    # what it cost, or anything else worth a column: ``n_tests``, ``n_ascents``, ``score``
    counters: Mapping[str, float] = field(default_factory=dict)
    # gives further counters: what the learner claims, held against the truth
    judge: Callable[[Instance], Mapping[str, float]] | None = None


@dataclass(frozen=True)
class Learner:
    """A named way from a table to a structure."""

    name: str  # in rows and tables
    # of module level, or a `functools.partial` of such; the same table must always give the same
    learn: Callable[[EncodedTable], Learned]


@dataclass(frozen=True)
class Metric:
    """A named number about a learned structure."""

    name: str  # in rows and tables
    # takes a seed, the same for all learners on a data set
    measure: Callable[[MarkovGraph, Instance, int], float]


@dataclass(frozen=True)
class Run:
    """One data set, on which all learners are run."""

    problem: Problem
    repetition: int  # tells it from others of the same problem

    @property
    def key(self) -> str:
        """Names the run within its study."""
        cell = " ".join(f"{name}={value}" for name, value in self.problem.factors.items())
        return f"{cell} #{self.repetition}"


@dataclass(frozen=True)
class Plan:
    """What every run of a study has in common; it travels to other processes."""

    study: str
    seed: int
    learners: tuple[Learner, ...]
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, eq=False)
class Study:
    """An experiment: every learner on every repetition of every problem."""

    name: str  # short, lower case; names the files
    title: str  # one line for people
    problems: tuple[Any, ...]  # cells of the table
    learners: tuple[Learner, ...]  # the first is the one others are compared with
    metrics: tuple[Metric, ...]
    repetitions: int = 10  # data sets a problem
    reports: tuple[Any, ...] = ()  # what is shown of the rows; see `ibmap.reproduce.reports`
    quick: Callable[[Any], bool] | None = None  # which problems a quick run keeps; all by default
    quick_repetitions: int = 2  # data sets a problem of a quick run
    # what else the rows depend on, such as how numbers were binned
    options: Mapping[str, str | int | float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        keys = [run.key for run in self.runs]
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            msg = f"study {self.name!r} has the run {twice!r} twice; give its problems different factors"
            raise InvalidOptionError(msg)
        names = [each.name for each in self.learners]
        if len(set(names)) < len(names):
            msg = f"study {self.name!r} has two learners of one name among {names}; rename one"
            raise InvalidOptionError(msg)

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """All runs, in the order of the final rows."""
        return tuple(Run(problem, k) for problem in self.problems for k in range(self.repetitions))

    def plan(self, seed: int) -> Plan:
        """Give what all runs have in common."""
        return Plan(self.name, seed, self.learners, self.metrics)

    def obtainable(self) -> tuple[Study, list[str]]:
        """Leave out the problems whose data cannot be had."""
        reasons = {each: each.missing_data() for each in self.problems}
        kept = tuple(each for each, reason in reasons.items() if not reason)
        return replace(self, problems=kept), [reason for reason in reasons.values() if reason]

    def shortened(self) -> Study:
        """Give the quick version: fewer problems, fewer repetitions, the same rows for those."""
        kept = tuple(each for each in self.problems if self.quick is None or self.quick(each))
        return replace(self, problems=kept, repetitions=min(self.repetitions, self.quick_repetitions))
