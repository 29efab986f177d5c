"""Which variables belong together, and an order of all that shows it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

MANY = 400  # variables up to which all are placed, drawn and named together; beyond that, by groups
ALONE = "#9aa3ad"  # the colour of variables without edges
PALETTE = (
    "#4477aa", "#cc6677", "#228833", "#d9a521", "#8e6bbf",
    "#3ba7a0", "#b55d2e", "#c26ba8", "#7a8b3a", "#5c7cfa",
)  # fmt: skip

# The weight of every pair, or, where there are many variables, of the pairs that have one.
Weights = NDArray[np.float64] | Mapping[tuple[int, int], float]


def group_colour(group: int) -> str:
    """Give the colour of a group, one that shows on light and on dark paper."""
    return ALONE if group < 0 else PALETTE[group % len(PALETTE)]


def find_groups(adjacency: ArrayLike, weights: Weights | None = None) -> NDArray[np.int64]:
    """Number groups with much weight inside and little between (Louvain), the largest first; -1 alone."""
    import networkx as nx

    matrix = np.asarray(adjacency, bool)
    x, y = np.nonzero(matrix)  # a matrix of floats would take gigabytes where there are many variables
    own = np.ones(len(x)) if weights is None else np.maximum(_entries(weights, x, y), 1e-6)
    graph = nx.Graph()
    graph.add_nodes_from(range(len(matrix)))
    graph.add_weighted_edges_from(zip(x.tolist(), y.tolist(), own.tolist(), strict=True))
    found = nx.community.louvain_communities(graph, seed=0) if len(x) else []
    together = sorted((sorted(part) for part in found if len(part) > 1), key=lambda part: (-len(part), part))
    groups = np.full(len(matrix), -1, np.int64)
    for number, members in enumerate(together):
        groups[members] = number
    return groups


def block_order(adjacency: ArrayLike, weights: Weights | None = None) -> NDArray[np.int64]:
    """Order the variables so that groups, and within them neighbours, come together."""
    matrix = np.asarray(adjacency, bool)
    groups = find_groups(matrix, weights)
    joined = np.flatnonzero(groups >= 0)
    alone = np.flatnonzero(groups < 0)
    if len(joined) < 3:
        return np.concatenate([joined, alone])
    if len(joined) > MANY:
        pieces = split_groups(matrix, weights)
        ordered = [
            piece[_leaves(matrix[np.ix_(piece, piece)], np.zeros(len(piece), np.int64))] for piece in pieces
        ]
        return np.concatenate([*ordered, alone])
    return np.concatenate([joined[_leaves(matrix[np.ix_(joined, joined)], groups[joined])], alone])


def split_groups(adjacency: ArrayLike, weights: Weights | None = None) -> list[NDArray[np.intp]]:
    """List groups of at most 400 variables, larger ones split again; without those that have no edges."""
    matrix = np.asarray(adjacency, bool)
    groups = find_groups(matrix, weights)
    order = np.argsort(groups, kind="stable")[np.count_nonzero(groups < 0) :]
    members = np.split(order, np.cumsum(np.bincount(groups[order]))[:-1]) if len(order) else []
    return [piece for each in members for piece in _pieces(matrix, weights, each)]


def _pieces(
    matrix: NDArray[np.bool_], weights: Weights | None, members: NDArray[np.intp]
) -> list[NDArray[np.intp]]:
    """Split a group that is too large: by groups inside, or, if there are none, into pieces of neighbours."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    if len(members) <= MANY:
        return [members]
    own = matrix[np.ix_(members, members)]
    shares = None if weights is None else weights_of(matrix, weights, members)
    inside = find_groups(own, shares)
    if inside.min() == 0 < inside.max():
        return [members[piece] for piece in split_groups(own, shares)]
    order = reverse_cuthill_mckee(csr_array(own), symmetric_mode=True)
    return [np.sort(piece) for piece in np.array_split(members[order], math.ceil(len(members) / MANY))]


def weights_of(adjacency: NDArray[np.bool_], weights: Weights, members: NDArray[np.intp]) -> Weights:
    """Give the weights among some variables: all, or, where there are many, those of edges."""
    if not isinstance(weights, Mapping) and len(members) <= MANY:
        return weights[np.ix_(members, members)]
    x, y = np.nonzero(adjacency[np.ix_(members, members)])
    known = _entries(weights, members[x], members[y])
    if len(members) > MANY:
        return dict(zip(zip(x.tolist(), y.tolist(), strict=True), known.tolist(), strict=True))
    own = np.zeros((len(members), len(members)))
    own[x, y] = known
    return own


def _entries(
    weights: Weights, x: NDArray[np.integer[Any]], y: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """Give the weights of some pairs."""
    if not isinstance(weights, Mapping):
        return np.asarray(weights[x, y])
    pairs = zip(np.minimum(x, y).tolist(), np.maximum(x, y).tolist(), strict=True)
    return np.array([weights.get(pair, 0.0) for pair in pairs])


def count_between(adjacency: NDArray[np.bool_], groups: Sequence[NDArray[np.intp]]) -> NDArray[np.int64]:
    """Count the edges between any two groups, and in the diagonal those within."""
    label = np.full(len(adjacency), -1)
    for number, members in enumerate(groups):
        label[members] = number
    x, y = np.nonzero(adjacency)
    known = (label[x] >= 0) & (label[y] >= 0)
    counts = np.zeros((len(groups), len(groups)), np.int64)
    np.add.at(counts, (label[x][known], label[y][known]), 1)
    np.fill_diagonal(counts, counts.diagonal() // 2)
    return counts


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
