"""Maximum likelihood in closed form, for decomposable graphs.

Along a junction tree Pr(x) is the product over the cliques of Pr(C) / Pr(S),
S the separator, and the most likely margins are those of the data. A prior of
strength s adds s data points spread evenly over all configurations: each cell
of a margin gets s divided by its number of cells, so that margins of margins
agree.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ibmap.model.potentials import Factor, Floats
from ibmap.model.triangulation import JunctionTree
from ibmap.table import EncodedTable


def margin(table: EncodedTable, variables: Sequence[int], prior_strength: float = 0.0) -> Floats:
    """Give the smoothed proportions of the joint states of some variables.

    Parameters
    ----------
    table : EncodedTable
        The data.
    variables : sequence of int
        Columns.
    prior_strength : float
        Data points spread evenly over the cells.

    Returns
    -------
    ndarray
        One axis a variable; the sum is 1.

    Examples
    --------
    >>> table = EncodedTable.from_codes([[0, 0], [1, 1], [1, 1]])
    >>> margin(table, [1], prior_strength=1)
    array([0.375, 0.625])
    """
    shape = [int(table.cardinalities[v]) for v in variables]
    cells = np.zeros(table.n_rows, np.int64)
    for v, n_states in zip(variables, shape, strict=True):
        cells = cells * n_states + table.codes[:, v]
    n_cells = math.prod(shape)
    counts = np.bincount(cells, table.weights, minlength=n_cells).astype(np.float64)
    shares: Floats = (counts + prior_strength / n_cells) / (table.n_samples + prior_strength)
    return shares.reshape(shape)


def decomposable_factors(table: EncodedTable, tree: JunctionTree, prior_strength: float) -> list[Factor]:
    """Estimate the potentials of a decomposable graph.

    Parameters
    ----------
    table : EncodedTable
        The data.
    tree : JunctionTree
        Of the graph itself, nothing filled in.
    prior_strength : float
        Data points spread evenly over all configurations.

    Returns
    -------
    list of Factor
        For each clique the log-probability of its own variables given its separator; together
        they are normalised. A separator's state without data has minus infinity.

    Examples
    --------
    >>> from ibmap.model.triangulation import junction_tree
    >>> table = EncodedTable.from_codes([[0, 0], [1, 1], [1, 1]])
    >>> tree = junction_tree(np.array([[False, True], [True, False]]), table.cardinalities)
    >>> np.exp(decomposable_factors(table, tree, 0.0)[0].log_values).round(3)
    array([[0.333, 0.   ],
           [0.   , 0.667]])
    """
    factors = []
    for clique, separator in zip(tree.cliques, tree.separators, strict=True):
        joint = margin(table, clique, prior_strength)
        axes = tuple(k for k, v in enumerate(clique) if v not in separator)
        shared = joint.sum(axis=axes, keepdims=True)
        with np.errstate(divide="ignore"):
            logs = np.log(joint) - np.log(np.where(shared > 0, shared, 1.0))
        factors.append(Factor(clique, logs))
    return factors
