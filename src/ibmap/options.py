"""Options, each said once: its default, its check and its help text stand on one field.

An options object is a frozen dataclass whose fields come from `option`. Those of the tests and the searches
are here; `ibmap.learners.options` joins them to those of the learners. The command line and the docstrings of
the estimators are made from them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeAlias

from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    import numpy as np

RandomState: TypeAlias = "int | np.random.Generator | None"

INFINITY = float("inf")
LOWEST_PRIOR = 1e-100  # the odds of a smaller one are not finite
UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
SEARCH, TESTS, BLANKETS = "Search (ibmap, hc, ts)", "Tests of independence", "Blankets"
FINDERS = ("gsmn", "gsmn-star", "gsimn", "iamb", "hiton")  # learners whose structure a climb can begin with
CLOSURES = ("gsmn", "gsmn-star", "gsimn")  # algorithms whose runs a tree search goes through


def as_number(
    value: Any, name: str, *, low: float, high: float, from_low: bool = False, to_high: bool = False
) -> float:
    """Check an option that must lie between two bounds, which are allowed if so said."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    is_bound = is_number and ((from_low and value == low) or (to_high and value == high))
    if not is_number or not (low < value < high or is_bound):
        span = f"from {low} on, under {high}" if from_low else f"strictly between {low} and {high}"
        span = f"from {low} to {high}" if from_low and to_high else span
        msg = f"{name} must be a number {span}; got {value!r}"
        raise InvalidOptionError(msg)
    return float(value)


def as_choice(value: str, name: str, choices: Sequence[str]) -> str:
    """Check an option that must be one of a few words."""
    if not isinstance(value, str) or value not in choices:
        msg = f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}"
        raise InvalidOptionError(msg)
    return value


def as_count(value: Any, name: str, *, low: int = 0) -> int:
    """Check an option that must be a whole number, not below a bound."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        msg = f"{name} must be a whole number of at least {low}; got {value!r}"
        raise InvalidOptionError(msg)
    return int(value)


def as_bytes(value: Any, name: str = "max_memory") -> int:
    """Read an amount of memory: bytes, or a number with a unit."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", str(value))
    unit = 0 if match is None or isinstance(value, bool) else UNITS.get(match[2].lower(), 0)
    amount = int(float(match[1]) * unit) if match else 0
    if amount < 1:
        msg = f"{name} must be a number of bytes or a text such as '500 MB' or '2 GB'; got {value!r}"
        raise InvalidOptionError(msg)
    return amount


