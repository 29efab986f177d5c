"""Other people's files: read with errors that help, their text shown literally, nothing in it obeyed."""

from __future__ import annotations

import difflib
import json
import unicodedata
from contextvars import ContextVar
from pathlib import Path

from ibmap.errors import FileFormatError

UNSAFE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}  # control, direction and private characters, line breaks
JOINERS = "\u200c\u200d"  # part of ordinary words and emoji in many scripts

FORMULA = "=+-@\t\r'"  # a spreadsheet may run a cell that begins with one of these; ' is the mark against it


at_command_line: ContextVar[bool] = ContextVar("at_command_line", default=False)


def either(python: str, command: str) -> str:
    """Choose the words of the interface the user is in."""
    return command if at_command_line.get() else python


def read_bytes(path: str | Path) -> bytes:
    """Read a file whole, with an error that names it and says what to do."""
    path = Path(path)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(_not_found(path)) from None
    except IsADirectoryError:
        msg = f"{path} is a folder; give one of the files in it"
        raise IsADirectoryError(msg) from None
    except PermissionError:
        msg = f"{path} may not be read; ask its owner for permission, or check its mode (ls -l)"
        raise PermissionError(msg) from None
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror or error}"
        raise type(error)(msg) from None


def read_text(path: str | Path) -> str:
    """Read a file of UTF-8 text, with an error that names it."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 text (byte {error.start}); files that ibmap writes are"
        raise FileFormatError(msg) from None


def printable(text: str) -> str:
    """Show characters that a terminal would obey as escapes."""
    return "".join(c if _is_safe(c) else c.encode("unicode_escape").decode() for c in text)


def harmless(name: str) -> str:
    """Mark a cell that a spreadsheet might run as a formula."""
    return "'" + name if name.startswith(tuple(FORMULA)) else name


def unmarked(cell: str) -> str:
    """Take the mark of `harmless` away."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] and cell[1] in FORMULA else cell


def harmless_value(text: str) -> str:
    """Mark a value of a table that a spreadsheet might run; numbers need no mark.

    >>> harmless_value("=1+1"), harmless_value("-1.5"), harmless_value("sunny")
    ("'=1+1", '-1.5', 'sunny')
    """
    try:
        float(text)
    except ValueError:
        return harmless(text)
    return text


def escaped(text: str) -> str:
    r"""Write characters that a terminal would obey as JSON escapes, which mean the same.

    >>> print(escaped(chr(0x9b)))
    \u009b
    """
    return "".join(c if _is_safe(c) else json.dumps(c)[1:-1].replace("\x7f", r"\u007f") for c in text)


def _is_safe(character: str) -> bool:
    """Tell whether a character only shows itself."""
    return character in JOINERS or unicodedata.category(character) not in UNSAFE


def _not_found(path: Path) -> str:
    """Say that there is no such file, with names like it in the same folder."""
    if not path.parent.is_dir():
        return f"there is no file {path}: the folder {path.parent} does not exist"
    near = difflib.get_close_matches(path.name, sorted(each.name for each in path.parent.iterdir()), n=3)
    hint = "; did you mean " + " or ".join(near) + "?" if near else "; check the name and the folder"
    return f"there is no file {path}{hint}"
