"""Log Bayes factors of one variable's links, all from one logistic fit on its blanket.

The effects of a link have a normal prior of precision P. With the log likelihood taken as a quadratic
of gradient g and information J, all other effects adjusted for, "there is a link" is more probable than
"there is none" by

    log Bayes factor = g' V^-1 g / 2 + log(det P / det V) / 2,    V = J + P.

With a moment prior, the normal one times theta' P theta / df, the posterior mean of that is a factor more.

Main effects may not be the whole story: next to the model of main effects stands the *full table*, in which
every cell of the blanket has probabilities of its own, with a uniform prior. A link is then a main effect of
Y beside those cells, or a split of every cell by Y. Both models are weighed by their marginal likelihoods:
the factor is the ratio of the two averages. docs/recommended.md has both.

Variables of one kind (states, and whether they are in order) are weighed at once. The steps are done by NumPy
(`numpy_links`) for small tables, so that nothing has to be compiled, and by kernels (`compiled_links`) for
large ones.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import copy
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.counting import Cells, Counting, RowBlock
from ibmap.independence.numpy_fit import Floats, Integers, covariance, features, link_prior

Kind = tuple[int, bool]  # number of states, and whether they are in order
TINY = 1e-300
MOST_COUNTS = 1 << 22  # of variables weighed at once: 32 MB


class Weighed(NamedTuple):
    """What links of one variable are worth, and what its blanket is."""

    factors: Floats  # log Bayes factors: averaged, by main effects, by full tables; zero if nothing was asked
    log_evidence: float  # of the blanket, relative to X by itself


class Tables(NamedTuple):
    """Log evidence of full tables, relative to X by itself, for some variables."""

    split: Floats  # of cells split by the variable
    kept: Floats  # of cells without it
    main: Floats  # log Bayes factor of its main effect next to these


class Weighing(Protocol):
    """A way to work out what links are worth."""

    def weigh(self, x: int, members: Integers, others: Integers) -> Weighed:
        """Weigh links of x with members of its blanket and with others."""
        ...


class Fitted(Protocol):
    """X fitted on a blanket."""

    @property
    def log_evidence(self) -> float:
        """Relative to X by itself, both with flat intercepts."""
        ...

    @property
    def probabilities(self) -> Floats:
        """Of X's states in each cell."""
        ...


F = TypeVar("F", bound=Fitted)


