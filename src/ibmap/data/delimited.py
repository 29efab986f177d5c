"""Delimited text into a polars frame, with types found over the whole file.

A column is whole numbers only if every value is one, written plainly: ``007`` and numbers
of more than 18 digits stay text, so that postal codes and account numbers keep their
digits. Lines are checked before polars reads them, because it would fill short ones.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ibmap.data.containers import default_names, duplicate_message
from ibmap.data.foreign import translated
from ibmap.data.text import either
from ibmap.errors import DataWarning, FileFormatError, InvalidOptionError, InvalidTableError

if TYPE_CHECKING:
    import polars as pl

SEPARATORS = (",", ";", "\t", "|")
SEPARATOR_NAMES = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
WHOLE = r"^(0|-?[1-9][0-9]{0,17})$"
DECIMAL = (
    r"^-?((0|[1-9][0-9]{0,17})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-]?(inf|Inf|INF|infinity|Infinity)$"
)
PADDED = r"^\s|\s$"
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before that of UTF-16, which it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
NOT_OF_FILES = {"punycode", "idna", "undefined", "unicode-escape", "raw-unicode-escape", "utf-7"}
BLOCK = 1 << 24  # bytes of text checked at a time
SAMPLE = 1 << 16  # bytes of text from which the separator is guessed


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written."""

    origin: str  # what to call the file in messages
    separator: str | None = None  # between two values; guessed if None
    na: tuple[str, ...] = ()  # what stands for a missing value, besides nothing at all
    header: bool = True  # whether the first line holds the column names
    encoding: str = "utf-8"  # how characters are written as bytes


def parse_text(data: bytes, form: TextFormat) -> pl.DataFrame:
    """Read delimited text."""
    text = _as_utf8(data, form)
    separator = _checked_separator(form.separator) or guess_separator(text)
    if not text or text.isspace():
        msg = f"{form.origin} is empty; a header line and rows of values are needed"
        raise FileFormatError(msg)
    try:
        first = next(filter(None, csv.reader(_lines(text), delimiter=separator)))
    except csv.Error as error:
        raise FileFormatError(_too_long(form.origin, 1, error)) from None
    text = _checked_lines(text, separator, len(first), form.origin)
    names = _header_names(first, form) if form.header else default_names(len(first))
    return _parse_columns(text, separator, names, form)


def guess_separator(text: bytes) -> str:
    """Guess the separator: it splits the first lines alike, and into the most values."""
    sample = text[:SAMPLE].decode("utf-8", errors="replace").splitlines()
    sample = [line for line in sample if line.strip()][:20]
    if len(text) > SAMPLE and len(sample) > 1:
        sample.pop()  # it may be cut short

    def merit(separator: str) -> tuple[bool, int]:
        try:
            widths = [len(row) for row in csv.reader(sample, delimiter=separator)] or [1]
        except csv.Error:  # a value too long, which is refused later
            return False, 0
        return len(set(widths)) == 1 and widths[0] > 1, widths[0]

    return max(SEPARATORS, key=merit)


def _checked_separator(separator: str | None) -> str | None:
    """Refuse separators that are not one character."""
    if separator is None:
        return None
    chosen = SEPARATOR_NAMES.get(separator, separator)
    if len(chosen) != 1 or not chosen.isascii() or chosen in '"\r\n':
        msg = f"separator is {separator!r}; it must be one character such as ',' or 'tab'"
        raise InvalidOptionError(msg)
    return chosen


def _as_utf8(data: bytes, form: TextFormat) -> bytes:
    """Decode and encode again where needed; refuse what is no text."""
    encoding = next((name for mark, name in MARKS.items() if data.startswith(mark)), form.encoding)
    try:
        is_utf8 = _encoding_name(encoding) in ("utf-8", "ascii")
        if not (is_utf8 and data.isascii()):
            text = data.decode("utf-8-sig" if is_utf8 else encoding)
            data = text.encode() if not is_utf8 else data.removeprefix(codecs.BOM_UTF8)
    except LookupError:
        option = either("encoding=", "--encoding")
        msg = f"{option} {encoding!r} is no encoding of files; usual ones are utf-8, latin-1 and cp1252"
        raise InvalidOptionError(msg) from None
    except UnicodeDecodeError as error:
        raise FileFormatError(_undecodable(data, error, form)) from None
    except (UnicodeError, ValueError) as error:
        msg = f"{form.origin} is not {encoding}: {error}"
        raise FileFormatError(msg) from None
    if b"\0" in data:
        msg = f"{form.origin} holds binary data, not text; ibmap reads CSV, TSV, Parquet and Arrow files"
        raise FileFormatError(msg)
    return data if b"\n" in data else data.replace(b"\r", b"\n")


def _encoding_name(encoding: str) -> str:
    """Find the usual name of an encoding; raise LookupError if files are not written in it."""
    name = codecs.lookup(encoding).name.replace("_", "-")
    if name in NOT_OF_FILES:
        raise LookupError(encoding)
    return name


