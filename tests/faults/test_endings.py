"""However a command ends, it ends with 0, 2 or 130, without a traceback, and leaves nothing behind."""

import csv
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli_runner import run_fixture, table_fixture  # noqa: F401
from ibmap.cli import main
from ibmap.graph import MarkovGraph
from ibmap.model import Factor, MarkovNetwork

PROGRAM = [sys.executable, "-c", "from ibmap.cli import main; main()"]
HOSTILE = "\x1b[31mred\x07 \u202eback \x9b1m"


def ended(command, **how):
    """Run a command to its end; give its code and what it said."""
    done = subprocess.run(command, capture_output=True, check=False, timeout=120, **how)
    said = done.stderr.decode(errors="replace")
    assert "Traceback" not in said, said
    return done.returncode, said


def test_a_closed_standard_input_is_told(tmp_path):
    code, said = ended(["sh", "-c", 'exec "$@" <&-', "sh", *PROGRAM, "learn", "-"])
    assert code == 2 and "standard input is closed" in said


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_that_has_seen_enough_is_no_error(table, options):
    reading, writing = os.pipe()
    os.close(reading)
    started = subprocess.Popen([*PROGRAM, "learn", table, *options], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert "Traceback" not in started.communicate(timeout=120)[1].decode()
    assert started.returncode == 0


def test_an_output_that_is_full_is_told(table):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no full device")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, "learn", table], stdout=full, stderr=subprocess.PIPE, check=False, timeout=120
        )
    assert done.returncode == 2 and b"No space left" in done.stderr and b"Traceback" not in done.stderr


@pytest.mark.parametrize("seed", range(4))
def test_ctrl_c_at_any_moment_ends_without_a_traceback(table, seed):
    command = [sys.executable, "-X", "importtime", *PROGRAM[1:], "learn", str(table)]
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for line in started.stderr:
        if line.rstrip().endswith("| ibmap.cli"):  # all before is Python's own start
            break
    time.sleep(0.01 + random.Random(seed).random())
    started.send_signal(signal.SIGINT)
    said = started.communicate(timeout=120)[1]
    assert "Traceback" not in said and "Error" not in said
    assert started.returncode in (0, 130)


@pytest.mark.parametrize("gigabytes", [0.5, 1.0, 1.6])
def test_little_room_for_addresses_is_told(table, gigabytes):
    resource = pytest.importorskip("resource")
    limit = (int(gigabytes * 1e9),) * 2
    code, said = ended(
        [*PROGRAM, "learn", table], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit)
    )
    assert code == 2 and f"may use {gigabytes} GB of addresses" in said and "ulimit -v" in said


