"""The table a result was learned from, brought back: the same data, tested in the same way."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ibmap.encoding import encode
from ibmap.errors import DataWarning, InvalidTableError
from ibmap.evidence.statements import Witness
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.pairwise import PairwiseTest
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.table import EncodedTable

BAYESIAN = ("prior", "hyperparameters", "slices", "equivalent_sample_size")
PAIRWISE = ("penalty", "ridge", "ordered", "prior")
AVERAGED = ("prior", "ordered", "table_share")


def recorded_table(
    data: Any, names: Sequence[str], options: Mapping[str, Any], fingerprint: str
) -> EncodedTable:
    """Encode a table as it was encoded for learning, and refuse any other table.

    Parameters
    ----------
    data : table
        Anything `ibmap.encode` takes.
    names : sequence of str
        The variables learned.
    options : dict
        The options recorded: `missing` and `bins` are used.
    fingerprint : str
        Digest of the table learned from; empty if any table with these variables will do.

    Returns
    -------
    EncodedTable
        The columns learned, in the order of `names`.
    """
    rules: dict[str, Any] = {"keep": tuple(names)}
    if not isinstance(data, EncodedTable):
        usable = {"missing": (str,), "bins": (str, int, dict)}
        rules |= {key: options[key] for key in usable if isinstance(options.get(key), usable[key])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # they were told when it was learned
        try:
            table = encode(data, **rules)
        except InvalidTableError as error:
            msg = f"the table does not fit the network: {error}"
            raise InvalidTableError(msg) from error
    if fingerprint and table.fingerprint != fingerprint:
        msg = (
            f"this is not the table the network was learned from: its fingerprint is {table.fingerprint}, "
            f"that of the other is {fingerprint}. Give the same file, read in the same way; the same rows in "
            "another order count as another table"
        )
        raise InvalidTableError(msg)
    return table if table.names == tuple(names) else _reordered(table, names)


def recorded_tests(table: EncodedTable, options: Mapping[str, Any]) -> dict[str, ProbabilisticTest]:
    """Make the tests that a pair can be judged by, the one used for learning first.

    Parameters
    ----------
    table : EncodedTable
        The data.
    options : dict
        The options recorded.

    Returns
    -------
    dict from str to ProbabilisticTest
        By name; options that were not recorded have their defaults, and so have the other tests.

    Examples
    --------
    >>> list(recorded_tests(EncodedTable.from_codes([[0, 1]]), {"prior": 0.3}))
    ['bayesian', 'pairwise']
    """
    from ibmap.independence.bayesian import BayesianTest

    makers: dict[str, tuple[Callable[..., ProbabilisticTest], tuple[str, ...]]] = {
        "bayesian": (BayesianTest, BAYESIAN),
        "pairwise": (PairwiseTest, PAIRWISE),
        "averaged": (AveragedTest, AVERAGED),
    }
    used = options.get("test")
    first = used if used in makers else "bayesian"
    own = {key: options[key] for key in makers[first][1] if key in options}
    beside = ("bayesian",) if first == "averaged" else ("bayesian", "pairwise")
    tests = {first: makers[first][0](table, **own)}
    return tests | {name: makers[name][0](table) for name in beside if name != first}


def recorded_witness(
    data: Any, names: Sequence[str], options: Mapping[str, Any], fingerprint: str
) -> Witness:
    """Bring back the table and the tests of a result.

    Parameters
    ----------
    data : table
        Anything `ibmap.encode` takes.
    names : sequence of str
        The variables learned.
    options : dict
        The options recorded.
    fingerprint : str
        Digest of the table learned from; empty if any table with these variables will do.

    Returns
    -------
    Witness
        Ready to be asked about pairs.
    """
    table = recorded_table(data, names, options, fingerprint)
    return Witness(table, recorded_tests(table, options))


def _reordered(table: EncodedTable, names: Sequence[str]) -> EncodedTable:
    """Put the columns in another order."""
    order = [table.index(name) for name in names]
    return EncodedTable(
        codes=table.codes[:, order].copy(order="F"),
        cardinalities=table.cardinalities[order],
        names=tuple(names),
        labels=tuple(table.labels[k] for k in order),
        weights=table.weights,
        preparation=table.preparation,
    )
