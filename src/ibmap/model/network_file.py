"""Complete networks as versioned JSON, every number exactly as it was."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ibmap.data.atomic import write_atomically
from ibmap.data.text import read_text
from ibmap.errors import FileFormatError, IbmapError
from ibmap.evidence.records import check_format
from ibmap.graph import MarkovGraph
from ibmap.model.fitting import FitReport
from ibmap.model.potentials import Factor

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


def parts(content: Any) -> dict[str, Any]:
    """Read what `to_dict` gives, as the arguments of `MarkovNetwork`."""
    is_network = isinstance(content, dict) and content.get("format") == "ibmap-network"
    check_format(content, "model", FORMAT, FORMAT_VERSION, UNFITTED if is_network else "")
    try:
        names = [_name(variable) for variable in content["variables"]]
        states = tuple(tuple(variable["states"]) for variable in content["variables"])
        edges = [(int(i), int(j)) for i, j in content["edges"]]
        shape = [len(labels) for labels in states]
        return {
            "graph": MarkovGraph.from_edges(len(names), edges, names),
            "states": states,
            "factors": tuple(_factor(each, shape) for each in content["factors"]),
            "report": _report(content["report"]),
            "bin_edges": {
                variable["name"]: tuple(map(float, variable["bin_edges"]))
                for variable in content["variables"]
                if "bin_edges" in variable
            },
        }
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, IbmapError) as error:
        msg = f"the model file is damaged: {type(error).__name__}: {error}"
        raise FileFormatError(msg) from error


def load(path: str | Path) -> dict[str, Any]:
    """Read a JSON file, as the arguments of `MarkovNetwork`."""
    try:
        return parts(json.loads(read_text(path)))
    except (json.JSONDecodeError, RecursionError) as error:
        msg = f"{path} is not JSON: {error}"
        raise FileFormatError(msg) from None
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


def _factor(content: dict[str, Any], shape: list[int]) -> Factor:
    variables = tuple(content["variables"])
    values = [-np.inf if value is None else float(value) for value in content["log_values"]]
    return Factor(variables, np.array(values).reshape([shape[v] for v in variables]))


def _report(content: dict[str, Any] | None) -> FitReport | None:
    if content is None:
        return None
    tried = tuple((float(strength), float(value)) for strength, value in content["validated"])
    return FitReport(**{**content, "validated": tried})


def _name(variable: dict[str, Any]) -> str:
    if not isinstance(variable["name"], str):
        msg = f"a variable's name must be text; got {variable['name']!r}"
        raise TypeError(msg)
    return variable["name"]


def _plain(label: Any) -> Any:
    """Turn a label into something JSON can hold; other objects into their text."""
    if isinstance(label, np.generic):
        label = label.item()
    return label if label is None or isinstance(label, (bool, int, float, str)) else str(label)
