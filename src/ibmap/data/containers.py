"""Take a table apart: its column names, its columns and its number of rows.

pandas, polars and pyarrow frames (and whatever else narwhals knows) go through narwhals;
NumPy arrays and lists of rows are taken as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.data.columns import (
    Column,
    Indexed,
    Numbers,
    ObjectColumn,
    PolarsColumn,
    UnusableColumn,
    show_value,
)
from ibmap.data.foreign import OURS, has_wide_decimals
from ibmap.errors import InvalidTableError

ACCEPTED = "a pandas, polars or pyarrow table, a two-dimensional NumPy array or a list of rows"


class Wanted(NamedTuple):
    """What is asked of a table: columns, and how its rows are weighed."""

    columns: Sequence[int]
    weights: int | None  # the column that weighs rows
    is_row_by_row: bool  # whether rows stay apart: they are weighed one by one, or numbers are kept
    max_memory: int | str | None


class Parts(NamedTuple):
    """Columns of a table, by number, and how often each row occurs if not once."""

    columns: Mapping[int, Column]
    n_rows: int
    counts: NDArray[np.int64] | None = None
    in_file: bool = False  # whether codes should lie in a file, because memory does not hold them


class Held(NamedTuple):
    """A table in memory."""

    names: list[str]
    columns: list[Column]
    n_rows: int

    def read(self, wanted: Wanted) -> Parts:
        """Give all columns."""
        return Parts(dict(enumerate(self.columns)), self.n_rows)


def is_lazy(X: Any) -> bool:
    """Tell whether a table is read only when it is asked for: of polars, DuckDB or Dask, or files."""
    kinds = (
        ("polars", "LazyFrame"),
        ("duckdb", "DuckDBPyRelation"),
        ("dask.dataframe", "DataFrame"),
        ("ibmap.data.scans", "Scan"),
    )
    loaded = [(sys.modules.get(library), name) for library, name in kinds]  # who has not loaded it has none
    return any(isinstance(X, getattr(library, name, ())) for library, name in loaded)


def take_apart(X: Any) -> Held:
    """Split any table into names, columns and the number of rows; nothing is copied or changed."""
    if isinstance(X, np.ndarray):
        return _from_array(X)
    if isinstance(X, list | tuple):
        return _from_rows(X)
    if hasattr(X, "toarray"):
        msg = f"X is a sparse {type(X).__name__}; give a dense table: X.toarray()"
        raise InvalidTableError(msg)
    if hasattr(X, "collect") and not hasattr(X, "shape"):
        msg = f"X is a lazy {type(X).__name__}; give its rows: X.collect()"
        raise InvalidTableError(msg)
    return _from_frame(X)


def default_names(n_variables: int) -> list[str]:
    """Name columns that have no name."""
    return [f"x{k}" for k in range(n_variables)]


def _from_array(X: NDArray[Any]) -> Held:
    """Split a NumPy array, masked or not."""
    if X.ndim != 2 or X.dtype.kind == "V":
        msg = f"X has shape {X.shape} and type {X.dtype}; give {ACCEPTED}"
        raise InvalidTableError(msg)
    masked = np.ma.isMaskedArray(X) and np.ma.getmask(X) is not np.ma.nomask
    mask = np.ma.getmaskarray(X) if masked else None
    values = np.asarray(X)
    columns = [_array_column(values[:, k], None if mask is None else mask[:, k]) for k in range(X.shape[1])]
    return Held(default_names(X.shape[1]), columns, X.shape[0])


def _array_column(values: NDArray[Any], mask: NDArray[np.bool_] | None) -> Column:
    """Wrap one column of a NumPy array according to its type."""
    kind = values.dtype.kind
    if kind in "biuf":
        return Numbers(values, mask)
    if kind in "mMc":
        reason = "complex" if kind == "c" else "dates"
        missing = np.isnat(values) if kind in "mM" else np.isnan(values)
        detail = f"{values.dtype}, such as {show_value(values[0] if len(values) else None)}"
        return UnusableColumn(reason, detail, missing if mask is None else missing | mask)
    objects = values.tolist()
    if mask is not None:
        objects = [None if hidden else value for value, hidden in zip(objects, mask, strict=True)]
    return ObjectColumn(objects)


def _from_rows(rows: Sequence[Any]) -> Held:
    for number, row in enumerate(rows):
        if isinstance(row, str | bytes) or not hasattr(row, "__len__") or isinstance(row, dict):
            msg = f"row {number} of X is a {type(row).__name__}, not a list of values; give {ACCEPTED}"
            raise InvalidTableError(msg)
        if len(row) != len(rows[0]):
            msg = (
                f"row {number} of X has {len(row)} values, but row 0 has {len(rows[0])}; "
                "every row needs the same number of values, with None where one is missing"
            )
            raise InvalidTableError(msg)
    columns: list[Column] = [ObjectColumn(column) for column in zip(*rows, strict=True)]
    return Held(default_names(len(columns)), columns, len(rows))


def _from_frame(X: Any) -> Held:
    """Split a frame that narwhals knows; one of polars, which every file becomes, without loading it."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(X, polars.DataFrame):
        return Held(X.columns, [PolarsColumn(series) for series in X.get_columns()], X.height)
    import narwhals as nw

    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(X, pyarrow.RecordBatch):
        X = pyarrow.Table.from_batches([X])
    try:
        frame = nw.from_native(X, eager_only=True)
    except nw.exceptions.DuplicateError:
        names = [str(name) for name in getattr(X, "column_names", None) or X.columns]
        raise InvalidTableError(duplicate_message(names)) from None
    except TypeError:
        if hasattr(X, "__array__") and (values := np.asarray(X)).ndim == 2:
            return _from_array(values)
        msg = f"X is a {type(X).__name__}; give {ACCEPTED}"
        raise InvalidTableError(msg) from None
    names = [str(name) for name in frame.columns]
    return Held(names, _frame_columns(frame), len(frame))