def _undecodable(data: bytes, error: UnicodeDecodeError, form: TextFormat) -> str:
    """Say which byte is not in the encoding."""
    if b"\0" in data[:SAMPLE]:
        return f"{form.origin} holds binary data, not text; ibmap reads CSV, TSV, Parquet and Arrow files"
    line = data.count(b"\n", 0, error.start) + 1
    return (
        f"{form.origin}, line {line}: byte 0x{data[error.start]:02x} at offset {error.start} is not "
        f"{form.encoding}; give the encoding of the file, such as "
        + either("encoding='latin-1'", "--encoding latin-1")
    )


def _lines(text: bytes) -> Iterator[str]:
    """Give the lines one by one, with their ends."""
    return io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")


def _header_names(cells: Sequence[str], form: TextFormat) -> list[str]:
    """Take the column names from the header; a cell without text gets the name of its number."""
    hint = f"if the file has no header line, say {either('header=False', '--no-header')}"
    names = [cell.strip() or f"x{k}" for k, cell in enumerate(cells)]
    if len(set(names)) < len(names):
        msg = f"{form.origin}: {duplicate_message(names)}; {hint}"
        raise InvalidTableError(msg)
    if all(re.match(DECIMAL, name) for name in names):
        message = f"{form.origin}: the header line holds only numbers; {hint}"
        warnings.warn(message, DataWarning, stacklevel=5)
    return names


def _checked_lines(text: bytes, separator: str, n_fields: int, origin: str) -> bytes:
    """Refuse lines of another number of values than the first; leave out blank lines."""
    if b'"' in text:
        return _checked_records(text, separator, n_fields, origin)
    has_blank = False
    for line, found in _odd_lines(text, separator, n_fields):
        if found:
            raise FileFormatError(_ragged(origin, line, found, n_fields))
        has_blank = True
    return re.sub(rb"(\r?\n)+", b"\n", text).lstrip(b"\n") if has_blank else text


def _odd_lines(text: bytes, separator: str, n_fields: int) -> Iterator[tuple[int, int]]:
    """Find lines without the right number of values: their number, and how many values; 0 if blank."""
    start, line = 0, 1
    while start < len(text):
        stop = text.find(b"\n", min(start + BLOCK, len(text))) + 1 or len(text)
        widths = _widths(np.frombuffer(text, np.uint8, stop - start, start), separator)
        odd = np.flatnonzero(widths != n_fields)
        yield from zip((line + odd).tolist(), widths[odd].tolist(), strict=True)
        start, line = stop, line + len(widths)


def _widths(block: NDArray[np.uint8], separator: str) -> NDArray[np.int64]:
    """Count the values of each line; 0 for blank lines."""
    ends = np.flatnonzero(block == ord("\n"))
    if block[-1] != ord("\n"):
        ends = np.append(ends, len(block))
    begins = np.concatenate([[0], ends[:-1] + 1])
    separators = np.flatnonzero(block == ord(separator))
    widths = np.diff(np.searchsorted(separators, ends), prepend=0) + 1
    returns = (ends - begins == 1) & (block[begins] == ord("\r"))
    widths[(ends == begins) | returns] = 0
    return widths


def _ragged(origin: str, line: int, found: int, expected: int) -> str:
    """Say which line has too many or too few values."""
    return (
        f"{origin}, line {line}: {found} values where the first line has {expected}; every line needs "
        "the same number (a value that contains the separator goes in double quotes; see also --separator)"
    )


def _checked_records(text: bytes, separator: str, n_fields: int, origin: str) -> bytes:
    """Check text with quotes, record by record."""
    reader = csv.reader(_lines(text), delimiter=separator, strict=True)
    unclear, line = False, 1  # blank records, and quotes inside values, which polars reads in its own way
    try:
        for record in reader:
            if record and len(record) != n_fields:
                raise FileFormatError(_ragged(origin, line, len(record), n_fields))
            unclear |= not record or '"' in "".join(record)
            line = reader.line_num + 1
    except csv.Error as error:
        raise FileFormatError(_too_long(origin, line, error)) from None
    return _written_again(text, separator) if unclear else text


def _too_long(origin: str, line: int, error: csv.Error) -> str:
    """Say what the reader of records does not take: quotes left open, or a value without end."""
    if "field larger" in str(error):
        limit = csv.field_size_limit()
        return f"{origin}, line {line}: a value has over {limit:,} characters; is this a table? Leave it out"
    return f"{origin}, line {line}: a double quote is not closed or not doubled ({error})"


def _written_again(text: bytes, separator: str) -> bytes:
    """Write all records but the blank ones again, with quotes as they should be."""
    out = io.StringIO()
    records = csv.reader(_lines(text), delimiter=separator)
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(filter(None, records))
    return out.getvalue().encode()


