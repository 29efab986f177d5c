"""A set of Parquet files is read as the same table in memory would be."""

import gzip
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ibmap
from effort import examples
from ibmap.data.files import encode_file
from ibmap.data.scratch import is_mapped
from ibmap.errors import (
    FileFormatError,
    InvalidOptionError,
    InvalidTableError,
    MissingLibraryError,
    TooLargeError,
)
from ibmap.evidence.relations import relate


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


@examples(20)
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


def distinct_rows(n_rows, n_columns, seed=0):
    """Give binary columns in which hardly any row repeats, some of them related."""
    codes = np.random.default_rng(seed).integers(0, 2, (n_rows, n_columns), np.int8)
    flipped = np.random.default_rng(seed + 1).random(n_rows) < 0.2
    codes[:, 1] = codes[:, 0] ^ flipped
    return pl.DataFrame({f"v{k}": codes[:, k] for k in range(n_columns)})


@pytest.mark.compiled_only("takes minutes without kernels")
def test_a_table_that_does_not_fit_is_learned_from_without_holding_it(tmp_path):
    source = written(distinct_rows(200_000, 30), tmp_path)
    held = encode_file(source, bins="auto")
    learner = ibmap.IBMAP(max_memory="300 MB")
    expected = ibmap.IBMAP().fit(held).result_  # compiles, too
    tracemalloc.start()
    table = encode_file(source, bins="auto", max_memory="300 MB")
    found = learner.fit(table).result_
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert is_mapped(table.codes) and is_mapped(table.weights) and not is_mapped(held.codes)
    assert peak < table.codes.nbytes  # 12 MB
    assert table.fingerprint == held.fingerprint
    assert found.graph.edges == expected.graph.edges
    assert (found.score, found.evidence) == (expected.score, expected.evidence)
    assert (found.relations, found.predictability) == relate(held, expected.graph)
    assert found.descriptions == expected.descriptions
    with pytest.raises(TooLargeError, match="30 columns and 200,000 rows would take"):
        ibmap.GSMN(max_memory="300 MB").fit(table)  # which holds what it reads


def test_columns_left_out_do_not_keep_rows_apart(tmp_path):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame(
        {"id": np.arange(5000), "a": rng.integers(0, 2, 5000), "b": rng.integers(0, 3, 5000)}
    )
    source = written(frame, tmp_path)
    for table in (encode_file(source, drop=["id"]), encode_file(source, keep=["a", "b"])):
        assert (table.n_rows, table.n_samples, table.names) == (6, 5000, ("a", "b"))
        assert table.preparation.dropped_columns == ("id",)
        assert table.preparation.columns == ("id", "a", "b")


def test_a_column_of_counts_adds_up(tmp_path):
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, 6000)
    frame = pl.DataFrame({"a": a, "b": a ^ (rng.random(6000) < 0.2), "n": rng.integers(0, 4, 6000)})
    source = written(frame, tmp_path)
    read, held = encode_file(source, weights="n"), ibmap.encode(frame, weights="n")
    assert read.preparation.weights_column == "n" and read.names == ("a", "b")
    assert (read.n_rows, read.n_samples) == (held.n_rows, held.n_samples) == (4, int(frame["n"].sum()))
    assert read.fingerprint == held.fingerprint
    frame.with_columns(pl.lit(None, pl.Int64).alias("n")).write_parquet(tmp_path / "part-9.parquet")
    with pytest.raises(InvalidTableError, match="column 'n' has no number in row 6000"):
        encode_file(source, weights="n")


@pytest.mark.parametrize("n_rows", [40, 4000])
def test_declared_categories_keep_their_order_and_unseen_levels(tmp_path, n_rows):
    rng = np.random.default_rng(4)
    levels = ["small", "middle", "large"]
    sizes = rng.choice(["small", "large"], n_rows)
    frame = pd.DataFrame(
        {"size": pd.Categorical(sizes, levels, ordered=True), "b": rng.integers(0, 2, n_rows)}
    )
    for k in range(2):
        frame[k::2].to_parquet(tmp_path / f"part-{k}.parquet")
    read, held = encode_file(tmp_path), ibmap.encode(frame)
    assert read.labels == held.labels and read.ordered.tolist() == held.ordered.tolist() == [True, True]
    assert read.compressed().codes.tolist() == held.compressed().codes.tolist()


@given(frames(), st.sampled_from([".csv", ".csv.gz", ".feather"]))
@settings(max_examples=5)
def test_files_of_other_kinds_are_read_as_one_file_would_be(tmp_path_factory, frame, ending):
    folder = tmp_path_factory.mktemp("set")
    for k, part in enumerate([None, *np.array_split(np.arange(frame.height), 3)]):
        rows, path = (
            frame if part is None else frame[part],
            folder / f"{'all' if part is None else k}{ending}",
        )
        if ending == ".feather":
            rows.write_ipc(path)
        else:
            content = rows.write_csv().encode()
            path.write_bytes(gzip.compress(content) if ending == ".csv.gz" else content)
    read = encode_file(str(folder / f"[0-9]{ending}"), bins="auto", missing="use")
    held = encode_file(folder / f"all{ending}", bins="auto", missing="use")
    assert (read.names, read.labels, read.n_samples) == (held.names, held.labels, held.n_samples)
    assert read.compressed().codes.tolist() == held.compressed().codes.tolist()


def test_columns_of_text_files_have_the_type_that_one_file_would_give_them(tmp_path):
    (tmp_path / "1.csv").write_text("a,b,c,d\n1,2,7,\n300,4,7,\n")
    (tmp_path / "2.csv").write_text("a,b,c,d\n70000,2.5,x,no\n1,4,?,yes\n")
    (tmp_path / "all.csv").write_text("a,b,c,d\n1,2,7,\n300,4,7,\n70000,2.5,x,no\n1,4,?,yes\n")
    read = encode_file(str(tmp_path / "?.csv"), missing="use", bins="auto")
    held = encode_file(tmp_path / "all.csv", missing="use", bins="auto")
    assert read.labels == held.labels == ((1, 300, 70000), (2.0, 2.5, 4.0), ("7", "x"), ("no", "yes"))
    assert read.codes.tolist() == held.codes.tolist()
    (tmp_path / "3.csv").write_text("a,b,c,d\n1,no number,7,yes\n")
    with pytest.raises(FileFormatError, match=r"3\.csv: column 'b' is String, but in .*1\.csv it is Float64"):
        encode_file(str(tmp_path / "?.csv"))
    (tmp_path / "3.csv").write_text("a,c,d\n1,7,yes\n")
    with pytest.raises(FileFormatError, match=r"3\.csv has no column 'b', which .*1\.csv has"):
        encode_file(str(tmp_path / "?.csv"))
