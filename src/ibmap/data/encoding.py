"""Any table in, an `EncodedTable` out.

The policy of the door: which columns are taken, what happens to missing and to continuous
values, what is refused and what is only remarked. How a container is taken apart is in
`ibmap.data.containers`, how values become states in `ibmap.data.states`.
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.binning import BinRule, Bins, check_rule
from ibmap.data.columns import Column, Mask, Numbers, UnusableColumnError
from ibmap.data.containers import duplicate_message, take_apart
from ibmap.data.states import Cutting, States, find_states
from ibmap.data.table import (
    CODE_DTYPE,
    MAX_STATES,
    EncodedTable,
    Preparation,
    Weights,
    take_columns,
    take_rows,
)
from ibmap.data.weighting import read_weights, weigh, weighting_in_words
from ibmap.errors import DataWarning, InvalidOptionError, InvalidTableError

MISSING = ("error", "drop", "state", "use")
IDENTIFIER_SHARE = 0.9  # an identifier has more distinct values than this share of the rows
IDENTIFIER_STATES = 20  # and more than this many, so that small tables are left in peace

REMEDIES = {
    "continuous": (
        "continuous columns: {columns}. Cut them into intervals with bins='width', 'frequency', a number, "
        "or per column (command line: --bins), or leave them out with drop=[...] (--drop)"
    ),
    "infinite": "columns with infinite values: {columns}. Replace these values, or mark them as missing",
    "dates": (
        "columns of dates or times: {columns}. Replace them by a category such as the month or the weekday, "
        "or leave them out with drop=[...] (command line: --drop)"
    ),
    "nested": (
        "columns of nested values: {columns}. Give each part a column of its own, "
        "or leave them out with drop=[...] (command line: --drop)"
    ),
    "complex": (
        "columns of complex numbers: {columns}. Leave them out with drop=[...] (command line: --drop)"
    ),
    "unhashable": (
        "columns of values that cannot be told apart by hash: {columns}. Replace them by strings, "
        "or leave them out with drop=[...] (command line: --drop)"
    ),
    "many": (
        f"columns with more than {MAX_STATES} states: {{columns}}. If they are identifiers, leave them out "
        "with drop=[...] (command line: --drop); if they are numbers, cut them into intervals with bins= "
        "(--bins)"
    ),
    "unbinnable": (
        "bins= names columns that are not numbers: {columns}. Take them out of bins= (command line: --bins)"
    ),
}


@dataclass(frozen=True)
class _Plan:
    """What to do with the columns: the rows to take and the rule for intervals."""

    n_rows: int
    rows: Mask | None
    gaps: frozenset[str]  # columns with missing values that stay
    are_states: bool  # whether these become a state, or stay holes
    bins: BinRule | Mapping[str, BinRule] | None
    weights: Weights | None  # of the rows taken

    def rule(self, name: str) -> BinRule | None:
        """Find the rule for one column."""
        return self.bins.get(name) if isinstance(self.bins, Mapping) else self.bins


def encode(
    X: Any,
    *,
    missing: str = "error",
    bins: Bins = None,
    drop: Iterable[str | int] = (),
    keep: Iterable[str | int] | None = None,
    names: Sequence[str] | None = None,
    weights: Any = None,
) -> EncodedTable:
    """Encode any table as small integer codes.

    Parameters
    ----------
    X : pandas, polars or pyarrow table, ndarray, list of rows, or EncodedTable
        One row per data point, one column per variable. An `EncodedTable` is taken as it is: `bins`
        no longer apply, and `missing` only to holes that it keeps.
    missing : {"error", "drop", "state", "use"}
        What to do with None, NaN, NaT, pandas.NA and nulls: refuse them, leave out their rows (before
        anything else: states and bins are those of the other rows), make them the last state of their
        variable, with the label None, or keep them as holes, which the recommended learner uses.
    bins : {"auto", "keep", "width", "frequency"}, int, dict or None
        How to cut numbers into intervals. "auto" reads columns as people do: few distinct numbers are
        categories, many are cut into a few bins of about equal frequency; "keep" does the same and keeps
        the numbers too. Of equal width or about equal frequency, k = 1 + log2 N of them,
        rounded up; or so many of equal width. For the whole table, columns of at most k distinct numbers
        stay as they are; a dict from column names to these cuts exactly the columns it names.
    drop : iterable of str or int
        Columns to leave out, by name or number.
    keep : iterable of str or int, optional
        Columns to keep, by name or number, in the order of the table; all by default.
    names : sequence of str, optional
        Names of the columns, instead of those of the table or ``x0, x1, ...``.
    weights : str, int or array_like of shape (n_rows,), optional
        How often each row occurs, or what it weighs: a column, or the numbers. Whole numbers count rows;
        fractions are survey weights, scaled to the effective number of rows (Kish).

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
    found, columns, n_rows = take_apart(X)
    all_names = _checked_names(found, names)
    rules = _checked_bins(bins, all_names)
    weighing = _weighing(weights, all_names, columns, n_rows)
    kept = _kept_columns(all_names, drop, keep)
    chosen = {all_names[k]: columns[k] for k in kept if all_names[k] != weighing.column}
    _check_shape(n_rows, list(chosen), n_found=len(all_names))
    counts, complete = _survey(chosen, weighing)
    _check_missing(counts, complete, weighing, missing)
    rows = weighing.used if complete is None or missing != "drop" else complete & weighing.is_used
    gaps = frozenset(counts) if missing in ("state", "use") else frozenset()
    n_kept, own = (n_rows, weighing.weights) if rows is None else (int(rows.sum()), weighing.taken(rows))
    plan = _Plan(n_kept, rows, gaps, missing == "state", rules, own)
    table = _encode_columns(chosen, plan)
    preparation = replace(
        table.preparation,
        n_rows_read=weighing.count(None),
        n_rows_dropped=weighing.count(None) - weighing.count(rows),
        missing=counts,
        dropped_columns=tuple(name for name in all_names if name not in chosen and name != weighing.column),
        notes=() if own is None else (weighting_in_words(own, weighing.origin),),
        weights_column=weighing.column,
    )
    for remark in preparation.warnings:
        warnings.warn(remark, DataWarning, stacklevel=2)
    table = replace(table, preparation=preparation)
    return table if own is None else weigh(table, own)


