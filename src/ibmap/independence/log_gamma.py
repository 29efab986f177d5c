"""The log-gamma function at the integers that counts can be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibmap.independence.posterior import Prior
from ibmap.kernels import likelihood as kernels
from ibmap.table import EncodedTable

Floats = NDArray[np.float64]

MAX_TABLE = 1 << 24  # entries of a log-gamma table that is still worth its memory
SHORT_TABLE = 1 << 20  # entries kept where a complete table would be too large


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
