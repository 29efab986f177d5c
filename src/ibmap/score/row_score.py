"""The local IB-score of the Bayesian test, for any number of states and any prior.

The terms of all changes of a blanket come from counts of pairs of variables in its slices, where these
counts are not many more than the rows. Elsewhere most terms need not be known: every log-probability is at
most 0, so a term is at most the sum of the few that the tests of the blanket as it is give already, and the
tests of a term end as soon as it falls below what is asked for.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ibmap.graph.closure import changed_blankets
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.rows import SlicedRow, has_whole_parameters, n_configurations
from ibmap.kernels import table_pairs as kernels

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MOST_CELLS = 4  # of the counts of X and two others in all slices, for each row
MOST_STATES = 512  # of X and two others together, from where on few of the terms are needed
MOST_OUTSIDE = 100  # variables outside a blanket: pairs of more of them take long


class RowScore:
    """The blanket closure's score by tests of X against all others given its blanket."""

    def __init__(self, test: BayesianTest) -> None:
        self.names = test.names
        self._test = test
        self._cards = test.table.cardinalities
        self._known: dict[
            int, list[float]
        ] = {}  # by variable, what speaks against the changes of its blanket

    def term(self, x: int, blanket: tuple[int, ...], least: float = -math.inf) -> float:
        """Give the term of a variable for a blanket; if that is below `least`, what it is at most."""
        outside = sorted(
            self._outside(x, blanket), key=self._known.get(x, [0.0] * len(self.names)).__getitem__
        )
        total = self._test.row(x, blanket).sum_independent(outside, least)
        for b in blanket:
            if total < least:
                break
            total += self._member(x, b, blanket)[1]
        return total

    def changes(self, x: int, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of a variable for its blanket and every single change of it."""
        row = SlicedRow(self._test.data, x, blanket)
        if self._suits_pairs(x, row, blanket):
            return self._changes_by_pairs(x, row, blanket)
        return np.array([self.term(x, each) for each in changed_blankets(x, blanket, len(self.names))])

    def bounds(self, x: int, blanket: tuple[int, ...]) -> tuple[Floats, NDArray[np.bool_]]:
        """Give what the terms of `changes` are at most, from the tests of the blanket alone."""
        # With W added, X and W are dependent given the blanket; with b dropped, independent given
        # the others. Both are tests of the blanket as it is. Of the other tests that a term has,
        # those for independence are at most what the slices without data leave, and those for
        # dependence at most 1.
        row = SlicedRow(self._test.data, x, blanket)
        if self._suits_pairs(x, row, blanket):
            return self._changes_by_pairs(x, row, blanket), np.ones(len(self.names), bool)
        outside = self._outside(x, blanket)
        independent, dependent = row.log_posteriors(outside)
        members = [self._member(x, b, blanket) for b in blanket]
        known = np.zeros(len(self.names))
        known[outside] = independent
        self._known[x] = known.tolist()
        size, upper = n_configurations(self._test.table, blanket), np.empty(len(self.names))
        for w, log_dependent in zip(outside, dependent.tolist(), strict=True):
            upper[w] = log_dependent + (len(outside) - 1) * self._at_most(size * int(self._cards[w]))
        for b, (log_independent, _) in zip(blanket, members, strict=True):
            upper[b] = log_independent + len(outside) * self._at_most(size // int(self._cards[b]))
        upper[x] = float(independent.sum()) + sum(log_dependent for _, log_dependent in members)
        is_exact = np.zeros(len(self.names), bool)
        is_exact[x] = True
        return upper, is_exact

    def _suits_pairs(self, x: int, row: SlicedRow, blanket: tuple[int, ...]) -> bool:
        """Tell whether counts of X and two others in the slices are not many more than the rows."""
        table, states = self._test.table, self._test.data.states
        n_states = int(states[x]) * math.prod(np.sort(np.delete(states, [x, *blanket]))[-2:].tolist())
        is_small = n_states <= MOST_STATES and row.n_live * n_states <= MOST_CELLS * table.n_rows
        is_few = len(self.names) - len(blanket) <= MOST_OUTSIDE
        return is_small and is_few and has_whole_parameters(self._test.prior)

    def _changes_by_pairs(self, x: int, row: SlicedRow, blanket: tuple[int, ...]) -> Floats:
        """Give the terms of `changes` from counts of pairs."""
        outside, data = self._outside(x, blanket), self._test.data
        asked, (logs, kinds) = np.array(outside, np.int64), data.all_logs(int(self._cards[x]))
        terms = np.zeros(len(self.names))
        tables = data.columns, data.states, kinds, logs
        independent, terms[outside] = row.log_posteriors(outside)
        terms[x] = independent.sum()
        kernels.add_outside_pairs(*row.places(), asked, *tables, self._priors(blanket), terms)
        for b in blanket:
            others = tuple(z for z in blanket if z != b)
            row = SlicedRow(data, x, others)
            independent, dependent = row.log_posteriors([b, *outside])
            terms[b] += independent.sum()
            terms[x] += dependent[0]
            kernels.add_member_pairs(*row.places(), b, asked, *tables, self._priors(others), terms)
        for b, c in combinations(blanket, 2):
            row = SlicedRow(data, x, tuple(z for z in blanket if z not in (b, c)))
            terms[[c, b]] += row.log_posteriors((b, c))[1]
        return terms

    def _priors(self, given: tuple[int, ...]) -> Floats:
        """Give prior log-odds of a slice, number of slices, and log p, with each variable added to a set."""
        prior, size = self._test.prior, n_configurations(self._test.table, given)
        sizes = [size * card for card in self._cards.tolist()]
        log_p = math.log(prior.probability)
        return np.array([(prior.log_slice_odds(each), float(each), log_p) for each in sizes])

    def _outside(self, x: int, blanket: tuple[int, ...]) -> list[int]:
        """List the variables outside a blanket."""
        return [y for y in range(len(self.names)) if y != x and y not in blanket]

    def _member(self, x: int, b: int, blanket: tuple[int, ...]) -> tuple[float, float]:
        """Test X against a member of the blanket given the others."""
        others = tuple(z for z in blanket if z != b)
        independent, dependent = self._test.row(x, others).log_posteriors((b,))
        return float(independent[0]), float(dependent[0])

    def _at_most(self, size: int) -> float:
        """Bound the log-probability of independence given a set with so many configurations."""
        # At most half as many slices as there are data points hold two or more; each of the others
        # leaves its share of the prior.
        if self._test.prior.slices != "all":
            return 0.0
        return self._test.prior.log_unseen(size, min(size, self._test.table.n_samples // 2))
