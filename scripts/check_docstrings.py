"""Validate the docstrings of what users reach with numpydoc, as they are when imported.

What users reach is what ``ibmap.__all__`` lists: these classes, functions and modules, and their
public methods and functions. Everything else has one line, which ruff sees to.

numpydoc's own lint reads source text, where a property looks like a function and a dataclass
like a class without parameters. Here both are seen for what they are. The checks are those of
``[tool.numpydoc_validation]``. Left out are methods that say in one line how they keep the promise of
a base class, and the field lists of records.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from numpydoc.validate import validate

import ibmap

PARAMETERS = {"PR01", "PR02", "PR03"}


def public_objects() -> Iterator[tuple[str, Any, type | None]]:
    """List the functions, classes and methods that users reach, with the class of a method."""
    for name in ibmap.__all__:
        value = getattr(ibmap, name)
        if isinstance(value, ModuleType):
            inside = getattr(value, "__all__", [key for key in vars(value) if not key.startswith("_")])
            for each in (getattr(value, key) for key in inside):
                if str(getattr(each, "__module__", "")).startswith("ibmap"):
                    yield from with_methods(each)
        else:
            yield from with_methods(value)


def with_methods(value: Any) -> Iterator[tuple[str, Any, type | None]]:
    """List a function, or a class and its public methods, those of its bases included."""
    if not inspect.isclass(value) and not inspect.isfunction(value):
        return
    yield f"{value.__module__}.{value.__qualname__}", value, None
    for base in value.__mro__ if inspect.isclass(value) else ():
        if base.__module__.startswith("ibmap"):
            for key, member in vars(base).items():
                if not key.startswith("_") and is_documented_kind(member):
                    yield f"{base.__module__}.{base.__qualname__}.{key}", member, base


def is_documented_kind(member: Any) -> bool:
    """Tell whether a class member is a method or a property, which have docstrings."""
    return inspect.isfunction(member) or isinstance(member, (classmethod, staticmethod, property))


def is_record(value: Any) -> bool:
    """Tell whether a class only names its fields, is an exception, or is made as its base class is."""
    return inspect.isclass(value) and (
        dataclasses.is_dataclass(value)
        or issubclass(value, (tuple, BaseException))
        or "__init__" not in vars(value)
        or getattr(value, "_is_protocol", False)
    )


def keeps_a_promise(name: str, owner: type | None) -> bool:
    """Tell whether a base class documents a method of the same name."""
    key = name.rpartition(".")[2]
    return owner is not None and any(key in vars(base) for base in owner.__mro__[1:])


def problems(name: str, value: Any, owner: type | None, checks: set[str]) -> Iterator[str]:
    """List what numpydoc finds wrong with one docstring."""
    wanted = set(checks)
    if is_record(value) and "Parameters\n" not in (value.__doc__ or ""):
        wanted -= PARAMETERS
    if keeps_a_promise(name, owner):
        wanted -= PARAMETERS | {"RT01"}
    found = validate(name)
    place = f"{found['file']}:{found['file_line']}"
    yield from (f"{place}: {code} {name}: {text}" for code, text in found["errors"] if code in wanted)


def main() -> int:
    """Print every problem; return 1 if there is any."""
    settings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    checks = set(settings["tool"]["numpydoc_validation"]["checks"])
    every = list({name: (name, value, owner) for name, value, owner in public_objects()}.values())
    found = [problem for each in every for problem in problems(*each, checks)]
    print("\n".join([*found, f"{len(every)} docstrings checked, {len(found)} problems"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