@dataclass(frozen=True)
class _Weighing:
    """The weights of the rows read, if they have any."""

    n_rows: int
    weights: Weights | None = None
    column: str | None = None  # where they stand
    origin: str = "weights"

    @property
    def used(self) -> Mask | None:
        """Rows of a weight; None if all are."""
        return None if self.weights is None or self.weights.all() else self.weights > 0

    @property
    def is_used(self) -> Mask:
        """Rows of a weight."""
        return np.ones(self.n_rows, bool) if self.weights is None else self.weights > 0

    def taken(self, rows: Mask) -> Weights | None:
        """Give the weights of some rows."""
        return None if self.weights is None else self.weights[rows]

    def count(self, rows: Mask | None) -> int:
        """Count rows, each as often as it occurs."""
        rows = self.is_used if rows is None else rows & self.is_used
        if self.weights is None or self.weights.dtype.kind == "f":
            return int(np.count_nonzero(rows))
        return int(self.weights[rows].sum())


def _weighing(weights: Any, names: Sequence[str], columns: Sequence[Column], n_rows: int) -> _Weighing:
    """Read the weights: one of the columns, or numbers."""
    if weights is None or not n_rows:
        return _Weighing(n_rows)
    if not isinstance(weights, str | int | np.integer):
        return _Weighing(n_rows, read_weights(weights, n_rows, "weights"))
    k = _find_columns(names, [weights], "weights")[0]
    origin, gaps = f"column {names[k]!r}", columns[k].missing()
    if gaps is not None:
        msg = f"{origin} has no number in row {int(np.flatnonzero(gaps)[0])}; weights are one number a row"
        raise InvalidTableError(msg)
    try:
        values = columns[k].select(None)
    except UnusableColumnError as error:
        values, origin = None, f"{origin} ({error.detail})"
    numbers = values.values if isinstance(values, Numbers) and values.values.dtype.kind != "b" else ["text"]
    return _Weighing(n_rows, read_weights(numbers, n_rows, origin), names[k], origin)


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
    holes = _listed(
        f"{name!r} ({n} of {table.n_rows})" for name, n in zip(table.names, counts, strict=True) if n
    )
    msg = (
        f"missing cells are kept in {holes}, which only the recommended learner can use; read the table with "
        "missing='drop' to leave out their rows, or missing='state' to make them a state"
    )
    raise InvalidTableError(msg)


def _checked_names(found: list[str], names: Sequence[str] | None) -> list[str]:
    """Choose the column names, all different."""
    chosen = found if names is None else [str(name) for name in names]
    if len(chosen) != len(found):
        msg = f"names has {len(chosen)} entries, but the table has {len(found)} columns; give one per column"
        raise InvalidTableError(msg)
    if len(set(chosen)) < len(chosen):
        raise InvalidTableError(duplicate_message(chosen))
    return chosen


