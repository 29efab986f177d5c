"""Work shared by threads: who carries out which part, and when, changes no result.

A *work* is a generator. It yields a tuple of calls that do not depend on each other, is sent
the tuple of what they returned, and so on; what it returns is its result. A `Team` carries out
several works at once. Its threads take the calls of works under way before they begin
others, so that few are under way at a time, and of these calls those named first by any
work: name the longest first. The thread that asks is one of the team: it never waits while
there is something to do, and a team of one has no other. Who finds nothing to do looks out for
it for a moment before going to sleep, since to be woken takes as long as a call.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from threading import Condition, Lock, Thread
from types import TracebackType
from typing import Any, Generic, TypeVar

import numpy as np

from ibmap.kernels.compiling import IS_COMPILED
from ibmap.kernels.waiting import wait_for_change

Found = TypeVar("Found")
Call = Callable[[], Any]
Work = Generator[tuple[Call, ...], tuple[Any, ...], Found]
PATIENCE = 10_000 if IS_COMPILED else 0  # looks out for something to do: under half a millisecond


def whole(call: Callable[[], Found]) -> Work[Found]:
    """Make a work of one call.

    Parameters
    ----------
    call : callable
        Takes no arguments.

    Returns
    -------
    Work
        Its result is that of the call.
    """
    yield ()  # nothing to share
    return call()


def alone(work: Work[Found]) -> Found:
    """Carry out a work from beginning to end in this thread.

    Parameters
    ----------
    work : Work
        The work, not begun.

    Returns
    -------
    object
        Its result.

    Examples
    --------
    >>> def product():
    ...     left, right = yield (lambda: 6), (lambda: 7)
    ...     return left * right
    >>> alone(product())
    42
    """
    try:
        calls = next(work)
        while True:
            calls = work.send(tuple([call() for call in calls]))
    except StopIteration as end:
        found: Found = end.value
        return found
    except SystemError as error:
        raise behind(error) from None


def behind(error: BaseException) -> BaseException:
    """Give the interrupt behind an error, if compiled code reports one in its place.

    Parameters
    ----------
    error : BaseException
        What was raised.

    Returns
    -------
    BaseException
        A KeyboardInterrupt that came while arguments were handed to a kernel, else the error.

    Examples
    --------
    >>> behind(ValueError("no"))
    ValueError('no')
    """
    cause: BaseException | None = error
    while isinstance(cause, SystemError):
        cause = cause.__cause__ or cause.__context__
    return cause if isinstance(cause, KeyboardInterrupt) else error


class _Course(Generic[Found]):
    """A work under way: its generator, what the calls it waits for returned, how many are left."""

    def __init__(self, work: Work[Found]) -> None:
        self.work = work
        self.returned: list[Any] | None = None
        self.n_left = 0
        self.found: list[Found] = []

    def advance(self) -> tuple[Call, ...]:
        """Go on to the next calls; none at the end."""
        calls: tuple[Call, ...] = ()
        try:
            while not calls:
                calls = next(self.work) if self.returned is None else self.work.send(tuple(self.returned))
                self.returned = [None] * len(calls)
        except StopIteration as end:
            self.found.append(end.value)
        self.n_left = len(calls)
        return calls


Step = tuple[_Course[Any], int, Call | None]  # a call and its place, or None to begin


def _place(step: Step) -> int:
    """Give the place of a call among those of its work."""
    return step[1]


class Team:
    """Threads that share works: the caller's own and helpers that wait for it.

    Use it in a ``with`` statement, which ends the helpers.

    Parameters
    ----------
    n_threads : int
        All threads, the caller's included.

    Examples
    --------
    >>> with Team(2) as team:
    ...     team.map(pow, [2, 3], [5, 2])
    [32, 9]
    """

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        lock = Lock()
        self._lock = lock
        self._caller, self._helpers = Condition(lock), Condition(lock)
        self._begun: list[Step] = []  # calls of works under way
        self._fresh: deque[Step] = deque()  # works to begin
        self._n_busy = 0  # steps being carried out
        self._news = np.zeros(1, np.int64)  # how often there was something for those who wait
        self._is_closed = False
        self._error: BaseException | None = None
        self._threads = [Thread(target=self._help, daemon=True) for _ in range(n_threads - 1)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Team:
        """Give the team."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the helpers, when each has finished what it is at."""
        with self._lock:
            self._is_closed = True
            self._forget()
            self._tell(self._helpers, len(self._threads))
        for thread in self._threads:
            thread.join()

    def map(self, function: Callable[..., Found], *arguments: Iterable[Any]) -> list[Found]:
        """Call a function for each of several arguments.

        Parameters
        ----------
        function : callable
            Safe to be called by several threads at once.
        *arguments : iterable
            As for the built-in ``map``.

        Returns
        -------
        list
            The results, in order.
        """
        return self.run([whole(partial(function, *each)) for each in zip(*arguments, strict=True)])

    def run(self, works: Sequence[Work[Found]]) -> list[Found]:
        """Carry out some works.

        Parameters
        ----------
        works : sequence of Work
            Not begun, and independent of each other.

        Returns
        -------
        list
            Their results, in order. If a call fails, its error is raised instead, when nothing
            is under way any more.
        """
        if not self._threads or len(works) == 0:
            return [alone(work) for work in works]
        courses = [_Course(work) for work in works]
        with self._lock:
            self._fresh.extend((course, 0, None) for course in courses)
            self._tell(self._helpers, len(courses) - 1)
        while (step := self._next(self._caller, lambda: self._n_busy == 0)) is not None:
            self._carry_out(step)
        if self._error is not None:
            error, self._error = self._error, None
            raise behind(error)
        return [course.found[0] for course in courses]

    def _help(self) -> None:
        """Carry out steps until the team is closed."""
        while (step := self._next(self._helpers, lambda: self._is_closed)) is not None:
            self._carry_out(step)

    def _next(self, waiting: Condition, is_over: Callable[[], bool]) -> Step | None:
        """Take a step to carry out, when there is one; None if there will be none."""
        is_patient = PATIENCE > 0
        while True:
            with self._lock:
                if self._begun or self._fresh:
                    return self._take()
                if is_over():
                    return None
                n_news = int(self._news[0])
                if not is_patient:
                    waiting.wait()
            if is_patient:
                is_patient = bool(wait_for_change(self._news, n_news, PATIENCE))

    def _take(self) -> Step:
        """Take the step to carry out first; the lock is held."""
        self._n_busy += 1
        if not self._begun:
            return self._fresh.popleft()
        first = min(self._begun, key=_place)
        self._begun.remove(first)
        return first

    def _tell(self, waiting: Condition, n_wanted: int) -> None:
        """Tell those who look out that there is something new, and wake some who sleep; the lock is held."""
        self._news[0] += 1
        waiting.notify(n_wanted)

    def _carry_out(self, step: Step) -> None:
        """Make a call, or begin a work; offer the calls that can now be made."""
        more: list[Step] = []
        try:
            more = self._follow(*step)
        except BaseException as error:  # raised where the works were asked for
            with self._lock:
                self._error = self._error or error
                self._forget()
        with self._lock:
            self._n_busy -= 1
            if more and self._error is None and not self._is_closed:
                self._begun.extend(more)
                self._tell(self._helpers, len(more) - 1)  # this thread takes one
                self._caller.notify()
            elif self._n_busy == 0:
                self._tell(self._caller, 1)

    def _follow(self, course: _Course[Any], place: int, call: Call | None) -> list[Step]:
        """Make one step of a work; list what follows from it."""
        if call is not None:
            value = call()
            with self._lock:
                assert course.returned is not None, "a work that has calls is begun"
                course.returned[place] = value
                course.n_left -= 1
                if course.n_left:
                    return []
        return [(course, k, each) for k, each in enumerate(course.advance())]

    def _forget(self) -> None:
        """Drop what nobody is at."""
        self._begun.clear()
        self._fresh.clear()
