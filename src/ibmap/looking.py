"""How a search asks a score for the changes of several variables at once, with all its threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Protocol, runtime_checkable

from ibmap.binary_score import Bounds, LookTogether
from ibmap.score import LocalScore
from ibmap.sharing import Call, Team, Work, whole

Blankets = Sequence[tuple[int, ...]]
Look = Callable[[Sequence[int], Blankets, Call], list[Bounds]]


@runtime_checkable
class DividedScore(LocalScore, Protocol):
    """A local score whose looks have parts that threads can share."""

    def shared_bounds(self, x: int, blanket: tuple[int, ...]) -> Work[Bounds]:
        """Give `bounds` as a work.

        Parameters
        ----------
        x : int
            The variable.
        blanket : tuple of int
            Its blanket, sorted.

        Returns
        -------
        Work
            Its result is that of `bounds`.
        """
        ...


@runtime_checkable
class SharedScore(DividedScore, Protocol):
    """A divided score that can have threads of its own for several looks."""

    def together(self, n_threads: int) -> AbstractContextManager[LookTogether]:
        """Have threads that look at several blankets together, where that is faster.

        Parameters
        ----------
        n_threads : int
            All threads, the caller's included.

        Returns
        -------
        context manager
            Gives a callable that takes variables, their blankets, and a call to make beside. It
            gives the `bounds` of each, or None, without the call, where it is not faster.
        """
        ...


@contextmanager
def looking(score: LocalScore, team: Team) -> Iterator[Look]:
    """Choose how a team asks a score for its bounds.

    Parameters
    ----------
    score : LocalScore
        The score.
    team : Team
        The threads.

    Yields
    ------
    callable
        Takes variables, their blankets, and a call to make beside them. Gives the ``score.bounds``
        of each variable.
    """
    if not isinstance(score, SharedScore):
        works = score.shared_bounds if isinstance(score, DividedScore) else partial(_whole_bounds, score)
        yield partial(_look_in_parts, works, team)
        return
    with score.together(team.n_threads) as together:
        yield partial(_look, score, together, team)


def _whole_bounds(score: LocalScore, x: int, blanket: tuple[int, ...]) -> Work[Bounds]:
    """Give the bounds of a score that has no parts as a work."""
    return whole(partial(score.bounds, x, blanket))


def _look_in_parts(
    works: Callable[[int, tuple[int, ...]], Work[Bounds]],
    team: Team,
    variables: Sequence[int],
    blankets: Blankets,
    beside: Call,
) -> list[Bounds]:
    """Have a team carry out looks in parts."""
    looks = [works(x, blanket) for x, blanket in zip(variables, blankets, strict=True)]
    return team.run([*looks, whole(beside)])[:-1]


def _look(
    score: SharedScore,
    together: LookTogether,
    team: Team,
    variables: Sequence[int],
    blankets: Blankets,
    beside: Call,
) -> list[Bounds]:
    """Look together where that is faster, else in parts."""
    found = together(variables, blankets, beside)
    if found is None:
        return _look_in_parts(score.shared_bounds, team, variables, blankets, beside)
    return found
