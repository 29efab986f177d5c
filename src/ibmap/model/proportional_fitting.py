"""Maximum likelihood by iterative proportional fitting on a junction tree.

A factor is multiplied by the wanted margin over its present one; walking the
tree depth first and passing a message at every step keeps each clique's table
up to date when it is visited, so a sweep over all factors costs one pass over
the tree (Jirousek and Preucil, 1995). Cells whose wanted margin is zero become
impossible, which is where maximum likelihood puts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ibmap.model.potentials import Factor, Floats, broadcast_over
from ibmap.model.triangulation import JunctionTree

TOLERANCE = 1e-10  # of the margins, in probability
MAX_SWEEPS = 2000


@dataclass(frozen=True)
class Fitted:
    """Factors, and how they were found."""

    factors: tuple[Factor, ...]
    converged: bool
    n_iterations: int  # sweeps or steps


def fit_margins(
    tree: JunctionTree,
    cardinalities: Sequence[int],
    scopes: Sequence[tuple[int, ...]],
    margins: Sequence[Floats],
    *,
    max_sweeps: int = MAX_SWEEPS,
    tolerance: float = TOLERANCE,
) -> Fitted:
    """Find the factors over sets of variables with these margins, which agree where sets overlap."""
    work = _Work(tree, cardinalities, scopes, margins)
    error, n_sweeps = np.inf, 0
    while error > tolerance and n_sweeps < max_sweeps:
        error = work.sweep()
        n_sweeps += 1
    factors = tuple(Factor(scope, logs) for scope, logs in zip(scopes, work.log_potentials, strict=True))
    return Fitted(factors, error <= tolerance, n_sweeps)


class _Work:
    """The tables of a run: beliefs of cliques and separators, potentials so far."""

    def __init__(
        self,
        tree: JunctionTree,
        cardinalities: Sequence[int],
        scopes: Sequence[tuple[int, ...]],
        margins: Sequence[Floats],
    ) -> None:
        self.tree, self.scopes, self.margins = tree, scopes, margins
        self.beliefs = [_uniform(clique, cardinalities) for clique in tree.cliques]
        self.separators = [_uniform(shared, cardinalities) for shared in tree.separators]
        self.log_potentials = [np.zeros_like(wanted) for wanted in margins]
        self.members: list[list[int]] = [[] for _ in tree.cliques]
        for k, scope in enumerate(scopes):
            self.members[tree.home(scope)].append(k)
        self.walk = list(_walk(tree))

    def sweep(self) -> float:
        """Fit every factor once; return the largest error found on the way."""
        worst = self._fit(0)
        for source, target, is_new in self.walk:
            self._tell(source, target)
            if is_new:
                worst = max(worst, self._fit(target))
        return worst

    def _fit(self, clique: int) -> float:
        """Give the factors of a clique their margins, one after another."""
        scope, worst = self.tree.cliques[clique], 0.0
        for k in self.members[clique]:
            axes = tuple(axis for axis, v in enumerate(scope) if v not in self.scopes[k])
            present = self.beliefs[clique].sum(axis=axes)
            worst = max(worst, float(np.abs(present - self.margins[k]).max()))
            ratio = np.divide(self.margins[k], present, out=np.zeros_like(present), where=present > 0)
            with np.errstate(divide="ignore"):
                self.log_potentials[k] += np.log(ratio)
            self.beliefs[clique] *= broadcast_over(ratio, self.scopes[k], scope)
        return worst

    def _tell(self, source: int, target: int) -> None:
        """Bring a neighbour in the tree up to date."""
        edge = max(source, target)  # a separator has the number of the child, which comes after its parent
        shared, scope = self.tree.separators[edge], self.tree.cliques[source]
        axes = tuple(axis for axis, v in enumerate(scope) if v not in shared)
        news = self.beliefs[source].sum(axis=axes)
        old = self.separators[edge]
        ratio = np.divide(news, old, out=np.zeros_like(news), where=old > 0)
        self.beliefs[target] *= broadcast_over(ratio, shared, self.tree.cliques[target])
        self.separators[edge] = news


def _uniform(scope: Sequence[int], cardinalities: Sequence[int]) -> Floats:
    """Give every joint state the same probability."""
    table = np.ones([int(cardinalities[v]) for v in scope])
    return table / table.size


def _walk(tree: JunctionTree) -> Iterator[tuple[int, int, bool]]:
    """List the steps of a walk depth first and back to the root: from, to, and whether that is new."""
    children: list[list[int]] = [[] for _ in tree.cliques]
    for k in range(1, len(tree.cliques)):
        children[tree.parents[k]].append(k)
    path = [(0, iter(children[0]))]
    while path:
        here, unvisited = path[-1]
        child = next(unvisited, None)
        if child is not None:
            yield here, child, True
            path.append((child, iter(children[child])))
        else:
            path.pop()
            if path:
                yield here, path[-1][0], False
