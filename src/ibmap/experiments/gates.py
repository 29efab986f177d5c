"""Triples of variables that act together: gates, and associations that a third variable reverses."""

from __future__ import annotations

import numpy as np

from ibmap.experiments.bayesian_networks import BayesianNetwork

NOISE = 0.05  # share of rows in which a gate gives the wrong answer
SIMPSON = (  # probability of 1: of the second given the first, of the third given the first and the second
    np.array([0.2, 0.8]),
    np.array([[0.3, 0.1], [0.9, 0.7]]),
)


def triples(kind: str, n: int) -> BayesianNetwork:
    """Make separate triples: noisy OR and AND by turns, or associations that the first reverses."""
    parents: list[tuple[int, ...]] = [()] * n
    ones = [np.array(0.5)] * n
    for first in range(0, n - 2, 3):
        second, third = first + 1, first + 2
        parents[third] = (first, second)
        if kind == "simpson":
            parents[second] = (first,)
            ones[second], ones[third] = SIMPSON
        else:
            gate = np.array([[0, 1], [1, 1]]) if first % 2 == 0 else np.array([[0, 0], [0, 1]])
            ones[third] = np.abs(gate - NOISE)
    tables = tuple(np.stack([1 - each, each]) for each in ones)
    return BayesianNetwork(tuple(f"x{k}" for k in range(n)), tuple(parents), tables)
