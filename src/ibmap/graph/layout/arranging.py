"""What layouts share: connected parts, boxes in rows, circles that do not overlap."""

from __future__ import annotations

from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

ASPECT = 1.4  # width of a drawing over its height
MANY_BOXES = 400  # up to which every width of the rows is tried
N_PUSHES = 400  # of circles
ROOM = 1.12  # between two circles, in their radii
FILLED = 0.4  # of a drawing of circles before they are pushed apart
MOST_STRETCHED = 3.0  # what is wide is drawn higher by

Places = NDArray[np.float64]


def one_thread() -> AbstractContextManager[object]:
    """Hold linear algebra at one thread: for parts this small, several mostly wait for each other."""
    import scipy.optimize  # noqa: F401  # what is loaded later would not be held
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=1, user_api="blas")  # type: ignore[no-any-return]


def connected_parts(adjacency: NDArray[np.bool_]) -> list[NDArray[np.intp]]:
    """List the connected parts, the largest first, then by their first variable."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    x, y = np.nonzero(adjacency)
    joined = csr_array((np.ones(len(x)), (x, y)), shape=adjacency.shape)
    _, label = connected_components(joined, directed=False)
    ends = np.cumsum(np.bincount(label))[:-1]
    parts = np.split(np.argsort(label, kind="stable"), ends)
    return sorted(parts, key=lambda part: (-len(part), int(part[0])))


def scaled(found: dict[int, Places], lengths: NDArray[np.float64]) -> Places:
    """Scale places so that the median edge is as long as it should be."""
    points = np.array([found[k] for k in range(len(lengths))])
    x, y = np.nonzero(lengths)
    drawn = np.linalg.norm(points[x] - points[y], axis=1)
    return np.asarray(points * (np.median(lengths[x, y]) / np.median(drawn)))


def upright(points: Places) -> Places:
    """Turn points so that they spread most from left to right, the first one to the left and top."""
    centred = points - points.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    return np.asarray(turned * np.where(turned[0] > 1e-9, -1.0, 1.0))


def in_rows(sizes: list[NDArray[np.float64]]) -> tuple[list[NDArray[np.float64]], float]:
    """Set boxes in rows, as wide as makes the drawing largest; give their corners and the width."""
    if not sizes:
        return [], 0.0
    wide = np.cumsum([size[0] for size in sizes]) + 1e-9
    least = max(float(size[0]) for size in sizes)
    tried = [_set_in_rows(sizes, max(float(width), least)) for width in wide[:: 1 + len(wide) // MANY_BOXES]]
    return min(tried, key=lambda found: max(found[1] / ASPECT, -min(corner[1] for corner in found[0])))


def _set_in_rows(sizes: list[NDArray[np.float64]], width: float) -> tuple[list[NDArray[np.float64]], float]:
    """Set boxes in rows that are at most so wide."""
    corners: list[NDArray[np.float64]] = []
    left = top = height = reached = 0.0
    for w, h in sizes:
        if left + w > width:
            left, top, height = 0.0, top - height, 0.0
        corners.append(np.array([left, top - h]))
        left, height = left + float(w), max(height, float(h))
        reached = max(reached, left)
    return corners, reached


def place_circles(between: NDArray[np.int64], radii: NDArray[np.float64]) -> Places:
    """Place circles that do not overlap, near each other if there is much between them (a count)."""
    parts = connected_parts(between > 0)
    drawn = [_stressed(between[np.ix_(part, part)], radii[part]) for part in parts]
    low = [(own - radii[part][:, None]).min(axis=0) for part, own in zip(parts, drawn, strict=True)]
    high = [(own + radii[part][:, None]).max(axis=0) for part, own in zip(parts, drawn, strict=True)]
    room = (ROOM - 1) * 2 * radii.mean()
    corners, _ = in_rows([above - below + room for below, above in zip(low, high, strict=True)])
    points = np.empty((len(radii), 2))
    for part, own, below, corner in zip(parts, drawn, low, corners, strict=True):
        points[part] = own - below + corner + room / 2
    return points


def _stressed(between: NDArray[np.int64], radii: NDArray[np.float64]) -> Places:
    """Place circles of one connected part by path lengths, then push them apart."""
    import networkx as nx

    if len(radii) == 1:
        return np.zeros((1, 2))
    apart = (radii[:, None] + radii[None]) * ROOM
    lengths = np.where(between > 0, apart * (1 + 1 / np.maximum(between, 1)), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = nx.kamada_kawai_layout(nx.from_numpy_array(lengths))
    points = upright(np.array([found[k] for k in range(len(radii))]))
    return _pushed(_filling(points, radii), apart)


def _filling(points: Places, radii: NDArray[np.float64]) -> Places:
    """Stretch and scale places so that circles fill a good part of a drawing of the usual shape."""
    width, height = np.ptp(points, axis=0) + 1e-9
    points = points * [1.0, min(max(width / height / ASPECT, 1.0), MOST_STRETCHED)]
    area = float(np.prod(np.ptp(points, axis=0) + 1e-9))
    return np.asarray(points * np.sqrt(np.pi * (radii**2).sum() / FILLED / max(area, 1e-6)))


def _pushed(points: Places, apart: NDArray[np.float64]) -> Places:
    """Push circles apart; what is left is mended by drawing everything larger."""
    n = len(points)
    others = 1 - np.eye(n)
    turn = np.arange(n)[:, None] - np.arange(n)[None]
    for _ in range(N_PUSHES):
        steps = points[:, None] - points[None]
        steps += (np.abs(steps).max(axis=2) < 1e-6)[:, :, None] * np.stack([np.sin(turn), np.sign(turn)], 2)
        distances = np.linalg.norm(steps, axis=2) + np.eye(n)
        missing = np.maximum(apart - distances, 0.0) * others
        if missing.max() < 1e-3 * apart.min():
            break
        points = points + 0.3 * (steps * (missing / distances)[:, :, None]).sum(axis=1)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(n) * apart
    return np.asarray(points * max(1.0, float((apart / np.maximum(distances, 1e-6)).max())))
