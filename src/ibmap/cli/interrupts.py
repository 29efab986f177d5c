"""Ctrl-C while a search runs: the first ends it at its next step, the second at once."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self, TypeVar

from ibmap.cli.console import INTERRUPTED
from ibmap.errors import StopSearch

T = TypeVar("T")
GRACE = 2.0  # seconds that a step may take to end by itself after the second Ctrl-C
ENDED = "interrupted; a file is written whole or not at all\n"
MESSAGE = (
    "\ninterrupted: the search ends at its next step and what it has found is written; "
    "Ctrl-C again ends at once, without\n"
)


class _Watch:
    """Ends the process some time after the second Ctrl-C, even while compiled code keeps Python waiting.

    Python's own handlers run between two steps of the main thread, which one call of compiled code may
    hold for minutes. The system also writes to a socket, which another thread listens at.
    """

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        self._theirs, self._before = theirs, signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._listen, daemon=True).start()

    def end(self) -> None:
        """Listen no longer."""
        signal.set_wakeup_fd(self._before)
        self._theirs.close()

    def _listen(self) -> None:
        """Wait for two interrupts, give Python its chance, and end the process; or for the end."""
        n_heard = 0
        while n_heard < 2:
            heard = self._ours.recv(64)
            if not heard:
                self._ours.close()
                return
            n_heard += heard.count(signal.SIGINT)
        self._ours.settimeout(GRACE)
        try:
            while self._ours.recv(64):
                pass
        except TimeoutError:
            os.write(sys.stderr.fileno(), ENDED.encode())
            os._exit(INTERRUPTED)


class Interrupts:
    """The callback of a search that can be interrupted; use it as a context around the search."""

    def __init__(self, callback: Callable[[Any], None]) -> None:
        self.is_interrupted = False
        self._callback = callback
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._hear)
            self._watch = _Watch()
        return self

    def __exit__(self, *_error: object) -> None:
        if self._before is not None:
            self._watch.end()
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
