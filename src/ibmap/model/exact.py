"""Exact answers about a network, as long as its junction tree is small enough.

The package's own engine, so that small and sparse networks need nothing but
NumPy; pyAgrum, where installed, is what the tests compare it with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import CODE_DTYPE
from ibmap.errors import ImpossibleEvidenceError, TooLargeError
from ibmap.model.beliefs import NO_EVIDENCE, Beliefs, Evidence, collect, log_max, log_sum, reduced
from ibmap.model.potentials import Codes, Floats, Potentials
from ibmap.model.triangulation import JunctionTree, junction_tree

MAX_CELLS = 2**20  # of the largest table: 8 MB, a few hundredths of a second a pass
MAX_ALL_CELLS = 2**22  # of all tables together
BATCH_CELLS = 2**20  # rows of evidence share a pass as long as their tables together have so many
MAX_TREES = 64  # junction trees remembered
NOTHING = (
    "the potentials of this network rule out every configuration together, so there is nothing to draw or to "
    "tell. A network fitted with prior_strength above 0 holds nothing impossible"
)


class Exact:
    """Exact answers about a network."""

    def __init__(self, potentials: Potentials) -> None:
        self.potentials = potentials
        self._trees: dict[Any, JunctionTree | None] = {}

    def tree(self, observed: Sequence[int] = (), together: Sequence[int] = ()) -> JunctionTree | None:
        """Find a junction tree over the variables not observed; None if its tables are too large."""
        among = self._relevant(observed, together)
        key = (among, tuple(sorted(together)))
        if key not in self._trees:
            if len(self._trees) >= MAX_TREES:
                self._trees.clear()
            found = junction_tree(
                self.potentials.adjacency,
                self.potentials.cardinalities,
                among=among,
                together=together,
                max_cells=MAX_CELLS,
            )
            self._trees[key] = found if found is not None and found.n_cells <= MAX_ALL_CELLS else None
        return self._trees[key]

    def log_partition(self, evidence: Evidence = NO_EVIDENCE) -> Floats:
        """Give the log of the sum over all configurations that agree with each row of evidence."""
        tree = self._feasible_tree(evidence.variables)
        parts = [collect(self.potentials, tree, part).log_partition for part in _batches(evidence, tree)]
        return np.concatenate([np.zeros(0), *parts])

    def marginals(self, of: Sequence[int], evidence: Evidence = NO_EVIDENCE) -> Floats:
        """Give log-probabilities of the joint states of variables for each row; -inf if it is impossible."""
        tree = self._feasible_tree(evidence.variables, of)
        parts = [self._marginal(of, tree, part) for part in _batches(evidence, tree)]
        shape = [self.potentials.cardinalities[v] for v in of]
        return np.concatenate([np.zeros((0, *shape)), *parts])

    def most_probable(self, evidence: Evidence) -> NDArray[np.uint16]:
        """Complete each row of evidence by the most probable states of all other variables."""
        tree = self._feasible_tree(evidence.variables)
        parts = [self._completed(tree, part) for part in _batches(evidence, tree)]
        return np.concatenate([np.zeros((0, self.potentials.n_variables), CODE_DTYPE), *parts])

    def sample(self, n_samples: int, rng: np.random.Generator) -> NDArray[np.uint16]:
        """Draw independent rows."""
        tree = self._feasible_tree()
        beliefs = collect(self.potentials, tree)
        if np.isneginf(beliefs.log_partition).any():
            raise ImpossibleEvidenceError(NOTHING)
        uniform = rng.random((n_samples, len(tree.cliques)))
        codes = np.zeros((n_samples, self.potentials.n_variables), CODE_DTYPE)
        for k, shared in enumerate(tree.separators):
            rest, table = self._conditional(beliefs, k)
            cells = _draw(table[0], self._cell(codes, shared), uniform[:, k])
            self._write(codes, rest, cells)
        return codes

    def _relevant(self, observed: Sequence[int], together: Sequence[int]) -> tuple[int, ...]:
        """List the variables not observed that bear on the question."""
        free = set(range(self.potentials.n_variables)) - set(observed)
        if not together or not self.potentials.is_positive:
            return tuple(sorted(free))
        reached, frontier = set(together), list(together)
        while frontier:
            around = np.flatnonzero(self.potentials.adjacency[frontier].any(axis=0)).tolist()
            frontier = [v for v in around if v in free and v not in reached]
            reached.update(frontier)
        return tuple(sorted(reached))

    def _feasible_tree(self, observed: Sequence[int] = (), together: Sequence[int] = ()) -> JunctionTree:
        """Find a junction tree, or refuse."""
        tree = self.tree(observed, together)
        if tree is None:
            msg = (
                f"exact inference over these {self.potentials.n_variables - len(observed)} variables needs a "
                f"table of more than {MAX_CELLS} cells, or {MAX_ALL_CELLS} in all: the graph is too dense. "
                "Observe more variables, or take an estimate (method='gibbs')"
            )
            raise TooLargeError(msg)
        return tree

    def _marginal(self, of: Sequence[int], tree: JunctionTree, evidence: Evidence) -> Floats:
        """Give the distribution of variables that are together in a clique."""
        relevant = self._about(tree, evidence)
        beliefs = collect(relevant, tree, evidence)
        home = tree.home(of)
        tables = beliefs.calibrated() if home else beliefs.tables
        kept = sorted(of)
        joint = reduced(tables[home], tree.cliques[home], kept, log_sum)
        joint = joint.transpose([0, *(kept.index(v) + 1 for v in of)])
        joint = np.broadcast_to(joint, (len(evidence.codes), *joint.shape[1:]))
        total = log_sum(joint, tuple(range(1, joint.ndim)))
        total = np.where(np.isneginf(total), 0.0, total)
        return np.asarray(joint - total.reshape([-1] + [1] * len(of)))

    def _about(self, tree: JunctionTree, evidence: Evidence) -> Potentials:
        """Leave out factors over variables that are neither in the tree nor observed."""
        known = {v for clique in tree.cliques for v in clique}.union(evidence.variables)
        if len(known) == self.potentials.n_variables:
            return self.potentials
        factors = tuple(f for f in self.potentials.factors if known.issuperset(f.variables))
        return Potentials(self.potentials.cardinalities, factors)

    def _completed(self, tree: JunctionTree, evidence: Evidence) -> NDArray[np.uint16]:
        """Follow the largest entries from the root to the leaves."""
        beliefs = collect(self.potentials, tree, evidence, log_max)
        n_rows = len(evidence.codes)
        codes = np.zeros((n_rows, self.potentials.n_variables), CODE_DTYPE)
        codes[:, list(evidence.variables)] = evidence.codes
        for k, shared in enumerate(tree.separators):
            rest, table = self._conditional(beliefs, k)
            rows = np.broadcast_to(table, (n_rows, *table.shape[1:]))
            best = rows[np.arange(n_rows), self._cell(codes, shared)].argmax(axis=1)
            self._write(codes, rest, best)
        return codes

    def _conditional(self, beliefs: Beliefs, k: int) -> tuple[list[int], Floats]:
        """Shape a clique's table as rows of evidence, states of the separator, states of the rest."""
        clique, shared = beliefs.tree.cliques[k], beliefs.tree.separators[k]
        rest = [v for v in clique if v not in shared]
        axes = [0, *(clique.index(v) + 1 for v in shared), *(clique.index(v) + 1 for v in rest)]
        table = beliefs.tables[k].transpose(axes)
        n_shared = int(np.prod([self.potentials.cardinalities[v] for v in shared], dtype=np.int64))
        return rest, table.reshape(len(table), n_shared, -1)

    def _cell(self, codes: Codes, variables: Sequence[int]) -> NDArray[np.int64]:
        """Number the joint state of some variables in each row."""
        cell = np.zeros(len(codes), np.int64)
        for v in variables:
            cell = cell * self.potentials.cardinalities[v] + codes[:, v]
        return cell

    def _write(self, codes: Codes, variables: Sequence[int], cells: NDArray[np.int64]) -> None:
        """Undo `_cell`."""
        for v in reversed(variables):
            cells, codes[:, v] = np.divmod(cells, self.potentials.cardinalities[v])


def _batches(evidence: Evidence, tree: JunctionTree) -> Iterator[Evidence]:
    """Cut rows of evidence into parts whose tables fit in memory."""
    size = max(1, BATCH_CELLS // tree.largest)
    for start in range(0, len(evidence.codes), size):
        yield Evidence(evidence.variables, evidence.codes[start : start + size])


def _draw(table: Floats, groups: NDArray[np.int64], uniform: Floats) -> NDArray[np.int64]:
    """Draw a cell for each row from the log-weights of its group."""
    cells = np.zeros(len(groups), np.int64)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        sums = np.cumsum(np.exp(table[group] - table[group].max()))
        cells[rows] = np.searchsorted(sums, uniform[rows] * sums[-1], side="right")
    return cells
