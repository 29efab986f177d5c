"""When a climb stops before a local optimum is reached."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """When to stop before a local optimum is reached."""

    max_ascents: int | None = None  # number of flips at most
    max_seconds: float | None = None  # wall-clock time at most; checked between refreshes

    def after(self, seconds: float) -> Limits:
        """Give what is left after some time."""
        if self.max_seconds is None:
            return self
        return Limits(self.max_ascents, max(self.max_seconds - seconds, 0.0))

    def shared(self, n_climbs: int) -> Limits:
        """Give one climb's share of the time."""
        return self if self.max_seconds is None else Limits(self.max_ascents, self.max_seconds / n_climbs)
