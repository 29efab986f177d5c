"""Replay a climb: every variable and blanket whose changes it looked at."""

from __future__ import annotations

from typing import Any

import numpy as np

Look = tuple[int, tuple[int, ...]]


def looks_of(fitted: Any) -> list[Look]:
    """List the looks of a climb, first those at the start, then two for each flip."""
    adjacency = fitted.adjacency_.copy()
    for flip in reversed(fitted.result_.trace):
        toggle(adjacency, flip.x, flip.y)
    looks = [look(adjacency, x) for x in range(len(adjacency))]
    for flip in fitted.result_.trace:
        toggle(adjacency, flip.x, flip.y)
        looks += [look(adjacency, flip.x), look(adjacency, flip.y)]
    return looks


def toggle(adjacency: np.ndarray, x: int, y: int) -> None:
    adjacency[x, y] = adjacency[y, x] = not adjacency[x, y]


def look(adjacency: np.ndarray, x: int) -> Look:
    return x, tuple(np.flatnonzero(adjacency[x]).tolist())
