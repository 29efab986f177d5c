"""The pairwise test and its local score by their definitions: row by row, in centred contrasts.

Every effect is written in an orthonormal basis of what adds up to zero over the states (ordered
states: in their centred numbers), where the prior is a plain sum of squares. The package works
with a base state, on cells: nothing is shared but the definition.
"""

import math

import numpy as np


def seen_states(rows, v):
    return sorted({row[v] for row in rows})


def contrast_basis(k):
    """Orthonormal columns that add up to zero (Helmert's)."""
    basis = np.zeros((k, k - 1))
    for j in range(1, k):
        basis[:j, j - 1] = 1
        basis[j, j - 1] = -j
        basis[:, j - 1] /= math.sqrt(j * (j + 1))
    return basis


def coding(rows, v, ordered):
    """State to its columns, and the precision of each column's effect."""
    states = seen_states(rows, v)
    k = len(states)
    if v in ordered and k > 2:
        numbers = np.arange(k) - (k - 1) / 2
        return {s: numbers[[i]] for i, s in enumerate(states)}, 2 * (numbers**2).mean()
    basis = contrast_basis(k)
    return {s: basis[i] for i, s in enumerate(states)}, 1.0


class Regression:
    """The fit of x on some variables, with all rows repeated as their weights say."""

    def __init__(self, rows, weights, x, members, ridge, ordered=()):
        self.rows = [row for row, w in zip(rows, weights, strict=True) for _ in range(w)]
        self.x, self.ridge, self.ordered = x, ridge, ordered
        self.states = seen_states(self.rows, x)
        free = contrast_basis(len(self.states))
        slopes, self.precision = coding(self.rows, x, ordered)
        self.free = {s: free[i] for i, s in enumerate(self.states)}
        self.slopes = slopes
        self.blocks = {}
        pieces, precisions, at = [], [0.0] * free.shape[1], free.shape[1]
        for b in members:
            columns, precision = coding(self.rows, b, ordered)
            pieces.append((b, columns))
            size = len(slopes[self.states[0]]) * len(columns[self.rows[0][b]])
            self.blocks[b] = list(range(at, at + size))
            precisions += [ridge * self.precision * precision] * size
            at += size
        self.pieces, self.prior = pieces, np.diag(precisions) if precisions else np.zeros((0, 0))
        self.theta = self._climb()

    def features(self, row, state):
        """What the log-probability of a state is linear in, for one row."""
        parts = [self.free[state]]
        parts += [np.outer(columns[row[b]], self.slopes[state]).ravel() for b, columns in self.pieces]
        return np.concatenate(parts)

    def probabilities(self, theta, row):
        logits = np.array([self.features(row, s) @ theta for s in self.states])
        odds = np.exp(logits - logits.max())
        return odds / odds.sum()

    def slope_moments(self, theta, extra):
        """Gradient and information of the log-likelihood, with `extra(row, state)` features appended."""
        gradient, information = 0.0, 0.0
        for row in self.rows:
            p = self.probabilities(theta, row)
            f = np.array([np.concatenate([self.features(row, s), extra(row, s)]) for s in self.states])
            mean = p @ f
            gradient = gradient + f[self.states.index(row[self.x])] - mean
            information = information + (f.T * p) @ f - np.outer(mean, mean)
        return gradient, information

    def log_posterior(self, theta):
        total = sum(
            math.log(self.probabilities(theta, row)[self.states.index(row[self.x])]) for row in self.rows
        )
        return total - theta @ self.prior @ theta / 2

    def _climb(self):
        theta = np.zeros(len(self.prior))
        for _ in range(200):
            gradient, information = self.slope_moments(theta, lambda row, state: np.zeros(0))
            step = np.linalg.solve(information + self.prior, gradient - self.prior @ theta)
            size = 1.0
            while self.log_posterior(theta + size * step) < self.log_posterior(theta) - 1e-9 and size > 1e-9:
                size /= 2
            theta = theta + size * step
            if np.abs(step).max(initial=0) < 1e-11:
                return theta
        raise AssertionError("no convergence")

    def rao(self, y):
        """What y would add: statistic, and precision of the effects with the prior's."""
        columns, precision = coding(self.rows, y, self.ordered)
        gradient, information = self.slope_moments(
            self.theta, lambda row, state: np.outer(columns[row[y]], self.slopes[state]).ravel()
        )
        m = len(self.theta)
        information[:m, :m] += self.prior
        prior = self.ridge * self.precision * precision * np.eye(len(gradient) - m)
        own = information[m:, m:] + prior
        rest = own - information[m:, :m] @ np.linalg.solve(information[:m, :m], information[:m, m:])
        return float(gradient[m:] @ np.linalg.solve(rest, gradient[m:])), rest, prior

    def wald(self, b):
        """What a member gives: statistic, and precision of the effects with the prior's."""
        _, information = self.slope_moments(self.theta, lambda row, state: np.zeros(0))
        block = self.blocks[b]
        spread = np.linalg.inv(information + self.prior)[np.ix_(block, block)]
        rest, prior = np.linalg.inv(spread), self.prior[np.ix_(block, block)]
        return float(self.theta[block] @ rest @ self.theta[block]), rest, prior


def log_bayes_factor(statistic, precision, prior):
    """Of effects that are normal with a precision now and had another one before."""
    return statistic / 2 + (np.linalg.slogdet(prior)[1] - np.linalg.slogdet(precision)[1]) / 2


def log_prior_odds(n, penalty, prior):
    odds = (1 - prior) / prior
    if n > 7:
        odds *= (3 / (n - 4)) ** penalty
    return math.log(odds)


def both(log_odds):
    """Log-probabilities of independence and dependence."""
    return -np.logaddexp(0, log_odds), -np.logaddexp(0, -log_odds)


def log_probabilities(rows, weights, x, y, given, *, penalty, ridge, ordered=(), prior=0.5):
    factor = 0.0
    if len(seen_states(rows, x)) > 1 and len(seen_states(rows, y)) > 1:
        for a, b in ((x, y), (y, x)):
            factor += log_bayes_factor(*Regression(rows, weights, a, given, ridge, ordered).rao(b)) / 2
    return both(log_prior_odds(len(rows[0]), penalty, prior) + factor)


def local_term(rows, weights, x, blanket, *, penalty, ridge, ordered=(), prior=0.5):
    n = len(rows[0])
    fitted = Regression(rows, weights, x, blanket, ridge, ordered)
    total = 0.0
    for y in range(n):
        if y == x:
            continue
        factor = 0.0
        if len(seen_states(rows, x)) > 1 and len(seen_states(rows, y)) > 1:
            factor = log_bayes_factor(*(fitted.wald(y) if y in blanket else fitted.rao(y)))
        total += both(log_prior_odds(n, penalty, prior) + factor)[int(y in blanket)]
    return total
