"""Load less at the start of a command: some libraries are searched for and never used."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LOOKED_FOR = ("scipy.linalg", "coverage")  # by Numba: products of matrices, tracing of compiled lines


def load_numba() -> None:
    """Load Numba without the libraries that it looks for and that no kernel uses."""
    with unavailable(LOOKED_FOR):
        import numba  # noqa: F401


def skip_plugins() -> None:
    """Let pydantic, which typer reads options with, not search every installed package for plugins."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


@contextmanager
def unavailable(names: tuple[str, ...]) -> Iterator[None]:
    """Let imports of modules fail as if they were not installed, unless they are loaded already.

    >>> with unavailable(("this",)):
    ...     import this
    Traceback (most recent call last):
        ...
    ModuleNotFoundError: import of this halted; None in sys.modules
    """
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None is what the import system asks for
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
