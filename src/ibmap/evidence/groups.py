"""Which relations differ between groups of rows: one common effect against an effect for each group.

X is fitted on its neighbours in each group by itself: intercepts and all other effects are the group's own.
There the log likelihood of the effects of a neighbour Y is taken as a quadratic of gradient g and information
J, all others adjusted for. With a normal prior of precision P on the effects, a link has against none

    log B(g, J) = g' V^-1 g / 2 + log(det P / det V) / 2,    V = J + P.

One effect for all groups has the sum of the gradients and the sum of the informations; an effect for each has
the sum of the factors. So separate effects are more probable than a common one by

    sum over groups of log B(g, J)  -  log B(sum of g, sum of J),

from the fit of X and from that of Y; the mean of both is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.table import EncodedTable
from ibmap.evidence.relations import Columns, cells_of, regress
from ibmap.evidence.words import times
from ibmap.graph import MarkovGraph
from ibmap.independence.averaged import RIDGE
from ibmap.independence.numpy_fit import Floats, link_prior
from ibmap.independence.one_thread import ONE_THREAD

PRECISION = 2.0  # of the prior on the effects compared, centred over states: log odds ratios of +-1.4
STRONG = float(np.log(10.0))  # log Bayes factor from which a pair is called different, or alike


@dataclass(frozen=True)
class Difference:
    """Whether a pair is related in the same way in all groups."""

    x: str
    y: str
    log_bayes_factor: float  # of an effect for each group against one for all
    joined: tuple[bool, ...]  # in the network of each group
    strengths: tuple[float, ...]  # in each group, with their signs
    signs: tuple[int, ...]

    @property
    def factor(self) -> str:
        """The Bayes factor in words of two or three digits, such as ``1/12``."""
        sign = "" if self.log_bayes_factor >= 0 else "1/"
        return sign + times(abs(self.log_bayes_factor)).removesuffix(" times")

    @property
    def verdict(self) -> str:
        """``"different"`` or ``"alike"`` at odds of ten to one, else ``"undecided"``."""
        if abs(self.log_bayes_factor) < STRONG:
            return "undecided"
        return "different" if self.log_bayes_factor > 0 else "alike"


def log_bayes_factors(
    table: EncodedTable, groups: Sequence[NDArray[np.bool_]], graph: MarkovGraph
) -> dict[tuple[int, int], float]:
    """Weigh, for each edge, an effect for each group of rows against one for all."""
    columns = Columns(table)
    found: dict[tuple[int, int], float] = {}
    with ONE_THREAD:
        for x in range(graph.n_variables):
            members = graph.blanket(x)
            told = [_quadratics(columns, x, members, rows) for rows in groups] if members else []
            for k, y in enumerate(members):
                prior = _prior(columns, x, y)
                own = [each[k] for each in told]
                both = np.sum([g for g, _ in own], axis=0), np.sum([j for _, j in own], axis=0)
                apart = sum(_log_factor(g, j, prior) for g, j in own)
                edge = (min(x, y), max(x, y))
                found[edge] = found.get(edge, 0.0) + (apart - _log_factor(*both, prior)) / 2
    return found


def _prior(columns: Columns, x: int, y: int) -> Floats:
    """Give the prior precision of a link's effects for a ridge of one; empty if there are none."""
    r, k = int(columns.n_states[x]), int(columns.n_states[y])
    return link_prior(r, False, k, False)[0] if r > 1 and k > 1 else np.zeros((0, 0))


def _quadratics(
    columns: Columns, x: int, members: tuple[int, ...], rows: NDArray[np.bool_]
) -> list[tuple[Floats, Floats]]:
    """Give gradient and information of each member's effects, all others adjusted for, in one group."""
    r, n_states = int(columns.n_states[x]), columns.n_states[list(members)]
    if r < 2:
        return [(np.zeros(0), np.zeros((0, 0)))] * len(members)
    counts, states = cells_of(columns, x, members, rows)
    fit, prior, effects = regress(counts, states, n_states)
    width = (len(prior) - (r - 1)) // (r - 1)
    begins = np.cumsum([0, *(n_states - 1).tolist()])
    spread = fit.inverse.T @ fit.inverse
    told = []
    for k, effect in enumerate(effects):
        own = np.arange(begins[k], begins[k + 1])
        places = (r - 1 + np.arange(r - 1)[:, None] * width + own).ravel()
        precision = np.linalg.inv(spread[np.ix_(places, places)])
        fitted = RIDGE * _prior(columns, x, members[k])
        told.append((precision @ effect[1:, 1:].ravel(), precision - fitted))
    return told


def _log_factor(gradient: Floats, information: Floats, prior: Floats) -> float:
    """Give the log Bayes factor of effects against none."""
    if not len(prior):
        return 0.0
    precision: Any = information + PRECISION * prior
    log_ratio = np.linalg.slogdet(PRECISION * prior)[1] - np.linalg.slogdet(precision)[1]
    return float(gradient @ np.linalg.solve(precision, gradient) + log_ratio) / 2
