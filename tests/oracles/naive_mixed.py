"""Links in tables with numbers by their definition, row by row; the partial correlation's by integrals.

A linear response is the multivariate normal of all its rows, its scale integrated out; the moment prior is
a derivative of the normal one. A logistic response is fitted by Newton's method over rows and states.
"""

import math
from collections import Counter

import numpy as np
from scipy import integrate, stats

RIDGE, LINK_RIDGE = 1.0, 8.0


def scores(values, weights):
    """Normal quantiles of the middle of each value's share, standardised; ones of all rows repeated."""
    flat = [v for v, w in zip(values, weights, strict=True) for _ in range(w)]
    n, found = len(flat), {}
    for v in set(flat):
        below, equal = sum(u < v for u in flat), flat.count(v)
        found[v] = stats.norm.ppf((below + equal / 2) / n)
    every = [found[v] for v in flat]
    mean = sum(every) / n
    spread = math.sqrt(sum((s - mean) ** 2 for s in every) / n)
    return [(found[v] - mean) / spread if spread > 0 else 0.0 for v in values]


class Mixed:
    """The log Bayes factors of one table: columns are lists, `numbers` tells which are numbers."""

    def __init__(self, columns, numbers, weights, ordered=(), share=0.25):
        ordered = [v for v in ordered if len(set(columns[v])) > 2]
        columns = [
            scores(column, weights) if v in numbers else [sorted(set(column)).index(s) for s in column]
            for v, column in enumerate(columns)
        ]
        self.columns = [
            [value for value, w in zip(column, weights, strict=True) for _ in range(w)] for column in columns
        ]
        self.numbers, self.ordered, self.share = set(numbers), set(ordered), share
        self.n = sum(weights)

    def features(self, v):
        """Features of each row, and the matrix that measures effects."""
        column = self.columns[v]
        if v in self.numbers:
            return [[value] if any(column) else [] for value in column], 2.0 * np.eye(1 if any(column) else 0)
        r = len(set(column))
        states = [[float(s)] if v in self.ordered else [float(s == k) for k in range(1, r)] for s in range(r)]
        mean = [sum(each) / r for each in zip(*states, strict=True)]
        own = sum(np.outer(np.subtract(each, mean), np.subtract(each, mean)) for each in states)
        own = own * 2 / r if v in self.ordered else own
        return [states[s] for s in column], own

    def factor(self, x, y, members):
        """Log Bayes factor of the link, averaged with full tables where these mean anything."""
        if not self.features(y)[0][0] or not self.features(x)[0][0]:
            return 0.0
        if x in self.numbers:
            return self.linear(x, y, [b for b in members if b != y])
        discrete = not self.numbers.intersection([x, *members])
        if discrete and y not in self.numbers:
            raise NotImplementedError("this is what oracles.naive_averaged is for")
        main, evidence = self.logistic(x, y, members)
        if not discrete or self.share == 0:
            return main
        table, kept = self.stratified(x, y, members), self.table_evidence(x, members)
        if self.share == 1:
            return table
        a, b = math.log(1 - self.share) + evidence, math.log(self.share) + kept
        return np.logaddexp(a + main, b + table) - np.logaddexp(a, b)

    def linear(self, x, y, rest):
        """A number's rows are jointly normal given their scale; a flat intercept leaves their differences."""
        n = self.n
        basis = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, : n - 1]]))[0][:, 1:]
        target = basis.T @ np.array(self.columns[x])
        spread = np.eye(n - 1)
        for b in rest:
            z, own = self.features(b)
            if own.size:
                z = basis.T @ np.array(z)
                spread = spread + z @ np.linalg.inv(RIDGE * 2.0 * own) @ z.T
        z, own = self.features(y)
        z, size = basis.T @ np.array(z), len(own)

        def log_evidence(matrix):
            return -np.linalg.slogdet(matrix)[1] / 2 - (n - 1) / 2 * math.log(
                target @ np.linalg.solve(matrix, target)
            )

        def integral(s):
            link = z @ np.linalg.inv(s * LINK_RIDGE * 2.0 * own) @ z.T
            return s ** (-size / 2) * math.exp(log_evidence(spread + link) - log_evidence(spread))

        step = 1e-4
        slope = (
            8 * (integral(1 + step) - integral(1 - step)) - integral(1 + 2 * step) + integral(1 - 2 * step)
        ) / (12 * step)
        return math.log(-2 * slope / size)

    def design(self, x, variables):
        """What each parameter moves, for each row and state, intercepts first; the prior, and places."""
        states = sorted(set(self.columns[x]))
        of_x, own = self.features(x)
        feature = dict(zip(self.columns[x], of_x, strict=True))
        blocks, priors, places, at = [], [np.zeros((len(states) - 1,) * 2)], {}, len(states) - 1
        for v in variables:
            z, other = self.features(v)
            blocks.append(z)
            priors.append(np.kron(own, other))
            places[v] = list(range(at, at + len(priors[-1])))
            at += len(priors[-1])

        def moved(k, s):
            return [[float(s == t) for t in states[1:]], *(np.kron(feature[s], z[k]) for z in blocks)]

        rows = [np.array([np.concatenate(moved(k, s)) for s in states]) for k in range(self.n)]
        prior = np.zeros((at, at))
        begin = 0
        for each in priors:
            prior[begin : begin + len(each), begin : begin + len(each)] = RIDGE * each
            begin += len(each)
        return rows, prior, places

    def moments(self, x, rows, theta):
        """Log likelihood, gradient and information."""
        value, gradient, information = 0.0, 0.0, 0.0
        states = sorted(set(self.columns[x]))
        for row, s in zip(rows, self.columns[x], strict=True):
            eta = row @ theta
            p = np.exp(eta - eta.max())
            p /= p.sum()
            mean = p @ row
            k = states.index(s)
            value += math.log(p[k])
            gradient = gradient + row[k] - mean
            information = information + (row - mean).T @ (p[:, None] * (row - mean))
        return value, gradient, information

    def logistic(self, x, y, members):
        """Wald's statistic for a member, Rao's for another; and the evidence of the fit against none."""
        outside = [] if y in members else [y]
        rows, prior, places = self.design(x, [*members, *outside])
        theta, free = (
            np.zeros(len(prior)),
            [k for k in range(len(prior)) if not outside or k not in places[y]],
        )
        for _ in range(100):
            _, gradient, information = self.moments(x, rows, theta)
            gradient, information = gradient - prior @ theta, information + prior
            theta[free] += np.linalg.solve(information[np.ix_(free, free)], gradient[free])
        value, gradient, information = self.moments(x, rows, theta)
        here, link = places[y], LINK_RIDGE / RIDGE * prior[np.ix_(places[y], places[y])]
        hessian = (information + prior)[np.ix_(free, free)]
        if outside:
            cross = information[np.ix_(here, free)]
            own = information[np.ix_(here, here)] - cross @ np.linalg.solve(hessian, cross.T)
            score = gradient[here]
        else:
            own = np.linalg.inv(np.linalg.inv(hessian)[np.ix_(here, here)])
            score = own @ theta[here]
            own = own - prior[np.ix_(here, here)]
        spread = np.linalg.inv(own + link)
        mean = spread @ score
        normal = score @ mean / 2 + (np.linalg.slogdet(link)[1] + np.linalg.slogdet(spread)[1]) / 2
        main = normal + math.log((mean @ link @ mean + np.trace(link @ spread)) / len(link))
        n_intercepts = len(set(self.columns[x])) - 1
        slopes = [k for k in free if k >= n_intercepts]
        alone = np.zeros(len(prior))
        counts = Counter(self.columns[x])
        first = counts[sorted(counts)[0]]
        alone[:n_intercepts] = [math.log(counts[s] / first) for s in sorted(counts)[1:]]
        base, _, curvature = self.moments(x, rows, alone)
        curvature = curvature[:n_intercepts, :n_intercepts]
        evidence = value - theta @ prior @ theta / 2 - base
        evidence += (np.linalg.slogdet(curvature)[1] - np.linalg.slogdet(hessian)[1]) / 2
        evidence += np.linalg.slogdet(prior[np.ix_(slopes, slopes)])[1] / 2 if slopes else 0.0
        return main, evidence

    def cells(self, members):
        found = {}
        for k in range(self.n):
            found.setdefault(tuple(self.columns[b][k] for b in members), []).append(k)
        return list(found.values())

    def table_evidence(self, x, members):
        """Of a full table of a set, against none."""
        r = len(set(self.columns[x]))

        def log_likelihood(cell):
            counts = Counter(self.columns[x][k] for k in cell)
            whole = math.lgamma(r) - math.lgamma(len(cell) + r)
            return whole + sum(math.lgamma(count + 1) for count in counts.values())

        return sum(map(log_likelihood, self.cells(members))) - log_likelihood(range(self.n))

    def stratified(self, x, y, members):
        """Of a number's main effect next to a full table of a set."""
        of_x, own = self.features(x)
        gradient, information = 0.0, 0.0
        for cell in self.cells(members):
            f = np.array([of_x[k] for k in cell])
            g = np.array([self.columns[y][k] for k in cell])
            f, g = f - f.mean(axis=0), g - g.mean()
            gradient = gradient + g @ f
            information = information + f.T @ f / len(cell) * (g @ g)
        link = LINK_RIDGE * 2.0 * own
        spread = np.linalg.inv(information + link)
        mean = spread @ gradient
        normal = gradient @ mean / 2 + (np.linalg.slogdet(link)[1] + np.linalg.slogdet(spread)[1]) / 2
        return normal + math.log((mean @ link @ mean + np.trace(link @ spread)) / len(link))


def partial_correlation(columns, x, y, given):
    """Correlate what regressions on the given columns leave."""
    rows = np.column_stack([np.ones(len(columns[0])), *(columns[z] for z in given)])
    left = [np.asarray(columns[v]) - rows @ np.linalg.lstsq(rows, columns[v], rcond=None)[0] for v in (x, y)]
    return float(left[0] @ left[1] / math.sqrt((left[0] @ left[0]) * (left[1] @ left[1])))


def log_bayes_factor(r, n):
    """Of a correlation with a uniform prior against none, by integrals over it and the ratio of scales."""

    # What r leaves of the likelihood, both scales with Jeffreys' prior: (1 - rho^2)^((n - 1) / 2) times the
    # integral over t of (cosh t - rho r)^-(n - 1).
    def likelihood(rho):
        inner = integrate.quad(lambda t: (math.cosh(t) - rho * r) ** -(n - 1), 0, 40, epsabs=0, limit=200)[0]
        return (1 - rho * rho) ** ((n - 1) / 2) * inner

    with_link = integrate.quad(likelihood, -1, 1, epsabs=0, limit=400, points=[0.0, 0.9 * r])[0] / 2
    return math.log(with_link / likelihood(0.0))
