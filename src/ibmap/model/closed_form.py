"""Maximum likelihood in closed form, for decomposable graphs.

On a junction tree Pr(x) is the product over the cliques of Pr(C) / Pr(S),
S the separator, and the most likely margins are those of the data. A prior of
strength s adds s data points spread evenly over all configurations: each cell
of a margin gets s divided by its number of cells, so that margins of margins
agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ibmap.data.table import EncodedTable
from ibmap.model.potentials import Factor, Floats
from ibmap.model.triangulation import JunctionTree


def margin(table: EncodedTable, variables: Sequence[int], prior_strength: float = 0.0) -> Floats:
    """Give the smoothed proportions of the joint states of some variables."""
    shape = [int(table.cardinalities[v]) for v in variables]
    cells = np.zeros(table.n_rows, np.int64)
    for v, n_states in zip(variables, shape, strict=True):
        cells = cells * n_states + table.codes[:, v]
    n_cells = math.prod(shape)
    counts = np.bincount(cells, table.weights, minlength=n_cells).astype(np.float64)
    shares: Floats = (counts + prior_strength / n_cells) / (table.n_samples + prior_strength)
    return shares.reshape(shape)


def decomposable_factors(table: EncodedTable, tree: JunctionTree, prior_strength: float) -> list[Factor]:
    """Give the log-probability of each clique's own variables given its separator; Z is 1."""
    factors = []
    for clique, separator in zip(tree.cliques, tree.separators, strict=True):
        joint = margin(table, clique, prior_strength)
        axes = tuple(k for k, v in enumerate(clique) if v not in separator)
        shared = joint.sum(axis=axes, keepdims=True)
        with np.errstate(divide="ignore"):
            logs = np.log(joint) - np.log(np.where(shared > 0, shared, 1.0))
        factors.append(Factor(clique, logs))
    return factors
