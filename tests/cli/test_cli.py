"""The program as a user meets it: data on stdout, talk on stderr, any name shown literally."""

import gzip
import json
import re
import subprocess
import sys

import numpy as np
import pytest

import ibmap
from cli_runner import ROWS, TABLE, process, run_fixture, table_fixture  # noqa: F401
from ibmap.cli.console import printable
from ibmap.cli.progress import Waiting
from ibmap.evidence.words import in_words, times
from ibmap.search.hill_climbing import Progress

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")


def test_learn_prints_a_summary_worth_reading(run, table):
    found = run("learn", table)
    assert found.code == 0
    assert found.err == ""
    for part in (
        "40 used",
        "1 of 3 possible",
        "IBMAP from the empty structure",
        "% of all pairs are linked",
        "IB-score",
        "distinct tests",
        "sky",
        "present",
    ):
        assert part in found.out, part
    assert "Pairs nearest to being joined" in found.out


def test_tables_fit_a_terminal_of_80_characters(run, tmp_path, monkeypatch):
    survey, net = tmp_path / "survey.csv", tmp_path / "net.json"
    ibmap.datasets.load_survey().write_csv(survey)
    monkeypatch.setenv("COLUMNS", "80")
    learned = run("learn", survey, "--output", net, "--require", "smoker--cough").out
    for text in (learned, run("explain", net).out, run("explain", net, "overweight").out):
        assert re.search("^(overweight|age) +blood pressure  |^blood pressure  ", text, re.MULTILINE), text
        assert not re.search("^(blood|pressure)$|^Variab$|^V$", text, re.MULTILINE), text
        assert max(map(len, text.splitlines())) <= 80


def test_learn_json_is_the_result(run, table):
    found = run("learn", table, "--json", "--threads", 1)
    result = ibmap.SearchResult.from_json(found.out)
    assert result.graph.edges == ((0, 1),)
    assert result.provenance.options["missing"] == "use"
    assert result.score == ibmap.IBMAP().fit(ibmap.encode([r.split(",") for r in ROWS])).score_


def test_outputs_are_written_and_told_on_stderr(run, table, tmp_path):
    names = ["net.json", "net.graphml", "net.dot", "net.csv", "net.adjacency.csv"]
    flags = [part for name in names for part in ("--output", tmp_path / name)]
    found = run("learn", table, "--json", *flags)
    assert found.code == 0
    assert "written:" in found.err
    assert json.loads(found.out) == json.loads((tmp_path / "net.json").read_text())
    assert all((tmp_path / name).stat().st_size for name in names)


