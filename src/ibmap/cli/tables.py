"""Tables and models as files."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ibmap.cli.console import say
from ibmap.cli.flags import argument, flag
from ibmap.cli.options import check_place
from ibmap.data.text import harmless, harmless_value, printable
from ibmap.errors import InvalidOptionError

if TYPE_CHECKING:
    import polars as pl

    from ibmap.model import MarkovNetwork

MODEL = argument("MODEL", "A model: .json as ibmap fit writes it, or .uai.")
PATH = flag("-", ".csv or .parquet; - for CSV on standard output.", "FILE", "--output", "-o")
UNSEEN = flag("error", "Values that are no state of the model: refuse them, or take them as missing.")
Unseen = Literal["error", "missing"]


def check_table_output(path: str) -> None:
    """Refuse a place where no table can be written; ``-`` is standard output."""
    if path != "-":
        check_place(path, "table", ".csv", ".parquet")


def write_table(frame: "pl.DataFrame", path: str) -> None:
    """Write a table as CSV or Parquet; labels of several types in one column are written as text.

    In CSV, text that a spreadsheet would run is marked. Standard output shows control characters as escapes.
    """
    import polars as pl

    from ibmap.data.files import write_atomically

    is_csv = not path.lower().endswith(".parquet")
    texts = [_as_text(each, is_csv, path == "-") for each in frame if each.dtype in (pl.Object, pl.String)]
    buffer = io.BytesIO()
    plain = frame.with_columns(texts)
    if is_csv:
        plain.columns = [_shown(harmless(name), path == "-") for name in plain.columns]
        plain.write_csv(buffer)
    else:
        plain.write_parquet(buffer)
    if path == "-":
        sys.stdout.write(buffer.getvalue().decode())
    else:
        write_atomically(path, buffer.getvalue())


def _as_text(column: "pl.Series", is_csv: bool, is_shown: bool) -> "pl.Series":
    """Write values as text, harmless in CSV."""
    import polars as pl

    texts = [None if each is None else str(each) for each in column]
    if is_csv:
        shown = {text: _shown(harmless_value(text), is_shown) for text in texts if text is not None}
        texts = [None if text is None else shown[text] for text in texts]
    return pl.Series(column.name, texts, pl.String)


def _shown(text: str, is_shown: bool) -> str:
    """Give text as standard output may carry it, or as it is."""
    return printable(text) if is_shown else text


def write_answer(frame: "pl.DataFrame", path: str) -> None:
    """Write a table and say so, unless it goes to standard output."""
    write_table(frame, path)
    if path != "-":
        say(f"written: {path}")


def read_model(path: str) -> "MarkovNetwork":
    """Read a model in JSON, or in the UAI format if its name ends in ``.uai``."""
    from ibmap.model import MarkovNetwork

    return MarkovNetwork.load_uai(path) if Path(path).suffix.lower() == ".uai" else MarkovNetwork.load(path)


def read_given(model: "MarkovNetwork", given: Sequence[str]) -> dict[str, str]:
    """Read conditions such as ``outlook=sunny``; names of the model may have ``=`` in them."""
    found: dict[str, str] = {}
    for condition in given:
        cuts = [k for k, character in enumerate(condition) if character == "="]
        if not cuts:
            msg = f"--given {condition}: it must be VARIABLE=STATE"
            raise InvalidOptionError(msg)
        known = [k for k in cuts if condition[:k] in model.names]
        cut = known[-1] if known else cuts[0]
        if condition[:cut] in found:
            msg = f"--given {condition}: {condition[:cut]!r} is given twice"
            raise InvalidOptionError(msg)
        found[condition[:cut]] = condition[cut + 1 :]
    return found
