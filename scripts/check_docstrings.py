"""Validate the docstrings of all public objects with numpydoc, as they are when imported.

numpydoc's own lint reads source text, where a property looks like a function and a dataclass
like a class without parameters. Here both are seen for what they are. The checks are those of
``[tool.numpydoc_validation]``. Kernels are left out (their comments mark IN and OUT), and so are
methods that say in one line how they keep the promise of a base class, the field lists of records,
and the parameters of commands, which are documented in their ``--help``.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from numpydoc.validate import validate

import ibmap

PARAMETERS = {"PR01", "PR02", "PR03"}


def modules() -> Iterator[ModuleType]:
    """Import every module but the kernels."""
    for found in pkgutil.walk_packages(ibmap.__path__, "ibmap."):
        if not found.name.startswith("ibmap.kernels") and not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def public_objects(module: ModuleType) -> Iterator[tuple[str, Any, type | None]]:
    """List the functions, classes and methods a module defines, with the class of a method."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            yield f"{module.__name__}.{name}", value, None
            for key, member in vars(value).items():
                if not key.startswith("_") and is_documented_kind(member):
                    yield f"{module.__name__}.{name}.{key}", member, value
        elif inspect.isfunction(value):
            yield f"{module.__name__}.{name}", value, None


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
    if name.startswith("ibmap.cli."):
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
    every = [each for module in modules() for each in public_objects(module)]
    found = [problem for each in every for problem in problems(*each, checks)]
    print("\n".join([*found, f"{len(every)} docstrings checked, {len(found)} problems"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
