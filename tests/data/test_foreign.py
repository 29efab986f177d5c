"""Files and frames of other libraries: read as they were meant, or refused in our own words."""

from __future__ import annotations

import contextlib
import io
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather
from pyarrow import parquet as pq

import ibmap
from cli_runner import process, run_fixture  # noqa: F401 - a fixture
from ibmap.data.encoding import encode
from ibmap.data.files import encode_file, read_table
from ibmap.data.foreign import translated
from ibmap.errors import FileFormatError, IbmapError, MissingLibraryError

LEVELS = ["low", "medium", "high", "never"]


def leveled(ordered):
    kind = pd.CategoricalDtype(LEVELS, ordered=ordered)
    return pd.DataFrame(
        {
            "size": pd.Series(["high", "low", None, "medium"] * 10, dtype=kind),
            "colour": pd.Series(["red", "blue", "red", "red"] * 10, dtype="category"),
            "n": [1, 2, 3, 4] * 10,
        }
    )


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_order_and_unseen_levels_of_categories_come_back_from_files(tmp_path, ending, ordered):
    frame, path = leveled(ordered), tmp_path / f"t.{ending}"
    getattr(frame, f"to_{ending}")(path)
    found, expected = encode_file(path, missing="use"), encode(frame, missing="use")
    assert found.labels == expected.labels
    assert found.labels[0] == tuple(LEVELS)
    assert found.fingerprint == expected.fingerprint
    assert found.ordered.tolist() == expected.ordered.tolist() == [ordered, False, True]


@pytest.mark.parametrize("make", [pl.Series, list])
def test_decimals_that_are_one_float_stay_two_states(make):
    values = [Decimal("12345678901234567890.1"), Decimal("12345678901234567890.2")] * 3
    column = pl.Series(values, dtype=pl.Decimal(38, 2)) if make is pl.Series else values
    frame = (
        pl.DataFrame({"a": column, "b": [0, 1, 1] * 2})
        if make is pl.Series
        else list(zip(column, [0, 1, 1] * 2, strict=True))
    )
    assert encode(frame).cardinalities.tolist() == [2, 2]
    assert encode([[Decimal("1.5"), 0], [Decimal("2"), 1]], bins="auto").labels[0] == (1.5, 2.0)


def test_codes_that_look_like_zero_stay_different(tmp_path):
    (tmp_path / "t.csv").write_text("code,b\n" + "0E1,x\n0E2,y\n0E3,x\n" * 5)
    assert encode_file(tmp_path / "t.csv").labels[0] == ("0E1", "0E2", "0E3")
    (tmp_path / "u.csv").write_text("size,b\n" + "1e-3,x\n2.5E2,y\n7,x\n" * 5)
    assert encode_file(tmp_path / "u.csv", bins="auto").labels[0] == (0.001, 7.0, 250.0)


def test_a_country_called_na_is_pointed_out_with_the_mark_and_the_option(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("country,b\n" + "NA,x\nDE,y\nFR,x\n" * 10)
    found = run("learn", path)
    assert found.code == 0
    assert "'NA' is read as missing (10 of 30 rows)" in found.err
    assert "--na ?" in found.err
    assert run("learn", path, "--na", "?").err == ""
    path.write_text("answer,b\n" + "NA,x\nyes,y\nno,x\n" * 10)
    assert "'NA'" not in run("learn", path).err


@pytest.mark.parametrize("ending", ["xlsx", "dta", "sav"])
def test_workbooks_and_files_of_statistics_programs_are_read(run, tmp_path, ending):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"sex": [1, 2, 1, 2] * 10, "smokes": ["no", "yes", "no", "yes"] * 10})
    path = tmp_path / f"t.{ending}"
    labels = {"sex": {1: "man", 2: "woman"}}
    if ending == "xlsx":
        pytest.importorskip("fastexcel")
        frame.to_excel(path, index=False)
    elif ending == "dta":
        pyreadstat.write_dta(frame, str(path), variable_value_labels=labels)
    else:
        pyreadstat.write_sav(frame, str(path), variable_value_labels=labels)
    table = encode_file(path)
    assert table.labels == ((1, 2) if ending == "xlsx" else ("man", "woman"), ("no", "yes"))
    assert table.n_samples == 40
    assert run("learn", path, "--quiet").code == 0


