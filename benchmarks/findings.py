"""What a benchmark finds: one row of the table."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Verdict:
    """A target in words, and whether it was met (None: there is nothing to meet)."""

    target: str = ""
    met: bool | None = None


NO_TARGET = Verdict()


@dataclass(frozen=True)
class Finding:
    """One row: our number, the other's number, and how they compare."""

    what: str
    ours: float | None = None
    other: float | None = None
    ratio: float | None = None
    unit: str = "s"
    verdict: Verdict = NO_TARGET
    note: str = ""
    extra: dict[str, Any] = field(default_factory=dict)  # numbers for plots, not shown in the table

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Finding:
        return cls(**{**found, "verdict": Verdict(**found["verdict"])})


def at_most(value: float, limit: float, unit: str) -> Verdict:
    return Verdict(f"≤ {limit:g} {unit}".rstrip(), value <= limit)


def at_least(value: float, limit: float, unit: str = "times") -> Verdict:
    return Verdict(f"≥ {limit:g} {unit}".rstrip(), value >= limit)


def faster(what: str, ours: float, other: float, target: float | None = None, **rest: Any) -> Finding:
    """Compare two times: the ratio says how many times faster ours is."""
    ratio = other / ours
    verdict = NO_TARGET if target is None else at_least(ratio, target)
    return Finding(what, ours, other, ratio, verdict=verdict, **rest)
