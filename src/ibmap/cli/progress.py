"""Tell the user what a long run is doing, on standard error and only if it is long."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any, Self

from ibmap.cli.compiling import has_compiled_kernels
from ibmap.cli.console import say
from ibmap.progress import Progress

if TYPE_CHECKING:
    from ibmap.search.tree_search import TreeProgress

PATIENCE = 1.0  # seconds without a word
COMPILING = "compiling the kernels for this machine, once per installation (some 10 seconds)"
DESCRIPTIONS = {
    "blankets": "finding the blanket of each variable",
    "scoring": "scoring every change of one edge",
    "weighing": "climbing",
    "ascending": "climbing",
    "settling": "weighing the evidence",
    "searching": "searching",
    "sampling": "working out how probable each edge is",
    "bootstrap": "learning from resampled rows",
}


class Waiting:
    """A progress bar that appears on a terminal when a run takes longer than a second.

    Use it as a context, and as the callback of a search. Elsewhere it only says that kernels are compiled.
    """

    def __init__(self, task: str, quiet: bool = False, compiling: bool | None = None) -> None:
        self.task, self.quiet = task, quiet
        self.compiling = not has_compiled_kernels() if compiling is None else compiling
        self._is_due = False  # a second has passed
        self._is_told = False  # that kernels are compiled
        self._lock = threading.Lock()
        self._ended = False
        self._latest: Progress | TreeProgress | None = None
        self._first: Progress | None = None
        self._bar: Any = None
        self._timer = threading.Timer(PATIENCE, self._begin)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        if not self.quiet:
            self._timer.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()

    def __call__(self, progress: Progress | TreeProgress) -> None:
        """Take note of the progress of a search."""
        with self._lock:
            self._latest = progress
            if self._bar is not None:
                self._show(progress)

    def expect(self, *, compiling: bool) -> None:
        """Take note of whether kernels have to be compiled; say so at once if a second has passed."""
        with self._lock:
            self.compiling = compiling
            if self._is_due and not self._ended:
                self._say_compiling()

    def _say_compiling(self) -> None:
        """Say why there is nothing to see yet, if that is why."""
        if self.compiling and self._latest is None and not self._is_told:
            self._is_told = True
            say(f"ibmap: {COMPILING}")

    def _begin(self) -> None:
        """Show the bar, or say why there is nothing to see yet."""
        with self._lock:
            if self._ended:
                return
            self._is_due = True
            self._say_compiling()
            if sys.stderr.isatty():
                self._bar = make_bar()
                self._bar.add_task(self.task, total=None)
                self._bar.start()
                if self._latest is not None:
                    self._show(self._latest)

    def _show(self, progress: Progress | TreeProgress) -> None:
        description = ", ".join(filter(None, [describe(progress), self._pace(progress)]))
        total, done = (progress.total, progress.done) if progress.total > 0 else (None, 0)
        self._bar.update(self._bar.task_ids[0], description=description, total=total, completed=done)

    def _pace(self, progress: Progress | TreeProgress) -> str:
        """Say how long it will take where that can be known, or how fast it goes where not."""
        if not isinstance(progress, Progress):
            return ""
        if progress.seconds_left is not None:
            return f"about {duration(progress.seconds_left)} left"
        if progress.phase != "ascending":
            return ""
        self._first = self._first or progress
        seconds = progress.seconds - self._first.seconds
        n_ascents = progress.n_ascents - self._first.n_ascents
        return f"{n_ascents / seconds:.1f} a second" if seconds > 1 and n_ascents else ""


def duration(seconds: float) -> str:
    """Write a time the way people say it.

    >>> duration(42.3), duration(700), duration(12600)
    ('42 s', '12 min', '3.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def describe(progress: Progress | TreeProgress) -> str:
    """Say in a few words where a search stands."""
    from ibmap.search.tree_search import TreeProgress

    words = DESCRIPTIONS.get(progress.phase, progress.phase)
    if isinstance(progress, TreeProgress):
        waiting = f"{progress.n_nodes:,} nodes, {progress.n_frontier:,} waiting"
        return f"{words}, {waiting}, cost {progress.cost:.2f}, at least {progress.bound:.2f}"
    details = progress.details()
    return f"{words}, {details}" if details else words


def make_bar(*columns: Any) -> Any:
    """Make a bar on standard error that vanishes when it is done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    every = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), *columns)
    return Progress(*every, console=Console(file=sys.stderr, markup=False), transient=True)
