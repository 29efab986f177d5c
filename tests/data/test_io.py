"""Files in and files out: what is read, how types are found, and every bad file."""

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

from ibmap.data.delimited import TextFormat, guess_separator, parse_text
from ibmap.data.files import DEFAULT_NA, encode_file, read_table, write_atomically
from ibmap.errors import DataWarning, FileFormatError, InvalidOptionError, InvalidTableError

CSV = b"smokes,visits,weight\nyes,1,70.5\nno,3,?\nyes,2,81\n"
ROWS = [("yes", 1, 70.5), ("no", 3, None), ("yes", 2, 81.0)]


@pytest.fixture
def save(tmp_path):
    """Write a file and give its path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def refused(path, *parts, error=FileFormatError, **options):
    """Check that a file is refused with a message that has all these parts."""
    with pytest.raises(error) as caught:
        read_table(path, **options)
    for part in parts:
        assert part in str(caught.value), str(caught.value)


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


PACKED = {
    ".csv": CSV,
    ".csv.gz": gzip.compress(CSV),
    ".csv.bz2": bz2.compress(CSV),
    ".csv.xz": lzma.compress(CSV),
    ".csv.zst": zstd(CSV),
    ".data": CSV,
    ".tsv": CSV.replace(b",", b"\t"),
    ".txt": CSV.replace(b",", b"|"),
    "": CSV.replace(b",", b";"),
}


@pytest.mark.parametrize("suffix", PACKED)
def test_text_is_read_under_any_compression_and_separator(save, suffix):
    assert read_table(save(PACKED[suffix], "table" + suffix)).rows() == ROWS


@pytest.mark.parametrize("suffix", PACKED)
def test_standard_input_is_told_by_its_content(monkeypatch, suffix):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(PACKED[suffix])))
    frame = read_table("-")
    assert frame.rows() == ROWS
    assert frame.columns == ["smokes", "visits", "weight"]


def binary(kind):
    frame, sink = pl.DataFrame(ROWS, orient="row", schema=["smokes", "visits", "weight"]), io.BytesIO()
    {"parquet": frame.write_parquet, "arrow": frame.write_ipc, "stream": frame.write_ipc_stream}[kind](sink)
    return sink.getvalue()


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_parquet_and_arrow_are_read_also_from_standard_input(save, monkeypatch, kind):
    name = "table." + kind.replace("stream", "arrow")
    assert read_table(save(binary(kind), name)).rows() == ROWS
    assert read_table(save(gzip.compress(binary(kind)), name + ".gz")).rows() == ROWS
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(binary(kind))))
    assert read_table("-").rows() == ROWS


def test_feather_files_of_pandas_are_read(tmp_path):
    frame = pd.DataFrame({"a": ["x", None, "x"], "b": [1, 2, 3]})
    feather.write_feather(frame, str(tmp_path / "t.feather"))
    assert read_table(tmp_path / "t.feather").rows() == [("x", 1), (None, 2), ("x", 3)]


def test_zstd_without_pyarrow_says_what_to_install(save, monkeypatch):
    if sys.version_info >= (3, 14):
        pytest.skip("Python undoes zstd itself")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused(save(PACKED[".csv.zst"], "t.csv.zst"), "t.csv.zst", "zstd", "pip install")


# --- types


def column(*values, na=DEFAULT_NA):
    """Read values as the first column of a file."""
    text = "a,b\n" + "".join(f"{value},1\n" for value in values)
    return parse_text(text.encode(), TextFormat("t.csv", na=na))["a"]


def test_types_are_found_over_the_whole_file():
    numbers = ["1"] * 5000
    assert column(*numbers).dtype.is_integer()
    assert column(*numbers, "x").to_list() == [*numbers, "x"]
    assert column(*numbers, "1.5").to_list() == [1.0] * 5000 + [1.5]
    assert column(*numbers, "123456789012").to_list()[-1] == 123456789012


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["007", "450"], ["007", "450"]),
        (["1", "01"], ["1", "01"]),
        (["+1", "2"], ["+1", "2"]),
        (["12345678901234567890", "1"], ["12345678901234567890", "1"]),
        (["-128", "99"], [-128, 99]),
        (["yes", "no"], ["yes", "no"]),
        (["true", "false"], ["true", "false"]),
        (["1.5", "2", "-.5", "1e3"], [1.5, 2.0, -0.5, 1000.0]),
        (["1.0", "inf"], [1.0, float("inf")]),
        (["2020-01-01", "1"], ["2020-01-01", "1"]),
        (["None", "a"], ["None", "a"]),
        (["?", "1", "", "NA"], [None, 1, None, None]),
        ([" 1", "2 ", " ?"], [1, 2, None]),
        ([" a", "a", "b "], ["a", "a", "b"]),
        ([" 007", "1"], ["007", "1"]),
    ],
)
def test_values_keep_what_they_say(written, read):
    found = column(*written).to_list()
    assert found == read
    assert [type(value) for value in found] == [type(value) for value in read]


def test_the_marks_of_missing_values_can_be_chosen():
    assert column("?", "-", "", na=["-"]).to_list() == ["?", None, None]


@given(st.lists(st.integers(-(10**17), 10**17), min_size=1, max_size=20))
def test_integers_of_any_size_survive(values):
    assert column(*values).to_list() == values


CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=4).map("s".__add__)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
def test_strings_survive_quoting(rows):
    written = pl.DataFrame(rows, orient="row", schema=["a", "b"]).write_csv()
    assert parse_text(written.encode(), TextFormat("t.csv", separator=",")).rows() == rows


# --- the shape of text


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        (b"a,b\n1,2\n", ","),
        (b"a;b\n1,5;2,5\n", ";"),
        (b"a b\tc\n1,2\t3\n", "\t"),
        (b"a|b\n1|2\n", "|"),
        (b'"x;y;z",b\n1,2\n', ","),
        (b"only\n1\n", ","),
    ],
)
def test_the_separator_is_guessed(text, separator):
    assert guess_separator(text) == separator


def test_a_separator_can_be_given_by_character_or_name(save):
    assert read_table(save("a b\n1 2\n"), separator=" ").rows() == [(1, 2)]
    assert read_table(save("a,x\tb\n1\t2\n"), separator="tab").columns == ["a,x", "b"]
    refused(save("a,b\n1,2\n"), "separator", "'::'", error=InvalidOptionError, separator="::")


@pytest.mark.parametrize(
    "text", ["a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4", "\n\na,b\n\n1,2\n\n\n3,4\n\n", "a,b\n1,2\n3,4"]
)
def test_line_ends_and_blank_lines_do_not_matter(save, text):
    assert read_table(save(text)).rows() == [(1, 2), (3, 4)]
    assert read_table(save(text.replace("1", '"1"'))).rows() == [(1, 2), (3, 4)]


def test_quotes_protect_separators_and_line_ends(save):
    frame = read_table(save('"a,x",b\n"p\nq","say ""hi"""\n"r,s",t\n'))
    assert frame.columns == ["a,x", "b"]
    assert frame.rows() == [("p\nq", 'say "hi"'), ("r,s", "t")]


