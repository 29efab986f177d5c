"""Whether claims come true: the edges claimed and the true ones, by probability."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ibmap.errors import InvalidOptionError

N_BINS = 20
SURE = 0.95  # from where on a claim is called sure


@dataclass(frozen=True)
class Reliability:
    """Claims held against known structures, in twenty bins of equal width.

    Parameters
    ----------
    pairs : tuple of int
        Pairs whose probability falls into each bin.
    claimed : tuple of float
        The sum of their probabilities: the edges they claim.
    true : tuple of int
        The edges there really are among them.
    n_tables : int
        Tables simulated.
    stopped : str
        Why there are no more: ``"finished"``, ``"max_seconds"`` or ``"interrupted"``.
    seconds : float
        How long it took.

    Examples
    --------
    >>> found = Reliability.of([0.1, 0.1, 0.98, 0.98], [False, False, True, True])
    >>> round(found.error, 3), found.n_sure, found.true_share
    (0.06, 2, 1.0)
    """

    pairs: tuple[int, ...]
    claimed: tuple[float, ...]
    true: tuple[int, ...]
    n_tables: int = 1
    stopped: str = "finished"
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if {len(self.pairs), len(self.claimed), len(self.true)} != {N_BINS}:
            msg = f"claims are counted in {N_BINS} bins; got {len(self.pairs)} - at `reliability`"
            raise InvalidOptionError(msg)

    @classmethod
    def of(cls, probabilities: ArrayLike, truths: ArrayLike) -> Reliability:
        """Count the claims of one table.

        Parameters
        ----------
        probabilities : array_like of float
            Of each pair.
        truths : array_like of bool
            Whether each is joined.

        Returns
        -------
        Reliability
            Of these pairs.
        """
        p: NDArray[np.float64] = np.asarray(probabilities, np.float64)
        bins = np.minimum((p * N_BINS).astype(int), N_BINS - 1)
        pairs, true = np.bincount(bins, minlength=N_BINS), np.bincount(bins[np.asarray(truths)], None, N_BINS)
        claimed = np.bincount(bins, p, N_BINS)
        return cls(tuple(pairs.tolist()), tuple(claimed.tolist()), tuple(true.tolist()))

    def __add__(self, other: Reliability) -> Reliability:
        pairs, claimed, true = (
            tuple(a + b for a, b in zip(own, its, strict=True))
            for own, its in (
                (self.pairs, other.pairs),
                (self.claimed, other.claimed),
                (self.true, other.true),
            )
        )
        return Reliability(pairs, claimed, true, self.n_tables + other.n_tables)  # type: ignore[arg-type]

    @property
    def error(self) -> float:
        """Expected calibration error: how far claims are from the truth, bin by bin, over all pairs."""
        excess = sum(abs(a - b) for a, b in zip(self.claimed, self.true, strict=True))
        return excess / max(sum(self.pairs), 1)

    @property
    def error_by_chance(self) -> float:
        """About the error that so few pairs would show if every claim were right."""
        spread = [c * max(1 - c / n, 0.0) for n, c in zip(self.pairs, self.claimed, strict=True) if n]
        return sum(math.sqrt(2 / math.pi * each) for each in spread) / max(sum(self.pairs), 1)

    @property
    def n_sure(self) -> int:
        """Edges claimed at 0.95 and more."""
        return sum(self.pairs[int(SURE * N_BINS) :])

    @property
    def true_share(self) -> float:
        """The share of them that is true; not a number if there are none."""
        return sum(self.true[int(SURE * N_BINS) :]) / self.n_sure if self.n_sure else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain lists, ready for JSON.

        Returns
        -------
        dict
            Its fields.
        """
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}
