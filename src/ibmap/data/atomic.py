"""Write a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import time
from pathlib import Path
from typing import IO

FRESH = 2.0  # seconds in which a draft may not be locked yet
NEW_FILE_MODE = 0o666  # the system takes away what the user's umask says


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Write a file whole or not at all; a link is followed, an existing file keeps its permissions."""
    data = content.encode() if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    mode = _existing_mode(target)
    if mode is not None and stat.S_ISDIR(mode):
        msg = f"cannot write {str(path)!r}: it is a folder; give the name of a file"
        raise IsADirectoryError(msg)
    if mode is not None and not stat.S_ISREG(mode):  # a device or a pipe cannot be replaced
        target.write_bytes(data)
        return
    try:
        _write_and_replace(target, data, mode)
    except OSError as error:
        raise type(error)(_reason(path, target, error)) from error


def _existing_mode(target: Path) -> int | None:
    """Tell the type and permissions of a file; None if there is none."""
    try:
        return target.stat().st_mode
    except OSError:
        return None


def _write_and_replace(target: Path, data: bytes, mode: int | None) -> None:
    """Write a new file next to the target, then put it in the target's place."""
    _clear_drafts(target.parent)
    draft = target.parent / f".ibmap-{secrets.token_hex(8)}.tmp"
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), NEW_FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            is_free(file)  # ours from now on, until it is closed
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            draft.chmod(stat.S_IMODE(mode))
        draft.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise


def _clear_drafts(folder: Path) -> None:
    """Remove what processes that were killed while they wrote have left."""
    with contextlib.suppress(OSError):
        for draft in folder.glob(".ibmap-*.tmp"):
            with contextlib.suppress(OSError), draft.open("rb") as file:
                if time.time() - draft.stat().st_mtime > FRESH and is_free(file):
                    draft.unlink()


def is_free(file: IO[bytes]) -> bool:
    """Lock a draft, unless a process that is writing it has."""
    try:
        import fcntl
    except ImportError:  # on Windows a file that is open cannot be removed
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _reason(path: str | Path, target: Path, error: OSError) -> str:
    folder = str(target.parent)
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return f"cannot write {str(path)!r}: there is no folder {folder!r}; create it first"
    if isinstance(error, PermissionError):
        return f"cannot write {str(path)!r}: the folder {folder!r} may not be written; choose another one"
    return f"cannot write {str(path)!r}: {error.strerror or error}"