@pytest.mark.parametrize(
    ("ending", "library", "extra"), [("xlsx", "fastexcel", "excel"), ("sav", "pyreadstat", "stata")]
)
def test_a_library_that_is_not_there_is_named_with_its_extra(
    monkeypatch, run, tmp_path, ending, library, extra
):
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == library else find(name, *more)
    )
    path = tmp_path / f"t.{ending}"
    path.write_bytes(b"x")
    with pytest.raises(MissingLibraryError, match=rf"{library}: pip install 'ibmap\[{extra}\]'"):
        encode_file(path)
    assert run("learn", path).code == 2


@pytest.mark.parametrize("ending", ["xlsx", "ods", "dta", "sav", "por", "parquet", "feather", "arrow"])
@pytest.mark.parametrize(
    "junk", [b"", b"x", b"PK\x03\x04junk", b"PAR1" + bytes(60), b"ARROW1" + b"\xff" * 60]
)
def test_damaged_files_are_refused_in_our_words(run, tmp_path, ending, junk):
    path = tmp_path / f"t.{ending}"
    path.write_bytes(junk)
    found = run("learn", path)
    assert found.code == 2
    assert f"t.{ending}" in found.err


@pytest.mark.parametrize("seed", range(60))
def test_flipped_bytes_of_binary_files_never_panic_through(tmp_path, seed):
    rng = np.random.default_rng(seed)
    frame, buffer = leveled(True), io.BytesIO()
    if seed % 2:
        frame.to_parquet(buffer)
    else:
        frame.to_feather(buffer)
    data = bytearray(buffer.getvalue())
    for place in rng.integers(8, len(data) - 8, 5):
        data[place] ^= 1 << int(rng.integers(8))
    path = tmp_path / ("t.parquet" if seed % 2 else "t.feather")
    path.write_bytes(bytes(data))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(IbmapError):
            encode_file(path, missing="state", bins="auto")


@pytest.mark.parametrize(
    "encoding",
    ["punycode", "undefined", "utf-7", "unicode_escape", "raw_unicode_escape", "idna", "base64", "klingon"],
)
def test_what_is_no_encoding_of_files_is_refused(run, tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\né\\N,1\n+x,2\n".encode())
    found = run("learn", path, "--encoding", encoding)
    assert found.code == 2
    assert "--encoding" in found.err and encoding in found.err


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_mark_at_the_beginning_says_the_encoding(tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes(("a,b\n" + "é,x\nü,y\n" * 5).encode(encoding))
    assert encode_file(path).labels == (("é", "ü"), ("x", "y"))


@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("line", [0, 1, 2])
def test_values_without_end_are_refused_or_read(run, tmp_path, quote, line):
    lines = ["a,b", "x,1", "y,2", "x,2"]
    lines[line] = f"{quote}{'z' * 140_000}{quote},3"
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    found = run("learn", path)
    assert found.code in (0, 2)
    if found.code:
        assert f"line {line + 1}" in found.err and "131,072 characters" in found.err


HOSTILE = {
    "huge integers": lambda: pd.DataFrame({"a": [10**400, 1, 2] * 3, "b": [0, 1, 1] * 3}),
    "huge and float": lambda: [[10**400, 0], [0.5, 1], [1, 1]],
    "int128": lambda: pl.DataFrame({"a": pl.Series([2**100, 1, 2] * 3, dtype=pl.Int128), "b": [0, 1, 1] * 3}),
    "surrogates": lambda: pd.DataFrame({"a": pd.Series(["\ud800", "x"] * 3, dtype=object), "b": [0, 1] * 3}),
    "surrogate label": lambda: [["\ud800", 0], ["x", 1]],
    "signalling": lambda: [[Decimal("sNaN"), 0], [Decimal(1), 1], [Decimal(2), 0]],
    "infinite decimals": lambda: [[Decimal("Infinity"), 0], [Decimal(1), 1], [Decimal(2), 0]],
    "sparse": lambda: pd.DataFrame({"a": pd.arrays.SparseArray([True, False, True]), "b": [0, 1, 1]}),
    "sparse numbers": lambda: pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, 7]), "b": [0, 1, 1]}),
    "infinite category": lambda: pd.DataFrame({"a": pd.Categorical([np.inf, 1.0, 2.0]), "b": [0, 1, 1]}),
    "infinite object": lambda: pd.DataFrame(
        {"a": np.array([float("inf"), "x", 1], dtype=object), "b": [0, 1, 1]}
    ),
    "intervals": lambda: pd.DataFrame({"a": pd.interval_range(0, 3), "b": [0, 1, 1]}),
    "periods": lambda: pd.DataFrame({"a": pd.period_range("2024", periods=3), "b": [0, 1, 1]}),
    "union": lambda: pa.table(
        {
            "a": pa.UnionArray.from_sparse(
                pa.array([0, 1, 0], pa.int8()), [pa.array([1, 2, 3]), pa.array(["x", "y", "z"])]
            ),
            "b": [0, 1, 1],
        }
    ),
    "run ends": lambda: pa.table(
        {"a": pa.RunEndEncodedArray.from_arrays([2, 3], ["x", "y"]), "b": [0, 1, 1]}
    ),
    "decimal256": lambda: pa.table(
        {"a": pa.array([Decimal(1), Decimal(2), Decimal(1)], pa.decimal256(50, 2)), "b": [0, 1, 1]}
    ),
    "half floats": lambda: pa.table({"a": pa.array(np.array([1, 2, 1], np.float16)), "b": [0, 1, 1]}),
    "nested dictionary": lambda: pa.table({"a": pa.array([[1], [2], [1]]), "b": [0, 1, 1]}),
    "binary": lambda: pa.table({"a": pa.array([b"x", b"\xff", b"x"]), "b": [0, 1, 1]}),
    "nulls": lambda: pa.table({"a": pa.nulls(3), "b": [0, 1, 1]}),
    "months": lambda: pa.table(
        {"a": pa.array([(1, 2, 3)] * 3, pa.month_day_nano_interval()), "b": [0, 1, 1]}
    ),
    "string views": lambda: pa.table({"a": pa.array(["x", "y", "x"], pa.string_view()), "b": [0, 1, 1]}),
}