def test_quotes_inside_values_are_part_of_them(save):
    assert read_table(save('a,b\n5" pipe,1\nan "old" one,2\n')).rows() == [
        ('5" pipe', 1),
        ('an "old" one', 2),
    ]


def test_without_a_header_columns_are_numbered(save):
    frame = read_table(save("0,1,0\n1,1,0\n"), header=False)
    assert frame.columns == ["x0", "x1", "x2"]
    assert frame.rows() == [(0, 1, 0), (1, 1, 0)]


def test_header_cells_are_stripped_and_empty_ones_numbered(save):
    assert read_table(save(",a, b\n0,1,2\n")).columns == ["x0", "a", "b"]


def test_a_header_of_numbers_is_remarked(save):
    with pytest.warns(DataWarning, match="only numbers.*header=False"):
        read_table(save("1,2\n3,4\n"))


def test_other_encodings_are_read(save):
    text = "naïve,b\né,1\n"
    for encoding in ("latin-1", "utf-8-sig", "cp1252"):
        assert read_table(save(text.encode(encoding)), encoding=encoding).columns == ["naïve", "b"]
    assert read_table(save(text.encode("utf-8-sig"))).columns == ["naïve", "b"]
    assert read_table(save(text.encode("utf-16"))).columns == ["naïve", "b"]


# --- bad files


def test_missing_files_and_folders_are_named(tmp_path, save):
    save(CSV, "votes.csv")
    refused(tmp_path / "vote.csv", "vote.csv", "did you mean votes.csv", error=FileNotFoundError)
    refused(tmp_path / "nowhere" / "x.csv", "nowhere does not exist", error=FileNotFoundError)
    refused(tmp_path, str(tmp_path), "is a folder", error=IsADirectoryError)


def test_unreadable_files_are_named(save, monkeypatch):
    def deny(path):
        raise PermissionError(13, "Permission denied")

    path = save(CSV)
    monkeypatch.setattr(type(path), "read_bytes", deny)  # the mode would not stop root
    refused(path, str(path), "may not be read", error=PermissionError)


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"", mtime=0)])
def test_empty_files_are_refused(save, content):
    refused(save(content), "table.csv is empty", "header")


def test_a_header_without_rows_is_refused(save):
    refused(save("a,b\n"), "table.csv", "no rows", error=InvalidTableError)
    sink = io.BytesIO()
    pl.DataFrame({"a": [], "b": []}).write_parquet(sink)
    refused(save(sink.getvalue(), "t.parquet"), "t.parquet", "no rows", "a, b", error=InvalidTableError)


def test_ragged_lines_are_named_with_both_numbers(save):
    refused(save("a,b\n1,2\n\n1,2,3\n"), "table.csv, line 4", "3 values", "has 2", "--separator")
    refused(save("a,b\n1,2\n1\n"), "line 3", "1 values")
    refused(save('a,b\n"1\n1",2\n1,2,3\n'), "line 4", "3 values", "has 2")


