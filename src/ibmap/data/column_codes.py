"""Columns into one table of codes: each by its rule, all that is wrong with them refused at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ibmap.data.binning import AS_PEOPLE_DO, MAX_KEPT, BinRule
from ibmap.data.columns import Column, Mask, Numbers, UnusableColumnError, Values
from ibmap.data.foreign import OURS, first_line
from ibmap.data.remarks import is_identifier, left_out_in_words, listed, nameless, second_looks
from ibmap.data.scratch import room
from ibmap.data.states import Cutting, States, find_states
from ibmap.data.table import CODE_DTYPE, MAX_STATES, EncodedTable, Preparation, Weights, gathered
from ibmap.data.text import either
from ibmap.errors import InvalidTableError

OTHERS = "*"  # in a dict of bins: the columns that it does not name


def _remedies() -> dict[str, str]:
    """Say what is wrong with columns of a kind, and what to do, in the words of the interface."""
    out = either("drop=[...]", "--drop")
    drop = f"or leave them out with {out}"
    bins = either("bins='auto', 'width', 'frequency', a number, or a dict by column", "--bins auto")
    return {
        "continuous": f"continuous columns: {{columns}}. Cut them into intervals with {bins}, {drop}",
        "infinite": "columns with infinite values: {columns}. Replace these values, or mark them as missing",
        "dates": "columns of dates or times: {columns}. Replace them by a category such as the month or the "
        f"weekday, {drop}",
        "nested": f"columns of nested values: {{columns}}. Give each part a column of its own, {drop}",
        "complex": f"columns of complex numbers: {{columns}}. Take their parts as columns, {drop}",
        "unhashable": "columns of values that cannot be told apart by hash: {columns}. Replace them by "
        f"strings, {drop}",
        "unreadable": f"columns that cannot be read: {{columns}}. Write them as text or numbers, {drop}",
        "many": f"columns with more than {MAX_STATES} states: {{columns}}. If they are numbers, cut them "
        f"into intervals with {bins}; if they are identifiers, leave them out with {out}",
        "unbinnable": f"{either('bins=', '--bins')} names columns that are not numbers: {{columns}}. Take "
        "them out of it",
    }


@dataclass(frozen=True)
class Plan:
    """What to do with the columns: the rows to take and the rule for intervals."""

    n_rows: int
    rows: Mask | None
    gaps: frozenset[str]  # columns with missing values that stay
    are_states: bool  # whether these become a state, or stay holes
    bins: BinRule | Mapping[str, BinRule] | None
    weights: Weights | None  # of the rows taken
    may_leave_out: bool = True  # whether columns that a person would leave out are; not if all are named
    in_file: bool = False  # whether the codes lie in a file, rather than in memory

    @cached_property
    def ones(self) -> Weights:
        """One for each row."""
        ones = room((self.n_rows,), np.int64, in_file=self.in_file)
        ones[:] = 1
        return ones

    @cached_property
    def counts(self) -> Weights:
        """How often each row occurs; once if it has a survey weight."""
        is_counted = self.weights is not None and self.weights.dtype.kind == "i"
        return self.weights if self.weights is not None and is_counted else self.ones

    @cached_property
    def n_samples(self) -> int:
        """The sum of the counts."""
        return int(self.counts.sum())

    def rule(self, name: str) -> BinRule | None:
        """Find the rule for one column; "both" keeps numbers of tables that are not large."""
        rule = self.bins.get(name, self.usual) if isinstance(self.bins, Mapping) else self.bins
        return rule if rule != "both" else "auto" if self.is_large else "keep"

    @property
    def usual(self) -> BinRule | None:
        """The rule for columns that have none of their own."""
        return self.bins.get(OTHERS) if isinstance(self.bins, Mapping) else self.bins

    @property
    def is_large(self) -> bool:
        """Whether there are more rows than numbers are kept of unless asked for."""
        return self.n_samples > MAX_KEPT

    @property
    def is_human(self) -> bool:
        """Whether columns are read as people do."""
        return self.usual in AS_PEOPLE_DO and self.may_leave_out

    @property
    def may_keep(self) -> bool:
        """Whether numbers are cut that would be kept if there were fewer rows."""
        return self.usual == "both" and self.is_large


def encode_columns(columns: Mapping[str, Column], plan: Plan, problem: str) -> EncodedTable:
    """Encode column by column; refuse all that is wrong at once, or leave out what people would."""
    codes = room((plan.n_rows, len(columns)), CODE_DTYPE, in_file=plan.in_file)
    n_holes = plan.n_rows if plan.gaps and not plan.are_states else 0
    holes = room((n_holes, len(columns)), bool, in_file=plan.in_file)
    found: dict[str, States] = {}
    refused: dict[str, list[str]] = {}
    for k, (name, column) in enumerate(columns.items()):
        try:
            found[name] = _encode_column(name, column, plan, codes[:, k], holes[:, k])
        except UnusableColumnError as error:
            refused.setdefault(error.kind, []).append(f"{name!r} ({error.detail})")
        except OURS:
            raise
        except BaseException as error:  # of the library that holds the column
            refused.setdefault("unreadable", []).append(f"{name!r} ({first_line(error)})")
    is_selective = plan.is_human and len(found) > 1
    dates, texts = (refused.pop(kind, []) if is_selective else [] for kind in ("dates", "many"))
    problems = [problem] if problem else []
    remedies = _remedies()
    problems += [remedies[kind].format(columns=listed(which)) for kind, which in refused.items()]
    if problems:
        raise InvalidTableError("; ".join(problems))
    unnamed = nameless(columns)
    own = {
        name
        for name, each in found.items()
        if is_selective
        and is_identifier(name, each, plan.n_samples, as_people_do=True, is_nameless=name in unnamed)
    }
    own = own if len(found) - len(own) > 1 else set()
    groups = {name for name in own if found[name].group_size > 1}
    notes = left_out_in_words([*map(repr, sorted(own - groups)), *texts], [*map(repr, sorted(groups))], dates)
    places = [k for k, name in enumerate(columns) if name in found and name not in own]
    codes, holes = gathered(codes, places), gathered(holes, places)
    kept = {name: states for name, states in found.items() if name not in own}
    table = _assembled(codes, holes, kept, plan)
    return replace(table, preparation=replace(table.preparation, notes=notes))


def _assembled(
    codes: NDArray[np.uint16], holes: Mask, found: Mapping[str, States], plan: Plan
) -> EncodedTable:
    """Put a table together from its codes, its holes and its states."""
    labels = tuple(states.labels for states in found.values())
    edges = {name: each.edges for name, each in found.items() if each.edges is not None}
    looks = tuple(second_looks(found, plan.n_samples))
    return EncodedTable(
        codes=codes,
        cardinalities=np.array([len(each) for each in labels], np.int64),
        names=tuple(found),
        labels=labels,
        weights=plan.ones,
        preparation=Preparation(plan.n_rows, bin_edges=edges, warnings=looks),
        ordered=np.array([states.ordered for states in found.values()], bool),
        missing=holes if holes.any() else None,
        numbers={k: each.numbers for k, each in enumerate(found.values()) if each.numbers is not None},
    )


def _encode_column(name: str, column: Column, plan: Plan, codes: NDArray[np.uint16], holes: Mask) -> States:
    """Write the codes of one column, and its holes if they are kept; return its states without the codes."""
    forced = isinstance(plan.bins, Mapping) and name in plan.bins
    cutting = Cutting(plan.rule(name), forced, plan.weights)
    gaps = column.missing() if name in plan.gaps else None
    if gaps is None:
        values = column.select(plan.rows)
        states = find_states(values, cutting)
        if _numbers_rows(values, plan.rows):  # whatever their weights
            states = replace(states, group_size=1)
        codes[:] = states.codes
        return replace(states, codes=np.empty(0, CODE_DTYPE), n_present=plan.n_samples)
    taken = ~gaps if plan.rows is None else plan.rows & ~gaps
    present = ~gaps if plan.rows is None else ~gaps[plan.rows]
    cutting = replace(cutting, weights=None if plan.weights is None else plan.weights[present])
    values = column.select(taken)
    states = find_states(values, cutting)
    if _numbers_rows(values, taken):
        states = replace(states, group_size=1)
    codes[present] = states.codes
    states = replace(states, codes=np.empty(0, CODE_DTYPE), n_present=int(plan.counts[present].sum()))
    if states.numbers is not None:
        numbers = np.full(plan.n_rows, np.nan)
        numbers[present] = states.numbers
        states = replace(states, numbers=None if plan.are_states else numbers)  # no number says "missing"
    if not plan.are_states:
        holes[:] = ~present
        return states if states.labels else replace(states, labels=(None,))
    if len(states.labels) == MAX_STATES:
        raise UnusableColumnError(kind="many", detail=f"{MAX_STATES} different values and the missing ones")
    codes[~present] = len(states.labels)
    labels = (*states.labels, None)
    return replace(states, labels=labels, n_observed=states.n_observed + 1, ordered=False)


def _numbers_rows(values: Values, taken: Mask | None) -> bool:
    """Tell whether whole numbers are those of the rows of the table, from 0 or 1 on."""
    if not isinstance(values, Numbers) or values.values.dtype.kind not in "iu" or not len(values.values):
        return False
    rows = np.arange(len(values.values)) if taken is None else np.flatnonzero(taken)
    first = int(values.values[0]) - int(rows[0])
    return first in (0, 1) and bool((values.values == rows + first).all())
