"""How kernels are compiled: what has no door for Python is called by kernels alone."""

import ast
import importlib
import os
from pathlib import Path

import pytest

import ibmap

ROOT = Path(ibmap.__file__).parent


def kernels_named_in(source):
    """List the kernels (module, name) that a source imports or takes from a module of kernels."""
    modules, found = {}, set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module == "ibmap.kernels":
            modules |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ibmap.kernels."):
            found |= {(node.module.rpartition(".")[2], alias.name) for alias in node.names}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            found.add((modules[node.value.id], node.attr))
    return found


def has_no_door(module, name):
    """Tell whether a kernel is compiled without what Python needs to call it."""
    kernel = getattr(importlib.import_module(f"ibmap.kernels.{module}"), name, None)
    return getattr(kernel, "targetoptions", {}).get("no_cpython_wrapper", False)


def test_kernels_named_in_a_source_are_found():
    source = (
        "from ibmap.kernels import bits as b\nfrom ibmap.kernels.counting import hash_keys\nb.popcount(1)"
    )
    assert kernels_named_in(source) == {("bits", "popcount"), ("counting", "hash_keys")}


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="compilation is off")
def test_some_kernels_have_no_door():
    assert has_no_door("bits", "popcount")
    assert not has_no_door("counting", "hash_keys")


def test_python_calls_no_kernel_that_has_no_door_for_it():
    for path in ROOT.rglob("*.py"):
        if path.parent.name != "kernels":
            calls = {named for named in kernels_named_in(path.read_text("utf-8")) if has_no_door(*named)}
            assert not calls, f"{path.name} calls {calls}"
