"""Files read back: JSON whose every field is what its type promises, or refused by the field's name.

A format is a `msgspec.Struct` or a dataclass. Its annotations are checked strictly, once, here: what
comes after may trust them. Fields that are not known are left aside: newer versions may add some.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, TypeVar

from ibmap.data.text import read_text
from ibmap.errors import FileFormatError

T = TypeVar("T")
Label = None | bool | int | float | str  # of a state, in JSON


def parse_json(text: str | bytes) -> Any:
    """Read JSON; a key that is given twice is refused, as it has no one meaning."""
    try:
        return json.loads(text, object_pairs_hook=_without_twins)
    except (ValueError, RecursionError) as error:
        told = "it is nested too deeply" if isinstance(error, RecursionError) else error
        msg = f"this is not JSON: {told}"
        raise FileFormatError(msg) from None


def read_json(path: str | Path) -> Any:
    """Read a file of JSON, with errors that name it."""
    try:
        return parse_json(read_text(path))
    except FileFormatError as error:
        raise error if str(path) in str(error) else FileFormatError(f"{path}: {error}") from None


def as_record(content: Any, kind: type[T], what: str) -> T:
    """Read plain values as a record, or refuse them by the field that is wrong."""
    import msgspec

    try:
        _refuse_strange(content, "$")
        return msgspec.convert(content, kind)
    except (msgspec.ValidationError, RecursionError, FileFormatError) as error:
        raise FileFormatError(damaged(what, error)) from None


def damaged(what: str, error: object) -> str:
    """Say that a file is damaged, and where."""
    return f"the {what} is damaged: {error}"


def check_format(content: Any, kind: str, name: str, version: int, hint: str = "") -> None:
    """Refuse the content of a file that is of another format, or of a version not known here."""
    if not isinstance(content, dict) or content.get("format") != name:
        msg = f'this is not a {kind} file: it has no "format": "{name}"{hint}'
        raise FileFormatError(msg)
    if content.get("format_version") != version or isinstance(content["format_version"], bool):
        found = content.get("format_version")
        msg = f"the {kind} file has format version {found!r}; this version of ibmap reads {version}"
        raise FileFormatError(msg)


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its members."""
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in names if names.count(name) > 1)
        msg = f"the key {twin[:40]!r} is given twice"
        raise ValueError(msg)
    return made


def _refuse_strange(value: Any, place: str) -> None:
    """Refuse numbers that are not finite, and text that no file can hold."""
    if isinstance(value, dict):
        for key, each in value.items():
            _refuse_strange(key, place)
            _refuse_strange(each, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for k, each in enumerate(value):
            _refuse_strange(each, f"{place}[{k}]")
    elif isinstance(value, float) and not math.isfinite(value):
        msg = f"Expected a finite number, got `{value}` - at `{place}`"
        raise FileFormatError(msg)
    elif isinstance(value, str) and not value.isascii() and not _is_text(value):
        msg = f"Expected text, got half a character (a lone surrogate) - at `{place}`"
        raise FileFormatError(msg)


def _is_text(value: str) -> bool:
    """Tell whether text can be written."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
