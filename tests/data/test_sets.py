"""A set of Parquet files is read as the same table in memory would be."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from ibmap.data.files import encode_file
from ibmap.errors import FileFormatError, InvalidOptionError, MissingLibraryError, TooLargeError


def written(frame, folder, n_files=3):
    """Write a frame as several files; give the pattern that matches them."""
    for k, rows in enumerate(np.array_split(np.arange(frame.height), n_files)):
        frame[rows].write_parquet(folder / f"part-{k}.parquet")
    return str(folder / "part-*.parquet")


@st.composite
def frames(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows, n = draw(st.integers(1000, 3000)), draw(st.integers(2, 5))
    first = rng.integers(0, 2, n_rows)
    columns = {"a": first}
    for k in range(1, n):
        copied = rng.random(n_rows) < 0.7
        states = rng.integers(0, draw(st.integers(2, 14)), n_rows)
        columns[f"b {k}'\""] = np.where(copied, first, states)
    frame = pl.DataFrame(columns)
    if draw(st.booleans()):
        frame = frame.with_columns(pl.col("a").replace_strict({0: "no", 1: "yes"}))
    if draw(st.booleans()):
        frame = frame.with_columns(pl.when(pl.Series(rng.random(n_rows) > 0.1)).then(pl.col("a")).alias("a"))
    return frame


@given(frames(), st.sampled_from(["auto", "width", "frequency"]), st.sampled_from(["drop", "state", "use"]))
def test_a_set_learns_what_the_table_in_memory_learns(tmp_path_factory, frame, bins, missing):
    source = written(frame, tmp_path_factory.mktemp("set"))
    read = encode_file(source, bins=bins, missing=missing)
    held = ibmap.encode(frame, bins=bins, missing=missing)
    assert (read.names, read.labels, read.n_samples) == (held.names, held.labels, held.n_samples)
    ours, theirs = read.compressed(), held.compressed()
    assert ours.codes.tolist() == theirs.codes.tolist()
    assert ours.weights.tolist() == theirs.weights.tolist()
    left, right = ibmap.IBMAP().fit(read).result_, ibmap.IBMAP().fit(held).result_
    assert left.graph.edges == right.graph.edges
    assert (left.score, left.evidence) == (right.score, right.evidence)


def test_partitions_are_columns_and_folders_are_sets(tmp_path):
    frame = pl.DataFrame({"a": [0, 1] * 1000, "b": [0, 1, 1, 1] * 500})
    for year in (2020, 2021):
        (tmp_path / f"year={year}").mkdir()
        frame.write_parquet(tmp_path / f"year={year}" / "part-0.parquet")
    table = encode_file(str(tmp_path / "year=*" / "part-*.parquet"))
    assert table.names == ("a", "b", "year")
    assert table.labels[2] == (2020, 2021)
    assert (table.n_rows, table.n_samples) == (6, 4000)
    assert encode_file(tmp_path).fingerprint == table.fingerprint


def test_bad_sets_are_refused_in_our_words(tmp_path, monkeypatch):
    frame = pl.DataFrame({"a": [0, 1] * 1000, "b": [0, 1, 1, 1] * 500})
    source = written(frame, tmp_path)
    with pytest.raises(FileNotFoundError, match="no file matches"):
        encode_file(str(tmp_path / "none-*.parquet"))
    frame.rename({"b": "c"}).write_parquet(tmp_path / "part-9.parquet")
    with pytest.raises(FileFormatError, match=r"part-9\.parquet: column 'b' is not there"):
        encode_file(source)
    (tmp_path / "part-9.parquet").write_bytes(b"PAR1 damaged")
    with pytest.raises(FileFormatError, match=r"part-9\.parquet is damaged"):
        encode_file(source)
    (tmp_path / "part-9.parquet").unlink()
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(MissingLibraryError, match=r"ibmap\[scale\]"):
        encode_file(source)


def test_rows_that_hardly_repeat_are_read_if_they_fit(tmp_path):
    numbers = np.arange(40_000) * 7919 % 40_009
    source = written(pl.DataFrame({"a": numbers, "b": numbers % 2, "c": numbers % 3}), tmp_path)
    assert encode_file(source, bins="width").n_rows == 40_000
    with pytest.raises(TooLargeError, match="max_memory"):
        encode_file(source, bins="width", max_memory="100 kB")
    with pytest.raises(InvalidOptionError, match="max_memory must be"):
        encode_file(source, bins="width", max_memory="nothing")
