"""The averaged test, its local score and the learned density by their definitions, cell by cell.

Everything is in orthonormal centred contrasts, with dense matrices. The package works with a
base state and never fits a model without a member: nothing is shared but the definition.
"""

import math
from collections import Counter, defaultdict

import numpy as np

from oracles.naive_pairwise import Regression, both, coding, contrast_basis, seen_states

RIDGE, LINK_RIDGE = 1.0, 8.0


def most_states(n_rows):
    """One for each twenty rows, from eight to sixteen."""
    return 8 if n_rows < 160 else 16 if n_rows >= 320 else n_rows // 20


def lumped(rows, weights):
    """The rows with the rare states of variables that have many taken as one."""
    columns, most = [], most_states(sum(weights))
    for v in range(len(rows[0]) if rows else 0):
        counts = Counter()
        for row, w in zip(rows, weights, strict=True):
            counts[row[v]] += w
        kept = set(counts)
        if len(counts) > most:
            kept = set(sorted(counts, key=lambda s: (-counts[s], s))[: most - 1])
        columns.append([row[v] if row[v] in kept else -1 for row in rows])
    return [list(row) for row in zip(*columns, strict=True)]


def log_det(matrix):
    sign, value = np.linalg.slogdet(matrix)
    assert sign > 0
    return float(value)


def moment_factor(gradient, information, prior):
    """Log Bayes factor of effects whose prior is a normal one times their square."""
    precision = information + prior
    spread = np.linalg.inv(precision)
    mean = spread @ gradient
    normal = gradient @ mean / 2 + (log_det(prior) - log_det(precision)) / 2
    return float(normal + math.log((mean @ prior @ mean + np.trace(prior @ spread)) / len(prior)))


class Averaged:
    """The log Bayes factors of one table: main effects and full tables, by the share of these."""

    def __init__(self, rows, weights, ordered=(), share=0.25):
        rows = lumped(rows, weights)
        self.rows = [row for row, w in zip(rows, weights, strict=True) for _ in range(w)]
        self.ordered, self.share, self.fits = ordered, share, {}

    def fit(self, x, members):
        if (x, members) not in self.fits:
            ones = [1] * len(self.rows)
            self.fits[x, members] = Regression(self.rows, ones, x, members, RIDGE, self.ordered)
        return self.fits[x, members]

    def hessian(self, x, members):
        """Negative, at the mode, with the prior; the intercepts come first."""
        fit = self.fit(x, members)
        return fit.slope_moments(fit.theta, lambda row, state: np.zeros(0))[1] + fit.prior

    def main(self, x, y, members):
        """What y's main effects give beside those of the other members."""
        fit = self.fit(x, members)
        if y in members:
            block = np.ix_(fit.blocks[y], fit.blocks[y])
            own = np.linalg.inv(np.linalg.inv(self.hessian(x, members))[block])
            prior = fit.prior[block]
            information, gradient = own - prior, own @ fit.theta[fit.blocks[y]]
        else:
            columns, precision = coding(self.rows, y, self.ordered)
            moments = fit.slope_moments(
                fit.theta, lambda row, state: np.outer(columns[row[y]], fit.slopes[state]).ravel()
            )
            m = len(fit.theta)
            gradient, full = moments[0][m:], moments[1]
            full[:m, :m] += fit.prior
            information = full[m:, m:] - full[m:, :m] @ np.linalg.solve(full[:m, :m], full[:m, m:])
            prior = RIDGE * fit.precision * precision * np.eye(len(gradient))
        return moment_factor(gradient, information, prior * LINK_RIDGE / RIDGE)

    def main_evidence(self, x, members):
        """M: of all main effects of a set, against none."""
        fit, n = self.fit(x, members), len(self.rows)
        shares = np.array([sum(row[x] == s for row in self.rows) for s in fit.states]) / n
        basis = contrast_basis(len(shares))
        alone = n * basis.T @ (np.diag(shares) - np.outer(shares, shares)) @ basis
        likelihood = sum(n * share * math.log(share) for share in shares)
        slopes = fit.prior[len(basis) - 1 :, len(basis) - 1 :]
        occam = (log_det(slopes) if slopes.size else 0.0) - log_det(self.hessian(x, members))
        return fit.log_posterior(fit.theta) - likelihood + (occam + log_det(alone)) / 2

    def cells(self, members):
        cells = defaultdict(list)
        for row in self.rows:
            cells[tuple(row[b] for b in members)].append(row)
        return list(cells.values())

    def table_evidence(self, x, members):
        """T: of a full table of a set, against none."""
        r = len(seen_states(self.rows, x))

        def log_likelihood(cell):
            counts = Counter(row[x] for row in cell)
            whole = math.lgamma(r) - math.lgamma(len(cell) + r)
            return whole + sum(math.lgamma(count + 1) for count in counts.values())

        return sum(map(log_likelihood, self.cells(members))) - log_likelihood(self.rows)

    def stratified(self, x, y, members):
        """S: of y's main effect beside a full table of a set."""
        of_x, precision_x = coding(self.rows, x, self.ordered)
        of_y, precision_y = coding(self.rows, y, self.ordered)
        gradient, information = 0.0, 0.0
        for cell in self.cells(members):
            f = np.array([of_x[row[x]] for row in cell])
            g = np.array([of_y[row[y]] for row in cell])
            f, g = f - f.mean(axis=0), g - g.mean(axis=0)
            gradient = gradient + (f.T @ g).ravel()
            information = information + np.kron(f.T @ f, g.T @ g) / len(cell)
        prior = LINK_RIDGE * precision_x * precision_y * np.eye(len(gradient))
        return moment_factor(gradient, information, prior)

    def factor(self, x, y, members):
        """F: of a link of x with y, beside those with the other members."""
        members = tuple(sorted(members))
        if min(len(seen_states(self.rows, v)) for v in (x, y)) < 2:
            return 0.0
        rest = tuple(b for b in members if b != y)
        if self.share == 0:
            return self.main(x, y, members)
        without_table = self.table_evidence(x, rest)
        with_tables = [
            self.table_evidence(x, tuple(sorted((*rest, y)))),
            without_table + self.stratified(x, y, rest),
        ]
        with_table = np.logaddexp(*with_tables) - math.log(2)
        if self.share == 1:
            return float(with_table - without_table)
        with_main = without_main = self.main_evidence(x, members)
        if y in members:
            without_main = with_main - self.main(x, y, members)
        else:
            with_main = without_main + self.main(x, y, members)
        return float(self.mixed(with_main, with_table) - self.mixed(without_main, without_table))

    def mixed(self, main, table):
        return np.logaddexp(math.log(1 - self.share) + main, math.log(self.share) + table)


