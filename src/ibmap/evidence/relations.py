"""How joined variables are related: cross tables given the rest, strength and sign, predictability.

Every variable is fitted on its neighbours, by main effects (multinomial logistic regression) and by the full
table of its neighbours, weighed by their marginal likelihoods. What the fit says of X for each state of a
neighbour Y is *standardised*: averaged over how the other neighbours occur in the data. So the cross table
tells what Y goes with, others being equal. `docs/relations.md` has the definitions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.data.counting import count_joint, label_cells
from ibmap.data.table import EncodedTable
from ibmap.evidence.relation import Predictability, Relation
from ibmap.graph import MarkovGraph
from ibmap.independence.averaged import RIDGE, TABLE_SHARE
from ibmap.independence.numpy_fit import Fit, Floats, Integers, Regression, features, link_prior
from ibmap.independence.one_thread import ONE_THREAD

MAX_STATES = 10  # of a variable in a cross table; the rarest are taken as one, or neighbours in order
OTHERS = "(others)"
LEAST_CELLS, MOST_CELLS, WORK = 2_000, 20_000, 4_000_000  # cells that are fitted, and numbers in its arrays
# Pairs of states that are more and less by what they say, not less and more as the alphabet has them.
MORE_AND_LESS = {
    *(("high", "low"), ("high", "normal"), ("abnormal", "normal"), ("agree", "disagree")),
    *(("large", "small"), ("big", "small"), ("long", "short"), ("strong", "weak"), ("heavy", "light")),
    *(("fast", "slow"), ("old", "young"), ("rich", "poor"), ("often", "rarely"), ("often", "never")),
    *(("always", "never"), ("daily", "never"), ("frequent", "rare")),
}
NO_DIRECTION = 0.25  # share of the information below which the average says too little for a sign


def relate(
    table: EncodedTable, graph: MarkovGraph, deadline: float = math.inf
) -> tuple[tuple[Relation, ...], tuple[Predictability, ...]]:
    """Say how the ends of every edge are related, and how well neighbours tell each variable; or nothing."""
    # deadline: by the monotonic clock; what is not done by then is left out, all of it
    columns = Columns(table.distinct or table)
    with ONE_THREAD:
        sides: dict[tuple[int, int], _Side] = {}
        known = []
        for x in range(graph.n_variables):
            if time.monotonic() > deadline:
                return (), ()
            members = graph.blanket(x)
            fit = _fit(columns, x, members)
            sides |= {(x, y): fit.side(k, columns.shares[y]) for k, y in enumerate(members)}
            known.append(fit.predictability())
    return tuple(_relation(columns, *edge, sides) for edge in graph.edges), tuple(known)


class Columns:
    """The variables with the states that occur, numbered from 0; of many states the rarest are one."""

    def __init__(self, table: EncodedTable) -> None:
        self.weights, self._codes = table.weights, table.codes
        self.is_missing = table.missing if table.missing is not None and table.missing.any() else None
        self.in_order = table.ordered.copy()
        self.states: list[tuple[str, ...]] = []
        self.shares: list[Floats] = []
        self._numbers: list[Integers] = []  # of each variable, the state of each code
        for x, n_codes in enumerate(table.cardinalities.tolist()):
            counts = self._sums(x, n_codes)
            numbers, labels = _kept(counts, [str(each) for each in table.labels[x]], bool(self.in_order[x]))
            if not self.in_order[x] and tuple(map(str.casefold, labels)) in MORE_AND_LESS:
                numbers, labels = 1 - numbers, labels[::-1]
            self._numbers.append(numbers)
            self.states.append(labels)
            own = np.asarray(np.bincount(numbers, counts, len(labels)), np.float64)
            self.shares.append(own / max(own.sum(), 1e-300))
        self.n_states = np.array([len(labels) for labels in self.states], np.int64)
        self.in_order |= self.n_states == 2

    def _sums(self, x: int, n_codes: int) -> Floats:
        """Add up the weights of the rows with each code of a variable."""
        seen = self.rows((x,))
        counts = count_joint([self._codes[:, x]], [n_codes], self._taken(seen))
        if counts is not None:
            return counts
        return np.asarray(np.bincount(self._codes[seen, x], self.weights[seen], n_codes), np.float64)

    def _taken(self, rows: Any) -> NDArray[Any]:
        """Give weights, zero for rows that are not taken."""
        return self.weights if isinstance(rows, slice) else np.where(rows, self.weights, 0)

    def cells(
        self, x: int, members: tuple[int, ...], chosen: NDArray[np.bool_] | None
    ) -> tuple[Floats, Integers]:
        """Count a variable in each cell of some others that occurs, in order; give their states too."""
        rows, variables = self.rows((x, *members), chosen), (*members, x)
        n_states = self.n_states[list(variables)].tolist()
        codes, numbers = [self._codes[:, v] for v in variables], [self._numbers[v] for v in variables]
        joint = count_joint(codes, n_states, self._taken(rows), numbers)
        if joint is not None:
            counts = joint.reshape(-1, n_states[-1])
            seen = np.flatnonzero(counts.any(axis=1))
            found = np.unravel_index(seen, n_states[:-1]) if members else ()
            return counts[seen], np.array(found, np.int64).reshape(len(members), len(seen))
        columns = np.array([own[column[rows]] for own, column in zip(numbers, codes, strict=True)])
        labels, n_cells = label_cells(columns[:-1], self.n_states[list(members)])
        states = np.zeros((len(members), n_cells), np.int64)
        states[:, labels] = columns[:-1]
        places, r = labels * n_states[-1] + columns[-1], n_states[-1]
        totals = np.bincount(places, self.weights[rows], n_cells * r).reshape(n_cells, r)
        return np.asarray(totals, np.float64), states

    def rows(self, variables: tuple[int, ...], chosen: NDArray[np.bool_] | None = None) -> Any:
        """Give the rows, all or of those chosen, in which all of some variables are known."""
        if self.is_missing is None:
            return slice(None) if chosen is None else chosen
        known = ~self.is_missing[:, list(variables)].any(axis=1)
        return known if chosen is None else known & chosen


def _kept(counts: Floats, labels: list[str], in_order: bool) -> tuple[Integers, tuple[str, ...]]:
    """Number the states that occur; give that of each code, and labels."""
    seen = np.flatnonzero(counts)
    numbers = np.zeros(len(counts), np.int64)
    if len(seen) <= MAX_STATES:
        numbers[seen] = np.arange(len(seen))
        return numbers, tuple(labels[k] for k in seen) or ("",)
    if in_order:
        numbers[seen] = np.arange(len(seen)) * MAX_STATES // len(seen)
        parts = [seen[numbers[seen] == k] for k in range(MAX_STATES)]
        return numbers, tuple(f"{labels[part[0]]} to {labels[part[-1]]}" for part in parts)
    kept = np.sort(seen[np.argsort(-counts[seen], kind="stable")][: MAX_STATES - 1])
    numbers[seen] = MAX_STATES - 1
    numbers[kept] = np.arange(MAX_STATES - 1)
    return numbers, (*(labels[k] for k in kept), OTHERS)


class _Side(NamedTuple):
    """What the fit of one end says of an edge."""

    given: Floats  # states of the other end by own states: standardised probabilities
    information: float
    log_odds_ratio: float  # of binary ends, averaged over the rest


class _Fit(NamedTuple):
    """A variable fitted on its neighbours: main effects, and the weight of full tables next to them."""

    counts: Floats  # cells by own states
    states: Integers  # members by cells
    n_states: Integers  # of the members
    log_p: Floats  # cells by own states, by main effects
    effects: list[Floats]  # own states by states of each member
    share: float  # probability of full tables
    freedom: float  # effective number of parameters of the main effects

    def side(self, k: int, shares: Floats) -> _Side:
        """Tell what one member goes with, others being equal."""
        rest = [j for j in range(len(self.states)) if j != k]
        effect, here = self.effects[k], self.states[k]
        base = self.log_p - effect.T[here]
        q = np.exp(base[:, None, :] + effect.T[None])  # cells by states of the member by own states
        q /= q.sum(axis=2, keepdims=True)
        if self.share > 1e-9:
            labels, n_rest = label_cells(self.states[rest], self.n_states[rest])
            seen = np.zeros((n_rest, *effect.T.shape))
            np.add.at(seen, (labels, here), self.counts)
            q = self._mixed(q, seen[labels])
        weights = self.counts.sum(axis=1)
        weights = weights / weights.sum()
        mean = np.einsum("t,cts->cs", shares, q)
        told = np.einsum(
            "c,t,cts->", weights, shares, q * np.log(np.maximum(q, 1e-300) / mean[:, None, :].clip(1e-300))
        )
        ratio = 0.0
        if effect.shape == (2, 2):
            log_q = np.log(np.maximum(q, 1e-300))
            ratio = float(weights @ (log_q[:, 1, 1] + log_q[:, 0, 0] - log_q[:, 0, 1] - log_q[:, 1, 0]))
        return _Side(np.einsum("c,cts->ts", weights, q), max(float(told), 0.0), ratio)

    def _mixed(self, p: Floats, seen: Floats) -> Floats:
        """Average main effects and full tables, whose prior is r data points as the main effects say."""
        r = p.shape[-1]
        tables = (seen + r * p) / (seen.sum(axis=-1, keepdims=True) + r)
        return np.asarray((1 - self.share) * p + self.share * tables, np.float64)

    def predictability(self) -> Predictability:
        """Tell how well the variable is known: each data point by the table of all others."""
        totals, n = self.counts.sum(axis=0), self.counts.sum()
        r = len(totals)
        if r < 2:
            return Predictability(0.0, 1.0, 1.0)
        one = np.minimum(self.counts, 1.0)[:, :, None] * np.eye(r)[None]  # the data point left out
        p = self._mixed(np.exp(self.log_p)[:, None, :], np.maximum(self.counts[:, None, :] - one, 0.0))
        own = np.diagonal(p, axis1=1, axis2=2)
        fit = float((self.counts * np.log(np.maximum(own, 1e-300))).sum()) - (1 - self.share) * self.freedom
        alone = float((totals[totals > 0] * np.log(totals[totals > 0] / n)).sum()) - (r - 1)
        best = p.max(axis=2)
        n_best = np.isclose(p, best[:, :, None], rtol=1e-9).sum(axis=2)
        right = np.where(np.isclose(own, best, rtol=1e-9), 1 / n_best, 0.0)
        accuracy = float((self.counts * right).sum() / n)
        return Predictability(min(max(1 - fit / alone, 0.0), 1.0), accuracy, float(totals.max() / n))


def _fit(columns: Columns, x: int, members: tuple[int, ...]) -> _Fit:
    """Fit a variable on its neighbours."""
    r, n_states = int(columns.n_states[x]), columns.n_states[list(members)]
    counts, states = cells_of(columns, x, members)
    if r < 2:
        flat = [np.zeros((r, k)) for k in n_states.tolist()]
        return _Fit(counts, states, n_states, np.zeros(counts.shape), flat, 0.0, 0.0)
    return _fit_effects(counts, states, n_states)


def cells_of(
    columns: Columns, x: int, members: tuple[int, ...], chosen: NDArray[np.bool_] | None = None
) -> tuple[Floats, Integers]:
    """Count a variable in each cell of its neighbours, in all or some rows; give the cells too."""
    r, n_states = int(columns.n_states[x]), columns.n_states[list(members)]
    counts, states = columns.cells(x, members, chosen)
    n_cells = len(counts)
    width = int((n_states - 1).sum())
    room = WORK // max((r - 1) * (r - 1 + (r - 1) * width), 1)
    most = min(max(room, LEAST_CELLS), MOST_CELLS)
    if n_cells > most:  # evenly over the cells in order: what is told needs no more
        taken = np.arange(most) * n_cells // most
        counts, states = counts[taken], states[:, taken]
    if counts.sum() == 0:
        counts, states = np.full((1, r), 1e-6), np.zeros((len(members), 1), np.int64)
    return np.where(counts.sum(axis=0) > 0, counts, 1e-9), states


def _fit_effects(counts: Floats, states: Integers, n_states: Integers) -> _Fit:
    """Fit main effects, and weigh full tables against them."""
    fit, prior, effects = regress(counts, states, n_states)
    freedom = len(prior) - float(((fit.inverse.T @ fit.inverse) * prior).sum())
    log_odds = math.log(TABLE_SHARE / (1 - TABLE_SHARE)) + _log_table(counts) - fit.log_evidence
    is_main = len(n_states) < 2 or n_states.max() < 2
    share = 0.0 if is_main else 1 / (1 + math.exp(min(-log_odds, 700.0)))
    log_p = np.log(np.maximum(fit.probabilities, 1e-300))
    return _Fit(counts, states, n_states, log_p, effects, share, freedom)


def regress(counts: Floats, states: Integers, n_states: Integers) -> tuple[Fit, Floats, list[Floats]]:
    """Fit main effects of members in cells; give the fit, its prior, and each member's effects."""
    r = counts.shape[1]
    sizes, first = (n_states - 1).tolist(), r - 1
    begins = np.cumsum([0, *sizes])
    width = int(begins[-1])
    parts = [features(k + 1, False)[own] for k, own in zip(sizes, states, strict=True)]
    z = np.concatenate([np.empty((len(counts), 0)), *parts], axis=1)
    prior, log_determinant = np.zeros((first + first * width,) * 2), 0.0
    slopes = prior[first:, first:].reshape(first, width, first, width)
    for k, begin in zip(sizes, begins, strict=False):
        if k:
            precision, own = link_prior(r, False, k + 1, False)
            slopes[:, begin : begin + k, :, begin : begin + k] = RIDGE * precision.reshape(first, k, first, k)
            log_determinant += own + first * k * math.log(RIDGE)
    prior[first:, first:] = slopes.reshape(first * width, first * width)
    fit = Regression(counts, features(r, False), z, prior).fit(log_determinant, n_states - 1)
    found = fit.theta[first:].reshape(first, width)
    effects = []
    for k, begin in zip(sizes, begins, strict=False):
        effect = np.zeros((r, k + 1))
        effect[1:, 1:] = found[:, begin : begin + k]
        effects.append(effect)
    return fit, prior, effects


