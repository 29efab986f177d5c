"""Linear regression of a number on a set of others, its scale integrated out.

Columns are centred, and the effects of a link are measured in standard deviations s of what the fit leaves
unexplained: theta ~ N(0, s^2 P^-1), with p(s^2) proportional to 1 / s^2 and a flat intercept. Then all is
in closed form for any number of rows. With gradient g, information J and V = J + P, the sum of squares R
that is left without the link falls by Q = g' V^-1 g with it, and

    log Bayes factor = log(det P / det V) / 2 - (N - 1) / 2 log(1 - Q / R).

A moment prior adds the log of the posterior mean of theta' P theta / (s^2 df), which is
tr(P V^-1) / df + (N - 1) / (R - Q) m' P m / df with the posterior mean m = V^-1 g.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ibmap.independence.numpy_fit import Floats, Integers, cholesky, inverse_of, log_factors

LEAST_LEFT = 1e-12  # share of a sum of squares that rounding may leave of nothing


class Sums(NamedTuple):
    """What linear regressions need of a table: products of all centred columns, and the rows behind them."""

    products: Floats  # columns by columns
    n_samples: float


class LinearFit:
    """A number fitted on a set of columns, whose effects have a normal prior."""

    def __init__(self, sums: Sums, x: int, columns: Integers, prior: Floats) -> None:
        self.sums, self.x, self.columns, self.prior = sums, x, columns, prior
        products = sums.products
        inverse = inverse_of(cholesky(products[np.ix_(columns, columns)] + prior))
        self.spread = inverse.T @ inverse
        self.slopes = self.spread @ products[columns, x]
        self.left = max(
            float(products[x, x] - products[x, columns] @ self.slopes), LEAST_LEFT * products[x, x]
        )

    @property
    def log_evidence(self) -> float:
        """Of the set, relative to the number by itself."""
        occam = float(np.linalg.slogdet(self.prior)[1] + np.linalg.slogdet(self.spread)[1])
        ratio = self.left / self.sums.products[self.x, self.x]
        return (occam - (self.sums.n_samples - 1) * math.log(ratio)) / 2

    def weigh_members(
        self, places: Integers, fitted: Floats, link: tuple[Floats, float, bool], shares: Floats
    ) -> Floats:
        """Weigh members by their effects as fitted; places: members by columns, within the fit's."""
        # shares: of the rows, those that show each member
        precision = inverse_of(self.spread[places[:, :, None], places[:, None, :]])
        slopes = self.slopes[places]
        gradient = (precision @ slopes[:, :, None])[:, :, 0]
        left = self.left + (gradient * slopes).sum(axis=1)  # without each member
        gradient, information = shares[:, None] * gradient, shares[:, None, None] * (precision - fitted)
        return log_factors(gradient, information, *link, (left, self.sums.n_samples - 1))

    def weigh_others(self, places: Integers, link: tuple[Floats, float, bool]) -> Floats:
        """Weigh variables that the fit left out; places: variables by columns."""
        products, size = self.sums.products, places.shape[1]
        shared = products[places.ravel()[:, None], self.columns].reshape(*places.shape, -1)
        gradient = products[places, self.x] - shared @ self.slopes
        information = products[places[:, :, None], places[:, None, :]]
        information = information - shared @ self.spread @ shared.transpose(0, 2, 1)
        least = LEAST_LEFT * products[places, places]  # rounding must not make it negative
        at = np.arange(size)
        information[:, at, at] = np.maximum(information[:, at, at], least)
        left = np.full(len(places), self.left)
        return log_factors(gradient, information, *link, (left, self.sums.n_samples - 1))
