"""Logistic regressions of every variable of a table on others: L1 ones at once, ridge ones one by one.

Row 0 of a matrix of effects holds the intercepts, column j predicts indicator j.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable

MAX_STEPS, TOLERANCE = 500, 1e-4  # largest change of an effect in the last step
MAX_NEWTON = 50
INTERCEPT = 0.1  # ridge of the intercepts, in rows: a state that was never seen keeps a probability

Matrix = NDArray[np.float64]


def minimise(gradient: Callable[[Matrix], Matrix], start: Matrix, l1: Matrix, curvature: Matrix) -> Matrix:
    """Minimise a smooth function of a matrix plus the sum of ``l1 * abs(matrix)``."""
    here = point = start
    speed = np.ones(start.shape[1])
    for _ in range(MAX_STEPS):
        moved = point - gradient(point) / curvature
        moved = np.sign(moved) * np.maximum(np.abs(moved) - l1 / curvature, 0)
        change = moved - here
        speed[((point - moved) * change).sum(axis=0) > 0] = 1.0
        faster = (1 + np.sqrt(1 + 4 * speed**2)) / 2
        here, point, speed = moved, moved + (speed - 1) / faster * change, faster
        if np.abs(change).max(initial=0) < TOLERANCE:
            break
    return here


def newton(predictors: Matrix, indicators: Matrix, ridge: Matrix, start: Matrix) -> Matrix:
    """Fit one multinomial logistic regression by Newton's steps."""
    effects, (n, k) = start, start.shape
    value, shares = _penalised(predictors, indicators, ridge, effects)
    for _ in range(MAX_NEWTON):
        slope = predictors.T @ (indicators - shares) - ridge[:, np.newaxis] * effects
        bend = np.empty((k, n, k, n))
        for a in range(k):
            for b in range(k):
                weights = shares[:, a] * ((a == b) - shares[:, b])
                bend[a, :, b] = (predictors.T * weights) @ predictors
        square = bend.reshape(k * n, k * n) + np.diag(np.tile(ridge, k))
        step = np.linalg.solve(square, slope.T.ravel()).reshape(k, n).T
        before = value
        value, shares = _penalised(predictors, indicators, ridge, effects + step)
        while not value >= before and np.abs(step).max() > TOLERANCE:  # too far: the curve is no parabola
            step = step / 2
            value, shares = _penalised(predictors, indicators, ridge, effects + step)
        effects = effects + step
        if np.abs(step).max() < TOLERANCE:
            break
    return effects


def _penalised(
    predictors: Matrix, indicators: Matrix, ridge: Matrix, effects: Matrix
) -> tuple[float, Matrix]:
    """Give the penalised log-likelihood, and the probabilities of the indicators."""
    odds = predictors @ effects
    top = np.maximum(odds.max(axis=1, keepdims=True), 0)
    shares = np.exp(odds - top)
    total = np.exp(-top) + shares.sum(axis=1, keepdims=True)
    fit = (odds * indicators).sum() - (top + np.log(total)).sum()
    return float(fit - (ridge @ effects**2).sum() / 2), shares / total


@dataclass(frozen=True, eq=False)
class Regressions:
    """Indicators of every state but the first, of the variables that have more than one."""

    table: EncodedTable
    # whose means and deviations standardise the indicators that predict; its own by default
    like: Regressions | None = None

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The variable of each indicator."""
        return np.repeat(np.arange(self.table.n_variables), np.maximum(self.table.cardinalities - 1, 0))

    @cached_property
    def indicators(self) -> Matrix:
        """One column for each indicator."""
        codes = np.repeat(self.table.codes, self.table.weights, axis=0)
        first = np.searchsorted(self.owner, self.owner)
        return np.asarray(codes[:, self.owner] == np.arange(len(self.owner)) - first + 1, np.float64)

    @cached_property
    def moments(self) -> tuple[Matrix, Matrix]:
        """Means and standard deviations of the indicators; 1 for a constant."""
        deviations = self.indicators.std(axis=0)
        return self.indicators.mean(axis=0), np.where(deviations > 0, deviations, 1.0)

    @cached_property
    def predictors(self) -> Matrix:
        """Ones, and the standardised indicators."""
        means, deviations = (self.like or self).moments
        return np.column_stack([np.ones(len(self.indicators)), (self.indicators - means) / deviations])

    @cached_property
    def _firsts(self) -> NDArray[np.int64]:
        """The first column of each variable that has any."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    def logs(self, effects: Matrix) -> tuple[Matrix, Matrix]:
        """Predict every variable."""
        odds = self.predictors @ effects
        top = np.maximum(np.maximum.reduceat(odds, self._firsts, axis=1), 0)
        sizes = np.diff(self._firsts, append=len(self.owner))
        weights = np.exp(odds - np.repeat(top, sizes, axis=1))
        total = np.exp(-top) + np.add.reduceat(weights, self._firsts, axis=1)
        own = np.add.reduceat(odds * self.indicators, self._firsts, axis=1)
        return own - top - np.log(total), weights / np.repeat(total, sizes, axis=1)

    def fit_l1(self, strength: float, start: Matrix) -> Matrix:
        """Fit the mean log-likelihood of every variable given all others with an L1 penalty."""
        n_rows = len(self.indicators)
        own = self.owner[:, np.newaxis] == self.owner
        penalty = np.vstack([np.zeros(len(self.owner)), np.where(own, np.inf, strength)])

        def gradient(effects: Matrix) -> Matrix:
            slope = self.predictors.T @ (self.logs(effects)[1] - self.indicators)
            slope[0] += INTERCEPT * effects[0]
            return np.asarray(slope / n_rows)

        top = np.linalg.eigvalsh(self.predictors.T @ self.predictors / n_rows)[-1]
        bends = np.where(self.table.cardinalities[self.owner] == 2, 4, 2)  # two states: p(1 - p) <= 1/4
        return minimise(gradient, start, penalty, top / bends)

    def fit_ridge(self, adjacency: NDArray[np.bool_], ridge: float, start: Matrix) -> Matrix:
        """Fit every variable given its neighbours with a ridge penalty."""
        effects = np.zeros_like(start)
        deviations = (self.like or self).moments[1]  # the prior is on effects of plain indicators
        precisions = np.append(INTERCEPT, ridge / deviations**2)
        for x in np.unique(self.owner):
            own = np.flatnonzero(self.owner == x)
            used = np.concatenate([[0], 1 + np.flatnonzero(adjacency[x, self.owner])])
            precision = precisions[used]
            place = np.ix_(used, own)
            effects[place] = newton(
                self.predictors[:, used], self.indicators[:, own], precision, start[place]
            )
        return effects
