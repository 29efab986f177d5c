"""Baselines for tables with numbers: regressions with an L1 penalty, a graphical lasso, partial correlations.

They are not learners of the package: they stand for today's ways of learning networks of numbers. The last
two take categories by the numbers of their states, as their users do.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import NDArray

from ibmap.blankets.joining import join_blankets
from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.reproduce.neighbourhoods import GAMMA, l1_neighbours
from ibmap.reproduce.study import Learned

GLASSO_GAMMA = 0.5  # of the extended BIC, as qgraph has it
N_PENALTIES = 30  # of the graphical lasso, from the strongest down to a hundredth of it
FALSE_RATE = 0.05  # of edges found, expected

Floats = NDArray[np.float64]


def mixed_l1(table: EncodedTable) -> Learned:
    """Learn a mixed network by L1-penalised neighbourhoods with the extended BIC, as mgm does."""
    columns = [_columns(table, v) for v in range(table.n_variables)]
    blankets = []
    for x, own in enumerate(columns):
        others = [v for v in range(table.n_variables) if v != x and columns[v].shape[1]]
        owner = np.repeat(others, [columns[v].shape[1] for v in others])
        design = np.concatenate([columns[v] for v in others], axis=1)
        chosen: set[int] = set()
        for target in own.T if own.shape[1] != 2 or x in table.numbers else own.T[:1]:
            find = _lasso_neighbours if x in table.numbers else _logistic_neighbours
            chosen |= set(owner[find(design, target)].tolist())
        blankets.append(sorted(chosen))
    return Learned(join_blankets(blankets, table.names, "and"))


def ebic_glasso(table: EncodedTable) -> Learned:
    """Learn a network of numbers by the graphical lasso with the extended BIC."""
    from sklearn.covariance import graphical_lasso

    correlations, n_rows = np.corrcoef(_values(table).T), table.n_samples
    n = table.n_variables
    strongest = np.abs(np.triu(correlations, 1)).max()
    best, found = math.inf, np.eye(n)
    for penalty in strongest * np.geomspace(1, 0.01, N_PENALTIES):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                precision = graphical_lasso(correlations, penalty)[1]
            except FloatingPointError:  # too weak a penalty for so few rows
                break
        n_edges = np.count_nonzero(np.triu(precision, 1))
        fitted = n_rows / 2 * (np.linalg.slogdet(precision)[1] - (correlations * precision).sum())
        criterion = -2 * fitted + n_edges * (math.log(n_rows) + 4 * GLASSO_GAMMA * math.log(n))
        if criterion < best:
            best, found = criterion, precision
    return Learned(MarkovGraph((found != 0) & ~np.eye(n, dtype=bool), table.names))


def false_discovery(table: EncodedTable) -> Learned:
    """Join what has a partial correlation given all others, by the rule of Benjamini and Hochberg."""
    from scipy.stats import t as student

    values = _values(table)
    n_rows, n = values.shape
    precision = np.linalg.pinv(np.corrcoef(values.T))
    scale = np.sqrt(np.diag(precision))
    upper = np.triu_indices(n, 1)
    r = np.clip((-precision / np.outer(scale, scale))[upper], -1 + 1e-12, 1 - 1e-12)
    degrees = max(n_rows - n, 1)
    p = 2 * student.sf(np.abs(r) * np.sqrt(degrees / (1 - r * r)), degrees)
    ranked = np.sort(p)
    passing = np.flatnonzero(ranked <= FALSE_RATE * np.arange(1, len(p) + 1) / len(p))
    adjacency = np.zeros((n, n), bool)
    adjacency[upper] = p <= (ranked[passing[-1]] if len(passing) else -1.0)
    return Learned(MarkovGraph(adjacency | adjacency.T, table.names))


def _values(table: EncodedTable) -> Floats:
    """Give every column as numbers."""
    columns = [table.numbers.get(v, table.codes[:, v].astype(np.float64)) for v in range(table.n_variables)]
    return np.repeat(np.array(columns).T, table.weights, axis=0)


def _columns(table: EncodedTable, v: int) -> Floats:
    """Give the standardised columns of a variable: a number, or an indicator for each state that occurs."""
    if v in table.numbers:
        columns = table.numbers[v][:, None]
    else:
        codes = table.codes[:, v]
        columns = (codes[:, None] == np.unique(codes)).astype(np.float64)
    columns = np.repeat(columns, table.weights, axis=0)
    spread = columns.std(axis=0)
    return np.asarray(((columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1))[:, spread > 0])


def _logistic_neighbours(design: Floats, target: Floats) -> NDArray[np.int64]:
    """Find what predicts whether a state is taken."""
    return l1_neighbours(design, (target > 0).astype(np.int64))


def _lasso_neighbours(design: Floats, target: Floats) -> NDArray[np.int64]:
    """Follow the path of the lasso; keep the support with the lowest extended BIC."""
    from sklearn.linear_model import lasso_path

    n_rows = len(target)
    effects = lasso_path(design, target)[1]
    left = ((target[:, None] - design @ effects) ** 2).mean(axis=0)
    sizes = np.count_nonzero(effects, axis=0)
    price = math.log(n_rows) + 2 * GAMMA * math.log(design.shape[1])
    return np.flatnonzero(effects[:, (n_rows * np.log(left) + price * sizes).argmin()])
