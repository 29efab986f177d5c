"""Where compiled code is kept, that it is our own, and that it is whole.

Numba loads what it finds. A file that was cut off would end the process, one that somebody else put
there could do anything. So a folder must belong to the user alone, and its files must be whole; what is
not is compiled anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ibmap.errors import CacheWarning

SOME, ALL = 2**20, 2**26  # bytes: of one kernel, and of all, with some to spare


def kept_folder(name: str) -> Path | None:
    """Give a folder for compiled code, the first that can be used; None if there is none."""
    for folder in [place / name for place in _places()]:
        if _is_ours(folder) and _mend(folder):
            if folder.parent.name.startswith("ibmap-of-"):
                _warn(f"compiled code is kept in {folder}, as no other place may be written")
            return folder
    _warn("compiled code cannot be kept, so every run compiles anew: no folder may be written")
    return None


def _places() -> Iterator[Path]:
    """List where compiled code may be kept: as NUMBA_CACHE_DIR says, in the user's cache, or temporarily."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
    else:
        with contextlib.suppress(RuntimeError):  # nobody's home, as in many containers
            yield _user_cache()
    try:
        temporary = Path(tempfile.gettempdir())
    except OSError:
        return
    yield temporary / f"ibmap-of-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home())
    caches = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    return Path(os.environ.get("XDG_CACHE_HOME") or caches)


def _is_ours(folder: Path) -> bool:
    """Make a folder if need be; tell whether it has room and can be written, by nobody else."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(SOME))
        found, is_full = folder.stat(), shutil.disk_usage(folder).free < ALL
    except OSError:
        return False
    is_open = bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
    is_own = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not is_open)
    return is_own and not is_full


def _mend(folder: Path) -> bool:
    """Remove files that are not whole; tell whether all that are left are."""
    broken = [path for path in folder.rglob("*.nb[ic]") if not is_whole(path)]
    try:
        for path in broken:
            path.unlink(missing_ok=True)
    except OSError:
        return False
    if broken:
        _warn(
            f"{len(broken)} damaged files of compiled code in {folder} were removed; they are compiled anew"
        )
    return True


def is_whole(path: Path) -> bool:
    """Tell whether a file was written to its end; nothing in it is run."""
    try:
        file = io.BytesIO(path.read_bytes())
        for _ in range(2 if path.suffix == ".nbi" else 1):  # an index is a version and what it lists
            _Skimming(file).load()
    except FileNotFoundError:  # another process has just put a new one in its place
        return True
    except Exception:
        return False
    return not file.read(1)


class _Skimming(pickle.Unpickler):
    """Goes through a pickle without making anything of it."""

    def find_class(self, module: str, name: str) -> Any:
        """Give something that stands for any class."""
        return _Nothing


class _Nothing:
    """Stands for an object of any class."""

    def __init__(self, *_arguments: Any) -> None: ...

    def __setstate__(self, state: Any) -> None: ...


def _warn(message: str) -> None:
    """Tell what happened to the compiled code."""
    warnings.warn(f"{message}; NUMBA_CACHE_DIR names another folder", CacheWarning, stacklevel=5)