def log_prior_odds(n, prior):
    """Of dependence, with the prior probability of independence or the default one."""
    if prior is None:
        prior = 1 - min(4, (n - 1) / 4) / (n - 1)
    return math.log((1 - prior) / prior)


def log_probabilities(rows, weights, x, y, given, *, ordered=(), table_share=0.25, prior=None):
    table = Averaged(rows, weights, ordered, table_share)
    factor = (table.factor(x, y, given) + table.factor(y, x, given)) / 2
    return both(log_prior_odds(len(rows[0]), prior) + factor)


def evidence(rows, weights, x, blanket, *, ordered=(), table_share=0.25, prior=None):
    """Log odds of every link of x; x's own are not a number."""
    table, n = Averaged(rows, weights, ordered, table_share), len(rows[0])
    factors = [math.nan if y == x else table.factor(x, y, blanket) for y in range(n)]
    return np.array(factors) + log_prior_odds(n, prior)


def term(log_odds, x, blanket):
    """The local term from the evidence."""
    return sum(both(e)[int(y in blanket)] for y, e in enumerate(log_odds) if y != x)


def learned_prior(factors, n_rows):
    n = len(factors)
    weight = min(1, n_rows / (n - 1))
    pairs = [round((factors[i][j] + factors[j][i]) / 2, 2) for i in range(n) for j in range(i)]
    low, high, centre = 0.1 * min(1, (n - 1) / 2), (n - 1) / 3, math.log(min(4, (n - 1) / 4))
    logits, weights = [], []
    for step in range(41):
        d = low * (high / low) ** (step / 40)
        p = d / (n - 1)
        likelihood = sum(np.logaddexp(math.log(1 - p), math.log(p) + b) for b in pairs)
        weights.append(weight * likelihood - ((math.log(d) - centre) / 0.5) ** 2 / 2)
        logits.append(math.log(p / (1 - p)))
    shares = np.exp(np.array(weights) - max(weights))
    return 1 / (1 + math.exp(shares @ logits / shares.sum()))
