"""The results file: written after each case, read for tables and plots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.findings import Finding

FOLDER = Path(__file__).parent / "results"


def path_of(quick: bool) -> Path:
    return FOLDER / ("quick.json" if quick else "full.json")


def load(quick: bool) -> dict[str, Any] | None:
    path = path_of(quick)
    return json.loads(path.read_text()) if path.exists() else None


def load_best() -> dict[str, Any]:
    """Load the full run if there is one, else the quick one."""
    found = load(quick=False) or load(quick=True)
    if found is None:
        raise SystemExit("there are no results yet; run: python -m benchmarks")
    return found


def save(results: dict[str, Any]) -> Path:
    FOLDER.mkdir(exist_ok=True)
    path = path_of(results["quick"])
    path.write_text(json.dumps(results, indent=1, allow_nan=True) + "\n")
    return path


def group(title: str, findings: Sequence[Finding], left_out: str) -> dict[str, Any]:
    """Make a case's part of the file; `left_out` is what a quick run leaves out, nothing in a full one."""
    return {"title": title, "left_out": left_out, "findings": [each.to_dict() for each in findings]}


def findings(results: dict[str, Any], case: str) -> list[Finding]:
    """Give the findings of one case, none if it was not run."""
    found = results["groups"].get(case, {"findings": []})["findings"]
    return [Finding.from_dict(each) for each in found]
