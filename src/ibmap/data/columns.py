"""Columns of any table: one way to get the missing and the other values of each.

A frame of pandas, polars or pyarrow, a NumPy array and a list of rows all become a list
of `Column`. A column answers two questions: which rows miss a value, and which plain
values the other rows hold. Nothing is copied before it is needed, so a table is
encoded column by column, and the input is never changed.
"""

from __future__ import annotations

import datetime
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

Mask: TypeAlias = NDArray[np.bool_]

DATES = (datetime.date, datetime.time, datetime.timedelta)
NESTED = (list, tuple, dict, set, frozenset, np.ndarray)
NEVER_MISSING = {str, int, bool, bytes}
MISSING_TYPES = {"NoneType", "NAType", "NaTType"}  # None, pandas.NA, pandas.NaT


class UnusableColumnError(Exception):
    """A column cannot become states as it is; `kind` says why, `detail` shows a value."""

    def __init__(self, *, kind: str, detail: str) -> None:
        super().__init__(kind, detail)
        self.kind = kind
        self.detail = detail


@dataclass(frozen=True)
class Texts:
    """Strings, none missing."""

    values: pl.Series


@dataclass(frozen=True)
class Objects:
    """Hashable values of any other kind, none missing."""

    values: list[Any]


class Column(ABC):
    """One column of the input."""

    @abstractmethod
    def missing(self) -> Mask | None:
        """Mark the rows without a value; None if there are none."""

    def integers(self) -> NDArray[Any] | None:
        """Give the values if they are whole numbers, none missing; None otherwise."""
        return None

    @property
    def is_number(self) -> bool:
        """Whether the type is of numbers."""
        return False

    @abstractmethod
    def select(self, rows: Mask | None) -> Values:
        """Take the values of some rows (all if None), none of them missing."""


def show_value(value: Any) -> str:
    """Write a value for a message, shortened."""
    text = repr(value) if isinstance(value, str | bytes) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _filtered(values: NDArray[Any], rows: Mask | None) -> NDArray[Any]:
    """Take rows of an array, contiguous."""
    return np.ascontiguousarray(values if rows is None else values[rows])


def _any_or_none(mask: Mask) -> Mask | None:
    """Replace a mask that marks nothing by None."""
    return mask if mask.any() else None


@dataclass(frozen=True)
class Indexed(Column):
    """Positions in a list of labels, negative where missing: pandas categories, Arrow dictionaries."""

    positions: NDArray[Any]
    labels: Sequence[Any]
    declared: bool = True  # whether the labels are all states in their order, or only a look-up list
    ordered: bool = False  # whether the type says that the labels are in order

    def missing(self) -> Mask | None:
        """Mark negative positions."""
        return _any_or_none(self.positions < 0)

    def select(self, rows: Mask | None) -> Values:
        """Take positions."""
        return replace(self, positions=_filtered(self.positions, rows))


@dataclass(frozen=True)
class Numbers(Column):
    """A NumPy array of booleans, integers or floats, with an optional mask of missing values."""

    values: NDArray[Any]
    mask: Mask | None = None

    def missing(self) -> Mask | None:
        """Mark NaN and what the mask marks."""
        if self.values.dtype.kind != "f":
            return None if self.mask is None else _any_or_none(self.mask)
        nan = np.isnan(self.values)
        return _any_or_none(nan if self.mask is None else nan | self.mask)

    def integers(self) -> NDArray[Any] | None:
        """Give integers."""
        return self.values if self.values.dtype.kind in "iu" and self.mask is None else None

    @property
    def is_number(self) -> bool:
        """Whether they are no booleans."""
        return self.values.dtype.kind in "iuf"

    def select(self, rows: Mask | None) -> Values:
        """Take numbers."""
        return Numbers(_filtered(self.values, rows))


Values: TypeAlias = Indexed | Numbers | Texts | Objects  # of the first two, what `select` has taken


@dataclass(frozen=True)
class UnusableColumn(Column):
    """A column of a type that has no states: dates, nested values, complex numbers."""

    kind: str
    detail: str
    mask: Mask | None = None

    def missing(self) -> Mask | None:
        """Mark what the mask marks."""
        return None if self.mask is None else _any_or_none(self.mask)

    def select(self, rows: Mask | None) -> Values:
        """Refuse."""
        raise UnusableColumnError(kind=self.kind, detail=self.detail)


