"""The two statements of the blanket closure that a pair stands for, with what tests say of them.

If X and Y are joined, the closure says that they are dependent given the rest of X's blanket,
and given the rest of Y's; if not, that they are independent given X's blanket, and given Y's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ibmap.evidence.counts import SliceCounts
from ibmap.independence.protocol import Variable
from ibmap.ties import is_at_least_half

if TYPE_CHECKING:  # their kernels are loaded by tests that need them
    pass

MAX_VARIABLES = 100  # up to which all pairs are weighed; it costs n^3 tests


@dataclass(frozen=True)
class Verdict:
    """What one test says of a triplet: both posteriors, as natural logs."""

    test: str
    log_independent: float
    log_dependent: float

    @property
    def is_independent(self) -> bool:
        """Whether independence has at least even odds."""
        return is_at_least_half(self.log_independent)


@dataclass(frozen=True)
class Statement:
    """One assertion of the closure with the verdicts of tests and the counts behind it."""

    x: Variable  # the variable whose blanket is given
    y: Variable
    given: tuple[Variable, ...]  # the blanket of `x`, without `y`
    independent: bool  # what the structure says of `x` and `y` given these
    verdicts: tuple[Verdict, ...]  # what tests say; the one the structure was learned by comes first
    counts: SliceCounts  # what they have to go by

    @property
    def log_posterior(self) -> float:
        """Log posterior of what the structure says, by the first test."""
        first = self.verdicts[0]
        return first.log_independent if self.independent else first.log_dependent

    @property
    def is_contradicted(self) -> bool:
        """Whether the first test would decide the other way."""
        return self.verdicts[0].is_independent != self.independent

    @property
    def is_contested(self) -> bool:
        """Whether main effects and full tables decide differently, and tables have the rows to tell."""
        found = {each.test: each.is_independent for each in self.verdicts}
        main, tables = found.get("main effects"), found.get("full tables")
        return main is not None and main != tables and (not tables or self.counts.meets_cochran)

    def named(self, names: Sequence[str]) -> Statement:
        """Replace the numbers of variables by their names."""
        given = tuple(names[int(z)] for z in self.given)
        return replace(self, x=names[int(self.x)], y=names[int(self.y)], given=given)
