"""Which columns of a table are taken, by name or number, and the rules for them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ibmap.data.binning import BinRule, Bins, check_rule
from ibmap.data.column_codes import OTHERS
from ibmap.data.containers import duplicate_message
from ibmap.data.remarks import listed
from ibmap.data.text import either
from ibmap.errors import InvalidTableError


def checked_names(found: list[str], names: Sequence[str] | None) -> list[str]:
    """Choose the column names, all different."""
    chosen = found if names is None else [str(name) for name in names]
    if len(chosen) != len(found):
        msg = f"names has {len(chosen)} entries, but the table has {len(found)} columns; give one per column"
        raise InvalidTableError(msg)
    if len(set(chosen)) < len(chosen):
        raise InvalidTableError(duplicate_message(chosen))
    return chosen


def kept_columns(
    names: Sequence[str], drop: Iterable[str | int], keep: Iterable[str | int] | None
) -> list[int]:
    """Number the columns to keep, in the order of the table."""
    kept = set(range(len(names))) if keep is None else set(find_columns(names, keep, "keep"))
    kept -= set(find_columns(names, drop, "drop"))
    return sorted(kept)


def find_columns(names: Sequence[str], wanted: Iterable[Any], option: str) -> list[int]:
    """Number columns that are given by name or number."""
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
        hint = f"the columns are {listed(map(repr, names), 12)}"
    source = option if option == "keep" else either(option, f"--{option}")  # a network may ask to keep them
    return f"{source} names the column {wanted!r}, which the table does not have; {hint}"


def checked_bins(bins: Bins, names: Sequence[str]) -> BinRule | dict[str, BinRule] | None:
    """Check the rules for intervals; a dict comes back with the names of the table as keys."""
    if not isinstance(bins, Mapping):
        return None if bins is None else check_rule(bins)
    others = {OTHERS: check_rule(bins[OTHERS])} if OTHERS in bins and OTHERS not in names else {}
    named = {name: rule for name, rule in bins.items() if name not in others}
    found = {names[find_columns(names, [name], "bins")[0]]: check_rule(rule) for name, rule in named.items()}
    return found | others


def check_shape(n_rows: int, names: Sequence[str], n_found: int) -> None:
    """Refuse a table without rows, or with fewer than two columns."""
    if n_found and not n_rows:
        msg = f"the table has no rows (its columns are {listed(map(repr, names))}); at least one is needed"
        raise InvalidTableError(msg)
    if len(names) >= 2:
        return
    left = f" after drop and keep (of {n_found})" if len(names) < n_found else ""
    have = f"one column{left}, {names[0]!r}" if names else f"no columns{left}"
    hint = "keep more columns" if left else "if it comes from a file, check the separator (--separator)"
    msg = f"the table has {have}; a network needs at least two variables: {hint}"
    raise InvalidTableError(msg)
