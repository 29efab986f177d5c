"""Files that tell what is known of pairs: JSON or TOML with its keys, and CSV with probabilities."""

from __future__ import annotations

import csv
import json
import tomllib
from pathlib import Path
from typing import Any

from ibmap.data.text import either
from ibmap.errors import KnowledgeError


def read_knowledge(path: Any) -> dict[str, Any]:
    """Read the keys of a JSON or TOML file."""
    file = "the name of a JSON or TOML file"
    text = _text(path, "knowledge", either(f"a dict, or {file}", file))
    is_toml = str(path).lower().endswith(".toml")
    try:
        content = tomllib.loads(text) if is_toml else json.loads(text)
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, RecursionError) as error:
        msg = f"knowledge {str(path)!r}: this is not {'TOML' if is_toml else 'JSON'}: {error}"
        raise KnowledgeError(msg) from error
    if not isinstance(content, dict):
        kind = type(content).__name__
        msg = f"knowledge {str(path)!r}: it must hold keys such as require and forbid; got a {kind}"
        raise KnowledgeError(msg)
    return content


def read_probabilities(path: Any, source: str) -> list[tuple[str, str, float]]:
    """Read lines of a CSV file: a square matrix under its names, or two names and a probability each."""
    text = _text(
        path,
        source,
        either(
            "a matrix, a list of (a, b, probability), or the name of a CSV file", "the name of a CSV file"
        ),
    )
    try:
        rows = [row for row in csv.reader(text.splitlines()) if row]
    except csv.Error as error:
        msg = f"{source} {str(path)!r}: this is not CSV: {error}"
        raise KnowledgeError(msg) from error
    names = rows[0][1:] if rows else []
    if rows and len(rows) == len(names) + 1 and [row[0] for row in rows[1:]] == names:
        return _from_square(rows, names, path, source)
    if rows and rows[0][2:] and not _is_number(rows[0][2]):
        rows = rows[1:]  # a heading
    for row in rows:
        if len(row) != 3:
            msg = (
                f"{source} {str(path)!r}: a line must hold two names and a probability, or a row of a square "
                f"matrix whose first line and first column are the names; got {','.join(row)[:60]!r}"
            )
            raise KnowledgeError(msg)
    return [(a, b, _number(p, path, source)) for a, b, p in rows]


def _from_square(
    rows: list[list[str]], names: list[str], path: Any, source: str
) -> list[tuple[str, str, float]]:
    """Read both halves of a matrix; an empty cell says nothing, and the diagonal is not read."""
    found = {}
    for a, row in zip(names, rows[1:], strict=True):
        if len(row) != len(names) + 1:
            msg = f"{source} {str(path)!r}: the row of {a!r} has {len(row) - 1} cells for {len(names)} names"
            raise KnowledgeError(msg)
        for b, cell in zip(names, row[1:], strict=True):
            if cell.strip() and a != b:
                found[a, b] = _number(cell, path, source)
    for (a, b), p in found.items():
        if found.get((b, a)) != p:
            other = found.get((b, a), "nothing")
            both = f"{p:g} for {a!r} and {b!r}, {other} the other way round"
            msg = f"{source} {str(path)!r} is not symmetric: {both}; give each pair one probability"
            raise KnowledgeError(msg)
    return [(a, b, p) for (a, b), p in found.items() if names.index(a) < names.index(b)]


def _text(path: Any, source: str, what: str) -> str:
    """Read a text file."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except TypeError as error:
        msg = f"{source} must be {what}; got {path!r}"
        raise KnowledgeError(msg) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        msg = f"{source} must be {what}; {str(path)!r} cannot be read: {reason}"
        raise KnowledgeError(msg) from error


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(text: str, path: Any, source: str) -> float:
    """Read a probability."""
    if not _is_number(text):
        msg = f"{source} {str(path)!r}: {text!r} is not a probability"
        raise KnowledgeError(msg)
    return float(text)
