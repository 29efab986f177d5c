"""Any table in, an `EncodedTable` out.

The policy of the door: which columns are taken, what happens to missing and to continuous
values, what is refused and what is only remarked. How a container is taken apart is in
`ibmap.data.containers`, how values become states in `ibmap.data.states`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ibmap.data.binning import MAX_KEPT, Bins
from ibmap.data.choosing import check_shape, checked_bins, checked_names, find_columns, kept_columns
from ibmap.data.column_codes import Plan, encode_columns
from ibmap.data.columns import Column, Mask, Numbers, UnusableColumnError
from ibmap.data.containers import Parts, Wanted, is_lazy, pandas_names, take_apart
from ibmap.data.remarks import (
    count_column,
    how_read,
    listed,
    point_out_copies,
    totals_in_words,
    without_copies,
)
from ibmap.data.structure import Loader
from ibmap.data.table import EncodedTable, take_columns, take_rows
from ibmap.data.text import either
from ibmap.data.weighting import Weighing, read_weights, weigh, weighting_in_words
from ibmap.errors import DataWarning, InvalidOptionError, InvalidTableError

MISSING = ("error", "drop", "state", "use")


def encode(
    X: Any,
    *,
    missing: str = "error",
    bins: Bins = None,
    drop: Iterable[str | int] = (),
    keep: Iterable[str | int] | None = None,
    names: Sequence[str] | None = None,
    weights: Any = None,
    max_memory: int | str | None = None,
) -> EncodedTable:
    """Encode any table as small integer codes.

    Parameters
    ----------
    X : pandas, polars or pyarrow table, ndarray, list of rows, or EncodedTable
        One row per data point, one column per variable. A polars LazyFrame, a DuckDB relation and a Dask
        DataFrame are read without ever being held (extra ``scale``). An `EncodedTable` is taken as it is:
        `bins` no longer apply, and `missing` only to holes that it keeps.
    missing : {"error", "drop", "state", "use"}
        What to do with None, NaN, NaT, pandas.NA and nulls: refuse them, leave out their rows (before
        anything else: states and bins are those of the other rows), make them the last state of their
        variable, with the label None, or keep them as holes, which the recommended learner uses.
    bins : {"both", "auto", "keep", "width", "frequency"}, int, dict or None
        How to cut numbers into intervals. "auto" reads columns as people do: few distinct numbers are
        categories, many are cut into a few bins of about equal frequency; "keep" does the same and keeps
        the numbers too; "both" is "keep" for tables up to 10,000 rows, else "auto". Of equal
        width or about equal frequency, k = 1 + log2 N of them,
        rounded up; or so many of equal width. For the whole table, columns of at most k distinct numbers
        stay as they are; a dict from column names to these cuts exactly the columns it names, and the
        others by the rule of ``"*"`` if it has one.
    drop : iterable of str or int
        Columns to leave out, by name or number.
    keep : iterable of str or int, optional
        Columns to keep, by name or number, in the order of the table; all by default.
    names : sequence of str, optional
        Names of the columns, instead of those of the table or ``x0, x1, ...``.
    weights : str, int or array_like of shape (n_rows,), optional
        How often each row occurs, or what it weighs: a column, or the numbers. Whole numbers count rows;
        fractions are survey weights, scaled to the effective number of rows (Kish).
    max_memory : int or str, optional
        Bytes, or a text such as ``"2GB"``, that reading a lazy table may take; codes that do not fit lie
        in a temporary file. By default what the machine has.

    Returns
    -------
    EncodedTable
        The codes, with the label behind each. States are those declared by a categorical type, seen or
        not, in that order; otherwise the values that occur, sorted.

    Raises
    ------
    InvalidTableError
        If the table cannot be encoded; the message names the columns and the remedy.
    InvalidOptionError
        If an option has no such value.

    Warns
    -----
    DataWarning
        If columns are constant, or look like identifiers: more than 20 distinct values, and in more than nine
        of ten rows a new one.

    Examples
    --------
    >>> table = encode([["yes", 1], ["no", 3], ["yes", 3]], names=["smokes", "visits"])
    >>> table.codes.tolist()
    [[1, 0], [0, 1], [1, 1]]
    >>> table.labels
    (('no', 'yes'), (1, 3))
    """
    if missing not in MISSING:
        msg = f"missing is {missing!r}; it must be {', '.join(map(repr, MISSING[:-1]))} or {MISSING[-1]!r}"
        raise InvalidOptionError(msg)
    if isinstance(X, EncodedTable):
        part = _without_holes(_part_of(X, drop, keep, names), missing)
        return part if weights is None else _weighed_again(part, weights)
    asked = _Asked(X, missing, bins, drop, keep, names, weights, max_memory)
    if not is_lazy(X):
        return _encoded(take_apart(X), asked)
    from ibmap.data.lazy import scanned  # and with it what reads such tables

    with scanned(X) as scan:
        if scan.n_rows > MAX_KEPT:
            asked = asked._replace(bins=_without_numbers(scan.origin, bins))
        return _encoded(scan, asked)


def _may_keep(bins: Bins) -> bool:
    """Tell whether numbers may be kept."""
    rules = bins.values() if isinstance(bins, Mapping) else [bins]
    return any(rule in ("both", "keep") for rule in rules)


def _without_numbers(origin: str, bins: Bins) -> Bins:
    """Cut the numbers of a large table into bins; refuse to keep them if that is asked for."""
    if "keep" in (bins.values() if isinstance(bins, Mapping) else [bins]):
        remedy = either("bins='auto'", "--bins auto")
        msg = (
            f"{origin} is read without holding it, so numbers cannot be kept: choose {remedy}, or give a "
            "table that fits into memory"
        )
        raise InvalidOptionError(msg)
    if isinstance(bins, Mapping):
        return {name: "auto" if rule == "both" else rule for name, rule in bins.items()}
    return "auto" if bins == "both" else bins


class _Asked(NamedTuple):
    """The table and the options of `encode`."""

    X: Any
    missing: str
    bins: Bins
    drop: Iterable[str | int]
    keep: Iterable[str | int] | None
    names: Sequence[str] | None
    weights: Any
    max_memory: int | str | None


class _Source(Protocol):
    """A table that is held, or one that is not."""

    @property
    def names(self) -> list[str]:
        """Column names."""
        ...

    def read(self, wanted: Wanted) -> Parts:
        """Give its columns."""
        ...


def _encoded(source: _Source, asked: _Asked) -> EncodedTable:
    """Encode a table that was taken apart."""
    missing, keep = asked.missing, asked.keep
    all_names = checked_names(source.names, asked.names)
    rules = checked_bins(asked.bins, all_names)
    by_column = isinstance(asked.weights, str | int | np.integer)
    weighed = find_columns(all_names, [asked.weights], "weights")[0] if by_column else None
    kept = [k for k in kept_columns(all_names, asked.drop, keep) if k != weighed]
    is_row_by_row = (asked.weights is not None and not by_column) or _may_keep(rules)
    parts = source.read(Wanted(kept, weighed, is_row_by_row, asked.max_memory))
    n_rows, weighing = parts.n_rows, _weighing(asked.weights, weighed, all_names, parts)
    chosen = {all_names[k]: parts.columns[k] for k in kept}
    check_shape(n_rows, list(chosen), n_found=len(all_names))
    counts, complete = _survey(chosen, weighing)
    problem = _missing_problem(counts, complete, weighing, missing)
    rows = weighing.used if complete is None or missing != "drop" else complete & weighing.is_used
    empty = _empty_rows(chosen) if missing == "use" else None
    if empty is not None:  # rows that show nothing say nothing
        rows, n_empty = weighing.is_used & ~empty, weighing.count(empty)
        counts = {name: count - n_empty for name, count in counts.items() if count > n_empty}
    gaps = frozenset() if missing == "drop" else frozenset(counts)
    n_kept, own = (n_rows, weighing.weights) if rows is None else (int(rows.sum()), weighing.taken(rows))
    is_open = keep is None
    plan = Plan(
        n_kept, rows, gaps, missing == "state", rules, own, may_leave_out=is_open, in_file=parts.in_file
    )
    table = encode_columns(chosen, plan, problem)
    preparation = replace(
        table.preparation,
        n_rows_read=weighing.count(None),
        n_rows_dropped=weighing.count(None) - weighing.count(rows),
        missing=counts,
        dropped_columns=tuple(name for name in all_names if name not in chosen and name != weighing.column),
        weights_column=weighing.column,
        columns=tuple(all_names),
        pandas_names=pandas_names(asked.X, all_names),
    )
    table = replace(table, preparation=preparation)
    if plan.is_human:
        table = _as_people_read(
            replace(table, weights=plan.counts),
            plan,
            totals_in_words(_numbers({name: chosen[name] for name in table.names}, rows)),
        )
    notes, looks = table.preparation.notes, table.preparation.warnings
    if not plan.is_human and (same := point_out_copies(table)):
        looks = (*looks, same)
    if own is not None:
        notes = (*weighing.told(own), *notes)
    elif count := count_column(table, {name: partial(_whole, each, rows) for name, each in chosen.items()}):
        looks = (count, *looks)
    for remark in looks:
        warnings.warn(remark, DataWarning, stacklevel=3)
    table = replace(table, preparation=replace(table.preparation, notes=notes, warnings=looks))
    return table if own is None else weigh(table, own)


def _as_people_read(table: EncodedTable, plan: Plan, totals: list[str]) -> EncodedTable:
    """Let one column stand for those that say the same, and tell how the table was read."""
    table, told = without_copies(table)
    read = how_read(table, may_keep=plan.may_keep)
    notes = (*table.preparation.notes, *read, *told, *totals)
    return replace(table, weights=plan.ones, preparation=replace(table.preparation, notes=notes))


def _numbers(columns: Mapping[str, Column], rows: Mask | None) -> dict[str, Loader]:
    """Give what loads each column of numbers, none missing."""
    return {
        name: partial(_values, column, rows)
        for name, column in columns.items()
        if column.is_number and column.missing() is None
    }


def _values(column: Column, rows: Mask | None) -> NDArray[Any] | None:
    """Load numbers; None if floats do not tell them apart."""
    values = column.select(rows)
    return values.values if isinstance(values, Numbers) else None


def _whole(column: Column, rows: Mask | None) -> NDArray[Any] | None:
    """Load whole numbers, none missing, that may count rows; None if they are something else."""
    numbers = column.integers()
    return numbers if rows is None or numbers is None else numbers[rows]


def _weighing(weights: Any, k: int | None, names: Sequence[str], parts: Parts) -> Weighing:
    """Read the weights: one of the columns, numbers, or how often the rows were found."""
    n_rows = parts.n_rows
    if parts.counts is not None:
        return Weighing(n_rows, parts.counts, origin=None)
    if weights is None or not n_rows:
        return Weighing(n_rows)
    if k is None:
        return Weighing(n_rows, read_weights(weights, n_rows, "weights"))
    origin, gaps = f"column {names[k]!r}", parts.columns[k].missing()
    if gaps is not None:
        msg = f"{origin} has no number in row {int(np.flatnonzero(gaps)[0])}; weights are one number a row"
        raise InvalidTableError(msg)
    try:
        values = parts.columns[k].select(None)
    except UnusableColumnError as error:
        values, origin = None, f"{origin} ({error.detail})"
    numbers = values.values if isinstance(values, Numbers) and values.values.dtype.kind != "b" else ["text"]
    return Weighing(n_rows, read_weights(numbers, n_rows, origin), names[k], origin)


def _weighed_again(table: EncodedTable, weights: Any) -> EncodedTable:
    """Give an encoded table weights, on top of those it has."""
    own = read_weights(weights, table.n_rows, "weights") * table.weights
    notes = (*table.preparation.notes, weighting_in_words(own, "weights"))
    preparation = replace(table.preparation, notes=notes)
    return weigh(replace(table, weights=np.ones(table.n_rows, np.int64), preparation=preparation), own)


def _without_holes(table: EncodedTable, missing: str) -> EncodedTable:
    """Give an encoded table as the rule wants it: with its holes, without their rows, or not at all."""
    if table.missing is None or missing == "use":
        return table
    broken: Mask = np.asarray(table.missing.any(axis=1))
    if missing == "drop" and not broken.all():
        n_dropped = round(float(table.weights[broken].sum()))
        preparation = replace(table.preparation, n_rows_dropped=table.preparation.n_rows_dropped + n_dropped)
        return take_rows(replace(table, preparation=preparation), ~broken)
    counts = table.missing.sum(axis=0)
    holes = listed(
        f"{name!r} ({n} of {table.n_rows})" for name, n in zip(table.names, counts, strict=True) if n
    )
    msg = (
        f"missing cells are kept in {holes}, which only the recommended learner can use; read the table with "
        f"{_asking('drop')} to leave out their rows, or "
        f"{_asking('state')} to make them a state"
    )
    raise InvalidTableError(msg)


def _survey(columns: Mapping[str, Column], weighing: Weighing) -> tuple[dict[str, int], Mask | None]:
    """Count the missing values of each column, and mark the rows without any."""
    counts: dict[str, int] = {}
    complete: Mask | None = None
    for name, column in columns.items():
        mask = column.missing()
        if mask is None or not (count := weighing.count(mask)):
            continue
        counts[name] = count
        complete = np.ones(weighing.n_rows, bool) if complete is None else complete
        complete &= ~mask
    return counts, complete


def _empty_rows(columns: Mapping[str, Column]) -> Mask | None:
    """Mark the rows in which every value is missing; None if there are none, or nothing else."""
    empty: Mask | None = None
    for column in columns.values():
        mask = column.missing()
        if mask is None:
            return None
        empty = mask if empty is None else empty & mask
        if not empty.any():
            return None
    return None if empty is None or empty.all() else empty


def _missing_problem(counts: dict[str, int], complete: Mask | None, weighing: Weighing, missing: str) -> str:
    """Say what is wrong with missing values under the rule; nothing if they may be there."""
    if complete is None or (missing == "drop" and weighing.count(complete)) or missing in ("state", "use"):
        return ""
    n_rows = weighing.count(None)
    worst = sorted(counts, key=lambda name: -counts[name])
    each = listed(f"{name!r} ({counts[name]} of {n_rows})" for name in worst)
    state = either("missing='state'", "--missing state")
    if missing == "drop":
        msg = (
            f"every row has a missing value, so {_asking('drop')} leaves none; missing per column: {each}. "
            f"Leave out the worst columns with {either('drop=[...]', '--drop')}, or "
            f"choose {state}"
        )
        raise InvalidTableError(msg)
    return (
        f"missing values (NaN or empty) in {each}. Choose {_asking('drop')} to leave "
        f"out the rows with any ({n_rows - weighing.count(complete)}), or {state} to make them a state of "
        "their own"
    )


def _asking(missing: str) -> str:
    """Name the option for a treatment of missing values."""
    return either(f"missing={missing!r}", f"--missing {missing}")


def _part_of(
    table: EncodedTable,
    drop: Iterable[str | int],
    keep: Iterable[str | int] | None,
    names: Sequence[str] | None,
) -> EncodedTable:
    """Take some columns of a table that is already encoded."""
    all_names = checked_names(list(table.names), names)
    kept = kept_columns(all_names, drop, keep)
    check_shape(table.n_rows, [all_names[k] for k in kept], n_found=len(all_names))
    if len(kept) == len(all_names) and names is None:
        return table
    left_out = tuple(name for k, name in enumerate(all_names) if k not in set(kept))
    before = table.preparation.dropped_columns
    return replace(
        take_columns(table, kept),
        names=tuple(all_names[k] for k in kept),
        preparation=replace(table.preparation, dropped_columns=before + left_out),
    )
