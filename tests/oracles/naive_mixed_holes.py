"""Links in tables with numbers where cells are missing, by definition, row by row.

The holes are filled in already: what stands in a hole is given, and says nothing of its variable.
Where all cells are shown, this is `naive_mixed`.
"""

import math

import numpy as np

from oracles.naive_mixed import LINK_RIDGE, RIDGE, Mixed, scores


class Rows(Mixed):
    """Some of the rows, in features that all rows decide."""

    def __init__(self, columns, coded):
        self.columns, self.coded, self.n = columns, coded, len(columns[0])

    def features(self, v):
        return self.coded[v]

    def shared_linear(self, x, y, rest, share):
        """A number's link, whose information and score count by a share."""
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
        z, link = basis.T @ np.array(z), LINK_RIDGE * 2.0 * own
        information = share * z.T @ np.linalg.solve(spread, z)
        score = share * z.T @ np.linalg.solve(spread, target)
        whole = target @ np.linalg.solve(spread, target)
        covariance = np.linalg.inv(information + link)
        mean = covariance @ score
        explained = score @ mean
        normal = (np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(link)[1]) / 2
        normal -= (n - 1) / 2 * math.log(1 - explained / whole)
        # Given the rows, the inverse of the squared scale has this mean.
        inverse = (n - 1) / (whole - explained)
        return normal + math.log((inverse * mean @ link @ mean + np.trace(link @ covariance)) / len(link))

    def shared_logistic(self, x, y, members, share):
        """A category's link with a member, whose information and score count by a share."""
        rows, prior, places = self.design(x, members)
        theta, here = np.zeros(len(prior)), np.ix_(places[y], places[y])
        for _ in range(100):
            _, gradient, information = self.moments(x, rows, theta)
            theta += np.linalg.solve(information + prior, gradient - prior @ theta)
        hessian = self.moments(x, rows, theta)[2] + prior
        own = np.linalg.inv(np.linalg.inv(hessian)[here])
        link = LINK_RIDGE / RIDGE * prior[here]
        score, information = share * own @ theta[places[y]], share * (own - prior[here])
        covariance = np.linalg.inv(information + link)
        mean = covariance @ score
        normal = score @ mean / 2 + (np.linalg.slogdet(link)[1] + np.linalg.slogdet(covariance)[1]) / 2
        return normal + math.log((mean @ link @ mean + np.trace(link @ covariance)) / len(link))


class MixedHoles(Mixed):
    """Columns filled in, and which of their cells are shown; `numbers` tells which are numbers."""

    def __init__(self, columns, seen, numbers, weights, ordered=(), share=0.25):
        repeated = [k for k, w in enumerate(weights) for _ in range(w)]
        self.seen = [[shown[k] for k in repeated] for shown in seen]
        self.numbers, self.ordered, self.share = set(numbers), set(), share
        self.columns, self.n = [], len(repeated)
        for v, given in enumerate(columns):
            column = [given[k] for k in repeated]
            shown = [value for value, is_shown in zip(column, self.seen[v], strict=True) if is_shown]
            if not shown:
                column = shown = [0] * self.n
            if v in self.numbers:
                codes = dict(zip(shown, scores(shown, [1] * len(shown)), strict=True))
            else:
                codes = {s: k for k, s in enumerate(sorted(set(shown)))}
            if v in ordered and len(codes) > 2:
                self.ordered.add(v)
            self.columns.append([codes[value] for value in column])

    def rows_that_show(self, *variables):
        return [k for k in range(self.n) if all(self.seen[v][k] for v in variables)]

    def centred(self, y, both):
        """Features less their mean over some rows, and nothing in other rows."""
        z, own = self.features(y)
        mean = [sum(z[k][i] for k in both) / len(both) if both else 0.0 for i in range(len(own))]
        chosen = set(both)
        nothing = [0.0] * len(own)
        return [
            [f - m for f, m in zip(z[k], mean, strict=True)] if k in chosen else nothing
            for k in range(self.n)
        ], own

    def part(self, rows, coded):
        columns = [[column[k] for k in rows] for column in self.columns]
        return Rows(columns, [([z[k] for k in rows], own) for z, own in coded])

    def factor(self, x, y, members):
        """Log Bayes factor of the link; a full table of the set adds what rows that show both tell."""
        if not self.features(y)[0][0] or not self.features(x)[0][0]:
            return 0.0
        discrete = not self.numbers.intersection([x, *members])
        if discrete and y not in self.numbers:
            raise NotImplementedError("this is what oracles.naive_holes is for")
        coded = [self.features(v) for v in range(len(self.columns))]
        of_x, both = self.rows_that_show(x), self.rows_that_show(x, y)
        share = len(both) / len(of_x) if y in members else 1.0
        if y not in members:
            coded[y] = self.centred(y, both)
        part = self.part(of_x, coded)
        if x in self.numbers:
            return part.shared_linear(x, y, [b for b in members if b != y], share)
        if y in members:
            return part.shared_logistic(x, y, members, share)
        main, evidence = part.logistic(x, y, members)
        if not discrete or self.share == 0:
            return main
        table = self.part(both, coded).stratified(x, y, members) if both else 0.0
        if self.share == 1:
            return table
        a, b = math.log(1 - self.share) + evidence, math.log(self.share) + part.table_evidence(x, members)
        return np.logaddexp(a + main, b + table) - np.logaddexp(a, b)
