"""Options of the learners, shared by the scikit-learn estimators and the command line."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ibmap.independence.bayesian import BayesianTest
from ibmap.options import as_count, as_number
from ibmap.search.hill_climbing import Limits
from ibmap.table import EncodedTable


@dataclass(frozen=True, kw_only=True)
class BayesianOptions:
    """Options that every learner with the Bayesian test has.

    `missing` and `bins` are only recorded: the table is encoded already.
    """

    prior: float = 0.5
    hyperparameters: str = "sums"
    slices: str = "all"
    equivalent_sample_size: float = 1.0
    missing: str = "error"
    bins: Any = None

    def bayesian_test(self, table: EncodedTable) -> BayesianTest:
        """Make the Bayesian test of a table.

        Parameters
        ----------
        table : EncodedTable
            The data.

        Returns
        -------
        BayesianTest
            With these options.
        """
        return BayesianTest(table, self.prior, self.hyperparameters, self.slices, self.equivalent_sample_size)

    def recorded(self) -> dict[str, Any]:
        """Give the options as results record them.

        Returns
        -------
        dict
            Functions by their names, graphs as ``"graph"``.
        """
        return {option.name: _recorded(getattr(self, option.name)) for option in fields(self)}


@dataclass(frozen=True, kw_only=True)
class GSMNOptions(BayesianOptions):
    """Options of GSMN; see `ibmap.GSMN`."""

    test: Any = "bayesian"
    rule: str = "or"
    grow: str = "once"
    order: str = "association"
    significance: float = 0.05


@dataclass(frozen=True, kw_only=True)
class HillClimbingOptions(BayesianOptions):
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
        if self.max_ascents is not None:
            as_count(self.max_ascents, "max_ascents")
        if self.max_seconds is not None:
            as_number(self.max_seconds, "max_seconds", low=0, high=float("inf"))
        return Limits(self.max_ascents, self.max_seconds)


def _recorded(value: Any) -> Any:
    """Give an option as results record it."""
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    is_plain = value is None or isinstance(value, (str, bool, int, float, dict, list, tuple))
    return value if is_plain or (hasattr(value, "item") and getattr(value, "ndim", 1) == 0) else "graph"
