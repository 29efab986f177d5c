"""Log Bayes factors of one variable's links, all from one logistic fit on its blanket, in NumPy.

The effects of a link have a normal prior of precision P. With the log likelihood taken as a quadratic
of gradient g and information J, all other effects adjusted for, "there is a link" is more probable than
"there is none" by

    log Bayes factor = g' V^-1 g / 2 + log(det P / det V) / 2,    V = J + P.

With a moment prior, the normal one times theta' P theta / df, the posterior mean of that is a factor more.
Next to the model of main effects stands the full table of the blanket; docs/recommended.md has both.

This is how small tables are answered: nothing has to be compiled. `ibmap.kernels.links` has the same
numbers for large ones. Variables of one kind (states, and whether they are in order) are weighed at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.data.counting import label_cells
from ibmap.independence.numpy_fit import (
    Cells,
    Fit,
    Floats,
    Integers,
    Regression,
    cholesky,
    covariance,
    features,
    inverse_of,
    link_prior,
)
from ibmap.independence.one_thread import ONE_THREAD

Kind = tuple[int, bool]  # number of states, and whether they are in order


class Tables(NamedTuple):
    """Log evidence of full tables, relative to X by itself, for some variables."""

    split: Floats  # of cells split by the variable
    kept: Floats  # of cells without it
    main: Floats  # log Bayes factor of its main effect next to these


class NumpyLinks:
    """What links of the variables of a small table are worth."""

    def __init__(
        self,
        codes: NDArray[np.uint8],
        weights: Floats,
        kinds: tuple[Integers, NDArray[np.bool_], Floats],
        model: Floats,
    ) -> None:
        self.codes, self.weights = codes, weights
        self.n_states, ordered, self.log_factorials = kinds
        self.kinds: list[Kind] = list(zip(self.n_states.tolist(), ordered.tolist(), strict=True))
        self.ridge, self.link_ridge, moment, self.share = model.tolist()
        self.is_moment = moment > 0

    def factors(self, x: int, members: Integers, others: Integers) -> Floats:
        """Give log Bayes factors of links of x: averaged, by main effects, by full tables."""
        with ONE_THREAD:
            cells = self._cells(x, members)
            fit = self._fit(x, members, cells)
            factors, evidence = np.zeros((3, len(self.codes))), fit.log_evidence
            for kind, chosen in self._by_kind(members):
                b = members[chosen]
                factors[:2, b] = main = self._member_factors(x, kind, members, chosen, fit)
                if self.share > 0:
                    tables = self._member_tables(x, kind, members, chosen, cells)
                    factors[::2, b] = self._averaged(evidence, evidence - main, tables)
            for kind, chosen in self._by_kind(others):
                y = others[chosen]
                counts = self._count(x, y, kind, cells)
                factors[:2, y] = main = self._outside_factors(x, kind, counts, fit)
                if self.share > 0:
                    tables = self._tables(x, kind, counts, cells.counts[None])
                    factors[::2, y] = self._averaged(evidence + main, evidence, tables)
        return factors

    def _by_kind(self, variables: Integers) -> Iterator[tuple[Kind, Integers]]:
        """Group variables by kind; give the places of each group. One state has nothing to say."""
        kinds = [self.kinds[v] for v in variables.tolist()]
        for kind in sorted({*kinds}):
            if kind[0] > 1:
                yield kind, np.flatnonzero([each == kind for each in kinds])

    def _cells(self, x: int, members: Integers) -> Cells:
        """Group the rows by the states of a blanket."""
        columns, r = self.codes[members], self.kinds[x][0]
        labels, n_cells = label_cells(columns, self.n_states[members])
        counts: Floats = np.bincount(labels * r + self.codes[x], self.weights, n_cells * r)  # type: ignore[assignment]
        states = np.empty((len(members), n_cells), np.uint8)
        states[:, labels] = columns
        return Cells(labels, counts.reshape(n_cells, r), states)

    def _fit(self, x: int, members: Integers, cells: Cells) -> Fit:
        """Fit X on a blanket."""
        f = features(*self.kinds[x])
        kinds = [self.kinds[b] for b in members.tolist()]
        parts = [features(*kind)[states] for kind, states in zip(kinds, cells.states, strict=True)]
        z = np.concatenate([np.empty((len(cells.counts), 0)), *parts], axis=1)
        q, width, first = f.shape[1], z.shape[1], len(f) - 1
        prior, log_determinant = np.zeros((first + q * width,) * 2), 0.0
        slopes = prior[first:, first:].reshape(q, width, q, width)
        begin = 0
        for kind, part in zip(kinds, parts, strict=True):
            k = part.shape[1]
            if k:
                precision, own = link_prior(*self.kinds[x], *kind)
                here = slice(begin, begin + k)
                slopes[:, here, :, here] = self.ridge * precision.reshape(q, k, q, k)
                log_determinant += own + q * k * math.log(self.ridge)
            begin += k
        prior[first:, first:] = slopes.reshape(q * width, q * width)
        return Regression(cells.counts, f, z, prior).fit(log_determinant)

    def _member_factors(self, x: int, kind: Kind, members: Integers, chosen: Integers, fit: Fit) -> Floats:
        """Weigh members of one kind by their effects as fitted (Wald): V = spread^-1, g = V theta."""
        q, width = fit.slopes.shape
        sizes = np.array([features(*self.kinds[b]).shape[1] for b in members.tolist()])
        k = sizes[chosen[0]]
        columns = (np.cumsum(sizes) - sizes)[chosen][:, None] + np.arange(k)  # members by columns
        theta = fit.slopes[:, columns].transpose(1, 0, 2).reshape(len(chosen), -1)
        first = len(fit.inverse) - q * width
        places = first + (np.arange(q)[None, :, None] * width + columns[:, None]).reshape(len(chosen), -1)
        half = fit.inverse.T[places]  # spread = L'^-1 L^-1 at these parameters
        precision = inverse_of(half @ half.transpose(0, 2, 1))
        gradient = (precision @ theta[:, :, None])[:, :, 0]
        fitted = self.ridge * link_prior(*self.kinds[x], *kind)[0]
        return self._log_factors(x, kind, gradient, precision - fitted)

    def _count(self, x: int, y: Integers, kind: Kind, cells: Cells) -> Floats:
        """Count variables of one kind: variables by cells by states of X by states of each."""
        shape = (len(y), *cells.counts.shape, kind[0])
        rows = (cells.labels * shape[2] + self.codes[x]) * kind[0]
        places = np.arange(len(y))[:, None] * math.prod(shape[1:]) + rows + self.codes[y]
        weights = np.broadcast_to(self.weights, places.shape).ravel()
        found: Floats = np.bincount(places.ravel(), weights, math.prod(shape))  # type: ignore[assignment]
        return found.reshape(shape)

    def _outside_factors(self, x: int, kind: Kind, counts: Floats, fit: Fit) -> Floats:
        """Weigh variables of one kind that the fit left out by their score (Rao)."""
        f, g = features(*self.kinds[x]), features(*kind)
        totals = counts.sum(axis=2)
        gradient = _gradient(fit.probabilities[None], f, counts, g)
        information = _information(fit.spread[None], totals @ _products(g))
        sums = (totals @ g).transpose(0, 2, 1)  # variables by features by cells
        shared = sums @ fit.sensitivity.reshape(len(fit.sensitivity), -1)
        shared = shared.reshape(*sums.shape[:2], f.shape[1], -1).transpose(0, 2, 1, 3)
        shared = shared.reshape(*gradient.shape, -1) @ fit.inverse.T
        information -= shared @ shared.transpose(0, 2, 1)  # what the blanket has explained already
        return self._log_factors(x, kind, gradient, information)

    def _log_factors(self, x: int, kind: Kind, gradient: Floats, information: Floats) -> Floats:
        """Give the log Bayes factors of links of one kind: links by effects, and by effects once more."""
        precision, log_determinant = link_prior(*self.kinds[x], *kind)
        size, prior = len(precision), self.link_ridge * precision
        lower = cholesky(information + prior)
        inverse = inverse_of(lower)
        half = (inverse @ gradient[:, :, None])[:, :, 0]
        log_ratio = log_determinant + size * math.log(self.link_ridge)
        log_ratio = log_ratio - 2 * np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
        found: Floats = ((half * half).sum(axis=1) + log_ratio) / 2
        if self.is_moment:  # the posterior mean of theta' P theta / df
            spread = inverse.transpose(0, 2, 1) @ inverse
            mean = (inverse.transpose(0, 2, 1) @ half[:, :, None])[:, :, 0]
            square = ((mean @ prior) * mean).sum(axis=1) + (spread * prior).sum(axis=(1, 2))
            found += np.log(square / size)
        return found

    def _tables(self, x: int, kind: Kind, counts: Floats, own: Floats) -> Tables:
        """Weigh full tables with variables of one kind and without."""
        # counts: variables by cells by states of X by states of each; own: the same without the
        # last, one for all variables if they have the same cells.
        alone = self._log_tables(own.sum(axis=1, keepdims=True)[:, :, :, None])
        split = self._log_tables(counts) - alone
        kept = np.broadcast_to(self._log_tables(own[:, :, :, None]) - alone, split.shape)
        is_telling = ((own > 0).sum(axis=2) > 1).any(axis=0)  # where X has one state nothing can be seen
        return Tables(
            split, kept, self._stratified_factors(x, kind, counts[:, is_telling], own[:, is_telling])
        )

    def _log_tables(self, counts: Floats) -> Floats:
        """Give the log evidence of X's states (axis 2), uniform priors: prod n_s! (r - 1)! / (n + r - 1)!."""
        r = counts.shape[2]
        within = self._log_factorial(counts).sum(axis=(1, 2, 3))
        above = self._log_factorial(counts.sum(axis=2) + (r - 1)) - self.log_factorials[r - 1]
        found: Floats = within - above.sum(axis=(1, 2))
        return found

    def _log_factorial(self, numbers: Floats) -> Floats:
        """Give log k!, looked up for small numbers."""
        whole, top = numbers.astype(np.int64), len(self.log_factorials)
        if whole.max(initial=0) < top:
            return self.log_factorials[whole]
        found = self.log_factorials[np.minimum(whole, top - 1)]
        found[whole >= top] = [math.lgamma(k + 1.0) for k in whole[whole >= top].tolist()]
        return found

    def _stratified_factors(self, x: int, kind: Kind, counts: Floats, own: Floats) -> Floats:
        """Weigh main effects of variables next to cells with probabilities of their own."""
        # A cell of n data points has the information n cov(features of X) cov(features of Y).
        f, g = features(*self.kinds[x]), features(*kind)
        n = np.maximum(own.sum(axis=2, keepdims=True), 1.0)
        p, totals = own / n, counts.sum(axis=2)
        sums = totals @ g
        information = _information(covariance(p, f)[1], totals @ _products(g) - _products(sums) / n)
        return self._log_factors(x, kind, _gradient(p, f, counts, g), information)

    def _member_tables(self, x: int, kind: Kind, members: Integers, chosen: Integers, cells: Cells) -> Tables:
        """Give `_tables` of members of one kind: the cells of all other members, split by each."""
        rest = [np.delete(np.arange(len(members)), a) for a in chosen.tolist()]
        merged = [label_cells(cells.states[each], self.n_states[members[each]]) for each in rest]
        most = max(n_merged for _, n_merged in merged)  # cells of any member; others have empty ones
        counts = np.zeros((len(chosen), most, cells.counts.shape[1], kind[0]))
        for k, a in enumerate(chosen.tolist()):
            counts[k][merged[k][0], :, cells.states[a]] = cells.counts
        return self._tables(x, kind, counts, counts.sum(axis=3))

    def _averaged(self, main_with: Any, main_without: Any, tables: Tables) -> tuple[Floats, Floats]:
        """Average main effects and tables, with a link and without; give the log ratio, and tables' own."""
        table_with = np.logaddexp(tables.split, tables.kept + tables.main) - math.log(2)
        by_table = table_with - tables.kept
        if self.share == 1:
            return by_table, by_table
        main, table = math.log1p(-self.share), math.log(self.share)
        with_link = np.logaddexp(main + main_with, table + table_with)
        return with_link - np.logaddexp(main + main_without, table + tables.kept), by_table


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
