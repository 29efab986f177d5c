"""What a study has done so far, kept so that an interruption loses nothing.

A journal is a file of lines of JSON: first what it belongs to, then one line a finished run with
the rows it gave. Lines are appended by one process and forced to disk. A line that was cut off
by a crash is not a run: it is dropped when the journal is opened again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from msgspec import Struct

from ibmap.data.records import Label, as_record, parse_json
from ibmap.errors import FileFormatError, InvalidOptionError

FORMAT = "ibmap-journal-1"

Row = dict[str, Any]


class _Run(Struct):
    run: str
    rows: list[dict[str, Label]]


class Journal:
    """The finished runs of one study with one seed."""

    def __init__(self, path: Path, belongs_to: dict[str, Any]) -> None:
        self.path = path
        self.finished: dict[str, list[Row]] = {}
        self._file = path.open("ab")
        try:
            _lock(self._file, path)
            self._open(belongs_to)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, key: str, rows: list[Row]) -> None:
        """Record a finished run."""
        self._append({"run": key, "rows": rows})
        self.finished[key] = rows

    def _open(self, belongs_to: dict[str, Any]) -> None:
        """Take over what is there, without a line that was cut off; begin if there is nothing."""
        lines, size = _whole_lines(self.path)
        if lines:
            self._read(lines, belongs_to)
        self._file.truncate(size)
        if not lines:
            self._append({"format": FORMAT, **belongs_to})

    def _read(self, lines: list[bytes], belongs_to: dict[str, Any]) -> None:
        """Take over the runs of an existing file."""
        try:
            header, *runs = map(parse_json, lines)
            is_ours = isinstance(header, dict) and header.pop("format", None) == FORMAT
            found = [as_record(run, _Run, "journal") for run in runs] if is_ours else []
        except FileFormatError as error:
            msg = f"{str(self.path)!r} is not a journal of ibmap ({error}); move it away"
            raise FileFormatError(msg) from None
        self.finished = {run.run: run.rows for run in found}
        wanted = json.loads(json.dumps(belongs_to))
        if not is_ours or header != wanted:
            msg = (
                f"{str(self.path)!r} holds runs of {_described(header)}, not of {_described(wanted)}; "
                "choose another folder (--output), or delete the file to begin again"
            )
            raise FileFormatError(msg)

    def _append(self, content: dict[str, Any]) -> None:
        """Write a line and force it to disk."""
        self._file.write(json.dumps(content, allow_nan=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _lock(file: IO[bytes], path: Path) -> None:
    """Keep other processes out; the system lets them in again when this one ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # not on Windows, where nothing keeps a user from starting a study twice
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        msg = f"another process is at work on {str(path)!r}; wait for it, or choose another folder (--output)"
        raise InvalidOptionError(msg) from error


def _whole_lines(path: Path) -> tuple[list[bytes], int]:
    """Read the lines that were written to their end, and where they end."""
    content = path.read_bytes()
    size = content.rfind(b"\n") + 1
    return content[:size].splitlines(), size


def _described(header: Any) -> str:
    """Say what a journal belongs to."""
    return ", ".join(f"{name} {value}" for name, value in header.items())
