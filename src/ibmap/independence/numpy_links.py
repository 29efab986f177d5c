"""Links weighed by NumPy: how small tables are answered, and the readable reference of the kernels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ibmap.data.counting import label_cells
from ibmap.independence.counting import Cells, RowBlock, RowCells
from ibmap.independence.links import Kind, Links, Weighed
from ibmap.independence.numpy_fit import (
    Fit,
    Floats,
    Integers,
    Regression,
    covariance,
    features,
    inverse_of,
    link_prior,
    log_factors,
)
from ibmap.independence.one_thread import ONE_THREAD


class NumpyRows(RowBlock):
    """Rows counted by NumPy."""

    def cells(self, x: int, members: Integers) -> RowCells:
        """Group the rows by the states of a blanket, and count X in each."""
        columns, r = self.codes[members], int(self.n_states[x])
        labels, n_cells = label_cells(columns, self.n_states[members])
        counts: Floats = np.bincount(labels * r + self.codes[x], self.weights, n_cells * r)  # type: ignore[assignment]
        states = np.empty((len(members), n_cells), np.uint8)
        states[:, labels] = columns
        return RowCells(self, x, labels, counts.reshape(n_cells, r), states)

    def count_others(self, cells: RowCells, y: Integers, n_states: int) -> Floats:
        """Count variables of one number of states."""
        shape = (len(y), *cells.counts.shape, n_states)
        rows = (cells.labels * shape[2] + self.codes[cells.x]) * n_states
        places = np.arange(len(y))[:, None] * math.prod(shape[1:]) + rows + self.told[y]
        weights = np.broadcast_to(self.weights, places.shape).ravel()
        found: Floats = np.bincount(places.ravel(), weights, math.prod(shape))  # type: ignore[assignment]
        return found.reshape(shape)


class NumpyLinks(Links[Fit]):
    """What links of the variables of a small table are worth."""

    row_type = NumpyRows

    def weigh(self, x: int, members: Integers, others: Integers) -> Weighed:
        """Weigh links of x with members of its blanket and with others."""
        with ONE_THREAD:
            return super().weigh(x, members, others)

    def _fit(self, x: int, members: Integers, cells: Cells) -> Fit:
        """Fit X on a blanket."""
        kinds = [self.kinds[b] for b in members.tolist()]
        parts = [features(*kind)[states] for kind, states in zip(kinds, cells.states, strict=True)]
        z = np.concatenate([np.empty((len(cells.counts), 0)), *parts], axis=1)
        prior, log_determinant, sizes = self._blanket_prior(x, members)
        return Regression(cells.counts, features(*self.kinds[x]), z, prior).fit(log_determinant, sizes)

    def _member_moments(self, x: int, kind: Kind, chosen: Integers, fit: Fit) -> tuple[Floats, Floats]:
        """Give gradient and information of members of one kind from their effects as fitted."""
        places = self._parameters(x, kind, chosen, fit.sizes)
        theta = fit.theta[places]
        half = fit.inverse.T[places]  # spread = L'^-1 L^-1 at these parameters
        precision = inverse_of(half @ half.transpose(0, 2, 1))
        gradient = (precision @ theta[:, :, None])[:, :, 0]
        fitted = self.ridge * link_prior(*self.kinds[x], *kind)[0]
        return gradient, precision - fitted

    def _split_members(
        self, kind: Kind, members: Integers, chosen: Integers, states: NDArray[np.uint8], counts: Floats
    ) -> Floats:
        """Count X in the cells of all other members, split by each of one kind."""
        rest = [np.delete(np.arange(len(members)), a) for a in chosen.tolist()]
        merged = [label_cells(states[each], self.n_states[members[each]]) for each in rest]
        most = max(n_merged for _, n_merged in merged)  # cells of any member; others have empty ones
        found = np.zeros((len(chosen), most, counts.shape[1], kind[0]))
        for k, a in enumerate(chosen.tolist()):
            found[k][merged[k][0], :, states[a]] = counts
        return found

    def _outside_factors(
        self, x: int, kind: Kind, counts: Floats, fit: Fit, spare: Floats | float = 0.0
    ) -> Floats:
        """Weigh variables of one kind that the fit left out by their score (Rao), less spare information."""
        f, g = features(*self.kinds[x]), features(*kind)
        totals = counts.sum(axis=2)
        gradient = _gradient(fit.probabilities[None], f, counts, g)
        information = _information(fit.spread[None], totals @ _products(g))
        sums = (totals @ g).transpose(0, 2, 1)  # variables by features by cells
        shared = sums @ fit.sensitivity.reshape(len(fit.sensitivity), -1)
        shared = shared.reshape(*sums.shape[:2], f.shape[1], -1).transpose(0, 2, 1, 3)
        shared = shared.reshape(*gradient.shape, -1) @ fit.inverse.T
        information -= shared @ shared.transpose(0, 2, 1)  # what the blanket has explained already
        return self._log_factors(x, kind, gradient, information - spare)

    def _log_factors(self, x: int, kind: Kind, gradient: Floats, information: Floats) -> Floats:
        """Give the log Bayes factors of links of one kind: links by effects, and by effects once more."""
        precision, log_determinant = link_prior(*self.kinds[x], *kind)
        log_determinant += len(precision) * math.log(self.link_ridge)
        return log_factors(
            gradient, information, self.link_ridge * precision, log_determinant, self.is_moment
        )

    def _log_tables(self, counts: Floats) -> Floats:
        """Give the log evidence of X's states (axis 2), uniform priors: prod n_s! (r - 1)! / (n + r - 1)!."""
        r = counts.shape[2]
        within = self._log_factorial(counts).sum(axis=(1, 2, 3))
        above = self._log_factorial(counts.sum(axis=2) + (r - 1)) - self.log_factorials[r - 1]
        found: Floats = within - above.sum(axis=(1, 2))
        return found

    def _log_factorial(self, numbers: Floats) -> Floats:
        """Give log k!, looked up for small whole numbers."""
        whole, top = numbers.astype(np.int64), len(self.log_factorials)
        is_listed = (whole < top) & (whole == numbers)  # survey weights are fractions
        if is_listed.all():
            return self.log_factorials[whole]
        found = self.log_factorials[np.minimum(whole, top - 1)]
        found[~is_listed] = [math.lgamma(k + 1.0) for k in numbers[~is_listed].tolist()]
        return found

    def _stratified_factors(self, x: int, kind: Kind, counts: Floats, own: Floats) -> Floats:
        """Weigh main effects of variables next to cells with probabilities of their own."""
        # A cell of n data points has the information n cov(features of X) cov(features of Y).
        is_telling = ((own > 0).sum(axis=2) > 1).any(axis=0)  # where X has one state nothing can be seen
        f, g = features(*self.kinds[x]), features(*kind)
        counts, own = counts[:, is_telling], own[:, is_telling]
        n = np.maximum(own.sum(axis=2, keepdims=True), 1.0)
        p, totals = own / n, counts.sum(axis=2)
        sums = totals @ g
        information = _information(covariance(p, f)[1], totals @ _products(g) - _products(sums) / n)
        return self._log_factors(x, kind, _gradient(p, f, counts, g), information)


def _gradient(p: Floats, f: Floats, counts: Floats, g: Floats) -> Floats:
    """Sum over data points what X's features deviate by, times each variable's features."""
    deviations = f - (p @ f)[:, :, None]  # variables or one by cells by states of X by features
    n_places = p.shape[1] * p.shape[2]
    by_point = deviations.reshape(len(p), n_places, f.shape[1]).transpose(0, 2, 1)
    found = by_point @ counts.reshape(len(counts), n_places, len(g)) @ g
    return found.reshape(len(counts), -1)


def _information(spread: Floats, products: Floats) -> Floats:
    """Sum over cells the covariance of X's features, times that of each variable's (one behind the other)."""
    q, k = spread.shape[2], math.isqrt(products.shape[2])
    by_cell = spread.reshape(*spread.shape[:2], q * q).transpose(0, 2, 1)
    found = (by_cell @ products).reshape(-1, q, q, k, k).transpose(0, 1, 3, 2, 4)
    return found.reshape(-1, q * k, q * k)


def _products(values: Floats) -> Floats:
    """Give the products of all pairs of values along the last axis."""
    pairs = values[..., :, None] * values[..., None, :]
    return pairs.reshape(*values.shape[:-1], values.shape[-1] ** 2)
