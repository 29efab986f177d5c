"""How the ends of an edge are related, and how well a variable is known: as values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Relation:
    """How the two ends of an edge are related, other neighbours being equal."""

    x: int
    y: int
    strength: float  # square root of `share`, with the sign
    sign: int  # 1 or -1 if both are binary or in order; 0 if not, or if it depends on other variables
    share: float  # of their mean entropy that the two tell about each other
    information: float  # the same in nats
    odds_ratio: float | None  # of two binary variables
    depends: bool  # whether how they go together depends on other neighbours
    x_states: tuple[str, ...]
    y_states: tuple[str, ...]
    y_given_x: Rows  # a row for each state of x: probabilities of the states of y
    x_given_y: Rows

    def reversed(self) -> Relation:
        """Give the same with the two variables in the other order."""
        turned = {"x": self.y, "y": self.x, "x_states": self.y_states, "y_states": self.x_states}
        return replace(self, **turned, x_given_y=self.y_given_x, y_given_x=self.x_given_y)  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Give the relation as plain lists and dicts."""
        return asdict(self)


@dataclass(frozen=True)
class Predictability:
    """How well a variable is known if its neighbours are; both for rows not fitted to, about."""

    explained: float  # share of its entropy
    accuracy: float  # share of the rows whose state is the most probable one
    baseline: float  # the same if always the most frequent state is named

    @property
    def gain(self) -> float:
        """How much of what the most frequent state gets wrong is got right."""
        return 0.0 if self.baseline >= 1 else max((self.accuracy - self.baseline) / (1 - self.baseline), 0.0)
