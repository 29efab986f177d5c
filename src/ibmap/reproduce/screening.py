"""Baselines: interaction screening, RISE and logRISE (Lokhov et al. 2018), with the extended BIC.

Every variable u, coded -1 and 1, minimises the mean of exp(-x_u θx), or its logarithm, plus an L1
penalty. Pairs are ranked by the mean of their two effects; how many are edges is chosen by the extended BIC
of logistic regressions on the neighbours.
"""

from __future__ import annotations

import math

import numpy as np

from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.reproduce.regressions import Matrix, minimise, newton
from ibmap.reproduce.study import Learned

GAMMA = 0.5  # of the extended BIC
STRENGTHS = {False: 0.4, True: 0.8}  # of the L1 penalty, for RISE and logRISE, as published
RIDGE = 0.01  # keeps refitted effects finite where neighbours determine a variable


def screened(table: EncodedTable, *, logarithm: bool) -> Learned:
    """Learn a binary network by interaction screening."""
    spins = 2 * np.repeat(table.codes, table.weights, axis=0).astype(np.float64) - 1
    effects = np.abs(screening_effects(spins, logarithm))
    left, right = np.triu_indices(table.n_variables, 1)
    order = [k for k in np.argsort(-effects[left, right], kind="stable") if effects[left[k], right[k]]]
    ranking = [(int(left[k]), int(right[k])) for k in order]
    edges = ranking[: _best_number(spins, ranking)]
    return Learned(MarkovGraph.from_edges(table.n_variables, edges, table.names))


def screening_effects(spins: Matrix, logarithm: bool) -> Matrix:
    """Minimise the screening objective of every variable."""
    n_rows, n = spins.shape
    predictors = np.column_stack([np.ones(n_rows), spins])

    def gradient(effects: Matrix) -> Matrix:
        weights = np.exp(np.minimum(-spins * (predictors @ effects), 50))
        weights /= weights.sum(axis=0) if logarithm else n_rows
        return -predictors.T @ (spins * weights)

    strength = STRENGTHS[logarithm] * math.sqrt(math.log(n**2 / 0.05) / n_rows)
    penalty = np.full((n + 1, n), strength)
    penalty[0] = 0.0
    np.fill_diagonal(penalty[1:], math.inf)
    # The mean is at most 1 on the way down, and the squares of n + 1 predictors add up to n + 1.
    found = minimise(gradient, np.zeros((n + 1, n)), penalty, np.full(n, n + 1.0))[1:]
    return np.asarray(found + found.T) / 2


def _best_number(spins: Matrix, ranking: list[tuple[int, int]]) -> int:
    """Choose how many of the ranked pairs are edges."""
    n_rows, n = spins.shape
    price = 2 * (math.log(n_rows) + 2 * GAMMA * math.log(max(n - 1, 1)))  # an edge is in two regressions
    neighbours: list[list[int]] = [[] for _ in range(n)]
    fits = [_refitted(spins, x, [], np.zeros((1, 1))) for x in range(n)]
    total = sum(-2 * each[0] for each in fits)
    best, chosen = total, 0
    for size, (x, y) in enumerate(ranking, start=1):
        for own, other in ((x, y), (y, x)):
            neighbours[own].append(other)
            before, effects = fits[own]
            fits[own] = _refitted(spins, own, neighbours[own], np.vstack([effects, [0.0]]))
            total -= 2 * (fits[own][0] - before)
        if total + size * price < best:
            best, chosen = total + size * price, size
        if size > chosen + n:
            break  # n edges in a row did not pay
    return chosen


def _refitted(spins: Matrix, x: int, given: list[int], start: Matrix) -> tuple[float, Matrix]:
    """Fit a logistic regression: its log-likelihood, and the effects."""
    predictors = np.column_stack([np.ones(len(spins)), spins[:, given]])
    effects = newton(predictors, (1 + spins[:, [x]]) / 2, np.full(len(start), RIDGE), start)
    return float(-np.logaddexp(0, -spins[:, x] * (predictors @ effects[:, 0])).sum()), effects