def _log_table(counts: Floats) -> float:
    """Give the log evidence of a full table, uniform priors, relative to the variable by itself."""
    from scipy.special import gammaln

    r = counts.shape[1]

    def evidence(table: Floats) -> float:
        return float((gammaln(table + 1).sum(axis=1) - gammaln(table.sum(axis=1) + r) + gammaln(r)).sum())

    return evidence(counts) - evidence(counts.sum(axis=0, keepdims=True))


def _relation(columns: Columns, x: int, y: int, sides: Mapping[tuple[int, int], _Side]) -> Relation:
    """Put together what the fits of both ends say."""
    one, other = sides[x, y], sides[y, x]
    p, q = columns.shares[x], columns.shares[y]
    joint = (one.given.T * q + p[:, None] * other.given) / 2
    information = (one.information + other.information) / 2
    entropy = (_entropy(p) + _entropy(q)) / 2
    share = min(information / entropy, 1.0) if entropy > 0 else 0.0
    depends = _mutual(joint) < NO_DIRECTION * information and share > 0.01
    has_sign = bool(columns.in_order[x] and columns.in_order[y]) and not depends
    slope = _covariance(joint) if has_sign else 0.0
    is_binary = len(p) == 2 and len(q) == 2
    ratio = math.exp((one.log_odds_ratio + other.log_odds_ratio) / 2) if is_binary else None
    sign = int(slope > 0) - int(slope < 0)
    return Relation(
        x=x,
        y=y,
        strength=math.sqrt(share) * (sign or 1),
        sign=sign,
        share=share,
        information=information,
        odds_ratio=ratio,
        depends=depends,
        x_states=columns.states[x],
        y_states=columns.states[y],
        y_given_x=tuple(map(tuple, other.given.tolist())),
        x_given_y=tuple(map(tuple, one.given.tolist())),
    )


def _entropy(p: Floats) -> float:
    used = p[p > 0]
    return float(-(used * np.log(used)).sum())


def _mutual(joint: Floats) -> float:
    """Give the mutual information of a joint distribution."""
    return max(_entropy(joint.sum(axis=1)) + _entropy(joint.sum(axis=0)) - _entropy(joint.ravel()), 0.0)


def _covariance(joint: Floats) -> float:
    """Give the covariance of the numbers of two variables' states."""
    a, b = np.arange(joint.shape[0]), np.arange(joint.shape[1])
    return float(a @ joint @ b - (joint.sum(axis=1) @ a) * (joint.sum(axis=0) @ b))