@dataclass(frozen=True)
class PolarsColumn(Column):
    """A polars series of any type."""

    series: pl.Series

    def missing(self) -> Mask | None:
        """Mark nulls and NaN."""
        if self.series.dtype.is_float():
            nan = self.series.is_nan().fill_null(value=True)
            return nan.to_numpy() if nan.any() else None
        if not self.series.null_count():
            return None
        return np.asarray(self.series.is_null().to_numpy())

    def integers(self) -> NDArray[Any] | None:
        """Give integers."""
        is_whole = _is_integer(self.series.dtype) and not self.series.null_count()
        return self.series.to_numpy() if is_whole else None

    @property
    def is_number(self) -> bool:
        """Whether they are numbers that NumPy knows."""
        dtype = self.series.dtype
        return dtype.is_float() or dtype.is_decimal() or _is_integer(dtype)

    def select(self, rows: Mask | None) -> Values:
        """Take values according to the type."""
        import polars as pl

        series = self.series if rows is None else self.series.filter(pl.Series(rows))
        dtype = series.dtype
        if isinstance(dtype, pl.Enum):
            return Indexed(series.to_physical().to_numpy(), dtype.categories.to_list(), ordered=True)
        if isinstance(dtype, pl.Categorical | pl.String):
            return Texts(series.cast(pl.String))
        if dtype == pl.Boolean or dtype.is_float() or _is_integer(dtype):
            return Numbers(series.to_numpy())
        if dtype.is_decimal():
            numbers = series.cast(pl.Float64)
            exact = numbers.n_unique() == series.n_unique()  # two of 20 digits may be one float
            return Numbers(numbers.to_numpy()) if exact else Texts(series.cast(pl.String))
        if dtype.is_temporal() or dtype.is_nested():
            kind = "dates" if dtype.is_temporal() else "nested"
            raise UnusableColumnError(kind=kind, detail=f"{dtype}, such as {show_value(series[0])}")
        return ObjectColumn(series.to_list()).select(None)


@dataclass(frozen=True)
class ObjectColumn(Column):
    """Python objects of any kind."""

    values: Sequence[Any]

    def missing(self) -> Mask | None:
        """Mark None, NaN, NaT and pandas.NA."""
        types = set(map(type, self.values))
        if types <= NEVER_MISSING:
            return None
        marks = (_is_missing(value) for value in self.values)
        return _any_or_none(np.fromiter(marks, bool, len(self.values)))

    def select(self, rows: Mask | None) -> Values:
        """Take values according to the types that occur."""
        values = list(self.values if rows is None else _compress(self.values, rows))
        types = set(map(type, values))
        if any(issubclass(kind, np.generic) for kind in types):
            values = [value.item() if isinstance(value, np.generic) else value for value in values]
            types = set(map(type, values))
        _refuse_unusable(values, types)
        return _as_texts(values, types) or _as_numbers(values, types) or Objects(values)


def _is_integer(dtype: pl.DataType) -> bool:
    """Tell whether a type holds integers that NumPy knows."""
    return dtype.is_integer() and "128" not in str(dtype)


def _compress(values: Sequence[Any], rows: Mask) -> list[Any]:
    return [values[k] for k in np.flatnonzero(rows).tolist()]


def _is_missing(value: Any) -> bool:
    """Tell whether an object stands for no value."""
    if type(value).__name__ in MISSING_TYPES:
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling one may not be compared
    return isinstance(value, float | np.floating) and bool(value != value)  # noqa: PLR0124


def _refuse_unusable(values: list[Any], types: set[type]) -> None:
    """Refuse dates and nested values, with the first of them."""
    for kind, refused in (("dates", DATES), ("nested", NESTED)):
        if any(issubclass(each, refused) for each in types):
            culprit = next(value for value in values if isinstance(value, refused))
            raise UnusableColumnError(
                kind=kind, detail=f"{type(culprit).__name__}, such as {show_value(culprit)}"
            )


def _as_texts(values: list[Any], types: set[type]) -> Texts | None:
    """Take strings, if all are."""
    if types != {str}:
        return None
    import polars as pl

    return Texts(pl.Series(values, dtype=pl.String))


def _as_numbers(values: list[Any], types: set[type]) -> Numbers | None:
    """Take booleans, or integers, or numbers of several kinds as floats; None for anything else."""
    if types == {bool}:
        return Numbers(np.array(values, bool))
    if not types or not types <= {int, float, Decimal}:
        return None
    try:
        if Decimal in types and len({*map(float, values)}) < len({*values}):
            return None  # digits that a float does not have tell them apart
        return Numbers(np.array(values, np.int64 if types == {int} else np.float64))
    except OverflowError:  # integers of more than 64 bits are labels like any other object
        return None
