"""Errors of the readers we use, told in our own words at one place.

polars reports some damaged files by a panic, which is no Exception and would end the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ibmap.errors import FileFormatError, IbmapError, MissingLibraryError

OURS = (IbmapError, KeyboardInterrupt, SystemExit, GeneratorExit)


def first_line(error: BaseException) -> str:
    """Give what another library says, in one line."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:200]


def has_wide_decimals(kind: Any) -> bool:
    """Tell whether an Arrow type holds decimals of 256 bits, at which polars panics."""
    import pyarrow as pa

    inner = (kind.field(k).type for k in range(kind.num_fields))
    return bool(pa.types.is_decimal256(kind)) or any(map(has_wide_decimals, inner))


@contextmanager
def translated(what: str, kind: type[IbmapError] = FileFormatError) -> Iterator[None]:
    """Turn whatever a reader raises into an error of ours that begins with these words."""
    try:
        yield
    except OURS:
        raise
    except ModuleNotFoundError as error:
        msg = f"{what}: it needs {error.name}, which is not installed"
        raise MissingLibraryError(msg) from None
    except BaseException as error:
        said = first_line(error)
        msg = f"{what}: {said if isinstance(error, Exception) else f'its reader gave up ({said})'}"
        raise kind(msg) from None
