"""The tests of a large blanket of binary variables, most of whose slices are small.

All but those of pairs of variables outside it, in parts that threads can share; see
`ibmap.kernels.shares`, `near_pairs`, `binary_grid`, `binary_sparse` and `sparse_outside`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.slice_tables import SliceTables
from ibmap.kernels import binary_grid, binary_sparse, near_pairs, sparse_outside
from ibmap.kernels.binary_layout import LARGE as LARGE_SLICE
from ibmap.kernels.binary_outside import MOST_LOG_ODDS
from ibmap.kernels.two_by_two import SMALL

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
    tables : SliceTables
        Those of the Bayes factor and the prior.
    """

    def __init__(self, tables: SliceTables) -> None:
        self._tables = tables

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
        outside = partial(self._outside, slices, n_members, priors)
        return outside, partial(self._without_two, slices, n_members, priors[0])

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
        self, slices: BlanketSlices, n_members: int, priors: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Do the tests of single variables outside the blanket, and of single members."""
        n, tables = len(slices.ones), self._tables
        own, adds, drops = np.empty(n), np.empty(n), np.zeros(n_members)
        same, less = tables.given(n_members), tables.given(n_members - 1)
        is_finite = max(priors[1, 0], priors[2, 0]) < MOST_LOG_ODDS
        most, n_huge = (LARGE_SLICE, slices.n_huge) if is_finite else (SMALL, slices.n_large)
        term = binary_sparse.member_terms(
            slices.sizes, slices.near.edges, priors[1], less.shares, tables.logs, tables.smalls, drops
        )
        sparse_outside.outside_terms(
            (slices.ones, slices.sizes, n_huge, slices.n_live, slices.lone, slices.outside),
            most,
            slices.near.edges,
            priors,
            (same.shares, less.shares),
            (same.factors, less.factors),
            (tables.logs, tables.smalls, tables.scaled),
            tables.hyperparameters,
            own,
            adds,
            drops,
        )
        return np.append(-own, term), adds, drops

    def _without_two(self, slices: BlanketSlices, n_members: int, prior: Floats) -> tuple[Floats]:
        """Do the tests of members without two of them."""
        drops, (edges, diagonals), tables = np.zeros(n_members), slices.near, self._tables
        given = tables.given(n_members - 2)
        table = given.shares
        if diagonals is None:
            binary_grid.grid_terms(slices.keys, slices.sizes, prior, table, tables.logs, tables.scaled, drops)
            return (drops,)
        changes, factors = given.changes, (tables.logs, tables.smalls, tables.scaled)
        binary_sparse.pair_terms(slices.sizes, edges, diagonals, prior, table, changes, *factors, drops)
        return (drops,)
