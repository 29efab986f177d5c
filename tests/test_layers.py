"""A later layer may import an earlier one, never the reverse."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ibmap

ROOT = Path(ibmap.__file__).parent
ORDER = [
    "errors",
    "options",
    "ties",
    "progress",
    "pools",
    "code_cache",
    "kernels",
    "data",
    "graph",
    "simulate",
    "independence",
    "score",
    "blankets",
    "search",
    "evidence",
    "result",
    "learners",
    "metrics",
    "model",
    "confidence",
    "report",
    "plotting",
    "estimators",
    "datasets",
    "reproduce",
    "cli",
    "__main__",
]


def imports(path):
    """The ibmap modules a file imports anywhere, as dotted names."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "ibmap":
            names = (
                [f"ibmap.{alias.name}" for alias in node.names] if node.module == "ibmap" else [node.module]
            )
            yield from names
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("ibmap"))


def layer(dotted):
    """The layer of a module: the part after ``ibmap.``."""
    parts = dotted.split(".")
    return "estimators" if parts[1:3] == ["learners", "estimators"] else parts[1] if len(parts) > 1 else ""


def sources():
    """Every source file with the name of its layer, the package's own face left out."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts != ("__init__",):
            yield path, "estimators" if parts[:2] == ("learners", "estimators") else parts[0]


def test_every_file_belongs_to_a_layer():
    assert {own for _, own in sources()} <= set(ORDER)


def test_no_layer_imports_a_later_one():
    for path, own in sources():
        for dotted in imports(path):
            other = layer(dotted)
            if other not in ("", "__version__"):
                assert ORDER.index(other) <= ORDER.index(own), f"{path} imports {dotted}"


def test_kernels_import_nothing_from_the_package_but_kernels():
    for path in (ROOT / "kernels").glob("*.py"):
        allowed = (
            ("ibmap.kernels.", "ibmap.code_cache.") if path.name == "compiling.py" else ("ibmap.kernels.",)
        )
        assert all(f"{dotted}.".startswith(allowed) for dotted in imports(path)), path


def test_the_top_has_eight_modules_at_most():
    assert len(list(ROOT.glob("*.py"))) <= 8


@pytest.mark.parametrize(
    ("room", "strangers"),
    [
        ("search/hill_climbing", "kernels"),
        ("search/lazy_climb", "kernels"),
        ("result", "score"),
        ("cli", "kernels"),
    ],
)
def test_a_room_knows_nothing_of_another(room, strangers):
    own = ROOT / room
    for path in [own.with_suffix(".py")] if own.with_suffix(".py").is_file() else own.rglob("*.py"):
        found = {layer(dotted) for dotted in imports(path)}
        assert strangers not in found or path.name in ("compiling.py", "loading.py"), path


def test_a_result_is_a_plain_value():
    code = (
        "import sys, ibmap.result; "
        "print(sum(m.startswith('ibmap') for m in sys.modules), 'ibmap.score' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert int(told[0]) <= 50
    assert told[1] == "False"
