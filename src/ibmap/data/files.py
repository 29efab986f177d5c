"""Tables from files: delimited text, Parquet and Arrow, compressed or not, or standard input.

The first bytes of a file say what it is, not its name, so the same works on
standard input.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibmap.data.atomic import write_atomically
from ibmap.data.binning import Bins
from ibmap.data.delimited import TextFormat, parse_text
from ibmap.data.encoding import encode
from ibmap.data.foreign import has_wide_decimals, translated
from ibmap.data.sets import is_set, scanned_set
from ibmap.data.table import EncodedTable
from ibmap.data.text import read_bytes
from ibmap.data.workbooks import SHEETS, STATISTICS, read_workbook
from ibmap.errors import FileFormatError, InvalidTableError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DEFAULT_NA", "encode_file", "read_table", "write_atomically"]

# "None" is not among them: it is a usual label ("no garage", "no pain")
DEFAULT_NA = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL")

READABLE = "ibmap reads CSV, TSV, Parquet, Arrow (Feather), Excel, Stata and SPSS files"
# fmt: off
OTHER_FORMATS = frozenset([
    ".json", ".jsonl", ".sas7bdat", ".rds",
    ".rda", ".rdata", ".arff", ".h5", ".hdf5", ".pkl", ".npy", ".npz", ".mat",
    ".xml", ".html", ".htm", ".pdf", ".zip", ".7z", ".rar", ".tar", ".tgz",
    ".orc", ".avro", ".db", ".sqlite",
])
# fmt: on
COMPRESSED = frozenset([".gz", ".bz2", ".xz", ".zst"])
PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
PROMISED = {".parquet": (PARQUET,), ".feather": (ARROW_FILE,), ".arrow": (ARROW_FILE, ARROW_STREAM)}


def read_table(
    source: str | Path,
    *,
    separator: str | None = None,
    na: Sequence[str] = DEFAULT_NA,
    header: bool = True,
    encoding: str = "utf-8",
) -> pl.DataFrame:
    """Read a table from a file, or standard input (``-``), as a polars frame."""
    import polars as pl

    frame = read_frame(source, separator=separator, na=na, header=header, encoding=encoding)
    if isinstance(frame, pl.DataFrame):
        return frame
    with translated(f"{source} cannot be read as a table"):
        is_pandas = hasattr(frame, "iloc")
        return pl.DataFrame(pl.from_pandas(frame) if is_pandas else pl.from_arrow(_narrowed(frame)))


def _narrowed(frame: Any) -> Any:
    """Give a frame of pyarrow decimals of at most 128 bits; those that need more raise."""
    import pyarrow as pa

    for k, field in enumerate(frame.schema):
        if pa.types.is_decimal256(field.type):
            narrow = pa.decimal128(38, field.type.scale)
            frame = frame.set_column(k, field.name, frame.column(k).cast(narrow))
        elif has_wide_decimals(field.type):
            msg = f"column {field.name!r} holds {field.type}; give each part a column of its own"
            raise InvalidTableError(msg)
    return frame


def read_frame(
    source: str | Path,
    *,
    separator: str | None = None,
    na: Sequence[str] = DEFAULT_NA,
    header: bool = True,
    encoding: str = "utf-8",
) -> Any:
    """Read a table as the frame that keeps most of it: of polars, or of pyarrow or pandas with categories."""
    is_file = str(source) != "-"
    origin, suffix = (str(source), _suffix(Path(source))) if is_file else ("standard input", "")
    _refuse_other_formats(origin, suffix)
    data = _decompressed(read_bytes(source) if is_file else _standard_input(), origin)
    if not data:
        msg = f"{origin} is empty; a header line and rows of values are needed"
        raise FileFormatError(msg)
    if suffix in SHEETS or suffix in STATISTICS:
        return _with_rows(read_workbook(data, origin, suffix), origin)
    _check_promise(data, origin, suffix)
    frame = _read_binary(data, origin)
    if frame is not None:
        return frame
    separator = "\t" if separator is None and suffix in (".tsv", ".tab") else separator
    return parse_text(data, TextFormat(origin, separator, tuple(na), header, encoding))


def _standard_input() -> bytes:
    """Read standard input whole."""
    if sys.stdin is None:  # closed by whoever started us
        msg = "standard input is closed; give the name of a file, or send a table through a pipe"
        raise FileFormatError(msg)
    return sys.stdin.buffer.read()


def encode_file(  # noqa: PLR0913 - the options of reading and of encoding side by side
    source: str | Path,
    *,
    separator: str | None = None,
    na: Sequence[str] = DEFAULT_NA,
    header: bool = True,
    encoding: str = "utf-8",
    missing: str = "error",
    bins: Bins = None,
    drop: Iterable[str | int] = (),
    keep: Iterable[str | int] | None = None,
    weights: Any = None,
    max_memory: int | str | None = None,
) -> EncodedTable:
    """Read a file and encode it; options as for `read_table` and `ibmap.encode`."""
    read = partial(read_frame, separator=separator, na=na, header=header, encoding=encoding)
    chosen: dict[str, Any] = {"missing": missing, "bins": bins, "drop": drop, "keep": keep}
    if str(source) == "-" or not is_set(source):
        return encode(read(source), **chosen, weights=weights)
    with scanned_set(source, read) as scan:
        return encode(scan, **chosen, weights=weights, max_memory=max_memory)


def _suffix(path: Path) -> str:
    """Give the extension that tells the format, without that of a compression."""
    suffixes = [each.lower() for each in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def _refuse_other_formats(origin: str, suffix: str) -> None:
    """Refuse what is known to be something else."""
    if suffix in OTHER_FORMATS:
        msg = f"{origin} is a {suffix} file; {READABLE}: save it as CSV or Parquet first"
        raise FileFormatError(msg)


def _decompressed(data: bytes, origin: str) -> bytes:
    """Undo the compression that the first bytes show."""
    for magic, name, undo in _COMPRESSIONS:
        if data.startswith(magic):
            try:
                return undo(data)
            except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as error:
                msg = f"{origin} is damaged: its {name} data ends early or is not valid ({error})"
                raise FileFormatError(msg) from error
            except ImportError:
                msg = f"{origin} is compressed by {name}, which needs pyarrow: pip install 'ibmap[arrow]'"
                raise FileFormatError(msg) from None
    return data


def _undo_zstd(data: bytes) -> bytes:
    """Undo zstd, which Python knows from 3.14 on."""
    if sys.version_info >= (3, 14):
        from compression import zstd

        return bytes(zstd.decompress(data))
    import pyarrow as pa

    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        return bytes(stream.read())


_COMPRESSIONS: tuple[tuple[bytes, str, Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", "gzip", gzip.decompress),
    (b"BZh", "bzip2", bz2.decompress),
    (b"\xfd7zXZ\x00", "xz", lzma.decompress),
    (b"\x28\xb5\x2f\xfd", "zstd", _undo_zstd),
)


def _check_promise(data: bytes, origin: str, suffix: str) -> None:
    """Refuse a file whose content is not what its extension says, and archives."""
    if suffix in PROMISED and not data.startswith(PROMISED[suffix]):
        msg = f"{origin} is not a {suffix[1:]} file, though its name says so; {READABLE}"
        raise FileFormatError(msg)
    if data.startswith(b"PK\x03\x04"):
        msg = (
            f"{origin} is a zip archive or a workbook without its ending (.xlsx); {READABLE}: unpack it or "
            "save it as CSV first"
        )
        raise FileFormatError(msg)


def _read_binary(data: bytes, origin: str) -> Any:
    """Read Parquet or Arrow data; None if it is neither."""
    import polars as pl

    readers: dict[bytes, Any] = {
        PARQUET: pl.read_parquet,
        ARROW_FILE: pl.read_ipc,
        ARROW_STREAM: pl.read_ipc_stream,
    }
    reader = next((readers[magic] for magic in readers if data.startswith(magic)), None)
    if reader is None:
        return None
    with translated(f"{origin} is damaged or of an unknown kind of Parquet or Arrow"):
        frame = _by_pyarrow(data) if find_spec("pyarrow") is not None else None
        return _with_rows(reader(io.BytesIO(data)) if frame is None else frame, origin)


def _by_pyarrow(data: bytes) -> Any:
    """Read Parquet or Arrow data of which polars would lose something by pyarrow; None if it would not."""
    # polars forgets the order of categories and levels that do not occur, and panics at wide decimals
    import pyarrow as pa
    import pyarrow.parquet

    source = pa.BufferReader(data)
    if data.startswith(PARQUET):
        opened = pyarrow.parquet.ParquetFile(source)
        schema, read = opened.schema_arrow, opened.read
    else:
        opened = (pa.ipc.open_file if data.startswith(ARROW_FILE) else pa.ipc.open_stream)(source)
        schema, read = opened.schema, opened.read_all
    if not any(pa.types.is_dictionary(each) or has_wide_decimals(each) for each in schema.types):
        return None
    table = read()
    table.validate(full=True)  # places outside of the data would be read without a question
    return table


def _with_rows(frame: Any, origin: str) -> Any:
    """Refuse a table without rows."""
    if not len(frame):
        names = ", ".join(map(str, getattr(frame, "column_names", frame.columns)[:12]))
        msg = f"{origin} has no rows (its columns are {names}); at least one is needed"
        raise InvalidTableError(msg)
    return frame