def n_cores() -> int:
    """Count the cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def as_thread_count(n_threads: int | None) -> int:
    """Read an `n_threads` option; None stands for every core this process may use."""
    return n_cores() if n_threads is None else as_count(n_threads, "n_threads", low=1)


def as_generator(random_state: RandomState) -> np.random.Generator:
    """Read a `random_state`: a seed, a generator (which is then advanced), or None for a fresh one."""
    import numpy as np

    if isinstance(random_state, np.random.Generator):
        return random_state
    seed: Any = random_state
    is_seed = isinstance(seed, Integral) and not isinstance(seed, bool)
    if random_state is not None and not (is_seed and seed >= 0):
        msg = f"random_state must be None, a whole number from 0 or a numpy Generator; got {random_state!r}"
        raise InvalidOptionError(msg)
    return np.random.default_rng(random_state)


@dataclass(frozen=True)
class Check:
    """What an option may be: the type as docstrings name it, and what refuses a value."""

    kind: str
    refuse: Callable[[Any, str], Any] = lambda value, name: None
    words: tuple[str, ...] = ()  # those possible, if any are
    low: int | None = None  # the smallest whole number possible


def number(low: float, high: float, *, from_low: bool = False, to_high: bool = False) -> Check:
    """Allow a number between two bounds; see `as_number`."""
    return Check("float", partial(as_number, low=low, high=high, from_low=from_low, to_high=to_high))


def count(low: int = 0) -> Check:
    """Allow a whole number."""
    return Check("int", partial(as_count, low=low), low=low)


def one_of(*words: str, other: str = "") -> Check:
    """Allow one of a few words, or something else if so said."""

    def refuse(value: Any, name: str) -> None:
        if isinstance(value, str) or not other:
            as_choice(value, name, words)

    kind = "{" + ", ".join(f'"{word}"' for word in words) + "}"
    return Check(f"{kind} or {other}" if other else kind, refuse, words)


@dataclass(frozen=True)
class Option:
    """What is said of an option besides its default."""

    check: Check
    help: str
    panel: str = SEARCH  # of the command line's help
    metavar: str = ""
    none: str | None = None  # what None stands for, if it is allowed; "" if nothing need be said

    def describe(self, default: Any) -> tuple[str, str]:
        """Give type and text for a docstring."""
        kind = self.check.kind
        if self.none is not None:
            kind += ", optional" if default is None else " or None"
        return kind, self.help + (f" None: {self.none}." if self.none else "")


def option(
    default: Any, check: Check, text: str, panel: str = SEARCH, *, metavar: str = "", none: str | None = None
) -> Any:
    """Make a field of an options object."""
    return field(default=default, metadata={"option": Option(check, text, panel, metavar, none)})


@dataclass(frozen=True, kw_only=True)
class Options:
    """Base of the options objects."""

    def check(self) -> None:
        """Refuse what needs no table to be seen as wrong."""
        for name, each in declared(type(self)).items():
            value = getattr(self, name)
            if value is not None or each.none is None:
                each.check.refuse(value, name)


def declared(options: type[Options]) -> dict[str, Option]:
    """Give what is said of each option of an options object."""
    return {each.name: each.metadata["option"] for each in fields(options)}


def defaults(options: type[Options]) -> dict[str, Any]:
    """Give the default of each option of an options object."""
    return {each.name: each.default for each in fields(options)}


_PRIOR = number(LOWEST_PRIOR, 1), "Prior probability that two variables are independent.", TESTS
SEED = count(), "Seed of the random choices."
_ORDERED = (
    Check("bool or list of column names or numbers"),
    "Variables whose states are in order; each then has one slope.",
    TESTS,
)


@dataclass(frozen=True, kw_only=True)
class PriorOptions(Options):
    """Option of the tests with a fixed prior."""

    prior: float = option(0.5, *_PRIOR, metavar="P")


@dataclass(frozen=True, kw_only=True)
class BayesianOptions(PriorOptions):
    """Options of `ibmap.BayesianTest`."""

    hyperparameters: str = option(
        "sums",
        one_of("sums", "ones", "bdeu"),
        "Parameters of the Dirichlet priors: 1 and sums of it, all 1, or BDeu.",
        TESTS,
    )
    slices: str = option(
        "all",
        one_of("all", "seen"),
        "Split the prior over all configurations of the conditioning set, or those seen.",
        TESTS,
    )
    equivalent_sample_size: float = option(
        1.0, number(0, INFINITY), "Equivalent sample size of the BDeu parameters.", TESTS, metavar="A"
    )


@dataclass(frozen=True, kw_only=True)
class PairwiseOptions(PriorOptions):
    """Options of `ibmap.PairwiseTest`."""

    penalty: float = option(
        1.0,
        number(0, 100, from_low=True),
        "Price of many variables: 1 expects three neighbours each, 0 half of all.",
        TESTS,
        metavar="G",
    )
    ridge: float = option(1.0, number(1e-6, 1e6), "Precision of the prior on effects.", TESTS, metavar="R")
    ordered: Any = option(False, *_ORDERED)


@dataclass(frozen=True, kw_only=True)
class AveragedOptions(Options):
    """Options of `ibmap.AveragedTest`."""

    prior: float | None = option(None, *_PRIOR, metavar="P", none="learned from the table")
    ordered: Any = option(
        None, *_ORDERED, none="those the table says are in order, averaged over one slope and all states"
    )
    table_share: float = option(
        0.25,
        number(0, 1, from_low=True, to_high=True),
        "Prior probability that neighbours act together rather than by main effects alone.",
        TESTS,
        metavar="P",
    )


@dataclass(frozen=True, kw_only=True)
class ClassicalOptions(Options):
    """Options of `ibmap.ChiSquareTest` and `ibmap.GTest`."""

    significance: float = option(0.05, number(0, 1), "Level of significance.", TESTS, metavar="P")


@dataclass(frozen=True, kw_only=True)
class ArgumentOptions(Options):
    """Options of `ibmap.independence.argumentative.ArgumentativeTest`, besides those of the test it asks."""

    max_arguments: int | None = option(
        1000,
        count(1),
        "Arguments weighed at most for one answer.",
        TESTS,
        metavar="N",
        none="no limit, which is exact and takes time exponential in the number of variables",
    )
    union: str = option(
        "single",
        one_of("single", "sets"),
        "Strong Union adds one variable to a conditioning set, or any set of them.",
        TESTS,
    )


@dataclass(frozen=True, kw_only=True)
class RuleOptions(Options):
    """Option of the learners that join blankets."""

    rule: str = option(
        "or",
        one_of("or", "and"),
        "Join two variables if either is in the other's blanket, or only if both are.",
        BLANKETS,
    )


@dataclass(frozen=True, kw_only=True)
class GrowShrinkOptions(RuleOptions):
    """Options of growing and shrinking."""

    grow: str = option(
        "once", one_of("once", "repeat"), "One pass of growing, or passes until one adds nothing.", BLANKETS
    )
    order: str = option(
        "association",
        one_of("association", "columns"),
        "Try the most dependent variable first, or go by column.",
        BLANKETS,
    )


@dataclass(frozen=True, kw_only=True)
class TimeOptions(Options):
    """Option of every search."""

    max_seconds: float | None = option(
        None,
        number(0, INFINITY),
        "Stop the search after so many seconds, with the best so far.",
        metavar="S",
        none="",
    )


@dataclass(frozen=True, kw_only=True)
class ClimbOptions(TimeOptions):
    """Options of the hill climbs."""

    max_ascents: int | None = option(
        None, count(), "Stop after so many changes, with the best so far.", metavar="N", none=""
    )


@dataclass(frozen=True, kw_only=True)
class BestFirstOptions(TimeOptions):
    """Options of the tree search."""

    closure: str = option(
        "gsmn",
        one_of(*CLOSURES),
        "The algorithm whose runs are searched. Those of GSMN are searched one variable at a time; the tree "
        "of the others' runs is exponential: give a limit.",
    )
    max_nodes: int | None = option(
        None, count(), "Stop after so many nodes, with the best so far and a bound.", metavar="N", none=""
    )
    max_memory: int | str | None = option(
        "1 GB",
        Check("int or str", as_bytes),
        'Stop when the search takes so much memory: bytes, or a text such as "500 MB".',
        metavar="SIZE",
        none="no limit",
    )


@dataclass(frozen=True, kw_only=True)
class FilterOptions(TimeOptions):
    """Options of the particle filter."""

    particles: int = option(100, count(1), "Structures of the population.", metavar="N")
    candidates: int = option(50, count(1), "Tests of which the most informative is made.", metavar="N")
    moves: int = option(20, count(), "Flips tried on each structure after it is drawn anew.", metavar="N")
    choice: str = option(
        "information-by-cost",
        one_of("information-by-cost", "information"),
        "Make the test that tells most for each variable it involves, or most.",
    )
    pool: str = option(
        "parts",
        one_of("parts", "blankets"),
        "Candidates are given parts of the blankets of the population, or these.",
    )
    structure_prior: str = option(
        "structures",
        one_of("structures", "counts"),
        "All structures are equally likely at first, or all numbers of edges.",
    )
    patience: int = option(5, count(1), "Pools of candidates in a row that may tell nothing.", metavar="N")
    max_tests: int | None = option(None, count(1), "Stop after so many tests.", metavar="N", none="")
    random_state: int = option(0, *SEED, metavar="S")
