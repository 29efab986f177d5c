"""Lay out comparisons: wide for people, long for programs, Markdown for documents."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import fields
from itertools import chain
from typing import Any

from ibmap.reproduce.comparison import AGREES, Comparison

MARKS = {"better": "*", "worse": "!", "": ""}

Grid = tuple[list[str], list[list[str]]]


def number(value: float, half_width: float = math.nan, mark: str = "") -> str:
    """Write a number as the paper does."""
    if math.isnan(value):
        return "-"
    width = "" if math.isnan(half_width) else f"({half_width:.3f})"
    return f"{value:.3f}{width}{MARKS[mark]}"


def wide(comparisons: Sequence[Comparison]) -> Grid:
    """Lay out a table as the paper does, with the published numbers and verdicts."""
    if not comparisons:
        return [], []
    titles, lines = _by_line(comparisons)
    keys = list(comparisons[0].factors)
    heads = [*keys, *(part for title in titles for part in (title, "published", "verdict"))]
    texts = [[*map(str, line[0].factors.values()), *chain(*map(_texts, line))] for line in lines]
    return _without_empty(heads, texts, len(keys))


def _by_line(comparisons: Sequence[Comparison]) -> tuple[list[str], list[Sequence[Comparison]]]:
    """Give the titles of the columns, and the numbers line by line."""
    titles = list(dict.fromkeys(each.column for each in comparisons))
    starts = range(0, len(comparisons), len(titles))
    return titles, [comparisons[start : start + len(titles)] for start in starts]


def _texts(each: Comparison) -> tuple[str, str, str]:
    """Write our number, the published one and the verdict."""
    ours = number(each.ours, each.half_width, each.mark) + _left_out(each)
    published = number(each.published, each.published_half_width, each.published_mark)
    return ours, published, each.verdict


def _left_out(each: Comparison) -> str:
    return f" [{each.n_left_out} left out]" if each.n_left_out else ""


def narrow(comparisons: Sequence[Comparison]) -> Grid:
    """Lay out a table with a column for each quantity: ours, how it compares, the published number."""
    if not comparisons:
        return [], []
    titles, lines = _by_line(comparisons)
    texts = [[*map(str, line[0].factors.values()), *map(_compared, line)] for line in lines]
    return [*comparisons[0].factors, *titles], texts


def _compared(each: Comparison) -> str:
    """Write our number, a sign and the published one."""
    ours = _rough(each.ours, each.half_width, each.mark) + _left_out(each)
    if math.isnan(each.published):
        return ours
    sign = "≈" if each.verdict == AGREES else "<" if each.ours < each.published else ">"
    published = _rough(each.published, each.published_half_width, each.published_mark)
    return f"{ours} {sign if each.verdict else '|'} {published}"


def _rough(value: float, half_width: float, mark: str) -> str:
    """Write three digits of a number, and its half-width to as many decimals."""
    if math.isnan(value):
        return "-"
    size = max(abs(value), 0.1)
    decimals = max(2 - math.floor(math.log10(size)), 0)
    width = "" if math.isnan(half_width) else f" ± {half_width:.{decimals}f}"
    return f"{value:.{decimals}f}{width}{MARKS[mark]}"


def _without_empty(heads: list[str], lines: list[list[str]], n_keys: int) -> Grid:
    """Leave out columns of published numbers and verdicts that say nothing in any line."""
    said = [any(line[k] not in ("", "-") for line in lines) for k in range(len(heads))]
    kept = [k for k in range(len(heads)) if said[k] or k < n_keys or heads[k] not in ("published", "verdict")]
    return [heads[k] for k in kept], [[line[k] for k in kept] for line in lines]


def fitted(grid: Grid, n_keys: int, width: int) -> list[Grid]:
    """Cut a table that is too wide into several, each with the keys."""
    heads, lines = grid
    widths = [2 + max(len(text) for text in column) for column in zip(heads, *lines, strict=True)]
    room = width - sum(widths[:n_keys])
    parts: list[list[int]] = [[]]
    for group in _groups(heads, n_keys):
        if parts[-1] and sum(widths[k] for k in (*parts[-1], *group)) - 2 > room:
            parts.append([])
        parts[-1] += group
    kept = [[*range(n_keys), *part] for part in parts]
    return [([heads[k] for k in part], [[line[k] for k in part] for line in lines]) for part in kept]


def _groups(heads: Sequence[str], n_keys: int) -> list[list[int]]:
    """Keep a column with the published numbers and verdicts that belong to it."""
    groups: list[list[int]] = []
    for k in range(n_keys, len(heads)):
        if heads[k] in ("published", "verdict") and groups:
            groups[-1].append(k)
        else:
            groups.append([k])
    return groups


def markdown(grid: Grid) -> str:
    """Write a table in Markdown."""
    heads, lines = grid
    texts = [heads, ["---"] * len(heads), *lines]
    rows = ["| " + " | ".join(_plain(cell) for cell in row) + " |" for row in texts]
    rows[1] = "|" + "---|" * len(heads)
    return "\n".join(rows) + "\n"


def _plain(text: str) -> str:
    """Keep a text within its cell."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;").replace(">", "&gt;")


def long_csv(comparisons: Sequence[Comparison]) -> str:
    """Write one line a number, for programs."""
    text = io.StringIO()
    rows = records(comparisons)
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in rows)
    return text.getvalue()


def records(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Give one plain dict a number."""
    names = [each.name for each in fields(Comparison) if each.name != "factors"]
    return [
        {**each.factors, **{name: _rounded(getattr(each, name)) for name in names}} for each in comparisons
    ]


def _rounded(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else float(f"{value:.6g}")


def tally(comparisons: Sequence[Comparison]) -> dict[str, int]:
    """Count the verdicts."""
    words = [each.verdict for each in comparisons if each.verdict]
    order = sorted(set(words), key=lambda word: (word != AGREES, word))
    return {word: words.count(word) for word in order}