def _kept_columns(
    names: Sequence[str], drop: Iterable[str | int], keep: Iterable[str | int] | None
) -> list[int]:
    """Number the columns to keep, in the order of the table."""
    kept = set(range(len(names))) if keep is None else set(_find_columns(names, keep, "keep"))
    kept -= set(_find_columns(names, drop, "drop"))
    return sorted(kept)


def _find_columns(names: Sequence[str], wanted: Iterable[Any], option: str) -> list[int]:
    place = {name: k for k, name in enumerate(names)}
    found = []
    for each in [wanted] if isinstance(wanted, str | int | np.integer) else wanted:
        if str(each) in place:
            found.append(place[str(each)])
        elif isinstance(each, int | np.integer) and 0 <= each < len(names):
            found.append(int(each))
        else:
            raise InvalidTableError(_unknown_column(names, each, option))
    return found


def _unknown_column(names: Sequence[str], wanted: Any, option: str) -> str:
    """Say that a column does not exist, with the nearest names."""
    by_case = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(str(wanted).casefold(), by_case, n=3)
    if near:
        hint = "did you mean " + " or ".join(repr(by_case[name]) for name in near) + "?"
    else:
        hint = f"the columns are {_listed(map(repr, names), 12)}"
    return f"{option} names the column {wanted!r}, which the table does not have; {hint}"


def _listed(items: Iterable[str], limit: int = 40) -> str:
    """Join items by commas, the first few if there are many."""
    texts = list(items)
    rest = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + rest


def _checked_bins(bins: Bins, names: Sequence[str]) -> BinRule | dict[str, BinRule] | None:
    """Check the rules for intervals; a dict comes back with the names of the table as keys."""
    if not isinstance(bins, Mapping):
        return None if bins is None else check_rule(bins)
    return {names[_find_columns(names, [name], "bins")[0]]: check_rule(rule) for name, rule in bins.items()}


def _check_shape(n_rows: int, names: Sequence[str], n_found: int) -> None:
    """Refuse a table without rows, or with fewer than two columns."""
    if n_found and not n_rows:
        msg = f"the table has no rows (its columns are {_listed(map(repr, names))}); at least one is needed"
        raise InvalidTableError(msg)
    if len(names) >= 2:
        return
    left = f" after drop and keep (of {n_found})" if len(names) < n_found else ""
    have = f"one column{left}, {names[0]!r}" if names else f"no columns{left}"
    hint = "keep more columns" if left else "if it comes from a file, check the separator (--separator)"
    msg = f"the table has {have}; a network needs at least two variables: {hint}"
    raise InvalidTableError(msg)


def _survey(columns: Mapping[str, Column], weighing: _Weighing) -> tuple[dict[str, int], Mask | None]:
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


def _check_missing(counts: dict[str, int], complete: Mask | None, weighing: _Weighing, missing: str) -> None:
    """Refuse missing values if that is the rule, and a table of which nothing is left."""
    if complete is None or (missing == "drop" and weighing.count(complete)) or missing in ("state", "use"):
        return
    n_rows = weighing.count(None)
    worst = sorted(counts, key=lambda name: -counts[name])
    each = _listed(f"{name!r} ({counts[name]} of {n_rows})" for name in worst)
    if missing == "drop":
        msg = (
            f"every row has a missing value, so missing='drop' leaves none; missing per column: {each}. "
            "Leave out the worst columns with drop=[...] (command line: --drop), or choose missing='state' "
            "(--missing state)"
        )
    else:
        n_affected = n_rows - weighing.count(complete)
        msg = (
            f"missing values (NaN or empty) in {each}. "
            f"Choose missing='drop' to leave out the rows with any ({n_affected}), "
            "or missing='state' to make them a state of their own "
            "(command line: --missing drop or --missing state)"
        )
    raise InvalidTableError(msg)


