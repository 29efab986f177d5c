"""Many variables as circles: one for each group, and for what has few edges or none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ibmap.graph.layout.arranging import Places, one_thread, place_circles
from ibmap.graph.layout.groups import MANY, Weights, count_between, split_groups, weights_of
from ibmap.graph.layout.places import place

SMALL = 5  # a group of fewer variables that has no edge to another is drawn with others like it


@dataclass(frozen=True, eq=False)
class Overview:
    """Circles that hold every variable once."""

    circles: tuple[NDArray[np.intp], ...]  # the variables of each, the best connected one first
    kinds: tuple[str, ...]  # of each: "group", "parts" (small ones, joined to no other) or "alone"
    between: NDArray[np.int64]  # how many edges there are between two circles, in the diagonal within
    centres: Places  # of the circles, right and up
    radii: NDArray[np.float64]  # the area of a circle is its number of variables
    inside: Places  # where each variable is when its circle alone is drawn

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Which circle holds each variable; -1 for those without edges."""
        found = np.full(len(self.inside), -1)
        for number, members in enumerate(self.circles):
            if self.kinds[number] != "alone":
                found[members] = number
        return found

    def label(self, k: int, names: tuple[str, ...]) -> tuple[str, str]:
        """Name a circle by its best connected variable, and say how many more it holds."""
        n, kind = len(self.circles[k]), self.kinds[k]
        if kind == "group":
            return names[self.circles[k][0]], f"+ {n - 1:,}"
        return f"{n:,}", "in small parts" if kind == "parts" else "without edges"


def overview(adjacency: ArrayLike, weights: Weights | None = None) -> Overview:
    """Put variables into circles, and place these."""
    matrix = np.asarray(adjacency, bool)
    degree = matrix.sum(axis=1)
    groups = split_groups(matrix, weights)
    between = count_between(matrix, groups)
    outside = between.sum(axis=1) - between.diagonal()
    is_small = [len(each) < SMALL and n == 0 for each, n in zip(groups, outside.tolist(), strict=True)]
    large = [each for each, small in zip(groups, is_small, strict=True) if not small]
    parts = _gathered([each for each, small in zip(groups, is_small, strict=True) if small])
    alone = [np.flatnonzero(degree == 0)] if (degree == 0).any() else []
    circles = tuple(each[np.argsort(-degree[each], kind="stable")] for each in [*large, *parts, *alone])
    radii = np.sqrt([len(each) for each in circles])
    between = count_between(matrix, circles)
    kinds = ("group",) * len(large) + ("parts",) * len(parts) + ("alone",) * len(alone)
    with one_thread():
        centres = place_circles(between - np.diag(between.diagonal()), radii)
        return Overview(circles, kinds, between, centres, radii, _inside(matrix, weights, circles))


def _gathered(parts: list[NDArray[np.intp]]) -> list[NDArray[np.intp]]:
    """Put small parts together, at most 400 variables at a time."""
    found: list[list[NDArray[np.intp]]] = []
    room = 0
    for part in parts:
        if len(part) > room:
            found.append([])
            room = MANY
        found[-1].append(part)
        room -= len(part)
    return [np.concatenate(each) for each in found]


def _inside(
    matrix: NDArray[np.bool_], weights: Weights | None, circles: tuple[NDArray[np.intp], ...]
) -> Places:
    """Place the variables of every circle by themselves; of very many without edges the first ones."""
    points = np.zeros((len(matrix), 2))
    for circle in circles:
        own = circle[:MANY]
        shares = None if weights is None else weights_of(matrix, weights, own)
        points[own] = place(matrix[np.ix_(own, own)], weights=shares)
    return points
