"""A table written as Parquet files, part by part: its columns get one type, whatever a part makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibmap.data.scans import Levels
from ibmap.errors import FileFormatError, IbmapError

if TYPE_CHECKING:
    import polars as pl


class PartWriter:
    """Writes frames to a folder."""

    def __init__(self, folder: Path, kind: type[IbmapError] = FileFormatError) -> None:
        self._folder, self._kind = folder, kind  # of what is wrong
        self._names: list[str] = []
        self._schemas: dict[str, dict[str, Any]] = {}  # of columns with a value, by what a part is called
        self._types: dict[str, Any] = {}
        self._levels: dict[str, tuple[dict[Any, None], bool]] = {}

    def add(self, frame: pl.DataFrame, origin: str, levels: Mapping[str, Levels]) -> None:
        """Write one part; levels: what the types of its columns declare."""
        if self._schemas and frame.columns != self._names:
            self._refuse_columns(frame.columns, origin)
        self._names = frame.columns
        for name, own in levels.items():
            labels, ordered = self._levels.get(name, ({}, True))
            self._levels[name] = ({**labels, **dict.fromkeys(own.labels)}, ordered and own.ordered)
        frame.write_parquet(self._path(len(self._schemas)))
        schema = {each.name: each.dtype for each in frame if each.null_count() < len(each)}
        for name, own_type in schema.items():
            self._types[name] = self._common(name, own_type, origin)
        self._schemas[origin] = schema

    def finish(self) -> dict[str, Levels]:
        """Give columns the type that all parts have in common; tell what their types declare."""
        import polars as pl

        for k, schema in enumerate(self._schemas.values()):
            other = [pl.col(name).cast(own) for name, own in self._types.items() if schema.get(name) != own]
            if other:
                path = self._path(k)
                pl.read_parquet(path, memory_map=False).with_columns(other).write_parquet(path)
        return {name: Levels(list(labels), ordered) for name, (labels, ordered) in self._levels.items()}

    def _common(self, name: str, own: Any, origin: str) -> Any:
        """Find a type for the values of a column in all parts so far, none of which it changes."""
        import polars as pl

        known = self._types.get(name, own)
        if known == own:
            return own
        if known.is_integer() and own.is_integer():
            return pl.Int64
        if known.is_numeric() and own.is_numeric():
            return pl.Float64
        if all(each.is_integer() or each == pl.String for each in (known, own)):
            return pl.String
        there = next(part for part, schema in self._schemas.items() if name in schema)
        msg = (
            f"{origin}: column {name!r} is {own}, but in {there} it is {known}; all parts of a table need "
            "the same columns of the same types"
        )
        raise self._kind(msg)

    def _refuse_columns(self, names: list[str], origin: str) -> None:
        """Refuse a part with other columns than the first."""
        first = next(iter(self._schemas))
        odd = next((name for name in self._names if name not in names), None)
        told = f"has no column {odd!r}, which {first} has" if odd else f"has other columns than {first}"
        msg = f"{origin} {told}; all parts of a table need the same columns in the same order"
        raise self._kind(msg)

    def _path(self, k: int) -> Path:
        """Name the file of a part; in the order of the names they are in order."""
        return self._folder / f"part-{k:08}.parquet"
