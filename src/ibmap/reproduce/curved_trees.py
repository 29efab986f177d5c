"""Tables in which every variable follows from one other, by relations that rise, or that bend.

Pairwise mixed networks know straight relations alone; these are for the others. A number is a function of its
parent plus normal noise; a category has log-odds that such a function moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.graph import MarkovGraph

Values = NDArray[Any]
Curve = Callable[[Values], Values]
CURVES: dict[str, tuple[Curve, ...]] = {
    "rising": (
        lambda t: 2 * np.tanh(2 * t),
        lambda t: 2.0 * (t > 0.5),
        lambda t: np.exp(np.clip(t, -4, 1.5)) / 1.5,
    ),
    "bent": (
        lambda t: 1.2 * (t**2 - 1),
        lambda t: 2.5 * (np.abs(t) - 0.8),
        lambda t: 1.5 * np.sin(3 * t),
    ),
}
CURVES["straight or bent"] = (lambda t: 0.8 * t, lambda t: -0.8 * t, lambda t: 1.2 * t, *CURVES["bent"])
STATES = np.array([-0.9, 0.9, 0.0])  # what a parent's states add
SLOPE = 1.5  # of log-odds, for each unit


def draw_tree(
    kind: str, n_states: Sequence[int], n_rows: int, rng: np.random.Generator
) -> tuple[Values, MarkovGraph]:
    """Draw a random tree and rows of it; 0 states are a number, else two or three."""
    rows, edges = np.empty((n_rows, len(n_states))), []
    for v, size in enumerate(n_states):
        effect = np.zeros(n_rows)
        if v:
            parent = int(rng.integers(v))
            edges.append((parent, v))
            effect = _effect(rows[:, parent], n_states[parent] > 0, CURVES[kind], rng)
        rows[:, v] = _states(effect, size, rng) if size else effect + rng.normal(size=n_rows)
    return rows, MarkovGraph.from_edges(len(n_states), edges)


def _effect(parent: Values, is_category: bool, curves: Sequence[Curve], rng: np.random.Generator) -> Values:
    """Give what a parent adds to its child."""
    if is_category:
        return np.asarray(STATES[parent.astype(int)])
    curve = curves[int(rng.integers(len(curves)))]
    return curve((parent - parent.mean()) / parent.std())


def _states(effect: Values, size: int, rng: np.random.Generator) -> Values:
    """Draw states whose log-odds an effect moves: up for the second, down for the first of three."""
    logits = SLOPE * np.stack([-(size - 2) * effect, effect, 0 * effect], axis=1)[:, :size]
    chances = np.exp(logits)
    chances /= chances.sum(axis=1, keepdims=True)
    above = rng.random(len(effect))[:, None] > chances.cumsum(axis=1)[:, :-1]
    return np.asarray(above.sum(axis=1))
