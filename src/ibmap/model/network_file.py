"""Complete networks as versioned JSON, every number exactly as it was."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from ibmap.data.atomic import write_atomically
from ibmap.data.records import Label, as_record, check_format, damaged, read_json
from ibmap.errors import FileFormatError, IbmapError
from ibmap.graph import MarkovGraph
from ibmap.model.fitting import FitReport
from ibmap.model.potentials import Factor, check_cliques

if TYPE_CHECKING:
    from ibmap.model.network import MarkovNetwork

FORMAT = "ibmap-model"
FORMAT_VERSION = 1
UNFITTED = "; it is a network without parameters: fit them with ibmap fit, or MarkovNetwork.fit"


def to_dict(model: MarkovNetwork) -> dict[str, Any]:
    """Give a network as plain lists and dicts; a log-value of minus infinity is None."""
    from ibmap import __version__

    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "version": __version__,
        "variables": [
            {"name": name, "states": [_plain(label) for label in labels]}
            | ({"bin_edges": list(model.bin_edges[name])} if name in model.bin_edges else {})
            for name, labels in zip(model.names, model.states, strict=True)
        ],
        "edges": [list(edge) for edge in model.graph.edges],
        "factors": [
            {"variables": list(factor.variables), "log_values": _finite(factor)} for factor in model.factors
        ],
        "report": None if model.report is None else asdict(model.report),
    }


def save(model: MarkovNetwork, path: str | Path) -> None:
    """Write a network to a JSON file, whole or not at all."""
    content = to_dict(model)
    members = [f"{json.dumps(key)}: {_lines(value)}" for key, value in content.items()]
    write_atomically(path, "{\n" + ",\n".join(members) + "\n}\n")


class _Variable(Struct):
    name: str
    states: Annotated[tuple[Label, ...], Meta(min_length=1)]
    bin_edges: tuple[float, ...] | None = None


class _Factor(Struct):
    variables: tuple[int, ...]
    log_values: list[float | None]


class _Model(Struct):
    variables: list[_Variable]
    edges: list[tuple[int, int]]
    factors: list[_Factor]
    report: FitReport | None


def parts(content: Any) -> dict[str, Any]:
    """Read what `to_dict` gives, as the arguments of `MarkovNetwork`."""
    is_network = isinstance(content, dict) and content.get("format") == "ibmap-network"
    check_format(content, "model", FORMAT, FORMAT_VERSION, UNFITTED if is_network else "")
    read = as_record(content, _Model, "model file")
    try:
        names = [variable.name for variable in read.variables]
        graph = MarkovGraph.from_edges(len(names), read.edges, names)
        factors = tuple(_factor(each, read.variables) for each in read.factors)
        check_cliques(graph, factors)
    except (ValueError, IndexError, IbmapError) as error:
        raise FileFormatError(damaged("model file", error)) from None
    return {
        "graph": graph,
        "states": tuple(variable.states for variable in read.variables),
        "factors": factors,
        "report": read.report,
        "bin_edges": {each.name: _cuts(each) for each in read.variables if each.bin_edges is not None},
    }


def load(path: str | Path) -> dict[str, Any]:
    """Read a JSON file, as the arguments of `MarkovNetwork`."""
    content = read_json(path)
    try:
        return parts(content)
    except FileFormatError as error:
        msg = f"{path}: {error}"
        raise FileFormatError(msg) from None


def _lines(value: Any) -> str:
    """Write a list of dicts with a line for each, anything else on one line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(map(_lines, value)) + "\n]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _finite(factor: Factor) -> list[float | None]:
    """List the log-values, None for minus infinity."""
    return [value if value > -np.inf else None for value in factor.log_values.ravel().tolist()]


def _factor(read: _Factor, variables: list[_Variable]) -> Factor:
    """Shape the table of a factor by the states of its variables."""
    if not all(0 <= v < len(variables) for v in read.variables):
        msg = f"a factor is over {read.variables}; there are {len(variables)} variables"
        raise ValueError(msg)
    values = [-np.inf if value is None else value for value in read.log_values]
    return Factor(
        read.variables, np.array(values).reshape([len(variables[v].states) for v in read.variables])
    )


def _cuts(variable: _Variable) -> tuple[float, ...]:
    """Give where a column is cut, in order, one place more than there are intervals among its states."""
    edges = variable.bin_edges or ()
    if not 2 <= len(edges) <= len(variable.states) + 1 or any(a >= b for a, b in pairwise(edges)):
        msg = f"the bin_edges of {variable.name!r} must rise, and be one more than its intervals"
        raise FileFormatError(damaged("model file", msg))
    return edges


def _plain(label: Any) -> Any:
    """Turn a label into something JSON can hold; other objects into their text."""
    if isinstance(label, np.generic):
        label = label.item()
    is_plain = label is None or isinstance(label, (bool, int, float, str))
    return label if is_plain and not (isinstance(label, float) and not np.isfinite(label)) else str(label)
