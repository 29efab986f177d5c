"""Ctrl-C while a search runs: the first ends it at its next step, the second at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self, TypeVar

from ibmap.cli.console import INTERRUPTED
from ibmap.errors import StopSearch

T = TypeVar("T")
MESSAGE = (
    "\ninterrupted: the search ends at its next step and what it has found is written; "
    "Ctrl-C again ends at once, without\n"
)


class Interrupts:
    """The callback of a search that can be interrupted; use it as a context around the search."""

    def __init__(self, callback: Callable[[Any], None]) -> None:
        self.is_interrupted = False
        self._callback = callback
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def __call__(self, progress: Any) -> None:
        """Pass progress on, and stop the search after Ctrl-C."""
        self._callback(progress)
        if self.is_interrupted:
            raise StopSearch

    def unless(self, improve: Callable[..., T], found: T, *arguments: Any) -> T:
        """Improve on what was found, unless Ctrl-C says that it is good enough."""
        try:
            return improve(found, *arguments)
        except KeyboardInterrupt:
            self.is_interrupted = True
            return found

    def end(self) -> None:
        """End the process with 130 if the search was interrupted."""
        if self.is_interrupted:
            raise SystemExit(INTERRUPTED)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        """Take note of Ctrl-C, or give way to the second one."""
        if self.is_interrupted:
            raise KeyboardInterrupt
        self.is_interrupted = True
        os.write(sys.stderr.fileno(), MESSAGE.encode())  # print is not safe where a signal may arrive
