"""How joined variables are related, by the definitions of docs/relations.md: row by row, in loops."""

import math
from collections import Counter

from oracles.naive_averaged import Averaged
from oracles.naive_pairwise import seen_states


def entropy(shares):
    return -sum(p * math.log(p) for p in shares if p > 0)


class Related:
    """The fits of a table's variables on their neighbours; no variable has more than ten states here."""

    def __init__(self, rows, weights, neighbours):
        self.averaged = Averaged(rows, weights)
        self.rows, self.neighbours = self.averaged.rows, neighbours
        self.states = [seen_states(self.rows, v) for v in range(len(neighbours))]

    def shares(self, v):
        counts = Counter(row[v] for row in self.rows)
        return [counts[s] / len(self.rows) for s in self.states[v]]

    def table_share(self, x):
        members = self.neighbours[x]
        if len(members) < 2 or all(len(self.states[b]) == 1 for b in members):
            return 0.0
        log_odds = math.log(0.25 / 0.75) + self.averaged.table_evidence(x, members)
        return 1 / (1 + math.exp(self.averaged.main_evidence(x, members) - log_odds))

    def probabilities(self, x, row):
        """Of x's states for one row, by main effects and the full table."""
        members, r = self.neighbours[x], len(self.states[x])
        if r == 1:
            return [1.0]
        fit, share = self.averaged.fit(x, members), self.table_share(x)
        main = fit.probabilities(fit.theta, row)
        alike = [other for other in self.rows if all(other[b] == row[b] for b in members)]
        seen = Counter(other[x] for other in alike)
        return [
            (1 - share) * p + share * (seen[s] + r * p) / (len(alike) + r)
            for s, p in zip(self.states[x], main, strict=True)
        ]

    def side(self, x, y):
        """Standardised probabilities of x for each state of y, and the information, by the fit of x."""
        given = [[0.0] * len(self.states[x]) for _ in self.states[y]]
        information, shares = 0.0, self.shares(y)
        for row in self.rows:
            p = [
                self.probabilities(x, [t if v == y else value for v, value in enumerate(row)])
                for t in self.states[y]
            ]
            mean = [sum(q * own[s] for q, own in zip(shares, p, strict=True)) for s in range(len(p[0]))]
            for t, own in enumerate(p):
                for s, value in enumerate(own):
                    given[t][s] += value / len(self.rows)
                    information += shares[t] * value * math.log(value / mean[s]) / len(self.rows)
        return given, information

    def relation(self, x, y):
        """Both cross tables, the information and its share."""
        (x_given_y, one), (y_given_x, other) = self.side(x, y), self.side(y, x)
        mean_entropy = (entropy(self.shares(x)) + entropy(self.shares(y))) / 2
        information = (one + other) / 2
        return y_given_x, x_given_y, information, information / mean_entropy if mean_entropy > 0 else 0.0
