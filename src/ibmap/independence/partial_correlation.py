"""The test of partial correlation, for tables of numbers, with its posterior probability.

Two of several jointly normal variables are independent given others if and only if what linear
regressions on these leave of the two is uncorrelated. A uniform prior on the partial correlation, and
Jeffreys' priors on means, scales and slopes, give the Bayes factor of "some" against "none" in closed form
(Ly, Verhagen and Wagenmakers 2016): with r the sample's partial correlation and m the rows less the rank of
what is given,

    B = sqrt(pi) / 2 Γ((m + 1) / 2) / Γ((m + 2) / 2) (1 - r^2)^((4 - m) / 2) 2F1(3/2, 3/2; (m + 2) / 2; r^2).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidTableError
from ibmap.independence.posterior import LOWEST_PRIOR, softplus
from ibmap.independence.protocol import Answer, LogProbabilities, ProbabilisticTest, Triplet, Variable
from ibmap.options import as_number
from ibmap.ties import is_at_least_half

Floats = NDArray[np.float64]

FEWEST_ROWS = 3  # two points are always on a line
NOTHING_LEFT = 1e-10  # share of a variance: what regressions leave of a column that others determine
SERIES_FROM, N_TERMS = 50.0, 200  # third parameter of 2F1 from which on so many terms are all there is
LARGEST_SQUARE = 1 - 1e-12  # of a correlation, up to rounding


class PartialCorrelationTest(ProbabilisticTest):
    """The posterior probability that a partial correlation is zero.

    For tables of numbers whose variables are jointly normal, or nearly. Columns whose states are
    numbers are taken by their values.

    Parameters
    ----------
    X : table
        Anything `ibmap.encode` takes; columns of many numbers are kept as they are.
    prior : float
        Prior probability of independence.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> cause = rng.normal(size=100)
    >>> rows = np.column_stack([cause, cause + rng.normal(size=100), cause + rng.normal(size=100)])
    >>> test = PartialCorrelationTest(rows)
    >>> round(test.partial_correlation(1, 2), 2), round(test.partial_correlation(1, 2, [0]), 2)
    (0.42, -0.02)
    >>> test.is_independent(1, 2), test.is_independent(1, 2, [0])
    (False, True)
    """

    def __init__(self, X: Any, prior: float = 0.5) -> None:
        self.table = X if isinstance(X, EncodedTable) else encode(X, bins="keep")
        self.prior = as_number(prior, "prior", low=LOWEST_PRIOR, high=1)
        self.log_prior_odds = math.log1p(-self.prior) - math.log(self.prior)
        values, weights = numeric_columns(self.table), self.table.weights.astype(np.float64)
        self.n_samples = float(weights.sum())
        centred = values - weights @ values / max(self.n_samples, 1.0)
        spread = np.sqrt(weights @ centred**2)
        is_constant = spread <= NOTHING_LEFT * np.sqrt(weights @ values**2)
        scaled = np.where(is_constant, 0.0, centred / np.where(is_constant, 1.0, spread))
        self.correlations: Floats = (scaled * weights[:, None]).T @ scaled
        super().__init__(self.table.names)

    def partial_correlation(self, x: Variable, y: Variable, given: Any = ()) -> float:
        """Give the correlation of two variables, others held fixed.

        Parameters
        ----------
        x, y : int or str
            Two variables, by name or number.
        given : iterable of int or str
            The conditioning set.

        Returns
        -------
        float
            From -1 to 1; 0 if a variable is constant, or determined by what is given.
        """
        return self._correlate(self.triplet(x, y, given).canonical())[0]

    def log_bayes_factor(self, triplet: Triplet) -> float:
        """Give the log Bayes factor of some partial correlation against none, without counting it.

        Parameters
        ----------
        triplet : Triplet
            The question, by numbers.

        Returns
        -------
        float
            Natural log; 0 where there are too few rows to say anything.
        """
        r, rank = self._correlate(triplet.canonical())
        return log_bayes_factor(r, self.n_samples - rank)

    def log_posteriors(self, triplet: Triplet) -> LogProbabilities:
        """Give both log posteriors of a numbered triplet, without counting it."""
        log_odds = self.log_prior_odds + self.log_bayes_factor(triplet)
        return LogProbabilities(-softplus(log_odds), -softplus(-log_odds))

    def _correlate(self, triplet: Triplet) -> tuple[float, int]:
        """Give the partial correlation and the rank of what is given."""
        pair, given = [triplet.x, triplet.y], list(triplet.given)
        own, rank = self.correlations[np.ix_(pair, pair)], 0
        if given:
            values, vectors = np.linalg.eigh(self.correlations[np.ix_(given, given)])
            is_used = values > NOTHING_LEFT * len(given)
            half = self.correlations[np.ix_(pair, given)] @ vectors[:, is_used] / np.sqrt(values[is_used])
            own, rank = own - half @ half.T, int(is_used.sum())
        left = own[0, 0], own[1, 1]
        if min(left) <= NOTHING_LEFT:
            return 0.0, rank
        return min(max(float(own[0, 1]) / math.sqrt(left[0] * left[1]), -1.0), 1.0), rank

    def _answer(self, triplet: Triplet) -> Answer:
        """Decide for independence from one half on."""
        log_independent = self.log_posteriors(triplet).independent
        return Answer(is_at_least_half(log_independent), log_independent)


def log_bayes_factor(r: float, n_rows: float) -> float:
    """Give the log Bayes factor of some correlation against none, uniform a priori."""
    from scipy.special import gammaln

    if n_rows < FEWEST_ROWS:
        return 0.0
    square = min(r * r, LARGEST_SQUARE)
    ratio = float(gammaln((n_rows + 1) / 2) - gammaln((n_rows + 2) / 2))
    series = math.log(_hypergeometric((n_rows + 2) / 2, square))
    return math.log(math.pi) / 2 - math.log(2) + ratio + (4 - n_rows) / 2 * math.log1p(-square) + series


def _hypergeometric(c: float, z: float) -> float:
    """Give 2F1(3/2, 3/2; c; z)."""
    from scipy.special import hyp2f1

    if c < SERIES_FROM:
        return float(hyp2f1(1.5, 1.5, c, z))
    k = np.arange(N_TERMS)  # SciPy's overflows for large c and z near 1, where the series is short
    return 1.0 + float(np.cumprod((1.5 + k) ** 2 / ((c + k) * (1 + k)) * z).sum())


def numeric_columns(table: EncodedTable) -> Floats:
    """Give the table as numbers, rows by columns; refuse columns that are none, and holes."""
    texts = [
        name
        for k, (name, labels) in enumerate(zip(table.names, table.labels, strict=True))
        if k not in table.numbers and not all(isinstance(each, int | float | np.number) for each in labels)
    ]
    if texts:
        many = ", ".join(map(repr, texts))
        msg = (
            f"a partial correlation is one of numbers, and these columns are not: {many}. Leave them out "
            "with drop=[...] (command line: --drop); if they were cut into intervals, keep their numbers "
            'with bins="keep" (command line: --bins keep); for categories use another test, or ibmap.IBMAP'
        )
        raise InvalidTableError(msg)
    if table.missing is not None and table.missing.any():
        holes = [table.names[k] for k in np.flatnonzero(table.missing.any(axis=0)).tolist()]
        msg = (
            f"columns with missing values: {', '.join(map(repr, holes))}. Partial correlations need whole "
            'rows: drop the others with missing="drop" (command line: --missing drop)'
        )
        raise InvalidTableError(msg)
    columns = [
        table.numbers[k] if k in table.numbers else np.array(labels, np.float64)[table.codes[:, k]]
        for k, labels in enumerate(table.labels)
    ]
    return np.array(columns, np.float64).reshape(table.n_variables, table.n_rows).T
