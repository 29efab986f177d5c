"""Whatever a user does wrong is told with the culprit and the remedy, exit code 2 and no traceback."""

import os
from pathlib import Path

import pytest

from cli_runner import run_fixture, table_fixture  # noqa: F401

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["-a", "gsmn", "--start", "empty"], "--start belongs to --algorithm ibmap or hc"),
        (["-a", "gsmn", "--max-ascents", "3"], "--max-ascents belongs to --algorithm ibmap or hc"),
        (["-a", "hc", "--test", "g"], "--test g gives no probabilities, which the score of hc is made of"),
        (["--rule", "and"], "--rule belongs to --algorithm ts or gsmn or iamb or hiton"),
        (["-a", "gsmn", "--test", "g", "--prior", "0.4"], "--prior belongs to --test bayesian"),
        (
            ["-a", "gsmn", "--significance", "0.1"],
            "--significance belongs to --test chi-square or g; add that",
        ),
        (["-a", "hc", "--penalty", "1"], "--penalty belongs to --test pairwise; add that"),
        (["-a", "hc", "--test", "pairwise", "--slices", "seen"], "--slices belongs to --test bayesian"),
        (["-a", "hc", "--test", "pairwise", "--ordered", "cloud"], "cloud"),
        (["--ordered", "cloud"], "cloud"),
        (["--test", "pairwise"], "--test belongs to --algorithm hc or ts or gsmn"),
        (["--table-share", "2"], "table_share must be a number from 0 to 1"),
        (["--start", "best"], "start must be one of"),
        (["-a", "hc", "--equivalent-sample-size", "3"], "--hyperparameters bdeu"),
        (["--start", "nowhere.json"], "hiton or empty or best or a network file"),
        (["--output", "net.txt"], "must end in one of"),
        (["--output", "no/such/folder/net.json"], "there is no folder"),
        (["--prior", "2"], "prior must be a number strictly between 1e-100 and 1"),
        (["--max-seconds", "-1"], "max_seconds must be a"),
        (["--bins", "wide"], "--bins wide: it must be both"),
        (["--bins", "width", "--bins", "sky=3"], "give --bins once"),
        (
            ["--bins", "1"],
            "--bins 1: it must be both, auto, keep, width, frequency, none, a number of bins from 2",
        ),
        (["--weights", "cloud"], "--weights names the column 'cloud'"),
        (["--ordered", "cloud"], "--ordered: there is no variable 'cloud'"),
        (["--knowledge", "no.json"], "--knowledge must be the name of a JSON or TOML file"),
        (["--edge-prior", "no.csv"], "--edge-prior must be the name of a CSV file"),
        (["--bins", "sky=3"], "not numbers: 'sky'"),
        (["--bins", "cloud=3"], "--bins names the column 'cloud', which the table does not have"),
        (["--drop", "cloud"], "'cloud', which the table does not have"),
        (["--keep", "Sky", "--keep", "die"], "did you mean 'sky'"),
        (["--keep", "sky"], "keep more columns"),
        (["--encoding", "no-such"], "no-such"),
        (["--separator", ";;"], ";;"),
        (["--algorithm", "magic"], "magic"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
def test_options_that_do_not_apply_are_refused(run, table, options, reason):
    found = run("learn", table, *options)
    assert found.code == 2
    assert found.out == ""
    assert reason in " ".join(found.err.replace("│", " ").split())


BAD_TABLES = {
    "missing": ("a,b\n1,\n2,x\n", ["'b' (1 of 2)", "--missing drop", "--missing state"]),
    "continuous": ("a,b\n" + "".join(f"{k / 7},{k % 2}\n" for k in range(99)), ["'a'", "--bins"]),
    "no rows": ("a,b\n", ["no rows"]),
    "one column": ("a\n1\n2\n", ["one column", "'a'", "--separator"]),
    "duplicate names": ("a,b,a\n1,2,3\n", ["'a'", "column"]),
    "ragged": ("a,b\n1,2\n3\n", ["line 3"]),
    "undecodable": (b"a,b\n\xff\xfe\xfa,1\n", ["--encoding"]),
    "empty": ("", ["is empty", "header line"]),
    "blank": ("\n\n", ["is empty"]),
    "not gzip": (b"\x1f\x8b\x08junk", ["damaged"]),
    "zip": (b"PK\x03\x04junk", ["zip archive", "save it as CSV"]),
    "every row misses": ("a,b\n1,\n,x\n", ["--missing"]),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_a_bad_table_is_refused_with_culprit_and_remedy(run, tmp_path, name):
    content, parts = BAD_TABLES[name]
    path = tmp_path / "bad.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = run("learn", path, "--algorithm", "hc")  # which reads nothing into a table
    assert found.code == 2
    assert found.out == ""
    assert found.err.startswith("error: ")
    for part in parts:
        assert part in found.err, found.err


def test_too_many_states_are_refused(run, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("id,b\n" + "".join(f"u{k},{k % 2}\n" for k in range(65536)))
    found = run("learn", path, "--algorithm", "hc")
    assert found.code == 2
    assert "'id'" in found.err
    assert "65535 states" in found.err
    assert "--drop" in found.err


def test_no_rows_left_after_drop(run, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("a,b\n1,\n,x\n")
    found = run("learn", path, "--missing", "drop")
    assert (found.code, found.out) == (2, "")
    assert "every row has a missing value" in found.err


@pytest.mark.parametrize("name", ["no-such.csv", "folder.csv", "sheet.xlsx", "locked.csv"])
def test_an_unreadable_file_is_refused_by_name(run, tmp_path, name):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "sheet.xlsx").write_bytes(b"PK")
    (tmp_path / "locked.csv").write_text("a,b\n")
    (tmp_path / "locked.csv").chmod(0)
    if name == "locked.csv" and os.geteuid() == 0:
        pytest.skip("root may read everything")
    found = run("learn", tmp_path / name)
    assert (found.code, found.out) == (2, "")
    assert name in found.err


def test_identifiers_are_warned_of(run, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("person,a,b\n" + "".join(f"p{k},{k % 2},{k % 2}\n" for k in range(40)))
    read = run("learn", path)
    assert (read.code, read.err) == (0, "")
    assert "Left out" in read.out
    assert "'person'" in read.out
    found = run("learn", path, "--algorithm", "hc")
    assert found.code == 0
    assert "identifiers" in found.err
    assert "'person'" in found.err
    assert "--drop" in found.err
    assert run("learn", path, "--drop", "person").err == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["a.csv", "none.json"], "there is no file"),
        (["none.json", "a.csv"], "there is no file"),
        (["a.csv", "other.csv"], "cannot be compared"),
        (["a.csv", "weather.csv"], "which the table does not have"),
        (["weather.csv", "a.csv"], "two tables are compared by the columns they share"),
        (["a.csv", "a.csv", "--missing", "drop"], "--missing is about reading a table"),
        (["a.csv", "a.csv", "--no-header"], "--no-header is about reading a table"),
        (["net.dot", "a.csv"], "DOT is written for drawing only"),
        (["a.csv"], "REFERENCE"),
    ],
)
def test_what_cannot_be_compared_is_refused(run, table, tmp_path, monkeypatch, arguments, reason):
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("source,target\nx,y\ny,z\n")
    Path("other.csv").write_text("source,target\nx,y\ny,q\n")
    Path("net.dot").write_text("graph {}")
    found = run("compare", *arguments)
    assert (found.code, found.out) == (2, "")
    assert reason in found.err


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--tau", 9, "--output", "d.csv"], "tau must be a number from 0 to"),
        (["--output", "d.csv"], "tau must be"),
        (["--tau", 2, "--output", "d.txt"], "must end in .csv or .parquet"),
        (["--tau", 2, "--output", "no/d.csv"], "there is no folder"),
        (["--tau", 2, "--output", "d.csv", "--truth", "t.txt"], "must end in one of"),
        (["--tau", 2, "--output", "d.csv", "--log-odds", 0], "log_odds"),
    ],
)
def test_bad_simulations_are_refused(run, tmp_path, monkeypatch, flags, reason):
    monkeypatch.chdir(tmp_path)
    found = run("simulate", "--variables", 5, "--rows", 10, *flags)
    assert (found.code, found.out) == (2, "")
    assert reason in found.err
    assert not list(tmp_path.iterdir())


def test_checkpoints_are_refused_with_the_reason(run, table, tmp_path):
    path = tmp_path / "kept.json"
    assert (
        "--checkpoint belongs to --algorithm hc"
        in run("learn", table, "-a", "gsmn", "--checkpoint", path).err
    )
    assert "there is no checkpoint" in run("learn", table, "-a", "hc", "--resume", path).err
    assert (
        "there is no folder"
        in run("learn", table, "-a", "hc", "--checkpoint", tmp_path / "no" / "kept.json").err
    )
    assert run("learn", table, "-a", "hc", "--checkpoint", path).code == 0
    found = run("learn", table, "-a", "hc", "--resume", path, "--prior", "0.3")
    assert (found.code, "prior=0.5; this run has prior=0.3" in found.err) == (2, True)
    assert "is no checkpoint" in run("learn", table, "-a", "hc", "--checkpoint", table).err
