"""Multinomial logistic regression of one variable on a set of others, in NumPy.

Rows that agree on the set are one *cell*. In cell c the log-odds of state s of X against its state 0 are

    eta[c, s] = intercept[s] + sum over d of f[s, d] (z[c] . slopes[d]),

where f are the features of X's states and z the columns that the set has in the cell. The states 1 .. r - 1
of a variable have an indicator each; states in order have one score 0 .. r - 1 instead. Slopes have a
normal prior whose precision measures effects centred over the states of both variables, so that it
does not matter which state is the base; intercepts have a flat one.

`ibmap.kernels.logistic` and `ibmap.kernels.cells` are the compiled twins, for large tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_STEPS = 200
DENSE = (
    10_000  # products of columns up to which zeros are kept among them: a sparse matrix takes time to make
)
SMALLEST = 1e-60  # share of a Newton step
LAST_STEP = 1e-11  # a Newton step that promises less than this is the last
NOTHING = 1e-26  # one that promises less than this is not taken
LARGEST_SHARE = 1 - 1e-12  # of a sum of squares that a link explains, up to rounding
SAFE = 1e-6  # a step that promises less than this cannot overshoot


@cache
def features(n_states: int, is_ordered: bool) -> Floats:
    """Give the features of a variable's states: states by features."""
    return np.arange(n_states, dtype=float)[:, None] if is_ordered else np.eye(n_states)[:, 1:]


@cache
def link_prior(n_own: int, own_ordered: bool, n_other: int, other_ordered: bool) -> tuple[Floats, float]:
    """Give the prior precision of a link's effects for a ridge of one, and its log determinant."""
    precision = np.asarray(
        np.kron(state_spread(n_own, own_ordered), state_spread(n_other, other_ordered)), np.float64
    )
    return precision, float(np.linalg.slogdet(precision)[1])


def state_spread(n_states: int, is_ordered: bool) -> Floats:
    """Give the sum over states of (effect - mean effect)^2, as a form in the effects."""
    # Scores in order count as two states that are as far apart: with the sum over all of them, effects of
    # many states would be held near zero, and what is left of strong ones would look like links of others.
    f = features(n_states, is_ordered)
    return np.asarray(f.T @ (f - f.mean(axis=0)) * (2 / n_states if is_ordered else 1), np.float64)


@dataclass(frozen=True)
class Fit:
    """X fitted on a set: parameters at the mode, curvature there, and how well it does."""

    theta: Floats  # intercepts, then slopes: features of X by columns of the set
    sizes: Integers  # columns of each member of the set
    probabilities: Floats  # of X's states in each cell
    inverse: Floats  # of the Cholesky factor of minus the Hessian
    log_evidence: float  # relative to X by itself, both with flat intercepts
    f: Floats  # features of X's states
    z: Floats  # columns of the set in each cell

    @cached_property
    def spread(self) -> Floats:
        """Cells by features by features: the covariance of X's features."""
        return covariance(self.probabilities, self.f)[1]

    @cached_property
    def sensitivity(self) -> Floats:
        """Cells by features by parameters: of X's features with what each parameter moves."""
        joint, spread = covariance(self.probabilities, self.f)
        slopes = spread[:, :, :, None] * self.z[:, None, None, :]
        return np.concatenate([joint, slopes.reshape(*spread.shape[:2], -1)], axis=2)


