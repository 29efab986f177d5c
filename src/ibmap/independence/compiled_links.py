"""Links weighed by compiled kernels: the way of large tables."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.counting import Cells, RowBlock, RowCells
from ibmap.independence.links import Kind, Links
from ibmap.independence.numpy_fit import Floats, Integers, features, link_prior, log_evidence
from ibmap.kernels import cells as cell_kernels
from ibmap.kernels import links as kernels
from ibmap.kernels import logistic


class CompiledFit(NamedTuple):
    """X fitted on a blanket."""

    theta: Floats  # intercepts, then slopes: features of X by columns of the blanket
    sizes: Integers  # columns of each member
    design: tuple[Integers, Floats, int]  # column and entry of each member in each cell, number of columns
    lower: Floats  # Cholesky factor of minus the Hessian
    inverse: Floats  # of it, row k is column k
    probabilities: Floats  # of X's states in each cell
    log_evidence: float


class CompiledRows(RowBlock):
    """Rows counted by kernels."""

    def cells(self, x: int, members: Integers) -> RowCells:
        """Group the rows by the states of a blanket, and count X in each."""
        labels = np.empty(self.n_rows, np.int32)
        n_cells = cell_kernels.label_rows(self.codes, members, self.n_states, labels)
        counts, firsts = np.zeros((n_cells, int(self.n_states[x]))), np.full(n_cells, -1)
        cell_kernels.count_cells(labels, self.codes[x], self.weights, counts, firsts)
        return RowCells(self, x, labels, counts, self.codes[members[:, None], firsts])

    def count_others(self, cells: RowCells, y: Integers, n_states: int) -> Floats:
        """Count variables of one number of states."""
        shape = (len(y), *cells.counts.shape, n_states)
        counts, own = (
            np.zeros((shape[0], math.prod(shape[1:]))),
            (cells.labels, self.codes[cells.x], shape[2]),
        )
        cell_kernels.count_splits(own, self.told, y, n_states, self.weights, counts)
        return counts.reshape(shape)


class CompiledLinks(Links[CompiledFit]):
    """What links of the variables of a large table are worth."""

    row_type = CompiledRows

    def _fit(self, x: int, members: Integers, cells: Cells) -> CompiledFit:
        """Fit X on a blanket."""
        prior, log_determinant, sizes = self._blanket_prior(x, members)
        design = self._design(members, sizes, cells.states)
        margins, theta = cells.counts.sum(axis=0), np.zeros(len(prior))
        theta[: len(margins) - 1] = np.log(margins[1:] / margins[0])
        lower, p = np.zeros_like(prior), np.empty_like(cells.counts)
        value = logistic.fit(theta, cells.counts, *design, self.kinds[x][1], prior, lower, p)
        evidence = log_evidence(margins, value, lower, log_determinant)
        inverse = np.empty_like(lower)
        if len(members):
            kernels.invert(lower, inverse)
        return CompiledFit(theta, sizes, design, lower, inverse, p, evidence)

    def _design(
        self, members: Integers, sizes: Integers, states: NDArray[np.uint8]
    ) -> tuple[Integers, Floats, int]:
        """Give the column (-1 for none) and entry of each member in each cell; the first states have none."""
        firsts, ordered = np.cumsum(sizes) - sizes, self.ordered[members]
        numbers = states.T.astype(np.int64, order="C")
        columns = np.where(numbers > 0, firsts + np.where(ordered, 0, numbers - 1), -1)
        return columns, np.where(ordered, numbers, 1.0), int(sizes.sum())

    def _member_moments(
        self, x: int, kind: Kind, chosen: Integers, fit: CompiledFit
    ) -> tuple[Floats, Floats]:
        """Give gradient and information of members of one kind from their effects as fitted."""
        gradient, information = _moments(len(chosen), self.kinds[x], kind)
        fitted = self.ridge * link_prior(*self.kinds[x], *kind)[0]
        places = self._parameters(x, kind, chosen, fit.sizes)
        kernels.weigh_members(places, fit.theta, fit.inverse, fitted, gradient, information)
        return gradient, information

    def _split_members(
        self, kind: Kind, members: Integers, chosen: Integers, states: NDArray[np.uint8], counts: Floats
    ) -> Floats:
        """Count X in the cells of all other members, split by each of one kind."""
        found = np.zeros((len(chosen), *counts.shape, kind[0]))
        cell_kernels.split_members(states, self.n_states[members], counts, chosen, found)
        return found

    def _outside_factors(
        self, x: int, kind: Kind, counts: Floats, fit: CompiledFit, spare: Floats | float = 0.0
    ) -> Floats:
        """Weigh variables of one kind that the fit left out by their score (Rao), less spare information."""
        gradient, information = _moments(len(counts), self.kinds[x], kind)
        is_ordered, fitted = (self.kinds[x][1], kind[1]), (fit.lower, fit.probabilities)
        kernels.weigh_others(counts, fit.design, fitted, *is_ordered, gradient, information)
        return self._log_factors(x, kind, gradient, information - spare)

    def _log_factors(self, x: int, kind: Kind, gradient: Floats, information: Floats) -> Floats:
        """Give the log Bayes factors of links of one kind: links by effects, and by effects once more."""
        precision, log_determinant = link_prior(*self.kinds[x], *kind)
        log_determinant += len(precision) * math.log(self.link_ridge)
        found, prior = np.empty(len(gradient)), self.link_ridge * precision
        kernels.log_factors(gradient, information, prior, log_determinant, self.is_moment, found)
        return found

    def _log_tables(self, counts: Floats) -> Floats:
        """Give the log evidence of X's states (axis 2), uniform priors: prod n_s! (r - 1)! / (n + r - 1)!."""
        found = np.empty(len(counts))
        kernels.log_tables(counts, self.log_factorials, found)
        return found

    def _stratified_factors(self, x: int, kind: Kind, counts: Floats, own: Floats) -> Floats:
        """Weigh main effects of variables next to cells with probabilities of their own."""
        gradient, information = _moments(len(counts), self.kinds[x], kind)
        kernels.weigh_strata(counts, self.kinds[x][1], kind[1], gradient, information)
        return self._log_factors(x, kind, gradient, information)


def _moments(n_links: int, own: Kind, other: Kind) -> tuple[Floats, Floats]:
    """Make room for the gradients and informations of links of one kind, zero at first."""
    size = features(*own).shape[1] * features(*other).shape[1]
    return np.zeros((n_links, size)), np.zeros((n_links, size, size))
