"""A later layer may import an earlier one, never the reverse."""

import ast
from pathlib import Path

import ibmap

ROOT = Path(ibmap.__file__).parent
ORDER = [
    "errors",
    "options",
    "ties",
    "text",
    "progress",
    "layout",
    "kernels",
    "sharing",
    "table",
    "graph",
    "columns",
    "containers",
    "binning",
    "states",
    "encoding",
    "delimited",
    "atomic",
    "io",
    "simulation",
    "simulate",
    "counting",
    "independence",
    "closure",
    "row_score",
    "table_score",
    "slice_logs",
    "large_looks",
    "small_looks",
    "binary_score",
    "pairwise_score",
    "score",
    "likelihood_scores",
    "blanket_rows",
    "graph_score",
    "looking",
    "blankets",
    "search",
    "evidence",
    "provenance",
    "result",
    "learning",
    "export",
    "ratios",
    "metrics",
    "model",
    "words",
    "notes",
    "report",
    "plotting",
    "estimators",
    "datasets",
    "experiments",
    "demo",
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
    return dotted.split(".")[1] if "." in dotted else ""


def sources():
    """Every source file with the name of its layer, the package's own face left out."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts != ("__init__",):
            yield path, parts[0]


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
        assert all(f"{dotted}.".startswith("ibmap.kernels.") for dotted in imports(path)), path
