"""What the paper says in words, checked on our numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ibmap.reproduce.comparison import AGREES, Comparison

Check = Callable[[Sequence[Comparison]], tuple[bool | None, str]]


@dataclass(frozen=True)
class Claim:
    """A sentence and its check."""

    text: str
    check: Check  # whether it holds (None if nothing measured tells), and the evidence in a few words


def all_agree(column: str, *taus: int) -> Check:
    """Check that a column agrees with the published one in every cell."""

    def check(found: Sequence[Comparison]) -> tuple[bool | None, str]:
        cells = _cells(found, column, taus)
        return _in_all(cells, [each for each in cells if each.verdict != AGREES])

    return check


def follows_marks(column: str, mark: str, *taus: int) -> Check:
    """Check that a ratio is on the side of 1 that the paper marks as significant."""

    def check(found: Sequence[Comparison]) -> tuple[bool | None, str]:
        cells = [each for each in _cells(found, column, taus) if each.published_mark == mark]
        return _in_all(cells, [each for each in cells if (each.ours < 1) != (mark == "better")])

    return check


def falls_with_rows(column: str, *taus: int) -> Check:
    """Check that a ratio is lower with the most rows than with the fewest."""

    def check(found: Sequence[Comparison]) -> tuple[bool | None, str]:
        shown, holds = [], []
        for tau in taus:
            cells = sorted(_cells(found, column, (tau,)), key=lambda each: each.factors["N"])
            if len(cells) > 1:
                holds.append(cells[-1].ours < cells[0].ours)
                shown.append(f"tau {tau}: " + " ".join(f"{each.ours:.3g}" for each in cells))
        return (all(holds) if holds else None), "; ".join(shown)

    return check


def below(column: str, limit: float, rows: int, *taus: int) -> Check:
    """Check that a ratio is under a limit at a number of rows."""

    def check(found: Sequence[Comparison]) -> tuple[bool | None, str]:
        cells = [each for each in _cells(found, column, taus) if each.factors["N"] == rows]
        shown = ", ".join(f"tau {each.factors['tau']}: {each.ours:.3g}" for each in cells)
        return (all(each.ours < limit for each in cells) if cells else None), shown

    return check


def _cells(found: Sequence[Comparison], column: str, taus: Sequence[int]) -> list[Comparison]:
    """Pick the measured numbers of a column."""
    return [
        each
        for each in found
        if each.column == column and each.factors["tau"] in taus and not math.isnan(each.ours)
    ]


def _in_all(cells: Sequence[Comparison], off: Sequence[Comparison]) -> tuple[bool | None, str]:
    """Say whether something holds in all cells, and in which it does not."""
    shown = ", ".join(f"{_place(each)}: {each.ours:.3g} ({each.published:.3g})" for each in off)
    evidence = f"{len(cells) - len(off)} of {len(cells)} cells" + (f"; not {shown}" if shown else "")
    return (not off if cells else None), evidence


def _place(each: Comparison) -> str:
    return " ".join(f"{name} {value}" for name, value in each.factors.items())
