"""Sets of Parquet files as one table, reduced to distinct rows with counts before it is in memory.

DuckDB groups the rows and spills to a temporary folder. The distinct rows go through the same door as any
table, with their counts as weights. Where fewer than three of four rows repeat an earlier one, that would
save little: polars reads the rows into memory.
"""

from __future__ import annotations

import glob  # patterns with ** and folders that begin with /, which Path.glob does not take
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibmap.data.foreign import translated
from ibmap.data.table import MIN_REPETITION, MIN_ROWS_TO_MERGE
from ibmap.data.text import either
from ibmap.errors import FileFormatError, MissingLibraryError, TooLargeError
from ibmap.options import as_bytes

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

ENDING = ".parquet"
DEFAULT_MEMORY = "1 GB"  # for grouping, if no limit is given
PER_CELL = 8  # bytes of a value that is read into memory, at most as a rule


@dataclass(frozen=True)
class Rows:
    """Rows of a set: distinct ones with their counts, or all of them."""

    frame: pl.DataFrame
    counts: NDArray[np.int64] | None = None


def is_set(source: str | Path) -> bool:
    """Tell whether a name stands for several files: a folder, or a pattern that is no file."""
    path = Path(source)
    return path.is_dir() or (glob.has_magic(str(source)) and not path.exists())


def read_set(source: str | Path, max_memory: int | str | None, *, in_memory: bool = False) -> Rows:
    """Read a set of Parquet files: its distinct rows with counts where rows repeat."""
    import polars as pl

    files = _files(source)
    _check_columns(files)
    allowed = as_bytes(DEFAULT_MEMORY if max_memory is None else max_memory)
    if not in_memory and (rows := _distinct(files, str(source), allowed)) is not None:
        return rows
    with translated(f"{source} cannot be read as one table"):
        lazy = pl.scan_parquet(files, hive_partitioning=True)
        n_rows, n_columns = lazy.select(pl.len()).collect().item(), len(lazy.collect_schema())
        if max_memory is not None and PER_CELL * n_rows * n_columns > allowed:
            raise TooLargeError(_too_large(str(source)))
        return Rows(lazy.collect())


def _files(source: str | Path) -> list[str]:
    """List the files of a set, in the order of their names."""
    is_folder = Path(source).is_dir()
    if is_folder:
        found = [str(each) for each in Path(source).rglob("*" + ENDING)]
    else:
        found = [each for each in glob.glob(str(source), recursive=True) if Path(each).is_file()]  # noqa: PTH207
    if not found and is_folder:
        msg = f"{source} is a folder without {ENDING} files; give one of the files in it"
        raise IsADirectoryError(msg)
    if not found:
        msg = f"no file matches {source}; check the pattern and the folder"
        raise FileNotFoundError(msg)
    if others := [each for each in sorted(found) if not each.lower().endswith(ENDING)]:
        msg = f"{others[0]} is no {ENDING} file; a set is made of these: write the others as Parquet first"
        raise FileFormatError(msg)
    return sorted(found)


def _check_columns(files: Sequence[str]) -> None:
    """Refuse files that are damaged, or that do not have the columns and types of the first."""
    import polars as pl

    first: dict[str, Any] | None = None
    for file in files:
        with translated(f"{file} is damaged or of an unknown kind of Parquet"):
            schema = dict(pl.read_parquet_schema(file))
        first = schema if first is None else first
        odd = sorted(name for name in {*schema, *first} if schema.get(name) != first.get(name))
        if odd:
            here, there = schema.get(odd[0], "not there"), first.get(odd[0], "not there")
            msg = (
                f"{file}: column {odd[0]!r} is {here}, but in {files[0]} it is {there}; "
                "all files of a set need the same columns of the same types"
            )
            raise FileFormatError(msg)


def _distinct(files: Sequence[str], origin: str, allowed: int) -> Rows | None:
    """Group the rows on disk; None where that saves little."""
    import polars as pl

    try:
        import duckdb
    except ImportError:
        msg = f"{origin} is a set of files, which needs duckdb: pip install 'ibmap[scale]'"
        raise MissingLibraryError(msg) from None
    names = list(pl.scan_parquet(list(files), hive_partitioning=True).collect_schema())
    count = next(f"count_{k}" for k in range(len(names) + 1) if f"count_{k}" not in names)
    columns = ", ".join(_quoted(name) for name in names)
    with tempfile.TemporaryDirectory(prefix="ibmap-") as folder:
        config: dict[str, Any] = {"memory_limit": f"{allowed // 2_000}KB", "temp_directory": folder}
        target = str(Path(folder, "distinct.parquet"))
        with translated(f"{origin} cannot be read as one table"), duckdb.connect(config=config) as engine:
            engine.execute("SET preserve_insertion_order = false")
            source = f"read_parquet([{', '.join(map(_text, files))}], hive_partitioning = true)"
            grouped = f"SELECT {columns}, count(*) AS {count} FROM {source} GROUP BY {columns}"
            try:
                engine.execute(f"COPY ({grouped}) TO {_text(target)} (FORMAT parquet)")
            except duckdb.OutOfMemoryException:
                raise TooLargeError(_too_large(origin)) from None
        n_rows = pl.scan_parquet(target).select(pl.col(count).sum()).collect().item() or 0
        n_distinct = pl.scan_parquet(target).select(pl.len()).collect().item()
        if n_rows < MIN_ROWS_TO_MERGE or n_distinct > n_rows // MIN_REPETITION:
            return None
        frame = pl.read_parquet(target, memory_map=False)
    return Rows(frame.drop(count), frame[count].to_numpy())


def _too_large(origin: str) -> str:
    """Say that a set does not fit into the memory allowed."""
    return (
        f"{origin} would take more memory than {either('max_memory', '--max-memory')} allows; allow more, or "
        "leave out columns of many values when the files are written"
    )


def _quoted(name: str) -> str:
    """Write a column name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    """Write a text for SQL."""
    return "'" + text.replace("'", "''") + "'"
