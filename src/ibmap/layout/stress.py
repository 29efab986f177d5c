"""Places whose distances on paper are like the distances in the graph.

The *stress* of a drawing is the sum over all pairs of ``(|p_i - p_j| / d_ij - 1)^2``, where d is the length
of the shortest path. Majorisation lowers it step by step from the classical scaling of d; nothing is random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

N_STEPS = 300
SETTLED = 1e-6  # share of the stress gained by a step that ends the steps
APART = 1e-9  # keeps points that coincide from dividing by zero


def stress_places(adjacency: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Place the nodes of a connected graph.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (n, n)
        A connected graph.

    Returns
    -------
    ndarray of shape (n, 2)
        Places; an edge is about one long, longer where its ends have many other neighbours.

    Examples
    --------
    >>> np.ptp(stress_places(np.array([[False, True], [True, False]])), axis=0).round(3).tolist()
    [1.0, 0.0]
    """
    if len(adjacency) == 1:
        return np.zeros((1, 2))
    wanted = _path_lengths(adjacency)
    return upright(_majorised(_classical_scaling(wanted), wanted))


def upright(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn points so that they spread most from left to right, about the origin.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Places.

    Returns
    -------
    ndarray of shape (n, 2)
        The same shape, turned; the first point is on the left, and at the top.

    Examples
    --------
    >>> upright(np.array([[0.0, 0.0], [0.0, 2.0]])).round(3).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    centred = points - points.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    signs = np.where(turned[0] > APART, -1.0, 1.0)
    turned = turned * signs + 0.0
    return np.asarray(turned - (turned.max(axis=0) + turned.min(axis=0)) / 2)


def _path_lengths(adjacency: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Measure all shortest paths, an edge the longer the less its ends' neighbours are the same."""
    from scipy.sparse.csgraph import shortest_path

    degree = adjacency.sum(axis=1)
    shared = adjacency.astype(float) @ adjacency
    only_one = degree[:, None] + degree[None, :] - 2 * shared - 2
    lengths = np.where(adjacency, np.sqrt(1 + np.maximum(only_one, 0) / 6), 0.0)
    return np.asarray(shortest_path(lengths, directed=False))


def _classical_scaling(wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Place points by the two leading directions of the distances."""
    squares = wanted**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    vectors = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], APART))
    n = len(wanted)
    turn = 2 * np.pi * np.arange(n) / n  # a little circle, so that points of equal distances do not coincide
    points = np.zeros((n, 2))
    points[:, : vectors.shape[1]] = vectors[:, ::-1]
    return points + 0.02 * np.column_stack([np.cos(turn), np.sin(turn)])


def _majorised(points: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lower the stress until it settles."""
    off = ~np.eye(len(wanted), dtype=bool)
    weights = np.where(off, 1.0, 0.0) / np.where(off, wanted, 1.0) ** 2
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian, hermitian=True)
    before = np.inf
    for _ in range(N_STEPS):
        distances = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2)) + APART
        stress = float((weights * (distances - wanted) ** 2).sum())
        if before - stress < SETTLED * before and np.isfinite(before):
            break
        before = stress
        pull = np.where(off, weights * wanted / distances, 0.0)
        points = inverse @ ((np.diag(pull.sum(axis=1)) - pull) @ points)
    return points