def test_a_file_that_fails_does_not_lose_the_network(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(TABLE.replace("sky", "s\x01ky"))
    found = run("learn", path, "-o", tmp_path / "a.graphml", "-o", tmp_path / "a.json")
    assert found.code == 2
    assert "GraphML cannot hold" in found.err
    assert "IB-score" in found.out
    assert f"written: {tmp_path / 'a.json'}\n" in found.err
    assert (tmp_path / "a.json").exists()
    assert not (tmp_path / "a.graphml").exists()


def test_quiet_silences_warnings(run, tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text(TABLE.replace("die", "die,one").replace(",1\n", ",1,k\n").replace(",2\n", ",2,k\n"))
    loud, quiet = run("learn", path), run("learn", path, "--quiet")
    assert "warning: constant columns" in loud.err
    assert "'one'" in loud.err
    assert loud.err.count("constant columns") == 1
    assert quiet.err == ""


@pytest.mark.parametrize(
    "options",
    [
        ["--start", "empty"],
        ["--start", "gsmn", "--max-ascents", "5", "--max-seconds", "60", "--threads", "2"],
        ["--prior", "0.9"],
        ["-a", "hc", "--test", "bayesian", "--start", "best"],
        ["-a", "hc", "--hyperparameters", "bdeu", "--equivalent-sample-size", "2"],
        ["-a", "hc", "--hyperparameters", "ones", "--slices", "seen"],
        ["--algorithm", "gsmn", "--rule", "and", "--grow", "repeat", "--order", "columns"],
        ["--algorithm", "gsmn", "--test", "chi-square", "--significance", "0.01"],
        ["-a", "gsmn", "--test", "g"],
        ["--table-share", "0.5"],
        ["-a", "hc", "--test", "pairwise", "--penalty", "0.5", "--ridge", "2"],
        ["-a", "gsmn", "--test", "pairwise", "--prior", "0.4"],
        ["--drop", "die"],
        ["--keep", "sky", "--keep", "game"],
    ],
)
def test_every_option_is_taken(run, table, options):
    found = run("learn", table, "--json", *options)
    assert found.code == 0, found.err
    content = json.loads(found.out)
    assert content["edges"] == [[0, 1]]
    used = content["provenance"]["options"]
    for flag, value in zip(options[::2], options[1::2], strict=True):
        name = flag.strip("-").replace("-", "_")
        if name in used:
            assert str(used[name]) in (value, value + ".0")


def test_ordered_columns_are_named_or_all(run, table):
    cases = (["all"], True), (["none"], False), (["sky", "--ordered", "die"], ["sky", "die"])
    for flags, ordered in cases:
        for learner in (["-a", "ibmap"], ["-a", "hc", "--test", "pairwise"]):
            found = run("learn", table, "--json", *learner, "--ordered", *flags)
            assert json.loads(found.out)["provenance"]["options"]["ordered"] == ordered


def test_options_change_what_is_learned(run, tmp_path):
    path = tmp_path / "weak.csv"
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, 60)
    y = np.where(rng.random(60) < 0.66, x, 1 - x)
    path.write_text("a,b\n" + "".join(f"{i},{j}\n" for i, j in zip(x, y, strict=True)))
    edges = {}
    for prior in ("0.01", "0.99"):
        edges[prior] = json.loads(run("learn", path, "--json", "--prior", prior).out)["edges"]
    for level in ("0.5", "0.0000001"):
        options = ("-a", "gsmn", "--test", "g", "--significance", level)
        edges[level] = json.loads(run("learn", path, "--json", *options).out)["edges"]
    assert edges == {"0.01": [[0, 1]], "0.99": [], "0.5": [[0, 1]], "0.0000001": []}


def test_a_limit_is_told(run, table):
    found = run("learn", table, "--start", "empty", "--max-ascents", "0")
    assert found.code == 0
    assert "warning: the search stopped at its limit max_ascents" in found.err
    assert "stopped at --max-ascents; this is the best so far" in found.out


def test_a_network_file_is_a_start(run, table, tmp_path):
    assert run("learn", table, "-o", tmp_path / "net.csv").code == 0
    found = run("learn", table, "--start", tmp_path / "net.csv", "--json")
    assert json.loads(found.out)["provenance"]["options"]["start"] == "graph"
    assert json.loads(found.out)["n_ascents"] == 0


def test_gsmn_weighs_its_edges_by_the_score(run, table):
    hc, gsmn = (json.loads(run("learn", table, "--json", "-a", a).out) for a in ("hc", "gsmn"))
    losses = [[pair["loss"] for pair in found["evidence"]] for found in (hc, gsmn)]
    assert losses[0] == pytest.approx(losses[1])
    assert gsmn["score"] is None
    assert "it takes a test with probabilities, not g" in run("learn", table, "-a", "gsmn", "--test", "g").out


def test_reading_options_reach_the_reader(run, tmp_path):
    path = tmp_path / "odd.txt.gz"
    text = "".join(f"{'é' if k % 2 else 'ü'};{k % 2};{k / 3}\n" for k in range(40)) + "é;-;1.0\n"
    path.write_bytes(gzip.compress(text.encode("latin-1")))
    options = ["--separator", ";", "--encoding", "latin-1", "--na", "-", "--no-header", "--missing", "drop"]
    found = run("learn", path, "--json", *options, "--bins", "x2=4")
    assert found.code == 0, found.err
    content = json.loads(found.out)
    assert [variable["name"] for variable in content["variables"]] == ["x0", "x1", "x2"]
    assert [len(variable["states"]) for variable in content["variables"]] == [2, 2, 4]
    assert content["variables"][0]["states"] == ["é", "ü"]
    assert content["provenance"]["n_rows_dropped"] == 1


def test_names_are_shown_literally_and_never_obeyed(run, tmp_path):
    names = ["[red]sky[/red]", "\x1b[31mgame", ":smile:"]
    path = tmp_path / "names.csv"
    path.write_text(TABLE.replace("sky,game,die", ",".join(names)))
    found = run("learn", path)
    assert found.code == 0
    assert "[red]sky[/red]" in found.out
    assert "\\x1b[31mgame" in found.out
    assert ":smile:" in found.out
    assert "\x1b" not in found.out + found.err
    path.write_text("\x1b[31ma,b\n1,\n")
    assert "\x1b" not in run("learn", path).err


def test_a_wide_table_is_cut_with_a_note(run, tmp_path):
    path = tmp_path / "wide.csv"
    rng = np.random.default_rng(1)
    rows = [",".join(map(str, row)) for row in rng.integers(0, 2, (20, 45)).tolist()]
    path.write_text("\n".join([",".join(f"v{k}" for k in range(45)), *rows]) + "\n")
    found = run("learn", path, "--start", "empty", "--max-ascents", "0", "--quiet")
    assert "and 5 more variables; --output or --json has them all" in found.out
    assert "v44" not in found.out.split("more variables")[0]


def test_compare_two_networks(run, tmp_path):
    (tmp_path / "a.csv").write_text("source,target\nx,y\ny,z\n")
    (tmp_path / "b.csv").write_text("source,target\nx,y\nx,z\n")
    found = run("compare", tmp_path / "a.csv", tmp_path / "b.csv")
    assert found.code == 0
    for part in (
        "2 learned, 2 in the reference, 1 shared",
        "Missing:\n  x -- z",
        "Extra:\n  y -- z",
        "0.500",
    ):
        assert part in found.out
    content = json.loads(run("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--json", "--seed", 3).out)
    assert content["edge_hamming"] == 2
    assert content["missing"] == [["x", "z"]]
    assert content["n_triplets"] == 2000
    assert 0 < content["independence_hamming"] < 1
    same = run("compare", tmp_path / "a.csv", tmp_path / "a.csv", "--triplets", 50)
    assert "0.0000: of 50 questions" in same.out
    assert "Missing:" not in same.out


def test_compare_a_network_and_a_table(run, table, tmp_path):
    run("learn", table, "-o", tmp_path / "net.json", "--drop", "die")
    found = run("compare", tmp_path / "net.json", table, "--json")
    assert json.loads(found.out) == {"independence_hamming": 0.0, "n_triplets": 2000, "seed": 0}
    assert "the table's tests say otherwise" in run("compare", tmp_path / "net.json", table).out


def test_compare_reads_the_table_as_the_network_was_learned(run, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text(TABLE + "sun,?,1\n")
    assert run("learn", path, "--missing", "drop", "-o", tmp_path / "net.json").code == 0
    assert run("compare", tmp_path / "net.json", path).code == 0
    assert run("compare", tmp_path / "net.json", path, "--missing", "state").code == 0
    found = run("compare", tmp_path / "net.json", path, "--missing", "error")
    assert (found.code, "missing values (NaN or empty) in 'game'" in found.err) == (2, True)


def test_simulate_learn_and_compare_fit_together(run, tmp_path):
    flags = ["--variables", 6, "--tau", 2, "--rows", 3000, "--seed", 1, "--log-odds", 2]
    data, truth, net = tmp_path / "data.csv", tmp_path / "truth.json", tmp_path / "net.json"
    found = run("simulate", *flags, "--output", data, "--truth", truth)
    assert (found.code, found.out) == (0, "")
    assert "3,000 rows of 6 variables joined by 6 edges" in found.err
    assert run("learn", data, "-o", net).code == 0
    assert json.loads(run("compare", net, truth, "--json").out)["recall"] >= 0.8
    again = run("simulate", *flags, "--output", "-")
    assert again.out == data.read_text()
    assert run("simulate", *flags, "--output", tmp_path / "data.parquet").code == 0
    assert run("learn", tmp_path / "data.parquet", "--json").code == 0


def test_simulate_takes_its_options(run, tmp_path):
    flags = ["--variables", 5, "--rows", 50, "--structure", "chain", "--cardinality", 3, "--signs", "random"]
    found = run("simulate", *flags, "--output", tmp_path / "d.csv", "--truth", tmp_path / "t.json")
    assert found.code == 0, found.err
    content = json.loads((tmp_path / "t.json").read_text())
    assert content["edges"] == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert content["variables"][0]["states"] == [0, 1, 2]
    assert content["provenance"]["algorithm"] == "simulated"
    assert content["provenance"]["options"]["signs"] == "random"


def test_an_interrupt_ends_with_130(run, table, monkeypatch):
    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("ibmap.cli.options.Reading.read", interrupted)
    found = run("learn", table)
    assert found.code == 130
    assert found.err == "interrupted; a file is written whole or not at all\n"


def test_too_little_memory_is_told(run, table, monkeypatch):
    def exhausted(*_args, **_kwargs):
        raise MemoryError

    monkeypatch.setattr("ibmap.cli.options.Reading.read", exhausted)
    assert "not enough memory" in run("learn", table).err


def test_version_and_help(run):
    assert run("--version").out == f"ibmap {ibmap.__version__}\n"
    found = run("--help")
    assert found.code == 0
    for command in ("learn", "compare", "simulate", "demo"):
        assert command in found.out
        assert run(command, "--help").code == 0


def test_a_real_process_reads_standard_input_and_separates_streams(tmp_path):
    constant = TABLE.replace("die", "die,one").replace(",1\n", ",1,k\n").replace(",2\n", ",2,k\n")
    found = process("learn", "-", "--json", stdin=constant.encode())
    assert found.returncode == 0
    assert json.loads(found.stdout)["edges"] == [[0, 1]]
    assert found.stderr.startswith(b"warning: constant columns")
    failed = process("learn", "-", stdin=b"")
    assert (failed.returncode, failed.stdout) == (2, b"")
    assert failed.stderr.startswith(b"error: standard input is empty")
    assert b"Traceback" not in failed.stderr


def test_a_terminal_without_unicode_still_gets_everything():
    table = TABLE.replace("sky", "\U0001f600").encode()
    found = process("learn", "-", stdin=table, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert found.returncode == 0
    assert b"\\U0001f600" in found.stdout
    found = process("learn", "-", "--json", stdin=table, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert json.loads(found.stdout)["variables"][0]["name"] == "\U0001f600"


def test_a_closed_pipe_is_quiet(table):
    command = f"{sys.executable} -c 'from ibmap.cli import main; main()' learn {table} --json | true"
    found = subprocess.run(command, shell=True, capture_output=True, check=False, timeout=120)
    assert found.stderr == b""


def test_help_loads_nothing_heavy():
    code = (
        "import sys\ntry:\n from ibmap.cli import main; main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'numba', 'sklearn', 'polars', 'scipy', 'numpy', 'networkx'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=60)
    assert found.returncode == 0, found.stderr


class Terminal:
    """Stand in for a terminal on standard error."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return True


def test_a_long_run_shows_a_bar_on_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    waiting = Waiting("learning")
    with waiting:
        waiting(Progress("scoring", 8, 16, 0, float("nan"), 1.0))
        assert terminal.text == ""
        waiting._begin()
        waiting._bar.refresh()
        waiting(Progress("ascending", 3, 0, 3, -12.5, 2.0))
        waiting._bar.refresh()
    assert "scoring every change" in terminal.text
    assert "ascent 3, score -12.5" in terminal.text


def test_a_long_first_run_says_that_it_compiles(monkeypatch, capsys):
    monkeypatch.setattr("ibmap.cli.progress.has_compiled_kernels", lambda: False)
    with Waiting("learning") as waiting:
        waiting._begin()
    assert "compiling the kernels" in capsys.readouterr().err
    with Waiting("learning", quiet=True):
        pass
    waiting._begin()
    assert capsys.readouterr().err == ""


def test_compiling_that_turns_out_late_is_told_once(capsys):
    with Waiting("learning", compiling=False) as waiting:
        waiting._begin()
        assert capsys.readouterr().err == ""
        waiting.expect(compiling=True)
        waiting.expect(compiling=True)
    assert capsys.readouterr().err.count("compiling the kernels") == 1


def test_factors_are_said_as_people_do():
    assert [times(value) for value in (0.0, 2.3, 9.0, 13.8, 13.9)] == [
        "1.0 times",
        "10.0 times",
        "8,100 times",
        "985,000 times",
        "10^6 times",
    ]
    assert in_words(-2.5).endswith("more probable")


def test_control_and_direction_characters_are_escaped():
    assert printable("a\u202eb\x07\u2028") == "a\\u202eb\\x07\\u2028"
    assert printable("שלום \U0001f468\u200d\U0001f469") == "שלום \U0001f468\u200d\U0001f469"


def test_the_table_and_its_truth_need_two_files(run, tmp_path):
    path = tmp_path / "one.csv"
    found = run("simulate", "--variables", 4, "--tau", 2, "--rows", 5, "--output", path, "--truth", path)
    assert (found.code, "same file" in found.err, path.exists()) == (2, True, False)


def test_the_package_runs_as_a_module():
    found = subprocess.run(
        [sys.executable, "-m", "ibmap", "--version"], capture_output=True, check=True, timeout=60
    )
    assert found.stdout.decode().strip().endswith(ibmap.__version__)
