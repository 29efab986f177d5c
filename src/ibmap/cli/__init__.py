"""The command line, a file for each command."""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from ibmap.cli.loading import skip_plugins
from ibmap.errors import IbmapError, KnowledgeError

USER_ERROR = 2
RARELY = 100_000  # new objects between two collections of garbage; the default, 700, is for longer runs


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and end the process: with 0, 2 after a user's error, or 130 after an interrupt."""
    _collect_rarely()
    skip_plugins()
    from ibmap.cli.app import app
    from ibmap.cli.console import say

    if sys.stdout is None or sys.stderr is None:  # closed by whoever started us
        sys.exit(USER_ERROR)
    _allow_any_character()
    try:
        try:
            app(args=arguments, prog_name="ibmap")
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
        sys.exit(1)
    except (IbmapError, OSError, MemoryError) as error:
        say(f"error: {_told(error)}")
        sys.exit(USER_ERROR)
    sys.exit(0)


def _collect_rarely() -> None:
    """Spend no half second on garbage: few objects of a short run become any, and none matters at its end."""
    gc.set_threshold(RARELY)
    atexit.register(gc.freeze)


def _told(error: Exception) -> str:
    """Say what went wrong, with the file if there is one."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this table; drop columns (--drop) or take fewer rows"
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, KnowledgeError):  # it begins with an option of Python
        return re.sub(r"^\w+", lambda word: "--" + word[0].replace("_", "-"), str(error))
    return str(error)


def _allow_any_character() -> None:
    """Let names pass that the terminal's encoding does not have, as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _forget_output() -> None:
    """Send what is left to nowhere, so that Python does not complain when it ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
