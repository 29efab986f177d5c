"""What a pool offers: calls made at once, whose results come in the order of the calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

Found = TypeVar("Found")
Value_co = TypeVar("Value_co", covariant=True)
Kept = TypeVar("Kept")


class Held(Protocol[Value_co]):
    """A value that is at hand wherever a call is made."""

    def get(self) -> Value_co:
        """Give the value."""
        ...


class Pool(Protocol):
    """Makes calls at once: a function of a module, or a partial of one, and arguments that can travel."""

    @property
    def size(self) -> int:
        """Calls that run at once."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def map(self, call: Callable[..., Found], *arguments: Iterable[Any]) -> list[Found]:
        """Call once for each of the arguments; give what is returned in their order."""
        ...

    def hold(self, value: Kept) -> Held[Kept]:
        """Bring a value, once, to where calls are made; it must not change any more."""
        ...

    def release(self, value: Any) -> None:
        """Let go of a value that was held."""
        ...