def _parse_columns(text: bytes, separator: str, names: list[str], form: TextFormat) -> pl.DataFrame:
    """Find the types, read, and tidy the columns with spaces around their values."""
    import polars as pl

    options: dict[str, Any] = {
        "has_header": form.header,
        "separator": separator,
        "null_values": sorted({"", *form.na}),
    }
    with translated(f"{form.origin} cannot be read as delimited text"):
        types, padded = _column_types(pl.scan_csv(text, infer_schema=False, **options))
        frame = pl.read_csv(text, schema_overrides=types, **options)
    if frame.width != len(names):  # line ends and quotes that two readers take differently
        msg = (
            f"{form.origin} has {len(names)} names and {frame.width} columns; are quotes or line ends mixed?"
        )
        raise FileFormatError(msg)
    frame.columns = names
    if "NA" in form.na and b"NA" in text:
        _warn_of_codes(frame, pl.scan_csv(text, infer_schema=False, **{**options, "null_values": [""]}))
    if not frame.height:
        msg = f"{form.origin} has a header line but no rows; at least one row of values is needed"
        raise InvalidTableError(msg)
    tidy = [_tidied(frame.to_series(k), form.na) for k in padded]
    return frame.with_columns(tidy)


def _column_types(lazy: pl.LazyFrame) -> tuple[list[Any], list[int]]:
    """Find the type of each column, and which columns have spaces around values."""
    import polars as pl

    names = lazy.collect_schema().names()
    columns = [pl.col(name) for name in names]
    questions = [column.str.contains(WHOLE).all() for column in columns]
    facts = _ask(lazy, questions + [column.str.len_bytes().max() for column in columns])
    whole, lengths = facts[: len(names)], facts[len(names) :]
    types: list[Any] = [_integer_type(length) for length in lengths]
    others = [k for k in range(len(names)) if not whole[k]]
    decimal = _ask(lazy, [columns[k].str.contains(DECIMAL).all() for k in others])
    padded = _ask(lazy, [columns[k].str.contains(PADDED).any() for k in others])
    for k, is_number in zip(others, decimal, strict=True):
        types[k] = pl.Float64 if is_number and _is_told_apart(lazy, columns[k]) else pl.String
    return types, [k for k, has_spaces in zip(others, padded, strict=True) if has_spaces]


def _is_told_apart(lazy: pl.LazyFrame, column: pl.Expr) -> bool:
    """Tell whether values with exponents are as many numbers as texts; 0E1 and 0E2 are codes."""
    import polars as pl

    has_exponents, n_texts, n_numbers = _ask(
        lazy,
        [
            column.str.contains("[eE]").any(),
            column.n_unique(),
            column.cast(pl.Float64, strict=False).n_unique(),
        ],
    )
    return not has_exponents or n_texts == n_numbers


def _warn_of_codes(frame: pl.DataFrame, lazy: pl.LazyFrame) -> None:
    """Point out that NA is read as missing among codes of two capital letters, such as countries."""
    import polars as pl

    written = lazy.collect_schema().names()
    holed = [k for k, each in enumerate(frame) if each.dtype == pl.String and each.null_count()]
    codes = [k for k in holed if frame.to_series(k).drop_nulls().str.contains(r"^[A-Z]{2}$").all()]
    counts = _ask(lazy, [(pl.col(written[k]) == "NA").sum() for k in codes])
    for k, count in zip(codes, counts, strict=True):
        if count and frame.to_series(k).count():
            remedy = either("na=('?',)", "--na ?")
            msg = (
                f"column {frame.columns[k]!r}: 'NA' is read as missing ({count} of {frame.height} rows), "
                f"among codes of two letters; if it is a code, name other marks of missing values: {remedy}"
            )
            warnings.warn(msg, DataWarning, stacklevel=6)


def _ask(lazy: pl.LazyFrame, questions: list[pl.Expr]) -> list[Any]:
    """Answer one question per column in one pass over the text, without holding the table."""
    if not questions:
        return []
    named = [question.alias(str(k)) for k, question in enumerate(questions)]
    return list(lazy.select(named).collect(engine="streaming").row(0))


def _integer_type(length: int | None) -> Any:
    """Choose the smallest type for whole numbers of so many characters."""
    import polars as pl

    limits = {2: pl.Int8, 4: pl.Int16, 9: pl.Int32}
    return next((dtype for limit, dtype in limits.items() if (length or 0) <= limit), pl.Int64)


def _tidied(series: pl.Series, na: Sequence[str]) -> pl.Series:
    """Strip the values of a column and find its type again."""
    import polars as pl

    stripped = series.str.strip_chars()
    stripped = stripped.set(stripped.is_in(["", *na]), None)
    whole, decimal = stripped.str.contains(WHOLE).all(), stripped.str.contains(DECIMAL).all()
    return stripped.cast(pl.String if not decimal else pl.Int64 if whole else pl.Float64)
