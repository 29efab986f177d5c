"""How kernels are compiled, and where the compiled code is kept.

Numba keeps compiled code until the source file of a function changes, and does not notice when a kernel it
calls, in another file, has changed. So all code of one state of these files is kept in a folder of its own,
whose name says which: nothing else is ever read from it or deleted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
from numba import njit

from ibmap.code_cache import kept_folder

config: Any = numba.config
IS_COMPILED = not config.DISABLE_JIT


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called; keep it for later runs, if there is a place."""
    folder = cache_folder()
    earlier, config.CACHE_DIR = config.CACHE_DIR, str(folder or "")
    try:
        return njit(cache=folder is not None, nogil=True)(function)
    finally:
        config.CACHE_DIR = earlier


@cache
def cache_folder() -> Path | None:
    """Give the folder of compiled code of these sources at this place; None if there is none."""
    own = Path(__file__).parent
    parts = [str(own).encode(), *(path.read_bytes() for path in sorted(own.glob("*.py")))]
    return kept_folder(f"ibmap-kernels-{sha256(b'/'.join(parts)).hexdigest()[:16]}") if IS_COMPILED else None
