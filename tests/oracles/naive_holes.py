"""What links are worth where cells are missing, by definition, row by row.

The holes are filled in already: what stands in a hole is given, and says nothing of its variable.
Everything is in orthonormal centred contrasts, as in `naive_averaged`.
"""

import math
from collections import Counter, defaultdict

import numpy as np

from oracles.naive_averaged import LINK_RIDGE, RIDGE, log_det, moment_factor
from oracles.naive_pairwise import Regression, coding, contrast_basis


class Fitted(Regression):
    """The fit of x on some variables, in codings that all rows decide."""

    def __init__(self, rows, codings, x, members):
        self.rows, self.x = rows, x
        self.states = sorted(codings[x][0])
        free = contrast_basis(len(self.states))
        self.free = {s: free[i] for i, s in enumerate(self.states)}
        self.slopes, self.precision = codings[x]
        self.pieces = [(b, codings[b][0]) for b in members]
        self.blocks, precisions, at = {}, [0.0] * free.shape[1], free.shape[1]
        for b in members:
            columns, precision = codings[b]
            size = len(self.slopes[self.states[0]]) * len(next(iter(columns.values())))
            self.blocks[b] = list(range(at, at + size))
            precisions += [RIDGE * self.precision * precision] * size
            at += size
        self.prior = np.diag(precisions)
        self.theta = self._climb()


class Holes:
    """Rows filled in, and which cells they show; each row ends with the set of variables that it shows."""

    def __init__(self, rows, seen, weights, ordered=(), share=0.25):
        self.share = share
        self.rows = [
            [*row, {v for v, is_shown in enumerate(shown) if is_shown}]
            for row, shown, w in zip(rows, seen, weights, strict=True)
            for _ in range(w)
        ]
        self.codings = {}
        for v in range(len(rows[0])):
            states = sorted({row[v] for row in self.rows if v in row[-1]})
            self.codings[v] = coding([[s] for s in states], 0, {0} if v in ordered else ())

    def that_show(self, *variables):
        return [row for row in self.rows if row[-1].issuperset(variables)]

    def main(self, x, y, members, is_shared=True):
        """What y's main effects give beside those of the other members; shared, by the rows that show y."""
        rows = self.that_show(x)
        fit = Fitted(rows, self.codings, x, members)
        columns, precision = self.codings[y]
        shown = [columns[row[y]] for row in self.that_show(x, y)]
        mean = np.mean(shown, axis=0) if shown else np.zeros(len(next(iter(columns.values()))))
        m = len(fit.theta)
        if y in members:
            hessian = fit.slope_moments(fit.theta, lambda row, state: np.zeros(0))[1] + fit.prior
            block = np.ix_(fit.blocks[y], fit.blocks[y])
            own = np.linalg.inv(np.linalg.inv(hessian)[block])
            share = len(shown) / len(rows) if is_shared else 1.0
            gradient = share * own @ fit.theta[fit.blocks[y]]
            information = share * (own - fit.prior[block])
        else:
            moments = fit.slope_moments(
                fit.theta,
                lambda row, state: np.outer(
                    columns[row[y]] if y in row[-1] else mean, fit.slopes[state]
                ).ravel(),
            )
            gradient, full = moments[0][m:], moments[1]
            full[:m, :m] += fit.prior
            information = full[m:, m:] - full[m:, :m] @ np.linalg.solve(full[:m, :m], full[:m, m:])
        prior = LINK_RIDGE * fit.precision * precision * np.eye(len(gradient))
        return moment_factor(gradient, information, prior)

    def main_evidence(self, x, members):
        rows = self.that_show(x)
        fit, n = Fitted(rows, self.codings, x, members), len(rows)
        shares = np.array([sum(row[x] == s for row in rows) for s in fit.states]) / n
        basis = contrast_basis(len(shares))
        alone = n * basis.T @ (np.diag(shares) - np.outer(shares, shares)) @ basis
        likelihood = sum(n * share * math.log(share) for share in shares)
        first = len(basis) - 1
        hessian = fit.slope_moments(fit.theta, lambda row, state: np.zeros(0))[1] + fit.prior
        slopes = fit.prior[first:, first:]
        occam = (log_det(slopes) if slopes.size else 0.0) - log_det(hessian)
        return fit.log_posterior(fit.theta) - likelihood + (occam + log_det(alone)) / 2

    def table_evidence(self, rows, x, members):
        r = len(self.codings[x][0])

        def log_likelihood(cell):
            counts = Counter(row[x] for row in cell)
            whole = math.lgamma(r) - math.lgamma(len(cell) + r)
            return whole + sum(math.lgamma(count + 1) for count in counts.values())

        return sum(map(log_likelihood, cells(rows, members))) - log_likelihood(rows)

    def stratified(self, x, y, members):
        (of_x, precision_x), (of_y, precision_y) = self.codings[x], self.codings[y]
        size = len(next(iter(of_x.values()))) * len(next(iter(of_y.values())))
        gradient, information = np.zeros(size), np.zeros((size, size))
        for cell in cells(self.that_show(x, y), members):
            f = np.array([of_x[row[x]] for row in cell])
            g = np.array([of_y[row[y]] for row in cell])
            f, g = f - f.mean(axis=0), g - g.mean(axis=0)
            gradient = gradient + (f.T @ g).ravel()
            information = information + np.kron(f.T @ f, g.T @ g) / len(cell)
        return moment_factor(gradient, information, LINK_RIDGE * precision_x * precision_y * np.eye(size))

    def factor(self, x, y, members):
        """F: of a link of x with y, beside those with the other members."""
        if min(len(self.codings[v][0]) for v in (x, y)) < 2:
            return 0.0
        rest, main = tuple(b for b in members if b != y), self.main(x, y, members)
        if self.share == 0:
            return main
        both = self.that_show(x, y)
        kept = self.table_evidence(self.that_show(x), x, rest)
        split = self.table_evidence(both, x, (*rest, y)) - self.table_evidence(both, x, rest)
        with_table = np.logaddexp(kept + split, kept + self.stratified(x, y, rest)) - math.log(2)
        if self.share == 1:
            return float(with_table - kept)
        without_main = self.main_evidence(x, members)
        if y in members:
            without_main -= self.main(x, y, members, is_shared=False)
        with_main = without_main + main
        return float(self.mixed(with_main, with_table) - self.mixed(without_main, kept))

    def mixed(self, main, table):
        return np.logaddexp(math.log(1 - self.share) + main, math.log(self.share) + table)


def cells(rows, members):
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[b] for b in members)].append(row)
    return list(found.values())
