"""How kernels are compiled, and where the compiled code is kept.

Numba keeps compiled code until the source file of a function changes, and does not notice when a kernel it
calls, in another file, has changed. So all code of one state of these files is kept in a folder of its own,
whose name says which: nothing else is ever read from it or deleted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numba
from numba import njit

config: Any = numba.config
IS_COMPILED = not config.DISABLE_JIT


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called; keep it for later runs."""
    earlier, config.CACHE_DIR = config.CACHE_DIR, str(cache_folder())
    try:
        return njit(cache=True, nogil=True)(function)
    finally:
        config.CACHE_DIR = earlier


@cache
def cache_folder() -> Path:
    """Give the folder of compiled code: as NUMBA_CACHE_DIR says, in the user's cache, or a temporary one."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    digest = sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    name = f"ibmap-kernels-{digest}"
    for place in (*_places(), Path(gettempdir())):
        folder = place / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(gettempdir()) / name


def _places() -> list[Path]:
    """List where compiled code may be kept, the preferred place first."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    if sys.platform == "win32":
        return [Path(os.environ.get("LOCALAPPDATA") or Path.home())]
    caches = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return [Path(os.environ.get("XDG_CACHE_HOME") or caches)]
