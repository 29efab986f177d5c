"""A local score of random terms, and the blanket of a mask."""

import numpy as np


class RandomScore:
    """Terms drawn once, of a given spread; `changes` by definition."""

    def __init__(self, n, spread=1.0, seed=0):
        self.names = tuple(f"x{k}" for k in range(n))
        self.terms = np.random.default_rng(seed).normal(size=(n, 1 << n)) * spread
        self.n_terms = 0

    def term(self, x, blanket):
        self.n_terms += 1
        return float(self.terms[x, sum(1 << y for y in blanket)])

    def changes(self, x, blanket):
        own = {*blanket}
        sides = [tuple(sorted(own ^ ({y} if y != x else set()))) for y in range(len(self.names))]
        return np.array([self.term(x, side) for side in sides])

    def bounds(self, x, blanket):
        return self.changes(x, blanket), np.ones(len(self.names), bool)
