"""Tables of the Bayes factor of slices of two binary variables, and what a prior makes of them."""

from __future__ import annotations

import math
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.posterior import Prior
from ibmap.kernels.binary_layout import LARGE
from ibmap.kernels.likelihood import log_gamma_values
from ibmap.kernels.shares import BITS, MOST
from ibmap.kernels.two_by_two import SIDE, SMALL

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class SliceTables:
    """All tables of one prior, each made when it is first asked for.

    Parameters
    ----------
    n_samples : int
        The largest count.
    prior : Prior
        With integer hyperparameters, split over all slices.
    """

    def __init__(self, n_samples: int, prior: Prior) -> None:
        self.prior = prior
        self.logs = log_tables(n_samples, prior)
        gamma, alpha, _ = prior.dirichlet(2, 2, 1)
        self.hyperparameters = float(gamma), float(alpha)
        self._given: dict[int, GivenTables] = {}

    @cached_property
    def smalls(self) -> tuple[Floats, Floats, Floats]:
        """Factors of slices of at most 64 data points; see `small_tables`."""
        return small_tables(self.prior)

    @cached_property
    def scaled(self) -> tuple[Floats, Floats, Floats]:
        """Factors of slices of at most 1000 data points; see `scaled_tables`."""
        return scaled_tables(*self.logs)

    @cached_property
    def ratios(self) -> Floats:
        """Bayes factors of distinct slices of few data points; see `cell_ratios`."""
        return cell_ratios(*self.smalls)

    def given(self, n_given: int) -> GivenTables:
        """Give what depends on the number of slices too.

        Parameters
        ----------
        n_given : int
            Variables given; fewer than none count as none.

        Returns
        -------
        GivenTables
            The same object each time.
        """
        if n_given not in self._given:
            self._given[n_given] = GivenTables(self, n_given)
        return self._given[n_given]


class GivenTables:
    """The tables of one prior for a number of variables given, each made when it is first asked for.

    Parameters
    ----------
    tables : SliceTables
        Those for any number.
    n_given : int
        Variables given.
    """

    def __init__(self, tables: SliceTables, n_given: int) -> None:
        self._tables, self._n_given = tables, n_given

    @cached_property
    def prior(self) -> Floats:
        """Log-odds and odds of dependence in a slice, -log p / K and -log p."""
        n_slices, prior = 1 << max(self._n_given, 0), self._tables.prior
        log_odds, minus_log_p = prior.log_slice_odds(n_slices), -math.log(prior.probability)
        return np.array((log_odds, math.exp(log_odds), minus_log_p / n_slices, minus_log_p))

    @cached_property
    def priors_around(self) -> Floats:
        """Rows of `prior` given two variables less up to one more."""
        numbers = range(self._n_given - 2, self._n_given + 2)
        return np.array([self._tables.given(number).prior for number in numbers])

    @cached_property
    def shares(self) -> Floats:
        """Shares of slices of few data points; see `share_table`."""
        return share_table(self._tables.ratios, self.prior)

    @cached_property
    def changes(self) -> Floats:
        """What merging two slices of few data points changes; see `change_table`."""
        return change_table(self.shares)

    @cached_property
    def factors(self) -> tuple[Floats, Floats]:
        """What factors of slices of at most 1000 data points have of their size; see `factor_table`."""
        return factor_table(self._tables.scaled[2], self.prior)

    @cached_property
    def placed_factors(self) -> Floats:
        """What factors of slices of at most 64 data points have of their rows; see `placed_table`."""
        return placed_table(*self._tables.smalls[1:], self.prior)


def log_tables(n_samples: int, prior: Prior) -> tuple[Floats, Floats, Floats]:
    """Tabulate the log-rising factorials of two-by-two slices by count.

    Parameters
    ----------
    n_samples : int
        The largest count.
    prior : Prior
        With integer hyperparameters.

    Returns
    -------
    cell, side, total : ndarray
        Of a cell, of a row or column, and of a whole slice.
    """
    log_gamma = np.empty(n_samples + 5)
    log_gamma_values(log_gamma)
    gamma, alpha, beta = map(int, prior.dirichlet(2, 2, 1))

    def rising(start: int) -> Floats:
        values = log_gamma[start : start + n_samples + 1]
        return values if log_gamma[start] == 0.0 else np.asarray(values - log_gamma[start])

    total = np.array(rising(2 * alpha))
    total += rising(2 * beta)
    total -= rising(4 * gamma)
    return rising(gamma), rising(alpha), total


