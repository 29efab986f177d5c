"""Excel, Stata and SPSS files, by the libraries made for them; value labels become the states."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Any

from ibmap.data.foreign import translated
from ibmap.errors import MissingLibraryError

SHEETS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
STATISTICS = {".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta"}


def read_workbook(data: bytes, origin: str, suffix: str) -> Any:
    """Read the first sheet of a workbook, or a file of Stata or SPSS."""
    if suffix in SHEETS:
        with translated(f"{origin} cannot be read as a workbook"):
            return _sheet(data, origin)
    with translated(f"{origin} cannot be read as a {suffix} file"):
        return _statistics(data, origin, suffix)


def _sheet(data: bytes, origin: str) -> Any:
    """Read the first sheet; its first row holds the names."""
    _need("fastexcel", "excel", origin)
    import polars as pl

    return pl.read_excel(io.BytesIO(data), engine="calamine")


def _statistics(data: bytes, origin: str, suffix: str) -> Any:
    """Read a file of Stata or SPSS, with the labels of its values."""
    _need("pyreadstat", "stata", origin)
    import pyreadstat

    with tempfile.TemporaryDirectory() as folder:  # the reader wants a path
        path = Path(folder) / f"table{suffix}"
        path.write_bytes(data)
        frame, _ = getattr(pyreadstat, STATISTICS[suffix])(
            str(path), apply_value_formats=True, formats_as_category=True
        )
    return frame


def _need(library: str, extra: str, origin: str) -> None:
    """Refuse with the extra to install, if a library is not there."""
    from importlib.util import find_spec

    if find_spec(library) is None:
        msg = f"{origin} needs {library}: pip install 'ibmap[{extra}]', or save it as CSV"
        raise MissingLibraryError(msg)
