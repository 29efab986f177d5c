"""Tables that are not in memory: polars LazyFrames, DuckDB relations, Dask DataFrames.

Each is written to Parquet files in a temporary folder, part by part, and then read as a set of files is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ibmap.data.foreign import translated
from ibmap.data.parts import PartWriter
from ibmap.data.scans import Levels, Scan
from ibmap.data.scratch import scratch_folder
from ibmap.errors import InvalidTableError


@contextmanager
def scanned(X: Any) -> Iterator[Scan]:
    """Open a lazy table."""
    if isinstance(X, Scan):
        yield X
        return
    origin = f"X, a {type(X).__name__},"
    with scratch_folder() as folder:
        with translated(f"{origin} cannot be read", InvalidTableError):
            levels = _writer(X)(X, folder)
        files = sorted(str(each) for each in folder.glob("*.parquet"))
        yield Scan(origin, tuple(files), folder, levels=levels, kind=InvalidTableError)


def _writer(X: Any) -> Callable[[Any, Path], dict[str, Levels]]:
    """Choose what writes a table."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(X, polars.LazyFrame):
        return _write_polars
    return _write_relation if hasattr(X, "write_parquet") else _write_partitions


def _write_polars(X: Any, folder: Path) -> dict[str, Levels]:
    """Let polars write the rows as they come; its own types are kept."""
    X.sink_parquet(folder / "rows.parquet")
    return {}


def _write_relation(X: Any, folder: Path) -> dict[str, Levels]:
    """Let DuckDB write the rows as they come."""
    X.write_parquet(str(folder / "rows.parquet"))
    return {}


def _write_partitions(X: Any, folder: Path) -> dict[str, Levels]:
    """Write the partitions of Dask, one after the other; give the categories that they declare."""
    import polars as pl

    writer = PartWriter(folder, InvalidTableError)
    for k in range(X.npartitions):
        part = X.partitions[k].compute()
        part.columns = [str(name) for name in part.columns]
        kinds = {name: part[name].cat for name in part.columns if hasattr(part[name], "cat")}
        levels = {name: Levels(own.categories.tolist(), bool(own.ordered)) for name, own in kinds.items()}
        plain = part.assign(**{name: part[name].astype(object) for name in kinds})
        writer.add(pl.DataFrame(pl.from_pandas(plain)), f"partition {k} of X", levels)
    return writer.finish()
