"""The table a result was learned from, brought back: the same data, tested in the same way."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ibmap.data.encoding import encode
from ibmap.data.table import EncodedTable, take_columns
from ibmap.data.weighting import is_counted
from ibmap.errors import DataWarning, InvalidTableError
from ibmap.evidence.witness import Witness
from ibmap.graph.knowledge import make_knowledge
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.known import known_test
from ibmap.independence.pairwise import PairwiseTest
from ibmap.independence.partial_correlation import PartialCorrelationTest
from ibmap.independence.protocol import ProbabilisticTest
from ibmap.options import AveragedOptions, BayesianOptions, Options, PairwiseOptions, PriorOptions, declared


def recorded_table(
    data: Any, names: Sequence[str], options: Mapping[str, Any], fingerprint: str
) -> EncodedTable:
    """Encode a table as it was encoded for learning, and refuse any other table."""
    rules: dict[str, Any] = {"keep": tuple(names)}
    if not isinstance(data, EncodedTable):
        usable = {"missing": (str,), "bins": (str, int, dict), "weights": (str,)}
        rules |= {key: options[key] for key in usable if isinstance(options.get(key), usable[key])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # they were given when it was learned
        try:
            table = encode(data, **{"missing": "use", **rules})
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
    if table.names == tuple(names):
        return table
    return take_columns(table, [table.index(name) for name in names])


def recorded_tests(table: EncodedTable, options: Mapping[str, Any]) -> dict[str, ProbabilisticTest]:
    """Make the tests that a pair can be judged by, the one used for learning first."""
    from ibmap.independence.bayesian import BayesianTest

    makers: dict[str, tuple[Callable[..., ProbabilisticTest], type[Options]]] = {
        "bayesian": (BayesianTest, BayesianOptions),
        "pairwise": (PairwiseTest, PairwiseOptions),
        "averaged": (AveragedTest, AveragedOptions),
        "partial-correlation": (PartialCorrelationTest, PriorOptions),
    }
    used = options.get("test")
    first = used if used in makers else "bayesian"
    own = {key: options[key] for key in declared(makers[first][1]) if key in options}
    others: tuple[str, ...] = ("bayesian",) if first == "averaged" else ("bayesian", "pairwise")
    if table.has_holes or not is_counted(table):
        others = ()  # full tables need whole counts
    said = {key: options.get(key) for key in ("require", "forbid", "edge_prior")}
    tests = {first: known_test(makers[first][0](table, **own), make_knowledge(table.names, **said))}
    return tests | {name: makers[name][0](table) for name in others if name != first}


def recorded_witness(
    data: Any, names: Sequence[str], options: Mapping[str, Any], fingerprint: str
) -> Witness:
    """Bring back the table and the tests of a result."""
    table = recorded_table(data, names, options, fingerprint)
    return Witness(table, recorded_tests(table, options))