def _frame_columns(frame: Any) -> list[Column]:
    """Wrap the columns of a narwhals frame by the library behind it."""
    native = frame.to_native()
    if frame.implementation.is_polars():
        return [PolarsColumn(series) for series in native.get_columns()]
    if frame.implementation.is_pandas():
        return [_pandas_column(native.iloc[:, k]) for k in range(native.shape[1])]
    return [_readable(column) for column in frame.to_arrow().columns]


def _readable(column: Any) -> Column:
    """Wrap a pyarrow column; one that polars does not know goes through Python objects."""
    try:
        return _arrow_column(column)
    except OURS:
        raise
    except BaseException:
        return ObjectColumn(column.to_pylist())


def _pandas_column(series: Any) -> Column:
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        return _array_column(series.sparse.to_dense().to_numpy(), None)
    if isinstance(dtype, pd.CategoricalDtype):
        return Indexed(series.cat.codes.to_numpy(), dtype.categories.tolist(), ordered=bool(dtype.ordered))
    if isinstance(dtype, pd.StringDtype):
        positions, labels = series.factorize()
        return Indexed(positions, labels.tolist(), declared=False)
    if isinstance(dtype, np.dtype):
        return _array_column(series.to_numpy(), None)
    if pd.api.types.is_numeric_dtype(dtype) and getattr(dtype, "kind", "O") in "biuf":
        plain = np.dtype(f"{dtype.kind}{getattr(dtype, 'itemsize', 8)}")
        return Numbers(series.to_numpy(dtype=plain, na_value=0), series.isna().to_numpy())
    return ObjectColumn(series.astype(object).tolist())


def _arrow_column(column: Any) -> Column:
    """Wrap a pyarrow column; a dictionary keeps its declared values."""
    import polars as pl
    import pyarrow as pa

    if has_wide_decimals(column.type):
        return ObjectColumn(column.to_pylist())
    if not pa.types.is_dictionary(column.type):
        return PolarsColumn(pl.Series(column))
    return _dictionary_column(column.chunks, ordered=column.type.ordered)


def _dictionary_column(chunks: Sequence[Any], *, ordered: bool) -> Column:
    """Wrap an Arrow dictionary, which may differ by chunk, repeat values and hold null."""
    place: dict[Any, int] = {}
    positions = [np.empty(0, np.int64)]
    for chunk in chunks:
        values = chunk.dictionary.to_pylist()
        lookup = [-1 if value is None else place.setdefault(value, len(place)) for value in values]
        indices = chunk.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
        positions.append(np.array([*lookup, -1], np.int64)[indices])
    return Indexed(np.concatenate(positions), list(place), ordered=ordered)


def duplicate_message(names: Sequence[str]) -> str:
    """Say which column names occur more than once, and where."""
    places: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        places.setdefault(name, []).append(number)
    several = [
        f"{name!r} names columns {' and '.join(map(str, numbers))}"
        for name, numbers in places.items()
        if len(numbers) > 1
    ]
    shown = ", ".join(several[:5]) + (", ..." if len(several) > 5 else "")
    return f"column names must differ, but {shown}; rename or remove all but one"


def pandas_names(X: Any, names: Sequence[str]) -> dict[str, Any] | None:
    """Give the names of a pandas frame's columns as they are, by how they are called; else None."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(X, pandas.DataFrame):
        return None
    return dict(zip(names, X.columns.tolist(), strict=True))
