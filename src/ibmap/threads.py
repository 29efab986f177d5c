"""A pool of threads whose results come in the order of the calls: their number changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

Found = TypeVar("Found")


class ThreadPool:
    """Calls shared by threads; one thread alone is the caller's own."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
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


def behind(error: BaseException) -> BaseException:
    """Give the interrupt that compiled code reports as a SystemError, if it is one; else the error."""
    cause: BaseException | None = error
    while isinstance(cause, SystemError):
        cause = cause.__cause__ or cause.__context__
    return cause if isinstance(cause, KeyboardInterrupt) else error
