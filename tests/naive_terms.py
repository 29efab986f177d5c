"""The terms of a variable for every change of its blanket, test by test, and the slices behind them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import naive


def change_terms(
    rows: naive.Rows,
    cards: naive.Cards,
    weights: naive.Weights,
    x: int,
    blanket: Sequence[int],
    **options: Any,
) -> list[float]:
    """Entry y for the blanket with y flipped, entry x for the blanket as it is."""
    blankets = [set(blanket) ^ ({y} - {x}) for y in range(len(cards))]
    return [term(rows, cards, weights, x, each, **options) for each in blankets]


def term(
    rows: naive.Rows, cards: naive.Cards, weights: naive.Weights, x: int, blanket: set[int], **options: Any
) -> float:
    """Sum the logs of independence of those outside, and of dependence of members given the others."""
    total = 0.0
    for y in range(len(cards)):
        if y != x:
            both = naive.log_probabilities(rows, cards, x, y, blanket - {y}, weights=weights, **options)
            total += both[1] if y in blanket else both[0]
    return total


def configurations(rows: naive.Rows, columns: Sequence[int]) -> dict[tuple[int, ...], list[int]]:
    """List the rows of each configuration of some columns."""
    found = defaultdict(list)
    for i, row in enumerate(rows):
        found[tuple(row[z] for z in columns)].append(i)
    return dict(found)


def groups(rows: naive.Rows, blanket: Sequence[int], dropped: Sequence[int]) -> list[list[int]]:
    """List the rows of the slices that hold two slices of the blanket or more, once members are dropped."""
    rest = [b for b in blanket if b not in dropped]
    merged = configurations(rows, rest).values()
    return sorted(each for each in merged if len(configurations([rows[i] for i in each], blanket)) > 1)
