"""Baselines: binary networks by penalised logistic regressions, one for each variable.

They are not learners of the package: they stand for today's regression-based ones in studies.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ibmap.blankets.joining import join_blankets
from ibmap.data.table import EncodedTable
from ibmap.reproduce.study import Learned

GAMMA = 0.25  # of the extended BIC, as IsingFit has it
N_STRENGTHS = 12  # of the L1 penalty, a factor of two apart

Neighbours = Callable[[NDArray[np.float64], NDArray[np.int64]], NDArray[np.int64]]


def l1_ebic(table: EncodedTable) -> Learned:
    """Learn a binary network by L1-penalised logistic neighbourhoods (Ravikumar et al.)."""
    return _joined(table, l1_neighbours, "and")


def best_subset(table: EncodedTable) -> Learned:
    """Learn a binary network by best-subset logistic neighbourhoods (abess) with its extended BIC."""
    return _joined(table, _abess_neighbours, "and")


def _joined(table: EncodedTable, find: Neighbours, rule: str) -> Learned:
    """Find every variable's neighbours and join them."""
    codes = np.repeat(table.codes, table.weights, axis=0).astype(np.int64)
    blankets: list[list[int]] = []
    varies = codes.max(axis=0, initial=0) > codes.min(axis=0, initial=1)
    for x in range(table.n_variables):
        others = np.flatnonzero(varies & (np.arange(table.n_variables) != x))
        if not varies[x] or not others.size:
            blankets.append([])
            continue
        found = find((2 * codes[:, others] - 1).astype(np.float64), codes[:, x])
        blankets.append([int(others[k]) for k in found])
    return Learned(join_blankets(blankets, table.names, rule))


def l1_neighbours(design: NDArray[np.float64], response: NDArray[np.int64]) -> NDArray[np.int64]:
    """Follow the L1 path; keep the support with the lowest extended BIC."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import l1_min_c

    weakest = l1_min_c(design, response, loss="log")
    best, support = math.inf, np.empty(0, np.int64)
    for strength in weakest * 2.0 ** (np.arange(N_STRENGTHS) / 2 + 0.01):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LogisticRegression(
                l1_ratio=1, C=strength, solver="liblinear", tol=1e-3, intercept_scaling=100, random_state=0
            )
            model.fit(design, response)
        chosen = np.flatnonzero(model.coef_[0])
        fitted = -np.logaddexp(0, (1 - 2 * response) * model.decision_function(design)).sum()
        price = math.log(len(response)) + 2 * GAMMA * math.log(design.shape[1])
        criterion = -2 * fitted + len(chosen) * price
        if criterion < best:
            best, support = criterion, chosen
    return support


def _abess_neighbours(design: NDArray[np.float64], response: NDArray[np.int64]) -> NDArray[np.int64]:
    """Choose the best subset, its size by abess's extended BIC."""
    from abess import LogisticRegression

    largest = min(design.shape[1], 25, max(len(response) // 5, 1))
    model = LogisticRegression(support_size=range(largest + 1), ic_type="ebic", thread=1)
    model.fit(design, response)
    return np.flatnonzero(model.coef_)
