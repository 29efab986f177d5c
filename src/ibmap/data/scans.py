"""Parquet files as one table that is never held: columns are read one at a time, when they are encoded.

Where rows repeat, DuckDB groups them first, and spills to disk: the distinct rows are a table with counts.
Where three of four rows or more are new ones that would save little, and all rows are read.
Codes lie in memory if the table fits into it, and in a file if not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ibmap.data.columns import Column, Indexed, Mask, PolarsColumn, Values
from ibmap.data.containers import Parts, Wanted
from ibmap.data.foreign import translated
from ibmap.data.memory import LIBRARIES, PER_CELL, PER_ROW, allowed_bytes, fits
from ibmap.data.table import MIN_REPETITION, MIN_ROWS_TO_MERGE
from ibmap.data.text import either
from ibmap.errors import FileFormatError, IbmapError, MissingLibraryError, TooLargeError
from ibmap.options import as_bytes

if TYPE_CHECKING:
    import polars as pl

GROUPING = "1 GB"  # for grouping, if no limit is given
SHARE = 2  # of the memory allowed, what DuckDB is told to take: one part of so many
UNSURE = 2  # times as many distinct rows as pay, by a rough count: then they are not counted exactly
EXACT = 2**53  # counts up to there are exact as floats


class Levels(NamedTuple):
    """The values that the type of a column declares."""

    labels: Sequence[Any]
    ordered: bool


@dataclass(frozen=True)
class Scan:
    """Parquet files that are one table."""

    origin: str  # what the user calls it
    files: tuple[str, ...]
    folder: Path  # for what is written on the way
    is_partitioned: bool = False  # whether folders such as year=2020 are columns
    levels: Mapping[str, Levels] = field(default_factory=dict)
    types: Mapping[str, Any] = field(default_factory=dict)  # of columns that were written as another type
    kind: type[IbmapError] = FileFormatError  # of what is wrong with it

    def frame(self) -> pl.LazyFrame:
        """Give the table as polars scans it."""
        import polars as pl

        return pl.scan_parquet(list(self.files), hive_partitioning=self.is_partitioned)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The type of each column."""
        with self.told():
            return {**self.frame().collect_schema(), **self.types}

    @cached_property
    def names(self) -> list[str]:
        """Column names."""
        return list(self.schema)

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        import polars as pl

        with self.told():
            return int(self.frame().select(pl.len()).collect().item())

    def told(self) -> Any:
        """Tell what readers raise in our words."""
        return translated(f"{self.origin} cannot be read as one table", self.kind)

    def load(self, name: str) -> pl.Series:
        """Read one column."""
        with self.told():
            series = self.frame().select(name).collect().to_series()
            return series.cast(self.schema[name])

    def read(self, wanted: Wanted) -> Parts:
        """Give columns that are read when they are asked for: of distinct rows with counts if rows repeat."""
        limit = wanted.max_memory
        grouped = None if wanted.is_row_by_row else _grouped(self, wanted)
        scan, counts = (self, None) if grouped is None else grouped
        if not fits(LIBRARIES + PER_ROW * scan.n_rows, limit):
            raise TooLargeError(_too_large(self.origin, scan.n_rows, limit))
        chosen = {*wanted.columns} | ({wanted.weights} - {None})
        in_file = not fits(LIBRARIES + PER_CELL * scan.n_rows * len(chosen), limit)
        columns = {k: ScannedColumn(scan, self.names[k]) for k in chosen if k is not None}
        return Parts(columns, scan.n_rows, counts, in_file)


class ScannedColumn(Column):
    """A column that is read each time that it is asked for, and not kept."""

    def __init__(self, scan: Scan, name: str) -> None:
        self._scan, self._name = scan, name
        self._is_full = False  # whether no value is missing, once that is known

    def _loaded(self) -> Column:
        """Read the values."""
        series, levels = self._scan.load(self._name), self._scan.levels.get(self._name)
        if levels is None:
            return PolarsColumn(series)
        places = series.replace_strict(
            list(levels.labels), list(range(len(levels.labels))), default=-1, return_dtype=_int32()
        )
        return Indexed(places.to_numpy(), levels.labels, ordered=levels.ordered)

    def missing(self) -> Mask | None:
        """Mark the rows without a value."""
        found = None if self._is_full else self._loaded().missing()
        self._is_full = found is None
        return found

    def integers(self) -> NDArray[Any] | None:
        """Give integers."""
        return self._loaded().integers()

    @property
    def is_number(self) -> bool:
        """Whether the type is of numbers."""
        import polars as pl

        return PolarsColumn(pl.Series([], dtype=self._scan.schema[self._name])).is_number

    def select(self, rows: Mask | None) -> Values:
        """Take values according to the type."""
        return self._loaded().select(rows)