class Links(ABC, Generic[F]):
    """What links of the variables of a table are worth."""

    row_type: ClassVar[type[RowBlock]]  # what counts rows at hand

    def __init__(
        self,
        codes: NDArray[np.uint8],
        weights: Floats,
        kinds: tuple[Integers, NDArray[np.bool_], Floats],
        model: Floats,
        seen: NDArray[np.bool_] | None = None,
    ) -> None:
        self.seen = seen
        self.n_states, self.ordered, self.log_factorials = kinds
        self.kinds: list[Kind] = list(zip(self.n_states.tolist(), self.ordered.tolist(), strict=True))
        self._all_kinds = sorted({*self.kinds})
        self._number_of_kind = np.array([self._all_kinds.index(kind) for kind in self.kinds], np.int64)
        self.ridge, self.link_ridge, moment, self.share = model.tolist()
        self.is_moment = moment > 0
        told = None if seen is None else np.where(seen, codes, self.n_states[:, None]).astype(np.uint8)
        self.rows = self.row_type(codes, weights, self.n_states, told)  # at hand
        self.counting: Counting = self.rows

    def weigh(self, x: int, members: Integers, others: Integers) -> Weighed:
        """Weigh links of x with members of its blanket and with others."""
        if self.n_states[x] < 2:
            return Weighed(np.zeros((3, len(self.kinds))), 0.0)
        if self.seen is not None:
            return self.where_seen(x).weigh_with_holes(x, members, others)
        cells = self.counting.cells(x, members)
        fit = self._fit(x, members, cells)
        factors, evidence = np.zeros((3, len(self.kinds))), fit.log_evidence
        for kind, chosen in self._by_kind(x, members, len(cells.counts)):
            b = members[chosen]
            factors[:2, b] = main = self._log_factors(x, kind, *self._member_moments(x, kind, chosen, fit))
            if self.share > 0:
                counts = self._split_members(kind, members, chosen, cells.states, cells.counts)
                tables = self._tables(x, kind, counts, counts.sum(axis=3))
                factors[::2, b] = self._averaged(evidence, evidence - main, tables)
        for kind, chosen in self._by_kind(x, others, len(cells.counts)):
            y = others[chosen]
            counts = cells.count_others(y, kind[0])
            factors[:2, y] = main = self._outside_factors(x, kind, counts, fit)
            if self.share > 0:
                tables = self._tables(x, kind, counts, cells.counts[None])
                factors[::2, y] = self._averaged(evidence + main, evidence, tables)
        return Weighed(factors, self._log_evidence(cells.counts, evidence))

    def _log_evidence(self, counts: Floats, main: float) -> float:
        """Average the evidence of main effects and of the full table of a blanket."""
        if self.share == 0:
            return main
        alone = self._log_tables(counts.sum(axis=0)[None, None, :, None])
        table = float((self._log_tables(counts[None, :, :, None]) - alone)[0])
        if self.share == 1:
            return table
        return float(np.logaddexp(math.log1p(-self.share) + main, math.log(self.share) + table))

    def where_seen(self, *variables: int) -> Self:
        """Give the same with the rows alone in which no cell of some variables is missing."""
        twin = copy(self)
        if self.seen is not None:
            weights = self.rows.weights * self.seen[list(variables)].all(axis=0)
            twin.rows = twin.counting = self.rows.weighted(weights)
        return twin

    def counted_by(self, counting: Counting) -> Self:
        """Give the same with rows that someone else counts."""
        twin = copy(self)
        twin.counting = counting
        return twin

    def probabilities(self, x: int, members: Integers) -> tuple[Floats, NDArray[Any]]:
        """Give the probabilities of X's states in each cell of some variables, and the cell of each row."""
        cells = self.rows.cells(x, members)
        return self._fit(x, members, cells).probabilities, cells.labels

    def weigh_with_holes(self, x: int, members: Integers, others: Integers) -> Weighed:
        """Give the same where cells are missing; none of X among the rows that count."""
        # Members are filled in. A link rests on the rows that show both its ends: of others no more is
        # counted; the effect of a member is what all rows say, with the weight of those that show it.
        cells = self.counting.cells(x, members)
        factors = np.zeros((3, len(self.kinds)))
        if not cells.counts.any(axis=0).all():  # a state of X is not seen here
            return Weighed(factors, 0.0)
        fit = self._fit(x, members, cells)
        for place in np.flatnonzero(self.n_states[members] > 1).tolist():
            factors[:, members[place]] = self._member_with_holes(x, members, place, cells, fit)
        for kind, chosen in self._by_kind(x, others, len(cells.counts)):
            y = others[chosen]
            found = cells.count_others(y, kind[0] + 1)
            counts, unseen = np.ascontiguousarray(found[..., :-1]), found[..., -1]
            factors[:2, y] = main = self._outside_with_holes(x, kind, counts, unseen, fit)
            if self.share > 0:
                tables = self._tables_with_holes(x, kind, counts, cells.counts[None])
                factors[::2, y] = self._averaged(fit.log_evidence + main, fit.log_evidence, tables)
        return Weighed(factors, self._log_evidence(cells.counts, fit.log_evidence))

    def _member_with_holes(
        self, x: int, members: Integers, place: int, cells: Cells, fit: F
    ) -> tuple[float, float, float]:
        """Weigh one member: averaged, by main effects, by full tables."""
        kind, chosen = self.kinds[members[place]], np.array([place])
        seen = cells.count_others(members[chosen], kind[0] + 1)[0, :, :, :-1].sum(axis=2)
        share = float(seen.sum() / cells.counts.sum())
        gradient, information = self._member_moments(x, kind, chosen, fit)
        # a share of the rows has the same effects and that share of their information
        main = self._log_factors(x, kind, share * gradient, share * information)
        without = fit.log_evidence - self._log_factors(x, kind, gradient, information)
        if self.share == 0:
            return float(main[0]), float(main[0]), 0.0
        own = self._split_members(kind, members, chosen, cells.states, cells.counts).sum(axis=3)
        counts = self._split_members(kind, members, chosen, cells.states, seen)
        tables = self._tables_with_holes(x, kind, counts, own)
        both, by_table = self._averaged(without + main, without, tables)
        return float(both[0]), float(main[0]), float(by_table[0])

    def _outside_with_holes(self, x: int, kind: Kind, counts: Floats, unseen: Floats, fit: F) -> Floats:
        """Weigh variables that some rows do not show: there their features are as on average."""
        # unseen: variables by cells by states of X. Rows spread over the states as these are seen have the
        # right gradient, but the information of the features' spread, which is taken back.
        f, g = features(*self.kinds[x]), features(*kind)
        totals = counts.sum(axis=(1, 2))
        shares = totals / np.maximum(totals.sum(axis=1, keepdims=True), TINY)
        spread = np.tensordot(unseen.sum(axis=2), covariance(fit.probabilities, f)[1], 1)
        spare = spread[:, :, None, :, None] * covariance(shares, g)[1][:, None, :, None, :]
        size = f.shape[1] * g.shape[1]
        filled = counts + unseen[:, :, :, None] * shares[:, None, None, :]
        return self._outside_factors(x, kind, filled, fit, spare.reshape(-1, size, size))

    def _tables_with_holes(self, x: int, kind: Kind, counts: Floats, own: Floats) -> Tables:
        """Weigh full tables with variables and without: rows that do not show one are not split by it."""
        seen = self._tables(x, kind, counts, counts.sum(axis=3))
        alone = self._log_tables(own.sum(axis=1, keepdims=True)[:, :, :, None])
        kept = self._log_tables(own[:, :, :, None]) - alone
        return Tables(kept + seen.split - seen.kept, kept, seen.main)

    def _by_kind(self, x: int, variables: Integers, n_cells: int) -> Iterator[tuple[Kind, Integers]]:
        """Group variables by kind, not too many at once; give the places of each. One state says nothing."""
        numbers = self._number_of_kind[variables]
        for number, kind in enumerate(self._all_kinds):
            places = np.flatnonzero(numbers == number)
            if kind[0] > 1 and len(places):
                most = max(1, MOST_COUNTS // (n_cells * self.kinds[x][0] * kind[0]))
                for begin in range(0, len(places), most):
                    yield kind, places[begin : begin + most]

    def _blanket_prior(self, x: int, members: Integers) -> tuple[Floats, float, Integers]:
        """Give the prior precision of all parameters, log determinant of the slopes, columns of members."""
        kinds = [self.kinds[b] for b in members.tolist()]
        sizes = np.array([features(*kind).shape[1] for kind in kinds], np.int64)
        q, width, first = features(*self.kinds[x]).shape[1], int(sizes.sum()), self.kinds[x][0] - 1
        prior, log_determinant = np.zeros((first + q * width,) * 2), 0.0
        slopes, begin = np.zeros((q, width, q, width)), 0
        for kind, k in zip(kinds, sizes.tolist(), strict=True):
            if k:
                precision, own = link_prior(*self.kinds[x], *kind)
                here = slice(begin, begin + k)
                slopes[:, here, :, here] = self.ridge * precision.reshape(q, k, q, k)
                log_determinant += own + q * k * math.log(self.ridge)
            begin += k
        prior[first:, first:] = slopes.reshape(q * width, q * width)
        return prior, log_determinant, sizes

    def _parameters(self, x: int, kind: Kind, chosen: Integers, sizes: Integers) -> Integers:
        """List the parameters of members of one kind: members by effects."""
        q, first = features(*self.kinds[x]).shape[1], self.kinds[x][0] - 1
        columns = (np.cumsum(sizes) - sizes)[chosen][:, None] + np.arange(features(*kind).shape[1])
        places = np.arange(q)[None, :, None] * sizes.sum() + columns[:, None]
        found: Integers = first + places.reshape(len(chosen), -1)
        return found

    def _tables(self, x: int, kind: Kind, counts: Floats, own: Floats) -> Tables:
        """Weigh full tables with variables of one kind and without."""
        # counts: variables by cells by states of X by states of each; own: the same without the
        # last, one for all variables if they have the same cells.
        alone = self._log_tables(own.sum(axis=1, keepdims=True)[:, :, :, None])
        split = self._log_tables(counts) - alone
        kept = self._log_tables(own[:, :, :, None]) - alone
        return Tables(split, kept, self._stratified_factors(x, kind, counts, own))

    def _averaged(self, main_with: Any, main_without: Any, tables: Tables) -> tuple[Floats, Floats]:
        """Average main effects and tables, with a link and without; give the log ratio, and tables' own."""
        table_with = np.logaddexp(tables.split, tables.kept + tables.main) - math.log(2)
        by_table = table_with - tables.kept
        if self.share == 1:
            return by_table, by_table
        main, table = math.log1p(-self.share), math.log(self.share)
        with_link = np.logaddexp(main + main_with, table + table_with)
        return with_link - np.logaddexp(main + main_without, table + tables.kept), by_table

    @abstractmethod
    def _fit(self, x: int, members: Integers, cells: Cells) -> F:
        """Fit X on a blanket."""

    @abstractmethod
    def _member_moments(self, x: int, kind: Kind, chosen: Integers, fit: F) -> tuple[Floats, Floats]:
        """Give gradient and information of members of one kind from their effects as fitted (Wald)."""
        # V = spread^-1, g = V theta

    @abstractmethod
    def _log_factors(self, x: int, kind: Kind, gradient: Floats, information: Floats) -> Floats:
        """Give the log Bayes factors of links of one kind; may write to its arguments."""

    @abstractmethod
    def _split_members(
        self, kind: Kind, members: Integers, chosen: Integers, states: NDArray[np.uint8], counts: Floats
    ) -> Floats:
        """Count X in the cells of all other members, split by each of one kind."""

    @abstractmethod
    def _outside_factors(
        self, x: int, kind: Kind, counts: Floats, fit: F, spare: Floats | float = 0.0
    ) -> Floats:
        """Weigh variables of one kind that the fit left out by their score (Rao), less spare information."""

    @abstractmethod
    def _log_tables(self, counts: Floats) -> Floats:
        """Give the log evidence of X's states (axis 2), uniform priors: prod n_s! (r - 1)! / (n + r - 1)!."""

    @abstractmethod
    def _stratified_factors(self, x: int, kind: Kind, counts: Floats, own: Floats) -> Floats:
        """Weigh main effects of variables next to cells with probabilities of their own."""
