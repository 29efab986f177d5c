"""The tests of a large blanket of binary variables, most of whose slices are small.

All but those of pairs of variables outside it, in parts that threads can share; see
`ibmap.kernels.shares`, `near_pairs`, `binary_grid`, `binary_sparse` and `sparse_outside`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.kernels import binary_grid, binary_sparse, near_pairs, sparse_outside
from ibmap.kernels.binary_layout import LARGE as LARGE_SLICE
from ibmap.kernels.binary_outside import MOST_LOG_ODDS
from ibmap.kernels.shares import BITS, MOST
from ibmap.kernels.two_by_two import SIDE, SMALL

Floats = NDArray[np.float64]
LARGE = 8  # members from which on a blanket's slices are mostly small
GRID = 4  # keys for each slice up to which it is faster to walk through all keys


class Near(NamedTuple):
    """The pairs of slices that differ in one member, and in two if these were looked for.

    Parameters
    ----------
    edges : ndarray
        Rows (slice, slice, member).
    diagonals : ndarray or None
        Rows (slice, slice, member, member).
    """

    edges: NDArray[np.int32]
    diagonals: NDArray[np.int32] | None

    @property
    def is_empty(self) -> bool:
        """Whether all slices are known to differ in more."""
        return not len(self.edges) and self.diagonals is not None and not len(self.diagonals)


def find_near(keys: NDArray[np.uint64], n_members: int) -> Near:
    """Find the slices of a blanket that come together when a member is dropped, or two.

    Parameters
    ----------
    keys : ndarray
        States of the members in each slice, a bit each.
    n_members : int
        Members of the blanket.

    Returns
    -------
    Near
        Without diagonals where it is faster to walk through all keys.
    """
    if (1 << n_members) <= GRID * len(keys):
        return Near(near_pairs.list_edges(keys, n_members), None)
    return Near(*near_pairs.near_pairs(keys, n_members))


@dataclass(frozen=True, eq=False)
class BlanketSlices:
    """The slices of a blanket, large, then small, then dead ones.

    Parameters
    ----------
    keys : ndarray
        States of the members in each slice, a bit each.
    sizes : ndarray
        Data points by slice and X, with an empty slice at the end.
    ones : ndarray
        Those with state 1 in live slices, by variable outside the blanket.
    lone : ndarray
        States of all variables in each dead slice, 64 variables to a word.
    outside : ndarray
        The variables outside the blanket.
    n_huge, n_large, n_live : int
        Slices of over 1000 data points, over 64, and over one.
    near : Near
        Those that are alike.
    """

    keys: NDArray[np.uint64]
    sizes: NDArray[np.int32]
    ones: NDArray[np.int32]
    lone: NDArray[np.uint64]
    outside: NDArray[np.int64]
    n_huge: int
    n_large: int
    n_live: int
    near: Near


class LargeBlankets:
    """Does the tests of large blankets.

    Parameters
    ----------
    logs, smalls, scaled : tuple of ndarray
        Tables of the Bayes factor; see `ibmap.kernels.two_by_two` and `medium_edges`.
    hyperparameters : tuple of float
        Of a cell, and of a row or column.
    """

    def __init__(
        self,
        logs: tuple[Floats, ...],
        smalls: tuple[Floats, ...],
        scaled: tuple[Floats, ...],
        hyperparameters: tuple[float, float],
    ) -> None:
        self._logs, self._smalls, self._scaled = logs, smalls, scaled
        self._hyperparameters = hyperparameters
        self._ratios: Floats | None = None
        self._shares: dict[int, Floats] = {}
        self._factors: dict[int, tuple[Floats, Floats]] = {}
        self._changes: dict[int, Floats] = {}

    def parts(
        self, slices: BlanketSlices, n_members: int, priors: Floats
    ) -> tuple[Callable[[], tuple[Floats, ...]], ...]:
        """Give calls that do the tests, none of which depends on another, the longest first.

        Parameters
        ----------
        slices : BlanketSlices
            The slices of the blanket.
        n_members : int
            Its members.
        priors : ndarray
            Rows (log-odds, odds, -log p / K, -log p) for sets of two members less than the
            blanket, of one less, of as many.

        Returns
        -------
        tuple of callable
            `sum_up` takes what they return.
        """
        tables = [self._table(n_members - less, priors[2 - less]) for less in (2, 1, 0)]
        outside = partial(self._outside, slices, n_members, priors, tables)
        return outside, partial(self._without_two, slices, n_members, priors[0], tables[0])

    @staticmethod
    def sum_up(
        outside: tuple[Floats, Floats, Floats], without_two: tuple[Floats]
    ) -> tuple[float, Floats, Floats]:
        """Put together what the `parts` returned.

        Parameters
        ----------
        outside, without_two : tuple of ndarray
            In this order.

        Returns
        -------
        term : float
            Of the blanket.
        adds : ndarray
            What its members add to the term with one variable more.
        drops : ndarray
            Terms with one member less.
        """
        own, adds, drops = outside
        return float(own.sum()), adds, drops + without_two[0]

    def _outside(
        self,
        slices: BlanketSlices,
        n_members: int,
        priors: Floats,
        tables: list[Floats],
    ) -> tuple[Floats, Floats, Floats]:
        """Do the tests of single variables outside the blanket, and of single members."""
        n = len(slices.ones)
        own, adds, drops = np.empty(n), np.empty(n), np.zeros(n_members)
        _, less, same = tables
        is_finite = max(priors[1, 0], priors[2, 0]) < MOST_LOG_ODDS
        most, n_huge = (LARGE_SLICE, slices.n_huge) if is_finite else (SMALL, slices.n_large)
        term = binary_sparse.member_terms(
            slices.sizes, slices.near.edges, priors[1], less, self._logs, self._smalls, drops
        )
        sparse_outside.outside_terms(
            (slices.ones, slices.sizes, n_huge, slices.n_live, slices.lone, slices.outside),
            most,
            slices.near.edges,
            priors,
            (same, less),
            (self._factor_table(n_members, priors[2]), self._factor_table(n_members - 1, priors[1])),
            (self._logs, self._smalls, self._scaled),
            self._hyperparameters,
            own,
            adds,
            drops,
        )
        return np.append(-own, term), adds, drops

    def _without_two(
        self,
        slices: BlanketSlices,
        n_members: int,
        prior: Floats,
        table: Floats,
    ) -> tuple[Floats]:
        """Do the tests of members without two of them."""
        drops, (edges, diagonals) = np.zeros(n_members), slices.near
        if diagonals is None:
            tables = prior, table, self._logs, self._scaled
            binary_grid.grid_terms(slices.keys, slices.sizes, *tables, drops)
            return (drops,)
        if n_members not in self._changes:
            self._changes[n_members] = change_table(table)
        changes = self._changes[n_members]
        factors = self._logs, self._smalls, self._scaled
        binary_sparse.pair_terms(slices.sizes, edges, diagonals, prior, table, changes, *factors, drops)
        return (drops,)

    def _table(self, n_given: int, prior: Floats) -> Floats:
        """Give the shares of small slices for a number of variables given."""
        if n_given not in self._shares:
            if self._ratios is None:
                self._ratios = cell_ratios(*self._smalls)
            self._shares[n_given] = share_table(self._ratios, prior)
        return self._shares[n_given]

    def _factor_table(self, n_given: int, prior: Floats) -> tuple[Floats, Floats]:
        """Give what factors of medium slices have of a number of variables given."""
        if n_given not in self._factors:
            self._factors[n_given] = factor_table(self._scaled[2], prior)
        return self._factors[n_given]


def cell_ratios(columns: Floats, rows: Floats, totals: Floats) -> Floats:
    """Tabulate the Bayes factor of slices of at most 15 data points a cell.

    Parameters
    ----------
    columns, rows, totals : ndarray
        Its factors: of the two cells of a column (flat, 65 x 65), of a row, and of a whole slice.

    Returns
    -------
    ndarray
        Flat, in the order of `ibmap.kernels.shares`; 0 for a slice of fewer than two data points.
    """
    b1, b0, a1, a0 = np.indices((MOST + 1,) * 4)
    of_columns = columns[a0 * SIDE + a1] * columns[b0 * SIDE + b1]
    size = a0 + a1 + b0 + b1
    ratios = of_columns * rows[a0 + b0] * rows[a1 + b1] * totals[size]
    return np.where(size < 2, 0.0, ratios).ravel()


def share_table(ratios: Floats, prior: Floats) -> Floats:
    """Tabulate the shares of slices of at most 15 data points a cell.

    Parameters
    ----------
    ratios : ndarray
        What `cell_ratios` gives.
    prior : ndarray
        Log-odds and odds of dependence in a slice, -log p / K and -log p.

    Returns
    -------
    ndarray
        In the same order.
    """
    return np.where(ratios > 0, np.log1p(prior[1] * ratios) - prior[2], 0.0)


def factor_table(totals: Floats, prior: Floats) -> tuple[Floats, Floats]:
    """Tabulate what the factors of slices have of their size and the prior.

    Parameters
    ----------
    totals : ndarray
        Scaled factors of the Bayes factor by the size of a slice.
    prior : ndarray
        As for `share_table`.

    Returns
    -------
    bases, weights : ndarray
        By size; see `ibmap.kernels.medium_edges`.
    """
    unseen = math.exp(-prior[2])
    bases, weights = np.full(len(totals), unseen), prior[1] * unseen * totals
    bases[:2], weights[:2] = 1.0, 0.0
    return bases, weights


def change_table(shares: Floats) -> Floats:
    """Tabulate what merging two small slices changes in the test of the member in which they differ.

    Parameters
    ----------
    shares : ndarray
        What `share_table` gives.

    Returns
    -------
    ndarray
        Shares less those of both slices alone, in the same order.
    """
    alone = shares[: 1 << 2 * BITS]
    return (shares.reshape(len(alone), len(alone)) - alone - alone[:, None]).ravel()