def test_ragged_lines_are_found_in_every_block(save, monkeypatch):
    monkeypatch.setattr("ibmap.data.delimited.BLOCK", 10)
    lines = ["a,b"] + ["1,2"] * 50
    assert read_table(save("\n".join(lines))).height == 50
    lines[37] = "1,2,3"
    refused(save("\n".join(lines)), "line 38", "3 values")


@pytest.mark.parametrize("row", ['"x,1', '"x"y,1'])
def test_quotes_left_open_are_named(save, row):
    refused(save(f"a,b\n1,2\n{row}\n3,4\n"), "table.csv, line 3", "double quote")


def test_undecodable_bytes_are_named_with_the_remedy(save):
    path = save("a,b\nx,1\né,2\n".encode("latin-1"))
    refused(path, "line 3", "byte 0xe9", "offset 8", "encoding='latin-1'")
    refused(path, "'klingon' is no encoding", error=InvalidOptionError, encoding="klingon")


def test_duplicate_names_are_refused_with_a_hint_on_the_header(save):
    refused(save("a,b,a\n1,2,3\n"), "table.csv", "'a' names columns 0 and 2", error=InvalidTableError)
    refused(save("0,1,0\n1,1,0\n"), "header=False", error=InvalidTableError)


def test_binary_and_foreign_files_are_refused(save):
    refused(save(b"\x00\x01\xfe\xff" * 50), "table.csv", "binary", "Parquet")
    refused(save(b"PK\x03\x04 and more"), "zip archive or a workbook")
    refused(save(b"x", "t.xlsx"), "t.xlsx", "cannot be read as a workbook")
    refused(save(b"x", "t.sav"), "t.sav", "cannot be read as a .sav file")
    refused(save(b"x", "t.rds"), "t.rds", ".rds file", "CSV")
    refused(save(CSV, "t.parquet"), "t.parquet is not a parquet file")
    refused(save(b"PAR1 and junk", "t.parquet"), "t.parquet", "damaged")
    refused(save(gzip.compress(CSV)[:-9], "t.csv.gz"), "t.csv.gz", "damaged", "gzip")


def test_a_file_of_one_column_is_refused_with_a_hint_on_the_separator(save):
    with pytest.raises(InvalidTableError, match=r"one column, 'a b'.*--separator"):
        encode_file(save("a b\n1 2\n"))


def test_encode_file_passes_every_option_on(save):
    text = "id:a:b:c\n1:x:0.5:-\n2:é:1.5:u\n3:x:2.5:v\n".encode("latin-1")
    options = {"separator": ":", "na": ["-"], "encoding": "latin-1", "bins": {"b": 2}, "drop": ["id"]}
    table = encode_file(save(text), missing="state", **options)
    assert table.names == ("a", "b", "c")
    assert table.labels == (("x", "é"), ("[0.5, 1.5)", "[1.5, 2.5]"), ("u", "v", None))
    assert encode_file(save("0,1\n1,0\n"), header=False, keep=["x0", "x1"]).n_rows == 2


def test_the_same_table_gives_the_same_codes_from_any_file(save):
    fingerprints = {
        encode_file(save(content, "table" + suffix), missing="state", bins=2).fingerprint
        for suffix, content in {**PACKED, ".parquet": binary("parquet"), ".arrow": binary("arrow")}.items()
    }
    assert len(fingerprints) == 1


# --- files out


def test_files_are_written_whole_and_replaced(tmp_path):
    path = tmp_path / "net.json"
    write_atomically(path, "é")
    assert path.read_bytes() == "é".encode()
    write_atomically(str(path), b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["net.json"]  # noqa: PTH208


def test_new_files_have_the_usual_permissions_and_old_ones_keep_theirs(tmp_path):
    path, plain = tmp_path / "net.json", tmp_path / "plain"
    plain.write_text("")
    write_atomically(path, "one")
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o640)
    write_atomically(path, "two")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_links_are_followed(tmp_path):
    (tmp_path / "real").write_text("one")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_atomically(tmp_path / "link", "two")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "two"


def test_devices_are_written_to(tmp_path):
    write_atomically("/dev/null", "gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    def fail(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "net.json"
    path.write_text("old")
    monkeypatch.setattr(*{"fsync": (os, "fsync"), "replace": (type(path), "replace")}[step], fail)
    with pytest.raises(OSError, match=r"cannot write .*net\.json.*No space left"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["net.json"]


def test_folders_that_cannot_be_written_are_named(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        write_atomically(tmp_path / "nowhere" / "net.json", "x")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_atomically(tmp_path, "x")

    def deny(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", deny)  # the mode would not stop root
    with pytest.raises(PermissionError, match="may not be written"):
        write_atomically(tmp_path / "net.json", "x")


def test_numpy_integers_are_fine_as_bins(save):
    assert encode_file(save(CSV), missing="state", bins=np.int64(2)).n_rows == 3
