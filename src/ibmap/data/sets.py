"""Sets of files as one table: a folder of Parquet files, or a pattern such as ``year=*/part-*.parquet``.

Files of another kind are read one after the other, each as if it was the only one, and written as Parquet.
"""

from __future__ import annotations

import glob  # patterns with ** and folders that begin with /, which Path.glob does not take
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibmap.data.foreign import translated
from ibmap.data.parts import PartWriter
from ibmap.data.scans import Levels, Scan
from ibmap.data.scratch import scratch_folder
from ibmap.errors import FileFormatError

if TYPE_CHECKING:
    import polars as pl

ENDING = ".parquet"


def is_set(source: str | Path) -> bool:
    """Tell whether a name stands for several files: a folder, or a pattern that is no file."""
    path = Path(source)
    return path.is_dir() or (glob.has_magic(str(source)) and not path.exists())


@contextmanager
def scanned_set(source: str | Path, read: Callable[[str], Any]) -> Iterator[Scan]:
    """Open a set of files; read: reads one that is no Parquet."""
    files = _files(source)
    with scratch_folder() as folder:
        if {Path(each).suffix.lower() for each in files} != {ENDING}:
            levels = _converted(files, read, folder)
            files = sorted(str(each) for each in folder.glob("*" + ENDING))
            yield Scan(str(source), tuple(files), folder, levels=levels)
            return
        _check_columns(files)
        levels = _declared(files) if find_spec("pyarrow") is not None else {}
        yield Scan(str(source), tuple(files), folder, is_partitioned=True, levels=levels)


def _files(source: str | Path) -> list[str]:
    """List the files of a set, in the order of their names."""
    is_folder = Path(source).is_dir()
    if is_folder:
        found = [str(each) for each in Path(source).rglob("*" + ENDING)]
    else:
        found = [each for each in glob.glob(str(source), recursive=True) if Path(each).is_file()]  # noqa: PTH207
    if not found and is_folder:
        msg = f"{source} is a folder without {ENDING} files; give one of the files in it, or a pattern"
        raise IsADirectoryError(msg)
    if not found:
        msg = f"no file matches {source}; check the pattern and the folder"
        raise FileNotFoundError(msg)
    return sorted(found)


def _converted(files: Sequence[str], read: Callable[[str], Any], folder: Path) -> dict[str, Levels]:
    """Write files of any kind as Parquet; give the values that their categories declare."""
    import polars as pl

    writer = PartWriter(folder)
    for file in files:
        frame = read(file)
        if isinstance(frame, pl.DataFrame):
            writer.add(frame, file, {})
        else:
            with translated(f"{file} cannot be read as a table"):
                plain, levels = _without_categories(frame)
            writer.add(plain, file, levels)
    return writer.finish()


def _without_categories(frame: Any) -> tuple[pl.DataFrame, dict[str, Levels]]:
    """Give a frame of pyarrow or pandas with the values of its categories, and what these declare."""
    import polars as pl
    import pyarrow as pa

    table = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame, preserve_index=False)
    levels = {}
    for k, each in enumerate(table.schema):
        if pa.types.is_dictionary(each.type):
            column = table.column(k)
            own = [value for chunk in column.chunks for value in chunk.dictionary.to_pylist()]
            known = dict.fromkeys(value for value in own if value is not None)
            levels[each.name] = Levels(list(known), bool(each.type.ordered))
            table = table.set_column(k, each.name, column.cast(each.type.value_type))
    return pl.DataFrame(pl.from_arrow(table)), levels


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


def _declared(files: Sequence[str]) -> dict[str, Levels]:
    """Give the values that categories declare, seen or not; polars forgets them and their order."""
    import pyarrow as pa
    import pyarrow.parquet

    schema = pyarrow.parquet.read_schema(files[0])
    kinds = {each.name: each.type for each in schema if pa.types.is_dictionary(each.type)}
    found: dict[str, dict[Any, None]] = {name: {} for name in kinds}
    for file in files if kinds else ():
        with translated(f"{file} is damaged or of an unknown kind of Parquet"):
            for batch in pyarrow.parquet.ParquetFile(file).iter_batches(columns=list(kinds)):
                for name, values in zip(batch.schema.names, batch.columns, strict=True):
                    own = values.dictionary.to_pylist()
                    found[name].update(dict.fromkeys(each for each in own if each is not None))
    return {name: Levels(list(each), bool(kinds[name].ordered)) for name, each in found.items()}
