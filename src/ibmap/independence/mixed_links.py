"""Log Bayes factors of one variable's links in tables that have numbers next to categories.

A number enters as one column, the normal scores of its ranks; a category as an indicator for each state but
one, ordered states as one score. The response is fitted by linear regression if it is a number
(`linear_fit`), else by multinomial logistic regression, row by row. The priors are those of categories, a
number counting as a binary variable with the values -1 and 1: so the same effect for each standard deviation
is expected of all.

Full tables mean nothing where X or a member of its blanket is a number; there main effects stand alone. Where
both are categories, full tables are weighed as in other tables, and a number outside has a main effect next
to them.

Where cells are missing, links rest on the same rows as in other tables (`links`): X is fitted on the rows
that show it, members of its blanket filled in; a variable outside is judged by the rows that show it too,
and is as on average in the others; a member counts by the share of the rows that show it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri

from ibmap.data.counting import label_cells
from ibmap.independence.filling import Rows
from ibmap.independence.linear_fit import LinearFit, Sums
from ibmap.independence.links import TINY, Kind, Weighed, Weighing
from ibmap.independence.numpy_fit import (
    Fit,
    Floats,
    Integers,
    Regression,
    covariance,
    features,
    inverse_of,
    log_factors,
    state_spread,
)
from ibmap.independence.one_thread import ONE_THREAD

NUMBER: Kind = (0, True)
NUMBER_UNIT = np.array([[2.0]])  # precision of a number's effect for a ridge of one: that of values -1 and 1


class MixedLinks:
    """What links of the variables of a table with numbers are worth."""

    def __init__(
        self,
        rows: Rows,
        kinds: tuple[Integers, NDArray[np.bool_], Floats],
        model: Floats,
        categories: Weighing,
    ) -> None:
        self.codes, self.weights, self.n_states = rows.codes, rows.weights, kinds[0]
        self.categories = categories
        self.seen: NDArray[np.bool_] | None = rows.seen
        self.kinds: list[Kind] = list(zip(kinds[0].tolist(), kinds[1].tolist(), strict=True))
        columns = [features(*kind)[rows.codes[v]] for v, kind in enumerate(self.kinds)]
        for v, values in rows.numbers.items():
            score = normal_scores(values, self._weights_of(v))
            self.kinds[v] = NUMBER if score.any() else (1, False)
            columns[v] = score[:, None] if score.any() else np.empty((len(score), 0))
        self.is_number = np.isin(np.arange(len(rows.codes)), [*rows.numbers])
        ends = np.cumsum([each.shape[1] for each in columns])
        self.places = [np.arange(end - each.shape[1], end) for end, each in zip(ends, columns, strict=True)]
        self.columns = np.concatenate(columns, axis=1)
        self.ridge, self.link_ridge, moment, self.share = model.tolist()
        self.is_moment = moment > 0
        self._sums = self._all_sums() if self.seen is None else None

    def weigh(self, x: int, members: Integers, others: Integers) -> Weighed:
        """Weigh links of x; where numbers leave full tables no meaning, NaN stands for what these say."""
        factors = np.zeros((3, len(self.codes)))
        if self.kinds[x][0] == 1:
            return Weighed(factors, 0.0)
        is_discrete, is_number = not self.is_number[[x, *members]].any(), self.is_number[others]
        if not is_discrete:
            factors[2, np.concatenate([members, others])] = np.nan
            weigh = self._weigh_linear if self.is_number[x] else self._weigh_logistic
            with ONE_THREAD:
                return Weighed(factors, weigh(x, members, others, factors))
        found = self.categories.weigh(x, members, others[~is_number])
        if is_number.any():
            with ONE_THREAD:
                self._weigh_logistic(x, members, others[is_number], found.factors)
        return found

    def _weights_of(self, *variables: int) -> Floats:
        """Give the weights of the rows that show some variables; those of others are 0."""
        if self.seen is None:
            return self.weights
        return np.asarray(self.weights * self.seen[list(variables)].all(axis=0), np.float64)

    def _shown_columns(self, x: int, y: int) -> Floats:
        """Give the columns of a variable outside: in rows that do not show it they are as on average."""
        columns = self.columns[:, self.places[y]]
        if self.seen is None:
            return columns
        weights = self._weights_of(x, y)
        mean = weights @ columns / max(float(weights.sum()), TINY)
        return np.where(self.seen[y][:, None], columns - mean, 0.0)

    def _shares(self, x: int, members: Integers) -> Floats:
        """Give the share that shows each member among the rows that show x."""
        if self.seen is None:
            return np.ones(len(members))
        weights = self._weights_of(x)
        return np.asarray(self.seen[members] @ weights / weights.sum(), np.float64)

    def _all_sums(self) -> Sums:
        """Multiply all columns with all."""
        centred = self.columns - self.weights @ self.columns / self.weights.sum()
        return Sums((centred * self.weights[:, None]).T @ centred, float(self.weights.sum()))

    def _sums_of(self, x: int, members: Integers, others: Integers) -> Sums:
        """Multiply the columns that a regression of x needs, in the rows that show it."""
        if self._sums is not None:
            return self._sums
        weights = self._weights_of(x)
        columns, products = np.zeros_like(self.columns), np.zeros((self.columns.shape[1],) * 2)
        fitted = np.concatenate([self.places[v] for v in (x, *members.tolist())])
        means = weights @ self.columns[:, fitted] / weights.sum()
        columns[:, fitted] = self.columns[:, fitted] - means
        for y in others.tolist():
            own, places = self._shown_columns(x, y), self.places[y]
            columns[:, places] = own
            products[np.ix_(places, places)] = (own * weights[:, None]).T @ own
        products[fitted] = (columns[:, fitted] * weights[:, None]).T @ columns
        products[:, fitted] = products[fitted].T
        return Sums(products, float(weights.sum()))

    def _weigh_linear(self, x: int, members: Integers, others: Integers, factors: Floats) -> float:
        """Weigh links of a number; give the log evidence of its blanket."""
        columns, prior, begin = self._blanket(x, members)
        sums, shares = self._sums_of(x, members, others), self._shares(x, members)
        fit = LinearFit(sums, int(self.places[x][0]), columns, prior)
        for kind, chosen in self._by_kind(members):
            places = begin[chosen][:, None] + np.arange(len(self.places[members[chosen[0]]]))
            fitted, link = self.ridge * self._unit(x, kind), self._link(x, kind)
            factors[:2, members[chosen]] = fit.weigh_members(places, fitted, link, shares[chosen])
        for kind, chosen in self._by_kind(others):
            places = np.array([self.places[y] for y in others[chosen].tolist()])
            factors[:2, others[chosen]] = fit.weigh_others(places, self._link(x, kind))
        return fit.log_evidence

    def _weigh_logistic(self, x: int, members: Integers, others: Integers, factors: Floats) -> float:
        """Weigh links of a category: with members if one of them is a number, else with numbers alone."""
        has_tables = self.share > 0 and not self.is_number[members].any()
        columns, prior, begin = self._blanket(x, members)
        f, shares = features(*self.kinds[x]), self._shares(x, members)
        counts = np.eye(len(f))[self.codes[x]] * self._weights_of(x)[:, None]
        fit = _fit(counts, f, self.columns[:, columns], prior)
        if self.is_number[members].any():
            for kind, chosen in self._by_kind(members):
                found = self._member_factors(x, kind, begin[chosen], fit, shares[chosen])
                factors[:2, members[chosen]] = found
        for kind, chosen in self._by_kind(others):
            y = others[chosen]
            g = np.array([self._shown_columns(x, v) for v in y.tolist()])
            factors[:2, y] = main = self._outside_factors(x, kind, g, counts, fit)
            if has_tables:
                factors[::2, y] = self._averaged_factors(x, members, y, counts, (fit.log_evidence, main))
        return fit.log_evidence

    def _blanket(self, x: int, members: Integers) -> tuple[Integers, Floats, Integers]:
        """Give the columns of a blanket, the prior precision of its effects, and where each member begins."""
        parts = [self.places[b] for b in members.tolist()]
        q = len(self._own(self.kinds[x]))
        sizes = np.array([len(part) for part in parts], np.int64)
        begin, width = np.cumsum(sizes) - sizes, int(sizes.sum())
        prior = np.zeros((q, width, q, width))
        for b, start, size in zip(members.tolist(), begin.tolist(), sizes.tolist(), strict=True):
            if size:
                here = slice(start, start + size)
                unit = self._unit(x, self.kinds[b]).reshape(q, size, q, size)
                prior[:, here, :, here] = self.ridge * unit
        columns = np.concatenate([np.empty(0, np.int64), *parts])
        return columns, prior.reshape(q * width, q * width), begin

    def _own(self, kind: Kind) -> Floats:
        """Give the spread of a variable's features over its states, summed; a number is like -1 and 1."""
        if kind == NUMBER:
            return NUMBER_UNIT
        return state_spread(*kind)

    def _unit(self, x: int, kind: Kind) -> Floats:
        """Give the prior precision of the effects of a link for a ridge of one."""
        return np.asarray(np.kron(self._own(self.kinds[x]), self._own(kind)), np.float64)

    def _link(self, x: int, kind: Kind) -> tuple[Floats, float, bool]:
        """Give the prior of the link in question as `log_factors` takes it."""
        prior = self.link_ridge * self._unit(x, kind)
        return prior, float(np.linalg.slogdet(prior)[1]), self.is_moment

    def _by_kind(self, variables: Integers) -> Iterator[tuple[Kind, Integers]]:
        """Group variables by kind; give the places of each group. A constant has nothing to say."""
        kinds = [self.kinds[v] for v in variables.tolist()]
        for kind in sorted({*kinds}):
            if kind[0] != 1:
                yield kind, np.flatnonzero([each == kind for each in kinds])

    def _member_factors(self, x: int, kind: Kind, begin: Integers, fit: Fit, shares: Floats) -> Floats:
        """Weigh members of one kind by their effects as fitted (Wald): V = spread^-1, g = V theta."""
        q, width = len(self._own(self.kinds[x])), int(fit.sizes.sum())
        columns = begin[:, None] + np.arange(len(self._own(kind)))
        first = len(fit.theta) - q * width
        places = first + (np.arange(q)[None, :, None] * width + columns[:, None]).reshape(len(begin), -1)
        theta = fit.theta[places]
        half = fit.inverse.T[places]
        precision = inverse_of(half @ half.transpose(0, 2, 1))
        gradient = (precision @ theta[:, :, None])[:, :, 0]
        information = shares[:, None, None] * (precision - self.ridge * self._unit(x, kind))
        return log_factors(shares[:, None] * gradient, information, *self._link(x, kind))

    def _outside_factors(self, x: int, kind: Kind, g: Floats, counts: Floats, fit: Fit) -> Floats:
        """Weigh variables of one kind that the fit left out by their score (Rao)."""
        # g: variables by rows by columns
        f, weights = features(*self.kinds[x]), counts.sum(axis=1)
        (n, rows, k), q = g.shape, f.shape[1]
        residual = (counts - weights[:, None] * fit.probabilities) @ f
        gradient = (residual.T @ g).reshape(n, q * k)
        products = (g[:, :, :, None] * g[:, :, None, :]).reshape(n, rows, k * k)
        spread = (fit.spread * weights[:, None, None]).reshape(rows, q * q)
        information = (spread.T @ products).reshape(n, q, q, k, k).transpose(0, 1, 3, 2, 4)
        sensitivity = (fit.sensitivity * weights[:, None, None]).reshape(rows, -1)
        shared = (g.transpose(0, 2, 1) @ sensitivity).reshape(n, k, q, -1).transpose(0, 2, 1, 3)
        shared = shared.reshape(n, q * k, -1) @ fit.inverse.T
        information = information.reshape(n, q * k, q * k) - shared @ shared.transpose(0, 2, 1)
        return log_factors(gradient, information, *self._link(x, kind))

    def _averaged_factors(
        self, x: int, members: Integers, others: Integers, counts: Floats, main: tuple[float, Floats]
    ) -> tuple[Floats, Floats]:
        """Average main effects with cells that have probabilities of their own, next to which numbers act."""
        labels, n_cells = label_cells(self.codes[members], self.n_states[members])
        evidence, by_effects = main
        moments = [self._moments_in_cells(x, y, labels, n_cells) for y in others.tolist()]
        gradient, information = (np.array(each) for each in zip(*moments, strict=True))
        table = log_factors(gradient, information, *self._link(x, NUMBER))
        if self.share == 1:
            return table, table
        own = np.array([np.bincount(labels, each, n_cells) for each in counts.T]).T
        kept = _log_tables(own) - _log_tables(own.sum(axis=0, keepdims=True))
        log_main, log_table = math.log1p(-self.share) + evidence, math.log(self.share) + kept
        with_link = np.logaddexp(log_main + by_effects, log_table + table)
        return with_link - np.logaddexp(log_main, log_table), table

    def _moments_in_cells(self, x: int, y: int, labels: NDArray[Any], n_cells: int) -> tuple[Floats, Floats]:
        """Give gradient and information of a number next to cells, from the rows that show it."""
        r, f, weights = self.kinds[x][0], features(*self.kinds[x]), self._weights_of(x, y)
        own = np.bincount(labels * r + self.codes[x], weights, n_cells * r).reshape(n_cells, r)
        sizes, g = np.maximum(own.sum(axis=1), TINY), self.columns[:, self.places[y][0]]
        deviations = g - (np.bincount(labels, weights * g, n_cells) / sizes)[labels]
        within = np.bincount(labels, weights * deviations**2, n_cells)
        spread = covariance(own / sizes[:, None], f)[1]
        return (weights * deviations) @ f[self.codes[x]], np.tensordot(within, spread, 1)


