"""``ibmap reproduce`` as a user meets it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import polars as pl
import pytest

from cli_runner import process, run_fixture  # noqa: F401
from ibmap.cli import reproduce
from ibmap.plotting.canvas import picture_bytes
from ibmap.reproduce import paper
from ibmap.reproduce.problems import PartOfTable, SampledNetwork

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")

SMALL = {
    "benchmark-third": (PartOfTable("lenses", 3, 5, 24), PartOfTable("baloons", 3, 5, 20)),
    "n50": tuple(SampledNetwork(8, tau, rows) for tau in (1, 2) for rows in (100, 500)),
}


@pytest.fixture(name="tiny")
def tiny_fixture(monkeypatch):
    """Make every study a matter of seconds."""
    problems = tuple(SampledNetwork(12, tau, rows) for tau in (1, 2) for rows in (40, 200))
    full = paper.paper_studies()
    n12 = replace(full["n12"], problems=problems, repetitions=2)
    sizes = tuple(SampledNetwork(n, 1, 200) for n in (4, 6, 8))
    growth = replace(full["ascents"], problems=sizes, repetitions=2)
    monkeypatch.setattr(paper, "paper_studies", lambda *_, **__: {"n12": n12, "ascents": growth})


def test_without_a_name_the_studies_are_listed(run):
    found = run("reproduce")
    assert found.code == 0
    assert "n12" in found.out
    assert "IBMAP-HC" in found.out
    assert "ibmap reproduce all" in found.err
    listed = json.loads(run("reproduce", "--json").out)
    assert {"n12", "n50", "ascents", "runtime", "benchmark-third", "benchmark-fifth"} <= {
        study["name"] for study in listed
    }
    assert all(study["runs"] > 0 for study in listed)


def test_an_unknown_name_is_refused_with_those_there_are(run):
    found = run("reproduce", "n13")
    assert found.code == 2
    assert "there is no study 'n13'" in found.err
    assert "n12" in found.err


def test_tables_figures_and_rows_are_written(run, tiny, tmp_path):
    found = run("reproduce", "n12", "ascents", "-o", tmp_path, "--jobs", 1)
    assert found.code == 0
    for part in ("Edge Hamming distances", "published", "agrees", "rule:", "verdicts:", "holds", "exponent"):
        assert part in found.out, part
    names = {path.name for path in tmp_path.iterdir()}
    assert {"n12.parquet", "n12-edges.csv", "n12-edges.md", "n12-ratios.png", "n12-ratios.svg"} <= names
    assert {"ascents.parquet", "ascents.csv", "ascents.png"} <= names
    rows = pl.read_parquet(tmp_path / "n12.parquet")
    assert rows.height == 8 * rows["learner"].n_unique()
    assert rows["edge_errors"].null_count() == 0
    again = run("reproduce", "n12", "ascents", "-o", tmp_path, "--jobs", 1)
    assert again.out == found.out


def test_repetitions_may_be_fewer_or_more(run, tiny, tmp_path):
    few = json.loads(run("reproduce", "n12", "-o", tmp_path, "--jobs", 1, "--json", "--repetitions", 1).out)
    more = json.loads(run("reproduce", "n12", "-o", tmp_path, "--jobs", 1, "--json", "--repetitions", 3).out)
    runs = [found[0]["tables"][0]["numbers"][0]["n_runs"] for found in (few, more)]
    assert runs == [1, 3]


def test_json_is_data_alone(run, tiny, tmp_path):
    found = run("reproduce", "n12", "-o", tmp_path, "--jobs", 1, "--json")
    (study,) = json.loads(found.out)
    assert study["study"] == "n12"
    edges = study["tables"][0]
    assert edges["table"] == "n12-edges"
    assert {"tau", "N", "ours", "published", "verdict"} <= set(edges["numbers"][0])
    assert {claim["holds"] for claim in edges["claims"]} <= {True, False, None}


def test_without_matplotlib_there_are_tables_and_a_word(run, tiny, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = run("reproduce", "ascents", "-o", tmp_path, "--jobs", 1)
    assert found.code == 0
    assert "pip install 'ibmap[plot]'" in found.err
    assert (tmp_path / "ascents.csv").exists()
    assert not (tmp_path / "ascents.png").exists()


@pytest.mark.parametrize("name", ["benchmark-third", "n50"])
def test_every_kind_of_figure_can_be_drawn(name, tmp_path):
    from ibmap.reproduce.reports import sum_up, write_figures, write_tables
    from ibmap.reproduce.runner import run_study

    study = paper.paper_studies()[name]
    small = replace(study, problems=SMALL[name], repetitions=1)
    rows = run_study(small, tmp_path, n_jobs=1)
    names = [*write_tables(sum_up(small, rows), tmp_path), *write_figures(small, rows, tmp_path)]
    assert {name.rsplit(".")[-1] for name in names} == {"csv", "md", "png", "svg"}
    assert all((tmp_path / name).stat().st_size > 200 for name in names)


def test_a_figure_is_the_same_each_time(tiny, tmp_path):
    from ibmap.reproduce.runner import run_study

    study = paper.paper_studies()["ascents"]
    rows = run_study(study, tmp_path, n_jobs=1)
    draw = study.reports[-1].draw
    for form in (".png", ".svg"):
        assert picture_bytes(draw(rows), form) == picture_bytes(draw(rows), form)


# A program started in the background ignores Ctrl-C, and so would the tests if they run there.
HEEDING = "import signal; signal.signal(2, signal.default_int_handler); from ibmap.cli import main; main()"


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_an_interrupt_keeps_what_is_done_and_says_how_to_go_on(tmp_path):
    command = [sys.executable, "-c", HEEDING]
    arguments = ["reproduce", "n12", "-o", str(tmp_path), "--jobs", "2"]
    group = subprocess.Popen(
        command + arguments, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    journal = tmp_path / "n12.journal"
    deadline = time.monotonic() + 400  # the workers may have to compile
    while time.monotonic() < deadline and (not journal.exists() or journal.read_bytes().count(b"\n") < 3):
        time.sleep(0.05)
    os.killpg(group.pid, signal.SIGINT)  # as a terminal does: to the program and its workers
    out, err = group.communicate(timeout=60)
    assert group.returncode == reproduce.INTERRUPTED
    assert b"give the same command again" in err
    assert b"Traceback" not in err
    assert out == b""
    lines = journal.read_bytes().splitlines()
    assert len(lines) >= 3
    assert all(json.loads(line) for line in lines)


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_an_interrupt_is_heard_before_any_run_is_done(tmp_path):
    command = [sys.executable, "-c", HEEDING]
    arguments = ["reproduce", "n12", "-o", str(tmp_path), "--jobs", "2"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}  # empty: the workers compile for long
    with subprocess.Popen(
        command + arguments, stderr=subprocess.PIPE, start_new_session=True, env=environment
    ) as group:
        deadline = time.monotonic() + 100
        while time.monotonic() < deadline and not list(tmp_path.rglob("*.nbc")):  # a worker's first kernel
            time.sleep(0.05)
        os.killpg(group.pid, signal.SIGINT)
        try:
            _, err = group.communicate(timeout=60)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group.pid, signal.SIGKILL)
    assert group.returncode == reproduce.INTERRUPTED
    assert b"Traceback" not in err


def test_help_is_quick_and_loads_nothing_heavy():
    code = "import sys; from ibmap.cli import main\n"
    code += "try: main(['reproduce', '--help'])\nexcept SystemExit: pass\n"
    code += "heavy = {'numba', 'polars', 'matplotlib', 'sklearn'} & set(sys.modules); assert not heavy, heavy"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert process("reproduce", "--help").returncode == 0


def test_simulate_says_how_rows_are_drawn(run):
    flags = ["simulate", "--variables", 5, "--tau", 2, "--rows", 40, "--seed", 1, "--fields", 1, "-o", "-"]
    gibbs = [*flags, "--method", "gibbs", "--burn-in", 5, "--thinning", 2, "--chains", 2]
    assert run(*gibbs).out == run(*gibbs).out != run(*flags).out
    refused = run("simulate", "--variables", 30, "--tau", 2, "--rows", 4, "--method", "exact", "-o", "-")
    assert refused.code == 2
    assert "--method gibbs" in refused.err
