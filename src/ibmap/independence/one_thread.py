"""Small products of matrices on one thread: several would wait for each other longer than the work takes."""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController


class OneThread:
    """While any caller is inside, NumPy's linear algebra has one thread; the last one out restores it."""

    def __init__(self) -> None:
        self._lock, self._n_inside = Lock(), 0
        self._limit: Any = None

    @cached_property
    def _libraries(self) -> Any:
        """The libraries of linear algebra that are loaded."""
        return ThreadpoolController().select(user_api="blas")

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                self._limit = self._libraries.limit(limits=1)
            self._n_inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limit.restore_original_limits()


ONE_THREAD = OneThread()
