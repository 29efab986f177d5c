"""Where the command line writes: data to standard output, talk to standard error.

Names come from other people's files. They are shown literally: rich's markup is never
read, and control characters, which a terminal would obey, are shown as escapes.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ibmap.data.text import escaped, printable
from ibmap.errors import IbmapWarning

if TYPE_CHECKING:
    from rich.console import Console

WIDTH_OF_FILES = 100  # of tables that go to a file or a pipe
INTERRUPTED = 130  # what shells report for a process ended by Ctrl-C

__all__ = ["output", "print_facts", "print_json", "printable", "say", "warnings_as_messages"]


def say(message: str) -> None:
    """Write a message for the user to standard error."""
    print("\n".join(map(printable, message.splitlines())), file=sys.stderr, flush=True)


def output() -> Console:
    """Make a console for standard output that takes all text literally; 100 characters wide for files."""
    from rich.console import Console

    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH_OF_FILES
    return Console(file=sys.stdout, markup=False, emoji=False, highlight=False, width=width)


def print_json(content: Any) -> None:
    """Write data as JSON to standard output, readable in any encoding."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") not in ("utf8", "utf8sig")
    text = json.dumps(content, indent=1, ensure_ascii=plain, allow_nan=False)
    print("\n".join(map(escaped, text.split("\n"))))


@contextmanager
def warnings_as_messages(quiet: bool = False) -> Iterator[None]:
    """Say ibmap's warnings on standard error, each once, without Python's line numbers."""
    said: set[str] = set()
    usual = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, IbmapWarning):
            usual(message, category, *place, **more)
        elif str(message) not in said and not quiet:
            said.add(str(message))
            say(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", IbmapWarning)
        warnings.showwarning = show
        yield


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Write names and values in two columns to standard output."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in facts:
        grid.add_row(name, Text(printable(value)))
    output().print(grid)