def _int32() -> Any:
    import polars as pl

    return pl.Int32


def _grouped(scan: Scan, wanted: Wanted) -> tuple[Scan, NDArray[np.int64] | None] | None:
    """Group the rows on disk, and give the distinct ones with their counts; None where that saves little."""
    # If a column weighs the rows, that of the distinct ones is its sum.
    try:
        import duckdb
    except ImportError:
        msg = f"{scan.origin} is not in memory, which needs duckdb: pip install 'ibmap[scale]'"
        raise MissingLibraryError(msg) from None
    names = [scan.names[k] for k in wanted.columns if k != wanted.weights]
    weights = None if wanted.weights is None else scan.names[wanted.weights]
    if any("128" in str(scan.schema[name]) for name in names) or not names:
        return None  # integers that DuckDB does not give back
    allowed = as_bytes(GROUPING if wanted.max_memory is None else wanted.max_memory)
    config: dict[str, Any] = {
        "memory_limit": f"{max(allowed // SHARE // 1000, 1)}KB",
        "temp_directory": str(scan.folder / "spilled"),
    }
    count = next(f"count_{k}" for k in range(len(names) + 1) if f"count_{k}" not in names)
    target = str(scan.folder / "distinct.parquet")
    with scan.told(), duckdb.connect(config=config) as engine:
        engine.execute("SET preserve_insertion_order = false")
        try:
            if not _repeats(engine, scan, names, weights):
                return None
            added = f"count(*) AS {count}" if weights is None else _sum(weights)
            columns = ", ".join(map(_quoted, names))
            query = f"SELECT {columns}, {added} FROM {_source(scan)} GROUP BY {columns}"
            engine.execute(f"COPY ({query}) TO {_text(target)} (FORMAT parquet)")
        except duckdb.OutOfMemoryException:
            return None
    types = {name: scan.schema[name] for name in names}
    found = replace(scan, files=(target,), is_partitioned=False, types=types)
    if found.n_rows > scan.n_rows // MIN_REPETITION:
        return None
    return found, None if weights is not None else found.load(count).to_numpy()


def _repeats(engine: Any, scan: Scan, names: Sequence[str], weights: str | None) -> bool:
    """Tell whether it may pay to group rows: by a rough count, and weights that add up."""
    if scan.n_rows < MIN_ROWS_TO_MERGE:
        return False
    columns = ", ".join(map(_quoted, names))
    rough = f"SELECT approx_count_distinct(hash({columns})) FROM {_source(scan)}"
    (n_distinct,) = engine.execute(rough).fetchone()
    if n_distinct > UNSURE * (scan.n_rows // MIN_REPETITION):
        return False
    return weights is None or _counts_rows(engine, scan, weights)


def _counts_rows(engine: Any, scan: Scan, weights: str) -> bool:
    """Tell whether a column holds whole numbers from 0 on, which can be added up."""
    dtype, w = scan.schema[weights], _quoted(weights)
    if not (dtype.is_float() or dtype.is_integer()):
        return False
    is_count = f"{w} IS NOT NULL AND {w} >= 0 AND {w} = floor({w}) AND {w} <= {EXACT}"
    asked = f"SELECT bool_and({is_count}), sum({w}) FROM {_source(scan)}"
    are_counts, total = engine.execute(asked).fetchone()
    return bool(are_counts) and total <= EXACT


def _sum(weights: str) -> str:
    """Add up a column of weights, under its name."""
    return f"sum({_quoted(weights)})::BIGINT AS {_quoted(weights)}"


def _source(scan: Scan) -> str:
    """Write the table for SQL."""
    partitioned = str(scan.is_partitioned).lower()
    return f"read_parquet([{', '.join(map(_text, scan.files))}], hive_partitioning = {partitioned})"


def _too_large(origin: str, n_rows: int, limit: int | str | None) -> str:
    """Say that one column does not fit into the memory allowed."""
    needed, allowed = LIBRARIES + PER_ROW * n_rows, allowed_bytes(limit) or 0
    there = "there is" if limit is None else f"{either('max_memory', '--max-memory')} allows"
    return (
        f"{origin} would take about {needed / 1e9:.2f} GB to read, a column of {n_rows:,} rows at a time; "
        f"that is more than {there}: {allowed / 1e9:.2f} GB. Allow more, or take fewer rows"
    )


def _quoted(name: str) -> str:
    """Write a column name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    """Write a text for SQL."""
    return "'" + text.replace("'", "''") + "'"
