"""Which variables belong together, and an order of all that shows it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

ALONE = "#9aa3ad"  # the colour of variables without edges
PALETTE = (
    "#4477aa", "#cc6677", "#228833", "#d9a521", "#8e6bbf",
    "#3ba7a0", "#b55d2e", "#c26ba8", "#7a8b3a", "#5c7cfa",
)  # fmt: skip


def group_colour(group: int) -> str:
    """Give the colour of a group, one that shows on light and on dark paper."""
    return ALONE if group < 0 else PALETTE[group % len(PALETTE)]


def find_groups(adjacency: ArrayLike, weights: NDArray[np.float64] | None = None) -> NDArray[np.int64]:
    """Number groups with much weight inside and little between (Louvain), the largest first; -1 alone."""
    import networkx as nx

    matrix = np.asarray(adjacency, bool)
    x, y = np.nonzero(matrix)  # a matrix of floats would take gigabytes where there are many variables
    own = np.ones(len(x)) if weights is None else np.maximum(weights[x, y], 1e-6)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(matrix)))
    graph.add_weighted_edges_from(zip(x.tolist(), y.tolist(), own.tolist(), strict=True))
    found = nx.community.louvain_communities(graph, seed=0) if len(x) else []
    together = sorted((sorted(part) for part in found if len(part) > 1), key=lambda part: (-len(part), part))
    groups = np.full(len(matrix), -1, np.int64)
    for number, members in enumerate(together):
        groups[members] = number
    return groups


def block_order(adjacency: ArrayLike, weights: NDArray[np.float64] | None = None) -> NDArray[np.int64]:
    """Order the variables so that groups, and within them neighbours, come together."""
    matrix = np.asarray(adjacency, bool)
    groups = find_groups(matrix, weights)
    joined = np.flatnonzero(groups >= 0)
    alone = np.flatnonzero(groups < 0)
    if len(joined) < 3:
        return np.concatenate([joined, alone])
    return np.concatenate([joined[_leaves(matrix[np.ix_(joined, joined)], groups[joined])], alone])


def _leaves(matrix: NDArray[np.bool_], groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order by a tree of merged variables, those of a group merged before others."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.sparse.csgraph import shortest_path
    from scipy.spatial.distance import squareform

    n = len(matrix)
    distances = np.minimum(shortest_path(matrix, directed=False, unweighted=True), n)
    distances = distances + 2 * n * (groups[:, None] != groups[None])
    tree = linkage(squareform(distances, checks=False), "average", optimal_ordering=True)
    order = leaves_list(tree)
    forward = int(groups[order[0]]) <= int(groups[order[-1]])
    return np.asarray(order if forward else order[::-1], np.int64)
