"""Log Bayes factors of one variable's links in tables that have numbers next to categories.

A number enters as one column, the normal scores of its ranks; a category as an indicator for each state but
one, ordered states as one score. The response is fitted by linear regression if it is a number
(`linear_fit`), else by multinomial logistic regression, row by row. The priors are those of categories, a
number counting as a binary variable with the values -1 and 1: so the same effect for each standard deviation
is expected of all.

Full tables mean nothing where X or a member of its blanket is a number; there main effects stand alone. Where
both are categories, full tables are weighed as in other tables, and a number outside has a main effect next
to them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri

from ibmap.data.counting import label_cells
from ibmap.independence.linear_fit import LinearFit, Sums
from ibmap.independence.links import Kind, Weighed, Weighing
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
LEAST_SPREAD = 1e-10  # standard deviation over size: less is a constant


class MixedLinks:
    """What links of the variables of a table with numbers are worth."""

    def __init__(
        self,
        codes: NDArray[np.uint8],
        weights: Floats,
        kinds: tuple[Integers, NDArray[np.bool_], Floats],
        model: Floats,
        numbers: Mapping[int, Floats],
        categories: Weighing,
    ) -> None:
        self.codes, self.weights, self.n_states, self.categories = codes, weights, kinds[0], categories
        self.kinds: list[Kind] = list(zip(kinds[0].tolist(), kinds[1].tolist(), strict=True))
        columns = [features(*kind)[codes[v]] for v, kind in enumerate(self.kinds)]
        for v, values in numbers.items():
            score = normal_scores(values, weights)
            self.kinds[v] = NUMBER if score.any() else (1, False)
            columns[v] = score[:, None] if score.any() else np.empty((len(score), 0))
        self.is_number = np.isin(np.arange(len(codes)), [*numbers])
        ends = np.cumsum([each.shape[1] for each in columns])
        self.places = [np.arange(end - each.shape[1], end) for end, each in zip(ends, columns, strict=True)]
        self.columns = np.concatenate(columns, axis=1)
        centred = self.columns - weights @ self.columns / weights.sum()
        self.sums = Sums((centred * weights[:, None]).T @ centred, float(weights.sum()))
        self.ridge, self.link_ridge, moment, self.share = model.tolist()
        self.is_moment = moment > 0

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

    def _weigh_linear(self, x: int, members: Integers, others: Integers, factors: Floats) -> float:
        """Weigh links of a number; give the log evidence of its blanket."""
        columns, prior, begin = self._blanket(x, members)
        fit = LinearFit(self.sums, int(self.places[x][0]), columns, prior)
        for kind, chosen in self._by_kind(members):
            places = begin[chosen][:, None] + np.arange(len(self.places[members[chosen[0]]]))
            fitted, link = self.ridge * self._unit(x, kind), self._link(x, kind)
            factors[:2, members[chosen]] = fit.weigh_members(places, fitted, link)
        for kind, chosen in self._by_kind(others):
            places = np.array([self.places[y] for y in others[chosen].tolist()])
            factors[:2, others[chosen]] = fit.weigh_others(places, self._link(x, kind))
        return fit.log_evidence

    def _weigh_logistic(self, x: int, members: Integers, others: Integers, factors: Floats) -> float:
        """Weigh links of a category: with members if one of them is a number, else with numbers alone."""
        has_tables = self.share > 0 and not self.is_number[members].any()
        columns, prior, begin = self._blanket(x, members)
        f = features(*self.kinds[x])
        counts = np.eye(len(f))[self.codes[x]] * self.weights[:, None]
        fit = _fit(counts, f, self.columns[:, columns], prior)
        if self.is_number[members].any():
            for kind, chosen in self._by_kind(members):
                factors[:2, members[chosen]] = self._member_factors(x, kind, begin[chosen], fit)
        for kind, chosen in self._by_kind(others):
            y = others[chosen]
            g = np.array([self.columns[:, self.places[v]] for v in y.tolist()])
            factors[:2, y] = main = self._outside_factors(x, kind, g, counts, fit)
            if has_tables:
                factors[::2, y] = self._averaged_factors(x, members, g[:, :, 0], fit.log_evidence, main)
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

    def _member_factors(self, x: int, kind: Kind, begin: Integers, fit: Fit) -> Floats:
        """Weigh members of one kind by their effects as fitted (Wald): V = spread^-1, g = V theta."""
        q, width = len(self._own(self.kinds[x])), int(fit.sizes.sum())
        columns = begin[:, None] + np.arange(len(self._own(kind)))
        first = len(fit.theta) - q * width
        places = first + (np.arange(q)[None, :, None] * width + columns[:, None]).reshape(len(begin), -1)
        theta = fit.theta[places]
        half = fit.inverse.T[places]
        precision = inverse_of(half @ half.transpose(0, 2, 1))
        gradient = (precision @ theta[:, :, None])[:, :, 0]
        return log_factors(gradient, precision - self.ridge * self._unit(x, kind), *self._link(x, kind))

    def _outside_factors(self, x: int, kind: Kind, g: Floats, counts: Floats, fit: Fit) -> Floats:
        """Weigh variables of one kind that the fit left out by their score (Rao)."""
        # g: variables by rows by columns
        f, weights = features(*self.kinds[x]), self.weights
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
        self, x: int, members: Integers, g: Floats, evidence: float, main: Floats
    ) -> tuple[Floats, Floats]:
        """Average main effects with cells that have probabilities of their own, next to which numbers act."""
        r, f = self.kinds[x][0], features(*self.kinds[x])
        labels, n_cells = label_cells(self.codes[members], self.n_states[members])
        counts: Floats = np.bincount(labels * r + self.codes[x], self.weights, n_cells * r)  # type: ignore[assignment]
        own = counts.reshape(n_cells, r)
        sizes = own.sum(axis=1)
        p = own / sizes[:, None]
        means = np.array([np.bincount(labels, self.weights * each, n_cells) for each in g]) / sizes
        centred = (g - means[:, labels]) * self.weights
        gradient = centred @ (f[self.codes[x]] - (p @ f)[labels])
        within = np.array([np.bincount(labels, each, n_cells) for each in centred * (g - means[:, labels])])
        information = np.tensordot(within, covariance(p, f)[1], (1, 0))
        table = log_factors(gradient, information, *self._link(x, NUMBER))
        if self.share == 1:
            return table, table
        kept = _log_tables(own) - _log_tables(own.sum(axis=0, keepdims=True))
        log_main, log_table = math.log1p(-self.share) + evidence, math.log(self.share) + kept
        with_link = np.logaddexp(log_main + main, log_table + table)
        return with_link - np.logaddexp(log_main, log_table), table


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
    distinct, numbers = np.unique(values, return_inverse=True)
    if len(distinct) < 2:
        return np.zeros(len(values))
    shares = np.bincount(numbers, weights) / weights.sum()
    scores = ndtri(np.cumsum(shares) - shares / 2)
    mean = shares @ scores
    return np.asarray(((scores - mean) / math.sqrt(shares @ (scores - mean) ** 2))[numbers], np.float64)
