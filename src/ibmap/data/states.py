"""Turn the plain values of one column into states: codes and the label of each.

States come in declared order where there is one, else sorted, so that they do not depend
on the order of the rows. Numbers go through a look-up table or a sorted list of the
distinct values, strings through polars, anything else through a dict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.binning import CHUNK, BinRule, bin_codes, bin_edges, interval_labels, n_categories
from ibmap.data.columns import Indexed, Numbers, Objects, Texts, UnusableColumnError, Values, show_value
from ibmap.data.table import CODE_DTYPE, MAX_STATES

if TYPE_CHECKING:
    import polars as pl

LOOKUP_SPAN = 1 << 20  # integers spread no wider than this are renumbered by a table
MIN_GROUPS = 61  # of rows that a column numbers: more than days, weeks or minutes
PLAIN = (str, int, float, bool)


@dataclass(frozen=True)
class States:
    """The states of one column."""

    codes: NDArray[np.uint16]
    labels: tuple[Any, ...]
    n_observed: int
    edges: tuple[float, ...] | None = None
    group_size: int = (
        0  # how often each of consecutive whole numbers was there, if they number rows or groups
    )
    is_unique: bool = False  # whether they were whole and all different
    n_present: int = 0  # rows with a value
    ordered: bool = False  # whether the source says that the states are in order
    numbers: NDArray[np.float64] | None = None  # what was binned, if it is kept


@dataclass(frozen=True)
class Cutting:
    """How numbers are cut into intervals."""

    rule: BinRule | None = None  # None: not at all
    forced: bool = False  # however few distinct numbers there are
    weights: NDArray[Any] | None = None  # how often each row occurs, if not once


NO_CUTTING = Cutting()


def find_states(values: Values, cutting: Cutting = NO_CUTTING) -> States:
    """Number the states of a column; numbers are cut if there are too many, or if cutting is forced."""
    if isinstance(values, Numbers) and values.values.dtype.kind != "b":
        return replace(_number_states(values.values, cutting), ordered=True)
    if cutting.forced:
        raise UnusableColumnError(kind="unbinnable", detail="labels")
    if isinstance(values, Numbers):
        return _bool_states(values.values)
    if isinstance(values, Texts):
        return _text_states(values.values)
    if isinstance(values, Objects):
        return _object_states(values.values)
    return _indexed_states(values)


def _refuse_too_many(n_states: int) -> None:
    """Refuse more states than a code can tell apart."""
    if n_states > MAX_STATES:
        raise UnusableColumnError(kind="many", detail=f"{n_states} different values")


def _refuse_infinite(labels: Sequence[Any]) -> None:
    """Refuse labels that are no finite number, which no file could hold."""
    for label in labels:
        if isinstance(label, float | np.floating) and not np.isfinite(label):
            raise UnusableColumnError(kind="infinite", detail=str(label))


def _bool_states(values: NDArray[np.bool_]) -> States:
    """Number False and True, if they occur."""
    labels = tuple(label for label in (False, True) if (values == label).any())
    codes = values.astype(CODE_DTYPE) if len(labels) == 2 else np.zeros(len(values), CODE_DTYPE)
    return States(codes, labels, len(labels))


def _text_states(values: pl.Series) -> States:
    """Number strings in the order of their characters."""
    import polars as pl

    distinct = values.unique().sort()
    _refuse_too_many(len(distinct))
    codes = values.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(CODE_DTYPE)
    return States(codes, tuple(distinct.to_list()), len(distinct))


def _object_states(values: list[Any]) -> States:
    """Number objects that only need to be hashable; 1, 1.0 and True are three of them."""
    try:
        seen = dict.fromkeys((type(value), value) for value in values)
    except TypeError:
        culprit = next(value for value in values if getattr(value, "__hash__", None) is None)
        detail = f"{type(culprit).__name__}, such as {show_value(culprit)}"
        raise UnusableColumnError(kind="unhashable", detail=detail) from None
    _refuse_too_many(len(seen))
    _refuse_infinite([value for _, value in seen])
    order = _sorted_labels([value for _, value in seen])
    place = {(type(value), value): k for k, value in enumerate(order)}
    codes = np.fromiter((place[type(value), value] for value in values), CODE_DTYPE, len(values))
    return States(codes, _plain_labels(order), len(order))


def _sorted_labels(labels: list[Any]) -> list[Any]:
    """Sort labels of one kind by value, of several kinds by the name of the kind and as text."""
    if len(set(map(type, labels))) <= 1:
        try:
            return sorted(labels)
        except TypeError:
            pass
    return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def _plain_labels(labels: Sequence[Any]) -> tuple[Any, ...]:
    """Replace objects by their text where that keeps the labels different."""
    plain = [label if isinstance(label, PLAIN) else str(label) for label in labels]
    return tuple(plain) if len(set(plain)) == len(set(labels)) else tuple(labels)


def _indexed_states(values: Indexed) -> States:
    """Number values given by position: all labels if declared, else those that occur, sorted."""
    _refuse_infinite(values.labels)
    occurs = np.bincount(values.positions, minlength=len(values.labels)) > 0
    if values.declared:
        _refuse_too_many(len(values.labels))
        codes = values.positions.astype(CODE_DTYPE)
        return States(codes, _plain_labels(values.labels), int(occurs.sum()), ordered=values.ordered)
    _refuse_too_many(int(occurs.sum()))
    observed = [(values.labels[k], k) for k in np.flatnonzero(occurs).tolist()]
    observed.sort()
    renumber = np.zeros(len(values.labels), CODE_DTYPE)
    renumber[[k for _, k in observed]] = np.arange(len(observed))
    return States(renumber[values.positions], tuple(label for label, _ in observed), len(observed))


def _number_states(values: NDArray[Any], cutting: Cutting) -> States:
    """Cut numbers into intervals, or number the distinct ones."""
    is_float, rule, weights = values.dtype.kind == "f", cutting.rule, cutting.weights
    n_rows = len(values) if weights is None else round(float(weights.sum()))
    if is_float and not (finite := np.isfinite(values)).all():
        raise UnusableColumnError(kind="infinite", detail=str(values[~finite][0]))
    is_cut = rule is not None and len(values) > 0
    if rule is not None and is_cut and (cutting.forced or _has_more_than(values, n_categories(rule, n_rows))):
        states = _binned_states(values, rule, weights)
        return replace(states, numbers=values.astype(np.float64)) if rule == "keep" else states
    example = _first_fraction(values) if is_float else None
    if example is not None and rule is None:
        raise UnusableColumnError(kind="continuous", detail=f"such as {example!r}")
    return _distinct_states(values) if example is not None else _whole_states(values)


def _first_fraction(values: NDArray[Any]) -> float | None:
    """Find the first number that is not whole."""
    for start in range(0, len(values), CHUNK):
        part = values[start : start + CHUNK]
        broken = np.flatnonzero(part != np.floor(part))
        if broken.size:
            return float(str(part[broken[0]]))
    return None


def _has_more_than(values: NDArray[Any], n_distinct: int) -> bool:
    """Tell whether more than so many distinct numbers occur; the first rows may be enough."""
    return len(np.unique(values[:10_000])) > n_distinct or len(np.unique(values)) > n_distinct


def _binned_states(values: NDArray[Any], rule: BinRule, weights: NDArray[Any] | None) -> States:
    edges = bin_edges(values, rule, weights)
    labels = interval_labels(edges)
    codes = bin_codes(values, edges)
    n_observed = int((np.bincount(codes) > 0).sum())
    counts = weights if weights is not None and weights.dtype.kind in "iu" else np.ones(len(values), np.int64)
    is_unique = values.dtype.kind != "f" and len(np.unique(values)) == counts.sum()
    size = _group_size(values, counts)
    return States(codes, labels, n_observed, tuple(edges.tolist()), size, is_unique)


def _group_size(values: NDArray[Any], weights: NDArray[Any]) -> int:
    """Tell how often each number occurs if they number rows, or many groups from 0 or 1 on; else 0."""
    span = float(values.max()) - float(values.min()) + 1
    size, rest = divmod(int(weights.sum()), span)
    if rest or (size > 1 and (span < MIN_GROUPS or values.min() not in (0, 1))):
        return 0
    distinct, places = np.unique(values, return_inverse=True)
    counts = np.bincount(places.reshape(-1), weights)
    return int(size) if len(distinct) == span and (counts == size).all() else 0


def _whole_states(values: NDArray[Any]) -> States:
    """Number distinct whole numbers by a look-up table, or by sorting if they are far apart."""
    low, high = (values.min(), values.max()) if len(values) else (values.dtype.type(0),) * 2
    if int(high) - int(low) >= LOOKUP_SPAN:
        return _distinct_states(values)
    parts = [slice(start, start + CHUNK) for start in range(0, len(values), CHUNK)]
    occurs = np.zeros(int(high) - int(low) + 1, bool)
    for part in parts:
        occurs[_offsets(values[part], low)] = True
    offsets = np.flatnonzero(occurs)
    _refuse_too_many(len(offsets))
    renumber = np.zeros(len(occurs), CODE_DTYPE)
    renumber[offsets] = np.arange(len(offsets))
    codes = np.empty(len(values), CODE_DTYPE)
    for part in parts:
        codes[part] = renumber[_offsets(values[part], low)]
    kind = float if values.dtype.kind == "f" else int
    return States(codes, tuple(kind(int(low) + each) for each in offsets.tolist()), len(offsets))


def _offsets(values: NDArray[Any], low: Any) -> NDArray[Any]:
    """Subtract the smallest value where that cannot overflow."""
    wide = np.dtype({"f": np.float64, "u": np.uint64}.get(values.dtype.kind, np.int64))
    return (values.astype(wide, copy=False) - wide.type(low)).astype(np.intp, copy=False)


def _distinct_states(values: NDArray[Any]) -> States:
    """Number the distinct numbers by sorting them."""
    distinct = np.unique(values)
    _refuse_too_many(len(distinct))
    codes = np.empty(len(values), CODE_DTYPE)
    for start in range(0, len(values), CHUNK):
        part = slice(start, start + CHUNK)
        codes[part] = np.searchsorted(distinct, values[part])
    return States(codes, tuple((distinct + 0).tolist()), len(distinct))  # + 0 makes -0.0 plain
