"""New rows in the states a network knows.

A value is recognised by itself, as a number of another type, or by its text (a
column of digits read from a file may be numbers in one file and text in
another). Columns the network cut into intervals are cut in the same places.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.binning import bin_codes
from ibmap.data.columns import Column, Indexed, Numbers, UnusableColumnError, Values, show_value
from ibmap.data.containers import take_apart
from ibmap.data.states import find_states
from ibmap.data.table import EncodedTable, variable_index
from ibmap.data.text import unmarked
from ibmap.errors import InvalidOptionError, InvalidTableError
from ibmap.options import as_choice

GAP = -1  # the code of a missing value
UNSEEN = ("error", "missing")


@dataclass(frozen=True, eq=False)
class Variables:
    """Names and states of the variables of a network."""

    names: tuple[str, ...]
    states: tuple[tuple[Any, ...], ...]  # labels of the states of each
    # where columns of numbers were cut into intervals
    bin_edges: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @cached_property
    def cardinalities(self) -> tuple[int, ...]:
        """States of each variable."""
        return tuple(map(len, self.states))

    @cached_property
    def _lookups(self) -> tuple[_Lookup, ...]:
        return tuple(map(_Lookup, self.states))

    def code(self, variable: int, value: Any) -> int:
        """Find a state by its label."""
        found = self._lookups[variable].find(value)
        edges = self.bin_edges.get(self.names[variable])
        number = None if found is not None or edges is None else _number(value)
        if number is not None and edges is not None:
            return int(bin_codes(np.array([number]), np.array(edges))[0])
        if found is None:
            raise InvalidTableError(self._unknown(variable, value, ""))
        return found

    def index(self, variable: int | str) -> int:
        """Find a variable by its name or number."""
        return variable_index(self.names, variable)

    def read(
        self, rows: Any, *, gaps: bool = False, ignored: Collection[int] = (), unseen: str = "error"
    ) -> NDArray[np.int64]:
        """Read rows of any table as states: a frame's columns by name, others by position; GAP if missing."""
        as_choice(unseen, "unseen", UNSEEN)
        columns, n_rows = self._find_columns(rows, ignored)
        codes = np.full((n_rows, len(self.names)), GAP, np.int64)
        for v, column in columns.items():
            codes[:, v] = self._read_column(v, column, n_rows, unseen)
        if not gaps:
            self._refuse_gaps(codes)
        return codes

    def _find_columns(self, rows: Any, ignored: Collection[int]) -> tuple[dict[int, Column], int]:
        """Find the column of each variable."""
        if isinstance(rows, EncodedTable):
            found = [Indexed(rows.codes[:, k], labels) for k, labels in enumerate(rows.labels)]
            names, columns, n_rows = list(rows.names), list[Column](found), rows.n_rows
        else:
            names, columns, n_rows = take_apart(rows)
        if isinstance(rows, (list, tuple, np.ndarray)):
            return self._by_position(columns, ignored), n_rows
        place = {unmarked(str(name)): k for k, name in enumerate(names)}
        place |= {str(name): k for k, name in enumerate(names)}
        lacking = [name for v, name in enumerate(self.names) if name not in place and v not in ignored]
        if lacking:
            msg = f"the rows have no column {listed(lacking)}; the network is over {listed(self.names)}"
            raise InvalidTableError(msg)
        needed = (v for v in range(len(self.names)) if v not in ignored)
        return {v: columns[place[self.names[v]]] for v in needed}, n_rows

    def _by_position(self, columns: Sequence[Column], ignored: Collection[int]) -> dict[int, Column]:
        """Match columns without names to the variables, all of them or all that must be there."""
        needed = [v for v in range(len(self.names)) if v not in ignored]
        if len(columns) == len(self.names):
            return {v: columns[v] for v in needed}
        if len(columns) == len(needed):
            return dict(zip(needed, columns, strict=True))
        also = f" or {len(needed)}" if len(needed) < len(self.names) else ""
        msg = (
            f"the rows have {len(columns)} columns; without names they must be {len(self.names)}{also}, "
            f"in the network's order: {listed(self.names)}"
        )
        raise InvalidTableError(msg)

    def _read_column(self, v: int, column: Column, n_rows: int, unseen: str) -> NDArray[np.int64]:
        """Turn one column into states."""
        mask = column.missing()
        gap = self._lookups[v].find(None)
        codes = np.full(n_rows, GAP if gap is None else gap, np.int64)
        present = np.ones(n_rows, bool) if mask is None else ~mask
        try:
            codes[present] = self._read_values(v, column.select(None if mask is None else present))
        except UnusableColumnError as error:
            msg = f"column {self.names[v]!r} cannot be read as states: {error.detail}"
            raise InvalidTableError(msg) from None
        unknown = np.flatnonzero(present)[codes[present] == GAP]
        if unknown.size and unseen == "error":
            first = int(unknown[0])
            only = np.zeros(n_rows, bool)
            only[first] = True
            value = _distinct(column.select(only))[1][0]
            raise InvalidTableError(self._unknown(v, value, f" in row {first}"))
        return codes

    def _read_values(self, v: int, values: Values) -> NDArray[np.int64]:
        """Look up values; those the network does not know become gaps."""
        edges = self.bin_edges.get(self.names[v])
        if edges is not None and isinstance(values, Numbers):
            return bin_codes(values.values, np.array(edges)).astype(np.int64)
        positions, labels = _distinct(values)
        known = [self._lookups[v].find(label) for label in labels]
        table = np.array([GAP if code is None else code for code in known], np.int64)
        return table[positions] if len(positions) else np.zeros(0, np.int64)

    def _unknown(self, v: int, value: Any, where: str) -> str:
        """Say that a value is no state of a variable."""
        return (
            f"column {self.names[v]!r} has the value {show_value(value)}{where}, which is no state of the "
            f"network; its states are {listed(self.states[v])}. To take such values of new rows as missing, "
            "choose unseen='missing' (command line: --unseen missing)"
        )

    def _refuse_gaps(self, codes: NDArray[np.int64]) -> None:
        if (codes == GAP).any():
            row, v = np.argwhere(codes == GAP)[0].tolist()
            msg = (
                f"column {self.names[v]!r} has no value in row {row}; this needs complete rows. Complete "
                "them first (complete; command line: ibmap complete), or leave such rows out"
            )
            raise InvalidTableError(msg)


