"""Room on disk for what memory does not hold: arrays in files, and folders that never outlive their run.

An array lies in a file without a name, mapped into memory: the system reads and writes pages as they are
needed, and forgets them when memory is short. The file is gone with the process, however that ends.
"""

from __future__ import annotations

import contextlib
import errno
import math
import mmap
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ibmap.data.atomic import FRESH, is_free
from ibmap.errors import TooLargeError

PREFIX, LOCK = "ibmap-scratch-", "in-use"


def room(shape: tuple[int, ...], dtype: DTypeLike, *, in_file: bool) -> NDArray[Any]:
    """Make an array of zeros, column after column, in memory or in a file."""
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    if not in_file or not n_bytes:
        return np.zeros(shape, dtype, order="F")
    folder = tempfile.gettempdir()
    try:
        with tempfile.TemporaryFile(prefix=PREFIX) as file:
            _reserve(file, n_bytes, folder)
            return np.asarray(np.memmap(file, dtype, "r+", shape=shape, order="F"))
    except OSError as error:
        msg = (
            f"{n_bytes / 1e9:.1f} GB of codes cannot be written to {folder} ({error.strerror or error}); "
            "name a folder with more room in the environment: TMPDIR=..."
        )
        raise TooLargeError(msg) from error


def room_like(array: NDArray[Any], shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """Make an array of zeros where another is: in memory, or in a file."""
    return room(shape, dtype, in_file=is_mapped(array))


def is_mapped(array: NDArray[Any]) -> bool:
    """Tell whether an array lies in a file, so that it does not hold memory."""
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return isinstance(owner, mmap.mmap)


def _reserve(file: IO[bytes], n_bytes: int, folder: str) -> None:
    """Make a file that large; a full disk would end the process later, without a word."""
    if shutil.disk_usage(folder).free < n_bytes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, n_bytes)
    else:
        file.truncate(n_bytes)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give a folder that is removed at the end; after a kill, by whoever asks for one next."""
    _clear_folders(Path(tempfile.gettempdir()))
    kept = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
    with kept as name, Path(name, LOCK).open("wb") as lock:
        is_free(lock)  # ours from now on, until it is closed
        yield Path(name)


def _clear_folders(parent: Path) -> None:
    """Remove the folders of processes that were killed."""
    with contextlib.suppress(OSError):
        for folder in parent.glob(PREFIX + "*"):
            with contextlib.suppress(OSError):
                if _is_left(folder):
                    shutil.rmtree(folder)


def _is_left(folder: Path) -> bool:
    """Tell whether a folder is ours and nobody uses it any more."""
    found, lock = folder.lstat(), folder / LOCK
    if found.st_uid != getattr(os, "getuid", lambda: found.st_uid)() or time.time() - found.st_mtime < FRESH:
        return False
    if not lock.exists():
        return folder.is_dir() and not folder.is_symlink()
    with lock.open("rb") as file:
        if not is_free(file):
            return False
    lock.unlink()  # which Windows refuses while it is open
    return True