@pytest.mark.filterwarnings("ignore::ibmap.errors.DataWarning")
@pytest.mark.parametrize("bins", [None, "auto"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_columns_are_read_or_refused_by_name(name, bins):
    try:
        table = encode(HOSTILE[name](), missing="use", bins=bins)
    except IbmapError as error:
        assert "'a'" in str(error) or "'x0'" in str(error), error
        return
    if table.n_variables > 1 and not table.has_holes:
        result = ibmap.IBMAPHC().fit(table).result_
        assert ibmap.SearchResult.from_json(result.to_json()).states == result.states


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_decimals_of_256_bits_are_read_without_a_panic(capfd, tmp_path, ending):
    wide = pa.array([Decimal(10**45), Decimal(10**45 + 1)] * 20, pa.decimal256(60, 2))
    frame = pa.table({"a": wide, "b": ["x", "y"] * 20, "c": ["x", "x", "y", "y"] * 10})
    path = tmp_path / f"t.{ending}"
    pq.write_table(frame, path) if ending == "parquet" else feather.write_feather(frame, path)
    assert encode_file(path).cardinalities.tolist() == [2, 2, 2]
    assert encode(frame).labels[0] == (f"{10**45}.00", f"{10**45 + 1}.00")
    with pytest.raises(FileFormatError, match="cannot be read as a table"):
        read_table(path)  # as polars would have it
    assert "panicked" not in capfd.readouterr().err
    told = process("learn", path, "-q")
    assert told.returncode == 0 and told.stderr == b""


def test_a_panic_of_a_reader_becomes_an_error_of_ours():
    class Panic(BaseException):
        """What polars raises where it finds no way on."""

    expected = pytest.raises(
        FileFormatError, match=r"^t.parquet is damaged: its reader gave up \(index out of bounds\)$"
    )
    with expected, translated("t.parquet is damaged"):
        raise Panic("index out of bounds\nat line 3")
    with pytest.raises(KeyboardInterrupt), translated("t.parquet is damaged"):
        raise KeyboardInterrupt
