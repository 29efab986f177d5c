"""What is shown of a study's rows: tables with claims, and figures; and where they are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from ibmap.data.atomic import write_atomically
from ibmap.plotting.canvas import picture_bytes
from ibmap.reproduce.claims import Claim
from ibmap.reproduce.comparison import Comparison
from ibmap.reproduce.study import Study
from ibmap.reproduce.tables import long_csv, markdown, narrow, records, tally

FIGURE_FORMATS = (".png", ".svg")
DOTS_PER_INCH = 110


class Table(Protocol):
    """Sums up rows as comparisons."""

    name: str
    title: str
    rule: str

    def compare(self, rows: pl.DataFrame) -> list[Comparison]:
        """Sum up rows."""


@dataclass(frozen=True)
class TableReport:
    """A table, and what the paper says about it."""

    table: Any
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class FigureReport:
    """A figure."""

    name: str  # names its files
    draw: Callable[[pl.DataFrame], Any]  # takes the rows, returns a `matplotlib.figure.Figure`


@dataclass(frozen=True, eq=False)
class Finding:
    """One table of a study, summed up."""

    table: Any
    comparisons: list[Comparison]
    claims: list[tuple[str, bool | None, str]]  # sentence, whether it holds, evidence

    def as_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        claims = [
            {"claim": text, "holds": holds, "evidence": evidence} for text, holds, evidence in self.claims
        ]
        return {
            "table": self.table.name,
            "title": self.table.title,
            "rule": self.table.rule,
            "numbers": records(self.comparisons),
            "verdicts": tally(self.comparisons),
            "claims": claims,
        }


def sum_up(study: Study, rows: pl.DataFrame) -> list[Finding]:
    """Make the tables of a study."""
    found = []
    for report in study.reports:
        if isinstance(report, TableReport):
            numbers = report.table.compare(rows)
            claims = [(claim.text, *claim.check(numbers)) for claim in report.claims]
            found.append(Finding(report.table, numbers, claims))
    return found


def write_tables(findings: list[Finding], folder: Path) -> list[str]:
    """Write the tables of a study as CSV and Markdown."""
    names = []
    for finding in findings:
        write_atomically(folder / f"{finding.table.name}.csv", long_csv(finding.comparisons))
        write_atomically(folder / f"{finding.table.name}.md", markdown(narrow(finding.comparisons)))
        names += [f"{finding.table.name}.csv", f"{finding.table.name}.md"]
    return names


def write_figures(study: Study, rows: pl.DataFrame, folder: Path) -> list[str]:
    """Draw the figures of a study as PNG and SVG."""
    figures = [report for report in study.reports if isinstance(report, FigureReport)]
    return [name for report in figures for name in _write_figure(report, rows, folder)]


def _write_figure(report: FigureReport, rows: pl.DataFrame, folder: Path) -> list[str]:
    figure, names = report.draw(rows), [f"{report.name}{suffix}" for suffix in FIGURE_FORMATS]
    for name, suffix in zip(names, FIGURE_FORMATS, strict=True):
        write_atomically(folder / name, picture_bytes(figure, suffix, DOTS_PER_INCH))
    return names


def remarks_of(rows: pl.DataFrame) -> list[tuple[str, int]]:
    """Count the rows that have remarks, by kind of warning."""
    kinds: dict[str, int] = {}
    for text in rows["remarks"].to_list():
        for kind in {line.split(":")[0] for line in text.splitlines()}:
            kinds[kind] = kinds.get(kind, 0) + 1
    return sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
