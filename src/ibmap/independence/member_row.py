"""Tests of a binary variable against every member of a set given the others, all at once.

Given all but one member the slices of the whole set come together in pairs, and most of them are alone: what
changes is found for all members in one pass (`ibmap.kernels.binary_sparse`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.binary_rows import BinaryColumns
from ibmap.kernels import binary_layout, binary_sparse, deviations, near_pairs

FEWEST = 8  # members from which on this is faster than tests one by one


class MemberRow:
    """Tests of one variable against the members of a set.

    Parameters
    ----------
    columns : BinaryColumns
        The data.
    x : int
        The variable.
    members : tuple of int
        The set, sorted, of at most 63.
    """

    def __init__(self, columns: BinaryColumns, x: int, members: tuple[int, ...]) -> None:
        self.x, self.members = x, members
        n, tables = len(members), columns.factors
        given, labels = np.array(members, np.int64), np.empty(len(columns.weights), np.int64)
        keys, sizes, _ = binary_layout.slice_rows(
            columns.states, columns.row_bits, columns.weights, x, given, labels
        )
        less, found = tables.given(n - 1), np.zeros(n)
        logs, smalls = tables.logs, tables.smalls
        binary_sparse.member_terms(sizes, edges_of(keys, n), less.prior, less.shares, logs, smalls, found)
        self._supports: dict[int, float] = dict(zip(members, found.tolist(), strict=True))

    def log_independent(self, y: int) -> float:
        """Test X against a member given the others.

        Parameters
        ----------
        y : int
            The member.

        Returns
        -------
        float
            log Pr(I | D).
        """
        return self._supports[y]


def edges_of(keys: NDArray[np.uint64], n_members: int) -> NDArray[np.int32]:
    """Find the slices that differ in one member.

    Parameters
    ----------
    keys : ndarray
        States of the members in each slice, a bit each.
    n_members : int
        Their number.

    Returns
    -------
    ndarray
        Rows (slice, slice, member).
    """
    if near_pairs.is_mapped(n_members, len(keys)):
        return np.asarray(near_pairs.list_edges(keys, n_members))
    return np.asarray(deviations.hashed_edges(keys, n_members))
