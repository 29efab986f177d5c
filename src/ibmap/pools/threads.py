"""A pool of threads whose results come in the order of the calls; processes that end with their parent."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

Found = TypeVar("Found")
Kept = TypeVar("Kept")


class Here(Generic[Kept]):
    """A value of this process."""

    def __init__(self, value: Kept) -> None:
        self._value = value

    def get(self) -> Kept:
        """Give the value."""
        return self._value


class ThreadPool:
    """Calls shared by threads; one thread alone is the caller's own."""

    def __init__(self, n_threads: int = 1) -> None:
        self.size = n_threads
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, call: Callable[..., Found], *arguments: Iterable[Any]) -> list[Found]:
        """Call once for each of the arguments; give what is returned in their order."""
        try:
            if self._pool is None:
                return list(map(call, *arguments))
            return list(self._pool.map(call, *arguments))
        except SystemError as error:
            raise behind(error) from None

    def hold(self, value: Kept) -> Here[Kept]:
        """Give the value as it is: threads share memory."""
        return Here(value)

    def release(self, value: Any) -> None:
        """Do nothing: nothing was brought anywhere."""


def leave_with_parent() -> None:
    """Let a process of a pool end when the one that started it does, however that ends."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one that started it
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        Thread(target=_leave_after, args=(parent.sentinel,), daemon=True).start()


def _leave_after(sentinel: int) -> None:
    """Wait for the end of another process, then end this one."""
    from multiprocessing.connection import wait

    wait([sentinel])
    os._exit(1)


def behind(error: BaseException) -> BaseException:
    """Give the interrupt that compiled code reports as a SystemError, if it is one; else the error."""
    cause: BaseException | None = error
    while isinstance(cause, SystemError):
        cause = cause.__cause__ or cause.__context__
    return cause if isinstance(cause, KeyboardInterrupt) else error