def _encode_columns(columns: Mapping[str, Column], plan: _Plan) -> EncodedTable:
    """Encode column by column; refuse all unusable columns at once."""
    codes = np.zeros((plan.n_rows, len(columns)), CODE_DTYPE, order="F")
    holes = np.zeros(codes.shape if plan.gaps and not plan.are_states else (0, len(columns)), bool, order="F")
    found: dict[str, States] = {}
    refused: dict[str, list[str]] = {}
    for k, (name, column) in enumerate(columns.items()):
        try:
            found[name] = _encode_column(name, column, plan, codes[:, k], holes[:, k])
        except UnusableColumnError as error:
            refused.setdefault(error.kind, []).append(f"{name!r} ({error.detail})")
    if refused:
        parts = [REMEDIES[kind].format(columns=_listed(which)) for kind, which in refused.items()]
        raise InvalidTableError("; ".join(parts))
    edges = {name: states.edges for name, states in found.items() if states.edges is not None}
    labels = tuple(states.labels for states in found.values())
    remarks = tuple(_second_looks(found, plan.n_rows))
    return EncodedTable(
        codes=codes,
        cardinalities=np.array([len(each) for each in labels], np.int64),
        names=tuple(found),
        labels=labels,
        weights=np.ones(plan.n_rows, np.int64),
        preparation=Preparation(plan.n_rows, bin_edges=edges, warnings=remarks),
        ordered=np.array([states.ordered for states in found.values()], bool),
        missing=holes if holes.any() else None,
        numbers={k: each.numbers for k, each in enumerate(found.values()) if each.numbers is not None},
    )


def _encode_column(name: str, column: Column, plan: _Plan, codes: NDArray[np.uint16], holes: Mask) -> States:
    """Write the codes of one column, and its holes if they are kept; return its states without the codes."""
    rule, weights = plan.rule(name), plan.weights
    gaps = column.missing() if name in plan.gaps else None
    if gaps is None:
        taken, present = plan.rows, np.ones(plan.n_rows, bool)
    else:
        taken = ~gaps if plan.rows is None else plan.rows & ~gaps
        present = ~gaps if plan.rows is None else ~gaps[plan.rows]
    forced = isinstance(plan.bins, Mapping) and rule is not None
    cutting = Cutting(rule, forced, None if weights is None else weights[present])
    states = find_states(column.select(taken), cutting)
    codes[present] = states.codes
    states = replace(states, codes=np.empty(0, CODE_DTYPE))
    if gaps is None:
        return states
    if states.numbers is not None:
        numbers = np.full(plan.n_rows, np.nan)
        numbers[present] = states.numbers
        states = replace(states, numbers=numbers)
    if not plan.are_states:
        holes[:] = ~present
        return states if states.labels else replace(states, labels=(None,))
    if len(states.labels) == MAX_STATES:
        raise UnusableColumnError(kind="many", detail=f"{MAX_STATES} different values and the missing ones")
    codes[~present] = len(states.labels)
    labels = (*states.labels, None)
    return replace(states, labels=labels, n_observed=states.n_observed + 1, ordered=False)


def _second_looks(found: Mapping[str, States], n_rows: int) -> list[str]:
    """Remark on columns that look like identifiers, and on constant ones."""
    remarks = []
    unique = [repr(name) for name, states in found.items() if _is_identifier(states, n_rows)]
    if unique:
        remarks.append(
            f"columns that look like identifiers, with nearly all values distinct: {_listed(unique)}; "
            "leave them out with drop=[...] (command line: --drop)"
        )
    constant = [repr(name) for name, states in found.items() if states.n_observed == 1]
    if constant and n_rows > 1:
        remarks.append(
            f"constant columns, which depend on nothing: {_listed(constant)}; "
            "leave them out with drop=[...] (command line: --drop)"
        )
    return remarks


def _is_identifier(states: States, n_rows: int) -> bool:
    """Tell whether nearly every row has a value of its own."""
    if states.edges is not None:
        return states.counts_rows and n_rows > IDENTIFIER_STATES
    return states.n_observed > max(IDENTIFIER_STATES, IDENTIFIER_SHARE * n_rows)


def _part_of(
    table: EncodedTable,
    drop: Iterable[str | int],
    keep: Iterable[str | int] | None,
    names: Sequence[str] | None,
) -> EncodedTable:
    """Take some columns of a table that is already encoded."""
    all_names = _checked_names(list(table.names), names)
    kept = _kept_columns(all_names, drop, keep)
    _check_shape(table.n_rows, [all_names[k] for k in kept], n_found=len(all_names))
    if len(kept) == len(all_names) and names is None:
        return table
    left_out = tuple(name for k, name in enumerate(all_names) if k not in set(kept))
    before = table.preparation.dropped_columns
    return replace(
        take_columns(table, kept),
        names=tuple(all_names[k] for k in kept),
        preparation=replace(table.preparation, dropped_columns=before + left_out),
    )