def small_tables(prior: Prior) -> tuple[Floats, Floats, Floats]:
    """Tabulate the factors of the Bayes factor of slices of at most 64 data points.

    Parameters
    ----------
    prior : Prior
        With integer hyperparameters.

    Returns
    -------
    columns, rows, totals : ndarray
        Of the two cells of a column (flat, 65 x 65), of a row, and of a whole slice.
    """
    cell, side, total = log_tables(2 * SMALL, prior)
    counts = np.arange(SMALL + 1)
    columns = np.exp(cell[counts[:, None]] + cell[counts] - side[counts[:, None] + counts])
    return columns.ravel(), np.exp(-side[counts]), np.exp(total[counts])


def scaled_tables(cell: Floats, side: Floats, total: Floats) -> tuple[Floats, Floats, Floats]:
    """Tabulate the factors of the Bayes factor of large slices, scaled by powers that cancel.

    Parameters
    ----------
    cell, side, total : ndarray
        Logs by count, of a cell, of a row or column, and of a whole slice.

    Returns
    -------
    cells, sides, totals : ndarray
        For counts a and b a column's share is ``cells[a] * cells[b] * sides[a + b]``, that of two rows
        ``sides[a] * sides[b] * totals[a + b]``, up to a large slice. Unscaled they are factorials, far
        too large for a number.
    """
    counts = np.arange(min(LARGE + 1, len(cell)))
    powers = counts * (math.log(LARGE) - 1)  # those of the largest factorial are about 1
    return np.exp(cell[counts] - powers), np.exp(powers - side[counts]), np.exp(total[counts] - powers)


@cache
def distinct_slices() -> tuple[Integers, NDArray[np.int32]]:
    """List the slices of at most 15 data points a cell that differ in more than what states are called.

    Returns
    -------
    cells : ndarray of shape (4, n_distinct)
        Their data points, by cell in the order of `ibmap.kernels.shares`.
    places : ndarray
        For all slices, flat in that order, which of these they are.
    """
    counts = np.indices((MOST + 1,) * 4)[::-1].reshape(4, -1)
    orders = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))  # states of X or of Y swapped
    alike = np.min([number_of(counts[list(order)]) for order in orders], axis=0)
    numbers, places = np.unique(alike, return_inverse=True)
    return counts[:, numbers], places.astype(np.int32)


def number_of(cells: Integers) -> Integers:
    """Give the place of slices in a table of all.

    Parameters
    ----------
    cells : ndarray of shape (4, n)
        Their data points by cell.

    Returns
    -------
    ndarray
        Four bits for each cell, the first lowest.
    """
    return np.asarray(cells[0] | cells[1] << BITS | cells[2] << 2 * BITS | cells[3] << 3 * BITS)


def cell_ratios(columns: Floats, rows: Floats, totals: Floats) -> Floats:
    """Tabulate the Bayes factor of slices of at most 15 data points a cell.

    Parameters
    ----------
    columns, rows, totals : ndarray
        Its factors: of the two cells of a column (flat, 65 x 65), of a row, and of a whole slice.

    Returns
    -------
    ndarray
        In the order of `distinct_slices`; 0 for a slice of fewer than two data points.
    """
    a0, a1, b0, b1 = distinct_slices()[0]
    of_columns = columns[a0 * SIDE + a1] * columns[b0 * SIDE + b1]
    size = a0 + a1 + b0 + b1
    ratios = of_columns * rows[a0 + b0] * rows[a1 + b1] * totals[size]
    return np.where(size < 2, 0.0, ratios)


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
        Of all slices, flat, in the order of `ibmap.kernels.shares`.
    """
    shares = np.where(ratios > 0, np.log1p(prior[1] * ratios) - prior[2], 0.0)
    return np.take(shares, distinct_slices()[1])


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


def placed_table(rows: Floats, totals: Floats, prior: Floats) -> Floats:
    """Tabulate what the factors of slices of at most 64 data points have of their rows and the prior.

    Parameters
    ----------
    rows, totals : ndarray
        Factors of the Bayes factor by the size of a row, and of a slice.
    prior : ndarray
        As for `share_table`.

    Returns
    -------
    ndarray of shape (65 * 65, 2)
        By counts of X = 0 and X = 1 a base and a weight; see `ibmap.kernels.word_edges`.
    """
    counts, unseen = np.arange(SIDE), math.exp(-prior[2])
    sizes = (counts[:, None] + counts).ravel()
    weights = prior[1] * unseen * np.outer(rows, rows).ravel() * totals[np.minimum(sizes, SMALL)]
    is_known = (sizes >= 2) & (sizes <= SMALL)
    return np.stack([np.where(sizes < 2, 1.0, unseen), np.where(is_known, weights, 0.0)], axis=1)


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