def _fit(counts: Floats, f: Floats, z: Floats, prior: Floats) -> Fit:
    """Fit a category on columns, a row being a cell of its own."""
    padded = np.pad(prior, ((len(f) - 1, 0), (len(f) - 1, 0)))  # intercepts have a flat prior
    return Regression(counts, f, z, padded).fit(float(np.linalg.slogdet(prior)[1]), np.array([z.shape[1]]))


def _log_tables(counts: Floats) -> float:
    """Give the log evidence of tables with uniform priors, a row each."""
    r = counts.shape[1]
    above = gammaln(counts.sum(axis=1) + r) - math.lgamma(r)
    return float(gammaln(counts + 1).sum() - above.sum())


def normal_scores(values: Floats, weights: Floats) -> Floats:
    """Standardise numbers by their ranks: the normal quantiles of the middle of each value's share."""
    # Rows of weight 0 have holes: they count for nothing, and their values are among those of the others.
    distinct, numbers = np.unique(values, return_inverse=True)
    if len(distinct) < 2:
        return np.zeros(len(values))
    shares = np.bincount(numbers, weights) / weights.sum()
    scores = ndtri(np.cumsum(shares) - shares / 2)
    mean = shares @ scores
    return np.asarray(((scores - mean) / math.sqrt(shares @ (scores - mean) ** 2))[numbers], np.float64)
