"""How sure it is that two variables are joined: a probability, a verdict, and what would settle it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ibmap.evidence.words import chance

CHAINS_DISAGREE = "The chains over structures disagree about it: more steps may tell."


@dataclass(frozen=True)
class Sureness:
    """How probable an edge is, or how often resampled rows give it."""

    value: float
    kind: str  # "probability" or "frequency"
    verdict: str  # "present", "absent" or "undecided"
    is_mixed: bool = True  # whether the chains over structures agree
    rows: int | None = None  # about how many rows in all would decide it, if that can be told

    def sentence(self) -> str:
        """Say how sure the edge is."""
        value = chance(self.value).replace("> ", "over ").replace("< ", "under ")
        told = {
            "probability": f"The probability of an edge is {value}",
            "frequency": f"Resampled rows give the edge in {value} of all fits",
        }[self.kind]
        return f"{told}: {self.verdict}.{self._remedy()}"

    def _remedy(self) -> str:
        """Say what would settle an undecided pair."""
        if self.verdict != "undecided":
            return ""
        if not self.is_mixed:
            return f" {CHAINS_DISAGREE}"
        return "" if self.rows is None else f" About {rounded(self.rows):,} rows in all would settle it."

    def to_dict(self) -> dict[str, Any]:
        """Give the same as plain values, under the name of its kind."""
        return {self.kind: self.value, "verdict": self.verdict, "rows_to_settle": self.rows}


def rounded(rows: int) -> int:
    """Keep two digits: more would pretend to be known.

    >>> rounded(1234), rounded(87)
    (1200, 87)
    """
    digits: int = 10 ** max(len(str(rows)) - 2, 0)
    return round(rows / digits) * digits
