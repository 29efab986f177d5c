"""Junction trees: cliques of a triangulated graph, arranged so that messages can be passed.

Variables are eliminated one after another, the one whose neighbours need the
fewest new edges first (min-fill), ties by the smaller table, then the lower
number. A graph that needs no new edge is *decomposable* (chordal).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class JunctionTree:
    """Cliques in which parents come before children."""

    cliques: tuple[tuple[int, ...], ...]  # sorted sets of variables, none within another
    parents: tuple[int, ...]  # the number of each clique's parent; -1 for the first
    # what each clique shares with its parent, sorted; empty where parts of the graph are not connected
    separators: tuple[tuple[int, ...], ...]
    n_filled: int  # edges added to make the graph chordal
    n_cells: int  # cells of all cliques' tables
    largest: int  # cells of the largest table

    def home(self, variables: Iterable[int]) -> int:
        """Find the smallest clique that holds some variables."""
        wanted = set(variables)
        holders = [k for k, clique in enumerate(self.cliques) if wanted <= set(clique)]
        return min(holders, key=lambda k: (len(self.cliques[k]), k))

    @property
    def width(self) -> int:
        """The largest clique's number of variables, less one."""
        return max(map(len, self.cliques)) - 1


def junction_tree(
    adjacency: NDArray[np.bool_],
    cardinalities: Sequence[int],
    *,
    among: Iterable[int] | None = None,
    together: Sequence[int] = (),
    max_cells: float = math.inf,
) -> JunctionTree | None:
    """Triangulate a graph, some variables in one clique, and arrange it as a tree; None if too large."""
    members = range(len(adjacency)) if among is None else sorted(among)
    inside = _as_bits(members)
    neighbours = {v: _as_bits(np.flatnonzero(adjacency[v])) & inside for v in members}
    knot = _as_bits(together)
    for v in together:
        neighbours[v] |= knot & ~(1 << v)
    steps = _eliminate(neighbours, cardinalities, max_cells)
    if steps is None:
        return None
    order, rest, n_filled = steps
    return _arrange(order, rest, cardinalities, n_filled)


def _as_bits(members: Iterable[int]) -> int:
    """Represent a set of small numbers by the bits of an integer."""
    bits = 0
    for v in members:
        bits |= 1 << int(v)
    return bits


def _members(bits: int) -> list[int]:
    """List the numbers whose bits are set, in order."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


def _eliminate(
    neighbours: dict[int, int], cardinalities: Sequence[int], max_cells: float
) -> tuple[list[int], list[int], int] | None:
    """Eliminate all variables; return the order, the neighbours left of each, and the edges added."""
    costs = {v: _cost(v, neighbours, cardinalities) for v in neighbours}
    order, rest, n_filled = [], [], 0
    while costs:
        v = min(costs, key=lambda u: (costs[u], u))
        n_new, n_cells = costs.pop(v)
        if n_cells > max_cells:
            return None
        order.append(v)
        rest.append(neighbours[v])
        n_filled += n_new
        for u in _affected(v, neighbours, joined=n_new > 0):
            costs[u] = _cost(u, neighbours, cardinalities)
    return order, rest, n_filled


def _affected(v: int, neighbours: dict[int, int], *, joined: bool) -> list[int]:
    """Join the neighbours of a variable, take it out, and list whose cost may have changed."""
    around = _members(neighbours[v])
    for u in around:
        neighbours[u] = (neighbours[u] | neighbours[v]) & ~(1 << u) & ~(1 << v)
    touched = neighbours[v]
    if joined:
        for u in around:
            touched |= neighbours[u]
    return _members(touched)


def _cost(v: int, neighbours: dict[int, int], cardinalities: Sequence[int]) -> tuple[int, int]:
    """Count the edges that eliminating a variable adds, and the cells of its table."""
    around = neighbours[v]
    n_missing, n_cells = 0, int(cardinalities[v])
    for u in _members(around):
        n_missing += (around & ~neighbours[u]).bit_count() - 1
        n_cells *= int(cardinalities[u])
    return n_missing // 2, n_cells


def _arrange(
    order: Sequence[int], rest: Sequence[int], cardinalities: Sequence[int], n_filled: int
) -> JunctionTree:
    """Collect the maximal cliques from the last variable eliminated to the first."""
    place = {v: k for k, v in enumerate(order)}
    cliques: list[int] = []
    parents: list[int] = []
    separators: list[int] = []
    owner: dict[int, int] = {}
    for v, others in zip(reversed(order), reversed(rest), strict=True):
        first = min(_members(others), key=place.__getitem__, default=None)
        parent = (0 if cliques else -1) if first is None else owner[first]
        if first is not None and cliques[parent] == others:
            cliques[parent] |= 1 << v
        else:
            cliques.append(others | 1 << v)
            parents.append(parent)
            separators.append(others)
            parent = len(cliques) - 1
        owner[v] = parent
    if not cliques:
        cliques, parents, separators = [0], [-1], [0]
    sets = [tuple(_members(bits)) for bits in cliques]
    sizes = [math.prod(int(cardinalities[v]) for v in members) for members in sets]
    return JunctionTree(
        tuple(sets),
        tuple(parents),
        tuple(tuple(_members(bits)) for bits in separators),
        n_filled,
        sum(sizes),
        max(sizes),
    )
