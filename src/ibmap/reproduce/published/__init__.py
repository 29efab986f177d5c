"""The numbers printed in the paper, table by table.

F. Bromberg and F. Schlüter, on the independence-based score: edge and independence Hamming
distances on sampled data with 12 and 50 variables, and on benchmark sets. The columns that end in
``_sd`` are the figures in parentheses, half-widths of 95 % intervals. ``mark`` is bold (``better``)
or underlined (``worse``).
"""

from __future__ import annotations

import csv
from importlib import resources
from typing import Any

NAMES = ("n12_edge_hamming", "n12_independence_hamming", "n50_hamming", "benchmark_third", "benchmark_fifth")


def published_rows(name: str) -> list[dict[str, Any]]:
    """Read a table of the paper."""
    text = resources.files(__package__).joinpath(f"{name}.csv").read_text("utf-8")
    return [{key: _value(value) for key, value in row.items()} for row in csv.DictReader(text.splitlines())]


def _value(text: str) -> int | float | str:
    """Read a number if it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
