"""What a person would say of a table: which columns tell nothing, say the same, or count rows.

The recommended learner leaves out columns that a person would leave out, and says so; other
learners are only told of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.states import States
from ibmap.data.structure import Loader, find_copies, find_functions, find_totals
from ibmap.data.table import EncodedTable, take_columns, take_rows
from ibmap.data.text import either

IDENTIFIER_SHARE = 0.9  # an identifier has more distinct values than this share of the rows
TEXT_SHARE = 0.5  # names and free text: many occur once, some a few times
IDENTIFIER_STATES = 20  # and more than this many, so that small tables are left in peace
IDENTIFIER_NAME = re.compile(r"(^|[^a-z])(id|ids|key|index|nr|no|uuid)$|[a-z](ID|Id)$")
NO_NAME = re.compile(r"^(x\d+|Unnamed: \d+)$")  # what a column without a name is called, by us and by pandas
COUNT_NAME = re.compile(r"^(freq|frequency|count|counts|n|cases|number|weight|weights|wt)$", re.IGNORECASE)
SMALL_TABLE = 5  # columns: in a smaller table an edge says that two columns are the same
FIRST_ROWS = 10_000
MAX_TOLD = 20  # functions of other columns


def listed(items: Iterable[str], limit: int = 40) -> str:
    """Join items by commas, the first few if there are many."""
    texts = list(items)
    rest = f" and {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + rest


def leave_out(names: Sequence[str]) -> str:
    """Name the option that leaves columns out."""
    python = f"drop={[*names[:3]]!r}" if len(names) <= 3 else "drop=[...]"
    flags = " ".join(f"--drop {_quoted(name)}" for name in names[:3]) + (" ..." if len(names) > 3 else "")
    return either(f"ibmap.encode(X, {python})", flags)


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[\w.-]+", name) else f"'{name}'"


def nameless(names: Iterable[str]) -> set[str]:
    """Find the columns without a name in a table of columns with names: row names, as a rule."""
    every = {*names}
    found = {name for name in every if NO_NAME.match(name)}
    return found if found < every else set()


def is_identifier(
    name: str, states: States, n_rows: int, *, as_people_do: bool, is_nameless: bool = False
) -> bool:
    """Tell whether nearly every row has a value of its own, which no other row can be compared with."""
    if states.edges is not None:
        is_called_so = is_nameless or IDENTIFIER_NAME.search(name) is not None
        is_named = as_people_do and states.is_unique and is_called_so
        return n_rows > IDENTIFIER_STATES and (states.group_size > 0 or is_named)
    share = TEXT_SHARE if as_people_do and not states.ordered else IDENTIFIER_SHARE
    return states.n_observed > max(IDENTIFIER_STATES, share * states.n_present)


def left_out_in_words(own: Sequence[str], groups: Sequence[str], dates: Sequence[str]) -> tuple[str, ...]:
    """Say which columns were left out and why."""
    notes = []
    every = either("bins=None reads every column as categories", "--bins none")
    for which, why in (
        (own, "nearly every row has a value of its own"),
        (groups, "they number groups of rows"),
    ):
        if which:
            notes.append(f"Left out, for {why}: {listed(which)}. To have them in: {every}.")
    if dates:
        notes.append(
            f"Left out, for they are dates or times: {listed(dates)}. A month or a weekday can stay in."
        )
    return tuple(notes)


def second_looks(found: Mapping[str, States], n_rows: int) -> list[str]:
    """Remark on columns that look like identifiers, and on constant ones."""
    remarks = []
    unique = [name for name, each in found.items() if is_identifier(name, each, n_rows, as_people_do=False)]
    if unique:
        remarks.append(
            f"columns that look like identifiers, with nearly all values distinct: "
            f"{listed(map(repr, unique))}; leave them out: {leave_out(unique)}"
        )
    constant = [name for name, states in found.items() if states.n_observed == 1]
    if constant and n_rows > 1:
        remarks.append(
            f"constant columns, which depend on nothing: {listed(map(repr, constant))}; "
            f"leave them out: {leave_out(constant)}"
        )
    return remarks


def count_column(table: EncodedTable, whole: Mapping[str, Loader]) -> str:
    """Point out a column of whole numbers that seems to count the rows of an aggregated table."""
    states = dict(zip(table.names, table.cardinalities.tolist(), strict=True))
    for name, values in whole.items():
        if name not in table.names or table.n_variables < 3:
            continue
        rest = [n_states for other, n_states in states.items() if other != name]
        is_crossed = math.prod(rest) == table.n_rows > max(rest)
        if not (is_crossed or COUNT_NAME.match(name)) or not _may_count(values()):
            continue
        others = take_columns(table, [k for k in range(table.n_variables) if table.names[k] != name])
        others = replace(others, numbers={})  # rows of numbers are all different
        if _has_repeats(others):
            continue
        python = f"fit(X.drop(columns={name!r}), sample_weight=X[{name!r}]) or encode(X, weights={name!r})"
        return (
            f"column {name!r} looks like a count: every combination of the other columns occurs once. If it "
            f"says how often each occurs, use it: {either(python, f'--weights {_quoted(name)}')}"
        )
    return ""


def point_out_copies(table: EncodedTable) -> str:
    """Point out columns that say the same as an earlier one, to learners that leave nothing out."""
    copies = find_copies(table) if table.n_variables >= SMALL_TABLE else {}
    if not copies:
        return ""
    names = [table.names[k] for k in copies]
    pairs = listed(f"{table.names[k]!r} as {table.names[original]!r}" for k, original in copies.items())
    return f"columns that say the same as another: {pairs}; leave them out: {leave_out(names)}"


def _has_repeats(table: EncodedTable) -> bool:
    """Tell whether any two rows are equal; most repeats show soon."""
    first = take_rows(table, np.arange(min(table.n_rows, FIRST_ROWS)))
    return any(each.compressed().n_rows < each.n_rows for each in (first, table))


def _may_count(values: NDArray[Any] | None) -> bool:
    """Tell whether numbers are whole, none missing, none negative, and not all the same."""
    return values is not None and bool(values.max() > values.min() >= 0)


def without_copies(table: EncodedTable) -> tuple[EncodedTable, list[str]]:
    """Let one of the columns that say the same stand for all; tell of them, and of columns that follow."""
    copies = find_copies(table) if table.n_variables >= SMALL_TABLE else {}
    if table.n_variables - len(copies) < 2:
        copies = dict(list(copies.items())[1:])  # two columns are needed
    stands_for = {table.names[k]: table.names[original] for k, original in copies.items()}
    notes = [_same(stands_for, original) for original in dict.fromkeys(stands_for.values())]
    table = take_columns(table, [k for k in range(table.n_variables) if k not in copies])
    for a, b in find_functions(table)[:MAX_TOLD]:
        notes.append(f"{table.names[b]!r} follows from {table.names[a]!r}: each of its states has only one.")
    preparation = replace(table.preparation, copies=stands_for)
    return replace(table, preparation=preparation), notes


def _same(stands_for: Mapping[str, str], original: str) -> str:
    """Say which columns one column stands for."""
    copies = [repr(name) for name, each in stands_for.items() if each == original]
    say, both = ("says", "both") if len(copies) == 1 else ("say", "all")
    return f"{listed(copies)} {say} the same as {original!r}, which stands for {both}."


def totals_in_words(numbers: Mapping[str, Loader]) -> list[str]:
    """Tell of columns that are the sum of others."""
    return [
        f"{name!r} is the sum of {listed(map(repr, parts), 12)}: links among them tell of that. "
        f"To leave it out: {leave_out([name])}."
        for name, parts in find_totals(numbers).items()
    ]


def how_read(table: EncodedTable, *, may_keep: bool) -> list[str]:
    """Say how numbers were read, and whether those that are cut may be kept."""
    notes, states = [], dict(zip(table.names, table.cardinalities.tolist(), strict=True))
    kept = [name for k, name in enumerate(table.names) if k in table.numbers]
    if kept:
        bins = listed((f"{name!r} ({states[name]})" for name in kept), 12)
        alone = either("bins='auto'", "--bins auto")
        notes.append(
            f"Numbers are kept as they are; counts, models and pages show them in bins: {bins}. To take bins "
            f"alone: {alone}."
        )
    binned = [name for name in table.preparation.bin_edges if name in states and name not in kept]
    if binned:
        cut = listed((f"{name!r} ({states[name]})" for name in binned), 12)
        more = states[binned[0]] + 1
        remedy = either(f"bins={{{binned[0]!r}: {more}}}", f"--bins {_quoted(binned[0])}={more}")
        keep = either(", or bins='keep' to keep them", ", or --bins keep to keep them") if may_keep else ""
        notes.append(f"Numbers are cut into bins: {cut}. To change it: {remedy}{keep}.")
    return notes