def _number(value: Any) -> float | None:
    """Read a number, as such or as text."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


def listed(values: Sequence[Any]) -> str:
    """Show the first few of some names or labels."""
    return ", ".join(map(show_value, values[:6])) + (", ..." if len(values) > 6 else "")


class _Lookup:
    """Labels to codes: by type and value, by value, by text."""

    def __init__(self, labels: Sequence[Any]) -> None:
        self.exact = {(type(label), label): k for k, label in enumerate(labels)}
        if len(self.exact) < len(labels):
            msg = f"the states of a variable must be different; got {listed(labels)}"
            raise InvalidOptionError(msg)
        values = list(labels)
        self.loose = {label: k for k, label in enumerate(labels) if values.count(label) == 1}
        texts = [str(label) for label in labels]
        self.texts = {text: k for k, text in enumerate(texts) if texts.count(text) == 1}

    def find(self, value: Any) -> int | None:
        """Find the code of a label."""
        if isinstance(value, np.generic):
            value = value.item()
        key = (type(value), value)
        if key in self.exact:
            return self.exact[key]
        if value in self.loose:
            return self.loose[value]
        if value is None:
            return None
        text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
        return self.texts.get(text, self.texts.get(unmarked(text)))


def _distinct(values: Values) -> tuple[NDArray[np.int64], list[Any]]:
    """Split values into distinct ones and the position of each among them."""
    if isinstance(values, Numbers):
        labels, positions = np.unique(values.values, return_inverse=True)
        return positions.astype(np.int64), labels.tolist()
    if isinstance(values, Indexed):
        occurring, positions = np.unique(values.positions, return_inverse=True)
        return positions.astype(np.int64), [values.labels[k] for k in occurring.tolist()]
    states = find_states(values)
    occurring, positions = np.unique(states.codes, return_inverse=True)
    return positions.astype(np.int64), [states.labels[k] for k in occurring.tolist()]
