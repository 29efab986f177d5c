"""A climb: its ascents, its outcome, and its state on the way, from which it can go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.graph import MarkovGraph
from ibmap.search.cost import DistinctTests

N_NEAREST = 50  # missing edges whose gain is worked out at the end, and told


class Flip(NamedTuple):
    """One ascent: the pair flipped, whether an edge was added, gain and new score."""

    x: int
    y: int
    added: bool
    gain: float
    score: float


@dataclass(frozen=True, eq=False)
class Climb:
    """The outcome of a hill climb.

    Parameters
    ----------
    graph : MarkovGraph
        The last structure reached.
    score : float
        Its score.
    trace : tuple of Flip
        The ascents in order.
    n_iterations : int
        Neighbourhoods looked at: one more than the ascents unless a limit
        ended the climb.
    stopped : {"optimum", "max_ascents", "max_seconds", "interrupted"}
        Why it ended.
    gains : ndarray of shape (n_variables, n_variables) or None
        Gain of flipping each pair at the end: of all edges, of the best missing
        edges, and minus infinity where a bound was enough to do without. None if
        there was no time to look.
    tests : DistinctTests
        What it cost.
    """

    graph: MarkovGraph
    score: float
    trace: tuple[Flip, ...]
    n_iterations: int
    stopped: str
    gains: NDArray[np.float64] | None
    tests: DistinctTests = field(repr=False)


@dataclass(frozen=True, eq=False)
class ClimbState:
    """All that a climb knows between two steps; from it, it goes on as if never stopped.

    Parameters
    ----------
    adjacency : ndarray of shape (n_variables, n_variables)
        The structure reached.
    n_looked : int
        Variables that the first look has seen.
    changes : ndarray of shape (n_variables, n_variables)
        Terms of each variable for every change of its blanket, or what they are at most.
    is_exact : ndarray of shape (n_variables, n_variables)
        Which of them are the terms themselves.
    trace : tuple of Flip
        The ascents so far.
    n_iterations : int
        Neighbourhoods looked at.
    is_optimum : bool
        Whether no flip is better, so that only the evidence is left to be worked out.
    """

    adjacency: NDArray[np.bool_]
    n_looked: int
    changes: NDArray[np.float64]
    is_exact: NDArray[np.bool_]
    trace: tuple[Flip, ...]
    n_iterations: int
    is_optimum: bool


class Keeper(Protocol):
    """Keeps the state of a climb somewhere, and may have one to go on from."""

    def restored(self) -> ClimbState | None:
        """Give the state to go on from.

        Returns
        -------
        ClimbState or None
            None to begin at the start.
        """
        ...

    def offer(self, make: Callable[[], ClimbState], *, at_once: bool) -> None:
        """Take the state of the climb, if it is time.

        Parameters
        ----------
        make : callable
            Gives the state.
        at_once : bool
            Whether there will be no later offer.
        """
        ...
