"""Hostile tables: text, bytes, files of Arrow types, frames and arrays. The same seed gives the same table."""

import gzip
import io
import warnings
from datetime import date, time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather, parquet

from .hostile import CELLS, ENCODINGS, NAMES, damaged_bytes


def text_table(rng):
    """A file of text with a hostile header, cells, quotes, line ends and encoding."""
    n_columns, n_rows = rng.randint(0, 6), rng.choice([0, 1, 2, 5, 30])
    separator, end = rng.choice([",", ";", "\t", "|", " "]), rng.choice(["\n", "\r\n", "\r"])
    pool = rng.sample(CELLS, rng.randint(2, 8))

    def cell(value):
        way = rng.random()
        return '"' + value.replace('"', '""') + '"' if way < 0.3 else f'"{value}' if way < 0.31 else value

    lines = [separator.join(cell(rng.choice(NAMES)) for _ in range(n_columns))]
    for _ in range(n_rows):
        ragged = n_columns + (rng.choice([-1, 1, 5]) if rng.random() < 0.02 else 0)
        lines.append(separator.join(cell(rng.choice(pool)) for _ in range(ragged)))
    text = end.join(lines) + rng.choice([end, ""])
    if rng.random() < 0.02:
        text += "x" * 200_000
    data = text.encode(rng.choice(ENCODINGS) if rng.random() < 0.2 else "utf-8", errors="replace")
    data = damaged_bytes(data, rng) if rng.random() < 0.2 else data
    return gzip.compress(data) if rng.random() < 0.05 else data


def arrow_columns(n, rng):
    """A column of each of many Arrow types."""
    small = [rng.randrange(3) for _ in range(n)]
    some = [None if rng.random() < 0.1 else value for value in small]
    made = {
        "int": pa.array(some, pa.int8()), "big": pa.array([2**63 + k for k in small], pa.uint64()),
        "float": pa.array([float("nan") if k == 2 else k / 3 for k in small]), "half": pa.array(np.array(small, "f2")),
        "decimal": pa.array([Decimal(f"{k}.{'1' * 20}") for k in small], pa.decimal128(30, 20)),
        "wide": pa.array([Decimal(k) for k in small], pa.decimal256(60, 2)),
        "text": pa.array([rng.choice(CELLS) for _ in small]), "large": pa.array(list(map(str, small)), pa.large_string()),
        "bytes": pa.array([bytes([k, 255]) for k in small]), "fixed": pa.array([b"ab"] * n, pa.binary(2)),
        "bool": pa.array([k > 0 for k in small]), "null": pa.nulls(n),
        "date": pa.array([date(2024, 1, 1 + k) for k in small]), "time": pa.array([time(k) for k in small]),
        "span": pa.array([timedelta(k) for k in small]), "stamp": pa.array([10**18 * k for k in small], pa.timestamp("ns", "UTC")),
        "list": pa.array([[k] for k in small]), "struct": pa.array([{"a": k} for k in small]),
        "category": pa.array(list(map(str, small))).dictionary_encode(),
        "category of numbers": pa.array(some).dictionary_encode(),
        "map": pa.array([[("a", k)] for k in small], pa.map_(pa.string(), pa.int64())),
    }  # fmt: skip
    chosen = rng.sample(sorted(made), rng.randint(1, 4))
    return pa.table(
        [made[name] for name in chosen], [rng.choice(NAMES) + str(k) for k, _ in enumerate(chosen)]
    )


def binary_table(rng):
    """A Parquet, Feather or Arrow file, whole or damaged; or any bytes."""
    if rng.random() < 0.1:
        return rng.randbytes(rng.randrange(300)), ".parquet"
    table, buffer, ending = (
        arrow_columns(rng.choice([0, 1, 20]), rng),
        io.BytesIO(),
        rng.choice([".parquet", ".feather"]),
    )
    try:
        if ending == ".parquet":
            parquet.write_table(table, buffer)
        else:
            feather.write_feather(table, buffer, compression="uncompressed")
    except (pa.ArrowException, NotImplementedError):  # a type that the format does not have
        return b"", ending
    data = buffer.getvalue()
    return damaged_bytes(data, rng) if rng.random() < 0.5 else data, ending


OBJECTS = (
    None, 0, 1, "a", "b", 2.5, True, 2**70, Decimal("NaN"), Decimal("sNaN"), "\ud800", b"x", (1, 2), [1], {}, object,
    float("inf"), float("nan"), date(2024, 1, 1), 1 + 2j, np.float32(1), np.datetime64("NaT"), pd.NA, pd.NaT, "",
)  # fmt: skip


def frame(rng):
    """A table in memory: a frame of any library, an array, or lists."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _frame(rng)
        except BaseException:  # what its own library refuses to make, or panics at
            return [["a", 1], ["b", 2]]


def _frame(rng):  # noqa: PLR0911
    n = rng.choice([0, 1, 3, 20])
    pool = rng.sample(OBJECTS, rng.randint(1, 4))
    rows = [[rng.choice(pool) for _ in range(rng.choice([2, 2, 2, 3]))] for _ in range(n)]
    way = rng.randrange(8)
    if way == 0:
        return arrow_columns(n, rng)
    if way == 1:
        return pl.from_arrow(arrow_columns(n, rng))
    if way == 2:
        return arrow_columns(n, rng).to_pandas()
    if way == 3:
        return pd.DataFrame(
            [row[:2] for row in rows], columns=[rng.choice(NAMES), rng.choice(NAMES)] if n else None
        )
    if way == 4:
        shape = rng.choice([(n,), (n, 2), (n, 2, 2), (), (0, 3), (n, 0)])
        return np.zeros(
            shape, rng.choice(["f8", "i8", "u8", "?", "c16", "U3", "S3", "M8[s]", "O", "i4,f4", "f2"])
        )
    if way == 5:
        return pd.DataFrame({"a": pd.arrays.SparseArray([0, 1] * n), "b": pd.Categorical(["x", "y"] * n)})
    if way == 6:
        made = np.empty((n, 2), object)
        for k in range(n):
            made[k] = [rng.choice(pool), rng.choice(pool)]
        return made
    return rng.choice(
        [rows, tuple(map(tuple, rows)), {"a": pool}, "text", 5, None, iter(rows), [1, 2], [[]], {}]
    )
