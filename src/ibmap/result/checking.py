"""What a network file may hold: types, pairs of variables, parts that older files lack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ibmap.evidence.records import checked
from ibmap.evidence.variables import VariableDescription
from ibmap.result.confidence import Confidence

_TYPES: dict[str, tuple[type, ...]] = {
    "score": (float, int, type(None)),
    "bound": (float, int, type(None)),
    "n_nodes": (int, type(None)),
    "test_cost": (int, type(None)),
    "n_tests": (int,),
    "n_ascents": (int, type(None)),
    "n_iterations": (int, type(None)),
    "stopped": (str,),
    "start": (str, type(None)),
}
_LATER = (
    "bound",
    "n_nodes",
    "start",
    "test_cost",
)  # fields added within the version: older files do not have them


def check_types(content: dict[str, Any]) -> None:
    """Refuse values that are not of the documented type."""
    for key, types in _TYPES.items():
        value = content.get(key) if key in _LATER else content[key]
        if isinstance(value, bool) or not isinstance(value, types) or str(value) == "nan":
            msg = f"{key!r} cannot be {value!r}"
            raise ValueError(msg)


def check_pairs(content: dict[str, Any]) -> None:
    """Refuse pairs of variables that do not exist."""
    n_variables = len(content["variables"])
    statements = [each for pair in content["evidence"] for each in pair.get("statements", ())]
    disputed = [{"x": x, "y": y} for x, y in content.get("disputed", ())]
    for entry in [*content["trace"], *content["evidence"], *statements, *disputed]:
        numbers = (entry["x"], entry["y"], *entry.get("given", ()))
        if not all(0 <= number < n_variables for number in numbers):
            msg = f"there is no pair ({entry['x']!r}, {entry['y']!r}) among {n_variables} variables"
            raise ValueError(msg)


def read_descriptions(variables: list[dict[str, Any]]) -> tuple[VariableDescription, ...]:
    """Read the descriptions: of all variables, or of none (files of older versions)."""
    if not any("description" in variable for variable in variables):
        return ()
    return tuple(checked(VariableDescription(**variable["description"])) for variable in variables)


def read_confidence(content: Mapping[str, Any] | None, names: list[str]) -> Confidence | None:
    """Read how sure each edge is; None if the file does not tell."""
    return None if content is None else Confidence.from_dict({**content, "names": names})
