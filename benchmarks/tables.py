"""Lay the findings out: on the terminal, and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.findings import Finding

HEADINGS = ("case", "ours", "other", "ratio", "target", "met", "note")


def number(value: float | None, unit: str) -> str:
    """Write a number with its unit, three figures."""
    if value is None:
        return ""
    if math.isnan(value):
        return "—"
    if unit == "s":
        return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"
    if unit == "tests/s":
        return f"{value:,.0f}/s"
    return f"{value:.2f}"


def ratio(value: float | None) -> str:
    if value is None or math.isnan(value):
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def met(finding: Finding) -> str:
    if not finding.verdict.target:
        return ""
    return {True: "yes", False: "NO", None: "?"}[finding.verdict.met]


def cells(finding: Finding) -> Sequence[str]:
    unit = finding.unit
    return (
        finding.what, number(finding.ours, unit), number(finding.other, unit), ratio(finding.ratio),
        finding.verdict.target, met(finding), finding.note,
    )  # fmt: skip


def print_group(console: Console, title: str, findings: Sequence[Finding], left_out: str) -> None:
    table = Table(title=title, title_justify="left", title_style="bold", expand=False)
    for heading in HEADINGS:
        is_number = heading in ("ours", "other", "ratio")
        table.add_column(heading, justify="right" if is_number else "left", no_wrap=is_number)
    for finding in findings:
        style = {True: "green", False: "red", None: None}[finding.verdict.met]
        table.add_row(*cells(finding), style=style)
    console.print(table)
    if left_out:
        console.print(missing(left_out), style="dim")


def missing(left_out: str) -> str:
    return f"Left out of a quick run: {left_out}."


def markdown(results: dict[str, Any]) -> str:
    """Write all groups of a results file as Markdown tables, with the facts below."""
    parts = []
    for group in results["groups"].values():
        findings = [Finding.from_dict(each) for each in group["findings"]]
        parts += [f"### {group['title']}", markdown_table(findings)]
        if left_out := group.get("left_out"):
            parts.append(missing(left_out))
    machine = "; ".join(f"{key} {value}" for key, value in results["machine"].items())
    kind = "quick" if results["quick"] else "full"
    parts.append(f"A {kind} run. {machine}. Warm-up of the kernels: {results['warm_up_seconds']:.1f} s.")
    return "\n\n".join(parts)


def markdown_table(findings: Sequence[Finding]) -> str:
    lines = ["| " + " | ".join(HEADINGS) + " |", "|---|---:|---:|---:|---|---|---|"]
    lines += ["| " + " | ".join(text.replace("|", "\\|") for text in cells(each)) + " |" for each in findings]
    return "\n".join(lines)