class Regression:
    """The regression of X, with features f, on the columns z of a set in each cell."""

    def __init__(self, counts: Floats, f: Floats, z: Floats, prior: Floats) -> None:
        self.counts, self.f, self.z, self.prior = counts, f, z, prior
        self.n = counts.sum(axis=1)
        self.n_intercepts = counts.shape[1] - 1

    @cached_property
    def _pairs(self) -> Any:
        """Products of two columns, by cell; in a cell few columns are not zero."""
        n_cells, width = self.z.shape
        if n_cells * width**2 <= DENSE:
            return (self.z[:, :, None] * self.z[:, None, :]).reshape(n_cells, width**2).T
        from scipy.sparse import csr_matrix

        cells, columns = np.nonzero(self.z)
        n_own = np.bincount(cells, minlength=len(self.z))[cells]  # columns of the cell of each entry
        left = np.repeat(np.arange(len(cells)), n_own)
        begins = np.repeat(np.searchsorted(cells, cells), n_own)
        right = begins + np.arange(len(left)) - np.repeat(np.cumsum(n_own) - n_own, n_own)
        entries = self.z[cells, columns]
        places = columns[left] * width + columns[right]
        return csr_matrix((entries[left] * entries[right], (places, cells[left])), (width**2, n_cells))

    def fit(self, log_determinant: float, sizes: Integers) -> Fit:
        """Find the mode by Newton's method; the log determinant is that of the prior of all slopes."""
        margins = self.counts.sum(axis=0)
        theta = np.zeros(len(self.prior))
        theta[: self.n_intercepts] = np.log(margins[1:] / margins[0])
        theta, value, p, lower = self._newton(theta)
        evidence = log_evidence(margins, value, lower, log_determinant)
        return Fit(theta, sizes, p, inverse_of(lower), evidence, self.f, self.z)

    def _newton(self, theta: Floats) -> tuple[Floats, float, Floats, Floats]:
        """Climb to the mode; give it, the log posterior, probabilities and factor of the curvature there."""
        (value, p), is_last = self._evaluate(theta), False
        for _ in range(MAX_STEPS):
            gradient, hessian = self._derivatives(theta, p)
            lower = cholesky(hessian)
            half = np.linalg.solve(lower, gradient)
            promise = float(half @ half)  # about twice what the step gains
            if is_last or promise < NOTHING:
                break
            is_last = promise < LAST_STEP
            step = np.linalg.solve(lower.T, half)
            theta, value, p = self._step(theta, value, step, promise > SAFE)
        return theta, value, p, lower

    def _step(
        self, theta: Floats, value: float, step: Floats, is_checked: bool
    ) -> tuple[Floats, float, Floats]:
        """Take a step, halved until the log posterior does not fall."""
        size = 1.0
        reached, p = self._evaluate(theta + step)
        while is_checked and not reached >= value and size > SMALLEST:
            size /= 2
            reached, p = self._evaluate(theta + size * step)
        return theta + size * step, reached, p

    def _evaluate(self, theta: Floats) -> tuple[float, Floats]:
        """Give the log posterior, and the probabilities of X's states in each cell."""
        slopes = theta[self.n_intercepts :].reshape(self.f.shape[1], -1)
        eta = self.z @ slopes.T @ self.f.T
        eta[:, 1:] += theta[: self.n_intercepts]
        eta -= eta.max(axis=1, keepdims=True)
        p = np.exp(eta)
        norm = p.sum(axis=1, keepdims=True)
        value = float((self.counts * (eta - np.log(norm))).sum() - theta @ self.prior @ theta / 2)
        return value, p / norm

    def _derivatives(self, theta: Floats, p: Floats) -> tuple[Floats, Floats]:
        """Give the gradient of the log posterior and minus its Hessian."""
        # Moving a parameter moves X's features by their covariance with what it stands for.
        first, expected = self.n_intercepts, self.n[:, None] * p
        residual = self.counts - expected
        gradient = -self.prior @ theta
        gradient[:first] += residual[:, 1:].sum(axis=0)
        gradient[first:] += ((residual @ self.f).T @ self.z).ravel()
        hessian = self.prior.copy()
        hessian[:first, :first] += np.diag(expected[:, 1:].sum(axis=0)) - expected[:, 1:].T @ p[:, 1:]
        joint, spread = covariance(p, self.f)
        n_columns, n_slopes = self.z.shape[1], len(theta) - first
        mixed = np.tensordot(self.n[:, None, None] * joint, self.z, (0, 0))
        hessian[first:, :first] += mixed.transpose(0, 2, 1).reshape(n_slopes, first)
        products = self._pairs @ (self.n[:, None, None] * spread).reshape(len(p), -1)
        products = products.reshape(n_columns, n_columns, *spread.shape[1:]).transpose(2, 0, 3, 1)
        hessian[first:, first:] += products.reshape(n_slopes, n_slopes)
        hessian[:first, first:] = hessian[first:, :first].T
        return gradient, hessian


def covariance(p: Floats, f: Floats) -> tuple[Floats, Floats]:
    """Give the covariance of features with the indicators of states 1 .. r - 1, and with each other."""
    joint = (p[..., None] * (f - (p @ f)[..., None, :])).swapaxes(-1, -2)
    return joint[..., 1:], joint @ f


def log_evidence(margins: Floats, value: float, lower: Floats, log_determinant: float) -> float:
    """Give the log evidence of a fit beside that of X by itself, both with flat intercepts."""
    # value: log posterior at the mode; lower: factor of the curvature there; log_determinant: of the prior.
    n, logs = float(margins.sum()), np.log(margins)
    alone = float(margins @ logs) - n * math.log(n)
    occam = 2 * float(np.log(np.diagonal(lower)).sum()) - log_determinant
    occam -= float(logs.sum()) - math.log(n)
    return value - alone - occam / 2


def log_factors(
    gradient: Floats,
    information: Floats,
    prior: Floats,
    log_determinant: float,
    is_moment: bool,
    unexplained: tuple[Floats, float] | None = None,
) -> Floats:
    """Give the log Bayes factors of links of one prior: links by effects, and by effects once more."""
    # unexplained: of a response of unknown scale, what is left without each link, and its degrees of freedom.
    lower = cholesky(information + prior)
    inverse = inverse_of(lower)
    half = (inverse @ gradient[:, :, None])[:, :, 0]
    log_ratio = log_determinant - 2 * np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
    explained, by_scale = (half * half).sum(axis=1), np.ones(len(half))
    if unexplained is not None:
        left, degrees = unexplained
        share = np.minimum(explained / left, LARGEST_SHARE)
        by_scale = degrees / (left * (1 - share))
        explained = -degrees * np.log1p(-share)
    found: Floats = (explained + log_ratio) / 2
    if is_moment:  # the posterior mean of theta' P theta / df
        spread = inverse.transpose(0, 2, 1) @ inverse
        mean = (inverse.transpose(0, 2, 1) @ half[:, :, None])[:, :, 0]
        square = by_scale * ((mean @ prior) * mean).sum(axis=1) + (spread * prior).sum(axis=(1, 2))
        found += np.log(square / len(prior))
    return found


def inverse_of(matrices: Floats) -> Floats:
    """Invert one or many matrices."""
    return np.asarray(np.linalg.inv(matrices), np.float64)


def cholesky(matrix: Floats) -> Floats:
    """Factor one or many positive definite matrices; a pivot that rounding made zero becomes a tiny one."""
    try:
        return np.asarray(np.linalg.cholesky(matrix), np.float64)
    except np.linalg.LinAlgError:
        pass
    lower = np.zeros_like(matrix)
    for i in range(matrix.shape[-1]):
        for j in range(i + 1):
            rest = matrix[..., i, j] - (lower[..., i, :j] * lower[..., j, :j]).sum(axis=-1)
            if i == j:
                lower[..., i, i] = np.sqrt(np.maximum(rest, 1e-14 * matrix[..., i, i] + 1e-300))
            else:
                lower[..., i, j] = rest / lower[..., j, j]
    return lower
