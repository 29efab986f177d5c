"""The terms of a variable for every change of its blanket, test by test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oracles import naive


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
