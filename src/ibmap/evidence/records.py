"""Records read from files hold what their fields promise, or are refused."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, TypeVar

from ibmap.errors import FileFormatError

T = TypeVar("T")
KINDS: dict[str, tuple[type, ...]] = {"int": (int,), "float": (int, float), "bool": (bool,), "str": (str,)}


def checked(record: T) -> T:
    """Refuse a record whose plain fields are not of their type, or not finite."""
    for field in fields(record):  # type: ignore[arg-type]
        value: Any = getattr(record, field.name)
        kinds = KINDS.get(str(field.type))
        if kinds is None:
            continue
        is_right = isinstance(value, kinds) and isinstance(value, bool) == (kinds == (bool,))
        if not is_right or (isinstance(value, float) and not math.isfinite(value)):
            msg = f"{field.name!r} cannot be {value!r}"
            raise ValueError(msg)
    return record


def check_format(content: Any, kind: str, name: str, version: int, hint: str = "") -> None:
    """Refuse the content of a file that is of another format, or of a version not known here."""
    if not isinstance(content, dict) or content.get("format") != name:
        msg = f'this is not a {kind} file: it has no "format": "{name}"{hint}'
        raise FileFormatError(msg)
    if content.get("format_version") != version:
        found = content.get("format_version")
        msg = f"the {kind} file has format version {found!r}; this version of ibmap reads {version}"
        raise FileFormatError(msg)
