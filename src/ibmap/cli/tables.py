"""Tables as files: CSV or Parquet, or CSV on standard output."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ibmap.errors import FileFormatError

if TYPE_CHECKING:
    import polars as pl


def check_table_output(path: str) -> None:
    """Refuse a place where no table can be written.

    Parameters
    ----------
    path : str
        Where a table shall go; ``-`` is standard output.
    """
    if path == "-":
        return
    if Path(path).suffix.lower() not in (".csv", ".parquet"):
        msg = f"cannot write {path!r}: a table's name must end in .csv or .parquet"
        raise FileFormatError(msg)
    if not Path(path).parent.is_dir():
        msg = f"cannot write {path!r}: there is no folder {str(Path(path).parent)!r}; create it first"
        raise FileNotFoundError(msg)


def write_table(frame: pl.DataFrame, path: str) -> None:
    """Write a table.

    Parameters
    ----------
    frame : polars.DataFrame
        The table; labels of several types in one column are written as text.
    path : str
        A ``.csv`` or ``.parquet`` file, or ``-`` for CSV on standard output.
    """
    import polars as pl

    from ibmap.io import write_atomically

    mixed = [column for column in frame if column.dtype == pl.Object]
    texts = [
        pl.Series(
            column.name, [None if value is None else str(value) for value in column.to_list()], pl.String
        )
        for column in mixed
    ]
    plain = frame.with_columns(texts)
    buffer = io.BytesIO()
    if path.lower().endswith(".parquet"):
        plain.write_parquet(buffer)
    else:
        plain.write_csv(buffer)
    if path == "-":
        sys.stdout.write(buffer.getvalue().decode())
    else:
        write_atomically(path, buffer.getvalue())