def test_a_fault_of_our_own_is_told_in_two_lines_with_a_code_of_its_own(run, table, monkeypatch):
    def fail(*arguments):
        raise RuntimeError("boom\nat length")

    monkeypatch.setattr("ibmap.learners.cost.estimate", fail)
    monkeypatch.delenv("IBMAP_TRACEBACK", raising=False)
    told = run("learn", table)
    assert told.code == 70 and told.out == ""
    assert "a fault of ibmap, not yours: RuntimeError: boom\n" in told.err and "IBMAP_TRACEBACK=1" in told.err
    monkeypatch.setenv("IBMAP_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="boom"):
        main(["learn", str(table)])


class Evil:
    """Whoever unpickles it makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_reading_a_file_runs_nothing_in_it(run, table, tmp_path):
    trace = tmp_path / "trace"
    pickle.loads(pickle.dumps(Evil(trace)))
    assert trace.exists()
    trace.unlink()
    for name in ("n.json", "n.graphml", "n.csv", "m.uai", "t.parquet", "t.arrow", "kept"):
        (tmp_path / name).write_bytes(pickle.dumps(Evil(trace)))
    at = {name: tmp_path / name for name in ("n.json", "n.graphml", "n.csv", "m.uai", "t.parquet", "t.arrow")}
    for command in (
        *(["explain", at[name]] for name in ("n.json", "n.graphml", "n.csv")),
        ["compare", at["n.json"], at["n.graphml"]],
        ["sample", at["n.json"]],
        ["sample", at["m.uai"]],
        *(["learn", at[name]] for name in ("n.csv", "t.parquet", "t.arrow")),
        ["learn", table, "-a", "hc", "--resume", tmp_path / "kept"],
    ):
        assert run(*command).code == 2, command
    assert not trace.exists()


def running(group):
    """The processes of a group that are not zombies."""
    alive = []
    for entry in Path("/proc").iterdir():
        try:
            state, _, its_group = entry.joinpath("stat").read_text().rsplit(") ", 1)[1].split()[:3]
        except (OSError, IndexError):
            continue
        if int(its_group) == group and state != "Z":
            alive.append(int(entry.name))
    return alive


@pytest.mark.compiled_only("studies would take long")
@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGKILL])
def test_a_study_that_is_ended_leaves_no_process_behind(tmp_path, way):
    if not Path("/proc/self/stat").exists():
        pytest.skip("this system does not list processes there")
    command = [*PROGRAM, "reproduce", "n12", "--output", str(tmp_path), "--jobs", "2"]
    started = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    until = time.monotonic() + 60
    while len(running(started.pid)) < 3 and started.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    assert started.poll() is None
    started.send_signal(way)
    started.wait(timeout=60)
    while (left := running(started.pid)) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == []


@pytest.fixture(name="hostile")
def hostile_fixture(tmp_path):
    """A model with names and states that a terminal or a spreadsheet would obey."""
    graph = MarkovGraph.from_edges(2, [(0, 1)], [HOSTILE, "=HYPERLINK(1)"])
    model = MarkovNetwork(
        graph, ((HOSTILE, "=cmd()"), (-1, "b")), (Factor((0, 1), [[1.0, 0.0], [0.0, 1.0]]),)
    )
    model.save(tmp_path / "model.json")
    return tmp_path / "model.json"


def is_quiet(text):
    """Whether a terminal would only show it."""
    return not any(c in text for c in "\x1b\x07\x9b\u202e")


def test_tables_on_standard_output_do_nothing_to_a_terminal(run, hostile):
    shown = run("sample", hostile, "--rows", 30, "--seed", 1)
    assert shown.code == 0 and is_quiet(shown.out) and r"\x1b[31mred" in shown.out
    assert "\n'=HYPERLINK(1)" not in shown.out.splitlines()[0] and ",'=HYPERLINK(1)" in shown.out
    assert "'=cmd()," in shown.out and "'-1" not in shown.out
    assert not any(line.startswith(("=", "+", "@")) for line in shown.out.splitlines())


def test_a_file_of_marked_cells_is_read_back_as_what_it_was(run, hostile, tmp_path):
    assert run("sample", hostile, "--rows", 30, "--seed", 1, "-o", tmp_path / "rows.csv").code == 0
    assert HOSTILE in (tmp_path / "rows.csv").read_text()
    rows = tmp_path / "rows.csv"
    for command in (["predict", hostile, rows, "--column", HOSTILE], ["complete", hostile, rows]):
        told = run(*command)
        assert told.code == 0 and is_quiet(told.out + told.err)
        assert "'=cmd()" in told.out


def test_explanations_and_comparisons_of_hostile_names_do_nothing_to_a_terminal(run, tmp_path):
    rng, states = random.Random(0), ("\x1b[2Jx", "<img src=x onerror=alert(1)>")
    lines = [[HOSTILE, "<script>x</script>", "[bold]z", "gr\x1b]0;t\x07oup"]]
    for _ in range(80):
        a, group = rng.randrange(2), rng.randrange(2)
        b = a if rng.random() < 0.95 else 1 - a
        lines.append([states[a], states[b], states[rng.randrange(2)], states[group]])
    for name, part in (("a.csv", lines), ("b.csv", lines[:1] + lines[:0:-1])):
        with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(part)
    first, second, network = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "n.json"
    assert run("learn", first, "-o", network, "-q").code == 0
    for command in (
        ["explain", network],
        ["explain", network, HOSTILE],
        ["explain", network, HOSTILE, "<script>x</script>"],
        ["explain", network, "--json"],
        ["compare", network, network],
        ["compare", first, second],
        ["compare", first, second, "--json"],
        ["compare", first, "--by", lines[0][3]],
    ):
        told = run(*command)
        assert told.code == 0, told.err
        assert is_quiet(told.out + told.err), command
    assert r"\x1b[31mred" in told.out
    told = run("explain", network, "\x1b[5mnone")
    assert told.code == 2 and is_quiet(told.err) and r"\x1b[5mnone" in told.err


def test_json_on_standard_output_is_quiet_and_the_same(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f'"{HOSTILE}",b\n' + "1,2\n2,1\n" * 10, encoding="utf-8")
    told = run("learn", path, "--json")
    assert told.code == 0 and is_quiet(told.out)
    assert json.loads(told.out)["variables"][0]["name"] == HOSTILE
