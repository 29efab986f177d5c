"""What a study is: problems x learners x repetitions, and what is measured.

Everything here is declared, nothing is run. A problem draws data; a learner makes a structure of
it; metrics compare the structure with the problem's reference. All of these are named, so that
every run can be told from every other by words and numbers alone: its seed and its row depend on
nothing else.

Examples
--------
>>> from ibmap.experiments.learners import LEARNERS
>>> from ibmap.experiments.metrics import EDGES
>>> from ibmap.experiments.problems import SampledNetwork
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

from ibmap.errors import InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.table import EncodedTable

Factors = Mapping[str, int | float | str]


def told(warning: warnings.WarningMessage) -> str:
    """Write a warning as a remark of a row.

    Parameters
    ----------
    warning : warnings.WarningMessage
        A recorded warning.

    Returns
    -------
    str
        Its kind and its message, in one line.
    """
    return f"{warning.category.__name__}: {' '.join(str(warning.message).split())}"


@dataclass(frozen=True, eq=False)
class Instance:
    """One data set to learn from, with what the outcome is held against.

    Parameters
    ----------
    table : EncodedTable
        The data.
    reference : MarkovGraph or EncodedTable
        The true structure, or a table that says what is independent.
    remarks : tuple of str
        What went wrong while the data was made: a badly mixing chain, for example.
    """

    table: EncodedTable
    reference: MarkovGraph | EncodedTable
    remarks: tuple[str, ...] = ()


class Problem(Protocol):
    """Draws data sets. A frozen dataclass of module level, so that it travels to other processes."""

    @property
    def factors(self) -> Factors:
        """The cell of the table this problem belongs to, such as {"n": 12, "tau": 2, "N": 40}."""

    @property
    def data_key(self) -> str:
        """Names what data sets are drawn from; problems that share it share the large data set."""

    @property
    def weight(self) -> float:
        """Roughly how long a run takes, in any unit that is the same for the study's problems."""

    def draw(self, rng: np.random.Generator) -> Instance:
        """Draw a data set.

        Parameters
        ----------
        rng : numpy.random.Generator
            Depends on the study's seed, the `data_key` and the repetition alone.

        Returns
        -------
        Instance
            Data and reference.
        """


@dataclass(frozen=True, eq=False)
class Learned:
    """What a learner gives back.

    Parameters
    ----------
    graph : MarkovGraph
        The structure, over the table's variables.
    counters : dict of str to float
        What it cost, or anything else worth a column: ``n_tests``, ``n_ascents``, ``score``.
    judge : callable, optional
        Takes the `Instance` and gives further counters: what the learner claims, held against the truth.
    """

    graph: MarkovGraph
    counters: Mapping[str, float] = field(default_factory=dict)
    judge: Callable[[Instance], Mapping[str, float]] | None = None


@dataclass(frozen=True)
class Learner:
    """A named way from a table to a structure.

    Parameters
    ----------
    name : str
        In rows and tables.
    learn : callable
        Takes an `EncodedTable`, returns a `Learned`. A function of module level, or a
        `functools.partial` of one. It must give the same for the same table, always.
    """

    name: str
    learn: Callable[[EncodedTable], Learned]


@dataclass(frozen=True)
class Metric:
    """A named number about a learned structure.

    Parameters
    ----------
    name : str
        In rows and tables.
    measure : callable
        Takes the structure (`MarkovGraph`), the `Instance` and a seed; returns a number. The seed is the
        same for all learners on a data set.
    """

    name: str
    measure: Callable[[MarkovGraph, Instance, int], float]


@dataclass(frozen=True)
class Run:
    """One data set, on which all learners are run.

    Parameters
    ----------
    problem : Problem
        Draws it.
    repetition : int
        Tells it from others of the same problem.
    """

    problem: Problem
    repetition: int

    @property
    def key(self) -> str:
        """Names the run within its study."""
        cell = " ".join(f"{name}={value}" for name, value in self.problem.factors.items())
        return f"{cell} #{self.repetition}"


@dataclass(frozen=True)
class Plan:
    """What every run of a study has in common; it travels to other processes.

    Parameters
    ----------
    study : str
        Name of the study.
    seed : int
        Seed of everything.
    learners : tuple of Learner
        Who learns.
    metrics : tuple of Metric
        What is measured.
    """

    study: str
    seed: int
    learners: tuple[Learner, ...]
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, eq=False)
class Study:
    """An experiment: every learner on every repetition of every problem.

    Parameters
    ----------
    name : str
        Short, lower case; names the files.
    title : str
        One line for people.
    problems : tuple of Problem
        Cells of the table.
    learners : tuple of Learner
        The first is the one others are compared with.
    metrics : tuple of Metric
        Columns of numbers.
    repetitions : int
        Data sets a problem.
    reports : tuple
        What is shown of the rows; see `ibmap.experiments.reports`.
    quick : callable, optional
        Which problems a quick run keeps; all by default.
    quick_repetitions : int
        Data sets a problem of a quick run.
    options : dict
        What else the rows depend on, such as how numbers were binned; rows with other options are kept apart.
    """

    name: str
    title: str
    problems: tuple[Any, ...]
    learners: tuple[Learner, ...]
    metrics: tuple[Metric, ...]
    repetitions: int = 10
    reports: tuple[Any, ...] = ()
    quick: Callable[[Any], bool] | None = None
    quick_repetitions: int = 2
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
        """Give what all runs have in common.

        Parameters
        ----------
        seed : int
            Seed of everything.

        Returns
        -------
        Plan
            For `ibmap.experiments.execution.execute`.
        """
        return Plan(self.name, seed, self.learners, self.metrics)

    def obtainable(self) -> tuple[Study, list[str]]:
        """Leave out the problems whose data cannot be had.

        Returns
        -------
        tuple of Study and list of str
            The rest, and the reasons. A problem may have a method `complaint` that gives one, or nothing.
        """
        reasons = {each: each.complaint() if hasattr(each, "complaint") else "" for each in self.problems}
        kept = tuple(each for each, reason in reasons.items() if not reason)
        return replace(self, problems=kept), [reason for reason in reasons.values() if reason]

    def shortened(self) -> Study:
        """Give the quick version: fewer problems, fewer repetitions, the same rows for those.

        Returns
        -------
        Study
            A part of this one.
        """
        kept = tuple(each for each in self.problems if self.quick is None or self.quick(each))
        return replace(self, problems=kept, repetitions=min(self.repetitions, self.quick_repetitions))
