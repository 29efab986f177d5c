"""The command line, a file for each command."""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ibmap.cli.loading import skip_plugins
from ibmap.errors import IbmapError, KnowledgeError

USER_ERROR, OWN_ERROR = 2, 70
INTERRUPTED = 130  # what shells report for a process ended by Ctrl-C
RARELY = 100_000  # new objects between two collections of garbage; the default, 700, is for longer runs
FEW, NEEDED = (
    8 * 10**9,
    2 * 10**9,
)  # bytes of addresses: under which few threads run, or none


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command and end the process: with 0, 2 after a user's error, or 130 after an interrupt."""
    is_program = arguments is None
    if is_program:
        _leave_at_interrupts()
    if sys.stdout is None or sys.stderr is None:  # closed by whoever started us
        sys.exit(USER_ERROR)
    _collect_rarely()
    skip_plugins()
    _check_addresses()
    from ibmap.cli.app import app

    _allow_any_character()
    from ibmap.data.text import at_command_line

    words = at_command_line.set(True)
    if is_program:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    code = _run(app, arguments)
    at_command_line.reset(words)
    if is_program:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is done: nothing is left to be interrupted
        if code == INTERRUPTED:
            _leave()
    sys.exit(code)


def _run(app: Any, arguments: Sequence[str] | None) -> Any:
    """Run a command; tell what went wrong, and give the code to end with."""
    from ibmap.cli.console import say

    try:
        try:
            app(args=arguments, prog_name="ibmap")
        finally:
            sys.stdout.flush()
    except SystemExit as ending:
        return 0 if ending.code == 1 else ending.code  # 1: whoever read our output has seen enough
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()
        return 0
    except (IbmapError, OSError, MemoryError) as error:
        say(f"error: {_told(error)}")
        return USER_ERROR
    except BaseException as error:
        if "IBMAP_TRACEBACK" in os.environ:
            raise
        said = str(error).strip().splitlines()
        say(f"error: a fault of ibmap, not yours: {type(error).__name__}: {said[0] if said else ''}")
        say("please report it, with what IBMAP_TRACEBACK=1 in the environment makes the same command say")
        return OWN_ERROR
    return 0


def _leave() -> NoReturn:
    """End without waiting for threads that are still at what was interrupted."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(INTERRUPTED)


def _leave_at_interrupts() -> None:
    """End at once at Ctrl-C, while libraries are loaded: there is nothing to lose."""
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))


def _check_addresses() -> None:
    """Refuse a limit on addresses (ulimit -v) under which the libraries we stand on abort."""
    try:
        import resource
    except ImportError:  # not on Windows, which has no such limit
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit >= FEW:
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("POLARS_MAX_THREADS", "2")
    if limit < NEEDED:
        told = f"error: this process may use {limit / 1e9:.1f} GB of addresses, and the libraries need "
        print(f"{told}{NEEDED / 1e9:.0f} GB; raise the limit (ulimit -v), or lift it", file=sys.stderr)
        sys.exit(USER_ERROR)


def _collect_rarely() -> None:
    """Spend no half second on garbage: few objects of a short run become any, and none matters at its end."""
    gc.set_threshold(RARELY)
    atexit.register(lambda: gc.freeze() if "duckdb" not in sys.modules else None)  # it complains of them


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
