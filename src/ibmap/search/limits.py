"""When a climb stops before a local optimum is reached."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """When to stop before a local optimum is reached.

    Parameters
    ----------
    max_ascents : int, optional
        Number of flips at most.
    max_seconds : float, optional
        Wall-clock time at most; checked between refreshes.
    """

    max_ascents: int | None = None
    max_seconds: float | None = None

    def after(self, seconds: float) -> Limits:
        """Give what is left after some time.

        Parameters
        ----------
        seconds : float
            Time spent already.

        Returns
        -------
        Limits
            With that much less time.
        """
        if self.max_seconds is None:
            return self
        return Limits(self.max_ascents, max(self.max_seconds - seconds, 0.0))

    def shared(self, n_climbs: int) -> Limits:
        """Give one climb's share of the time.

        Parameters
        ----------
        n_climbs : int
            How many climbs are to come, this one included.

        Returns
        -------
        Limits
            With an even share of the time; the flips are each climb's own.
        """
        return self if self.max_seconds is None else Limits(self.max_ascents, self.max_seconds / n_climbs)
