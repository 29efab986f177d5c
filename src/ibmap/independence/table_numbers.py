"""A table and a prior as the kernels take them, for integer Dirichlet parameters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.posterior import Prior
from ibmap.kernels import likelihood as kernels
from ibmap.kernels.context import Data, PriorNumbers
from ibmap.kernels.lanes import new_blocks
from ibmap.table import EncodedTable

Floats = NDArray[np.float64]

MAX_TABLE = 1 << 24  # entries of a log-gamma table that is still worth its memory
SHORT_TABLE = 1 << 20  # entries kept where a complete table would be too large


class TableNumbers:
    """The arguments `data` and `prior` of the kernels in `context` and `look`.

    Parameters
    ----------
    table : EncodedTable
        The data.
    prior : Prior
        With integer hyperparameters.
    """

    def __init__(self, table: EncodedTable, prior: Prior) -> None:
        cards = table.cardinalities.astype(np.int64)
        is_weighted = bool((table.weights > 1).any())
        self.data = Data(
            table.codes,
            cards,
            np.log(cards),
            table.weights if is_weighted else table.weights[:0],
            new_blocks(table.codes[:0] if is_weighted else table.codes, cards),
        )
        log_p = math.log(prior.probability)
        self.prior = PriorNumbers(
            log_p,
            math.log(-log_p),
            prior.hyperparameters == "sums",
            prior.slices == "seen",
            log_gamma_table(table),
        )


def table_numbers(table: EncodedTable, prior: Prior) -> TableNumbers | None:
    """Give a table and a prior as the kernels take them, if they can.

    Parameters
    ----------
    table : EncodedTable
        The data.
    prior : Prior
        The prior.

    Returns
    -------
    TableNumbers or None
        None if the log-gamma function is needed elsewhere than at moderate integers.
    """
    return TableNumbers(table, prior) if is_tabulated(table, prior) else None


def is_tabulated(table: EncodedTable, prior: Prior) -> bool:
    """Tell whether the log-gamma function is only needed at moderate integers.

    Parameters
    ----------
    table : EncodedTable
        The data.
    prior : Prior
        The prior.

    Returns
    -------
    bool
        True if all tests can be done from a table of the function.
    """
    return prior.hyperparameters in ("sums", "ones") and n_table_entries(table) <= MAX_TABLE


def n_table_entries(table: EncodedTable) -> int:
    """Give the number of integers the log-gamma function is needed at.

    Parameters
    ----------
    table : EncodedTable
        The data; counts and cardinalities bound the arguments.

    Returns
    -------
    int
        One more than the largest.
    """
    return table.n_samples + int(table.cardinalities.max(initial=1)) ** 2 + 2


def log_gamma_table(table: EncodedTable) -> Floats:
    """Tabulate the log-gamma function at the integers the test will need.

    Parameters
    ----------
    table : EncodedTable
        The data.

    Returns
    -------
    ndarray
        Entry k is log-gamma of k; entry 0 is never read.
    """
    n_entries = n_table_entries(table)
    values = np.empty(n_entries if n_entries <= MAX_TABLE else SHORT_TABLE)
    kernels.log_gamma_values(values)
    return values
