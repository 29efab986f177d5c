"""Where to draw each variable: every connected part by itself, the parts side by side."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ibmap.graph.layout.arranging import (
    ASPECT,
    Places,
    connected_parts,
    in_rows,
    one_thread,
    place_circles,
    scaled,
    upright,
)
from ibmap.graph.layout.groups import MANY, Weights, block_order, count_between, split_groups, weights_of
from ibmap.options import as_choice

GAP = 0.8  # between two parts, in lengths of an edge
NEAREST = 0.62  # that two variables come
N_PUSHES = 60

MIDDLE = 0.3  # the weight of an edge whose weight is not known: its length is then as it is

PlacePart = Callable[[NDArray[np.bool_], Places], Places]


def place(adjacency: ArrayLike, layout: str = "stress", weights: Weights | None = None) -> Places:
    """Place every variable, right and up from the centre; an edge is one long, less with more weight.

    A connected part of over 400 variables is placed by groups, each by itself: what layouts do takes memory
    and time with the square of the variables.
    """
    as_choice(layout, "layout", tuple(LAYOUTS))
    matrix = np.asarray(adjacency, bool)
    if len(matrix) == 0:
        return np.zeros((0, 2))
    weights = np.broadcast_to(MIDDLE, matrix.shape) if weights is None else weights
    if layout == "circle":
        return _circle(matrix, weights)
    with one_thread() if len(matrix) > MANY else nullcontext():
        return _packed(matrix, weights, LAYOUTS[layout])


def _circle(adjacency: NDArray[np.bool_], weights: Weights) -> Places:
    """Put all on one circle, clockwise from the top, groups together."""
    n = len(adjacency)
    if n == 1:
        return np.zeros((1, 2))
    turn = np.pi / 2 - 2 * np.pi * np.arange(n) / n
    radius = max(1.0, n * NEAREST / (2 * np.pi))
    points = np.empty((n, 2))
    points[block_order(adjacency, weights)] = radius * np.column_stack([np.cos(turn), np.sin(turn)])
    return points


def _stress(adjacency: NDArray[np.bool_], weights: Places) -> Places:
    """Make distances on paper like path lengths (Kamada and Kawai); nothing is random."""
    import networkx as nx

    lengths = _edge_lengths(adjacency, weights)
    with np.errstate(divide="ignore", invalid="ignore"):  # of points that coincide
        found = nx.kamada_kawai_layout(nx.from_numpy_array(lengths))
    return upright(scaled(found, lengths))


def _spring(adjacency: NDArray[np.bool_], weights: Places) -> Places:
    """Let springs settle; the start is fixed."""
    import networkx as nx

    pull = np.where(adjacency, weights / MIDDLE, 0.0).clip(0, 2)
    graph, start = nx.from_numpy_array(pull), dict(enumerate(_stress(adjacency, weights)))
    found = nx.spring_layout(graph, pos=start, seed=0, iterations=200, method="force")
    return scaled(found, adjacency.astype(np.float64))


def _edge_lengths(adjacency: NDArray[np.bool_], weights: Places) -> NDArray[np.float64]:
    """Give each edge a length, the longer the less its ends' neighbours are the same, and its weight."""
    degree = adjacency.sum(axis=1)
    shared = adjacency.astype(np.float64) @ adjacency
    only_one = degree[:, None] + degree[None, :] - 2 * shared - 2
    return np.where(adjacency, np.sqrt(1 + np.maximum(only_one, 0) / 6) * (1.15 - weights / 2), 0.0)


def _packed(adjacency: NDArray[np.bool_], weights: Weights, place_part: PlacePart) -> Places:
    """Place the connected parts side by side in rows, the largest first, single variables last."""
    parts = connected_parts(adjacency)
    drawn = [_drawn(part, adjacency, weights, place_part) for part in parts if len(part) > 1]
    alone = [part[0] for part in parts if len(part) == 1]
    points = np.empty((len(adjacency), 2))
    sizes = [np.ptp(part, axis=0) + 2 * GAP for part in drawn]
    corners, width = in_rows(sizes)
    for part, own, corner, size in zip(parts, drawn, corners, sizes, strict=False):
        points[part] = corner + own - own.min(axis=0) + (size - np.ptp(own, axis=0)) / 2
    floor = float(min((corner[1] for corner in corners), default=0.0))
    if alone:
        points[alone] = _grid(len(alone), width, floor)
    return np.asarray(points - (points.max(axis=0) + points.min(axis=0)) / 2)


def _drawn(
    part: NDArray[np.intp], adjacency: NDArray[np.bool_], weights: Weights, place_part: PlacePart
) -> Places:
    """Place a connected part, by its groups if it is large."""
    own, shares = adjacency[np.ix_(part, part)], weights_of(adjacency, weights, part)
    if len(part) <= MANY:
        return _apart(place_part(own, np.asarray(shares)))
    groups = split_groups(own, shares)
    inside = [_packed(own[np.ix_(each, each)], weights_of(own, shares, each), place_part) for each in groups]
    radii = np.array([np.linalg.norm(each, axis=1).max() + GAP for each in inside])
    points = np.empty((len(part), 2))
    for each, at, centre in zip(
        groups, inside, place_circles(count_between(own, groups), radii), strict=True
    ):
        points[each] = centre + at
    return points


def _apart(points: Places) -> Places:
    """Push variables apart that are too near each other."""
    points = points.copy()
    n = len(points)
    for _ in range(N_PUSHES):
        steps = points[:, None] - points[None]
        distances = np.linalg.norm(steps, axis=2) + np.eye(n)
        missing = np.where(distances < NEAREST, NEAREST - distances, 0.0) * (1 - np.eye(n))
        if missing.max() < 1e-3:
            break
        turn = np.arange(n)[:, None] - np.arange(n)[None]
        steps += (distances < 1e-6)[:, :, None] * np.stack([np.sin(turn), np.sign(turn)], axis=2)
        lengths = np.maximum(np.linalg.norm(steps, axis=2), 1e-6)
        points += 0.5 * (steps * (missing / lengths)[:, :, None]).sum(axis=1)
    return points


def _grid(n_points: int, width: float, top: float) -> Places:
    """Set single variables in rows below the rest."""
    columns = max(int(width / (2.2)), math.ceil(math.sqrt(n_points * ASPECT / 2)), 1)
    columns = min(columns, n_points)
    step = max(width / columns, 2.2)
    row, column = np.divmod(np.arange(n_points), columns)
    in_row = np.minimum(n_points - row * columns, columns)
    across = (column - (in_row - 1) / 2) * step + max(width, columns * step) / 2
    return np.column_stack([across, top - (row + 0.1)])


LAYOUTS: dict[str, PlacePart] = {
    "stress": _stress,
    "circle": _circle,
    "spring": _spring,
}
