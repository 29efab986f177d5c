"""Put the last results into docs/performance.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import plots
from benchmarks.tables import markdown

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def update(results: dict[str, Any]) -> None:
    """Replace what stands between the two marks, and draw the plots."""
    text = PAGE.read_text()
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    PAGE.write_text(f"{head}{BEGIN}\n\n{markdown(results)}\n\n{END}{tail}")
    plots.draw(results)
