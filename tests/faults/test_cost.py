"""Tables and files that once cost gigabytes or hours: they end, in bounded memory and time, with a word."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ibmap
from cli_runner import run_fixture  # noqa: F401 - a fixture

pytestmark = [
    pytest.mark.compiled_only("what takes seconds here would take minutes"),
    pytest.mark.skipif(
        not Path("/proc/self/status").exists(), reason="memory is read off Linux's status file"
    ),
]
PROGRAM = [sys.executable, "-c", "from ibmap.cli import main; main()"]
# What getrusage tells of memory begins with that of the parent, so the process tells of its own.
MEASURED = """
import atexit, os
from pathlib import Path
atexit.register(lambda: Path(os.environ["STATUS"]).write_text(Path("/proc/self/status").read_text()))
from ibmap.cli import main
main()
"""
SLACK = 8  # a loaded machine may take so many times the processor time we allow
RNG = np.random.default_rng(0)


def write(path, columns, names=None):
    """Write columns as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(names or [f"v{k}" for k in range(len(columns))])
        table.writerows(zip(*columns, strict=True))
    return path


def labels(n_states, n_rows):
    return [f"s{code}" for code in RNG.integers(0, n_states, n_rows)]


def cost_of(*arguments, seconds):
    """Run a command to its end; give its output, processor seconds and megabytes at most."""
    command, status_file = (
        [sys.executable, "-c", MEASURED, *map(str, arguments)],
        Path(str(arguments[1]) + ".status"),
    )
    environment = {**os.environ, "STATUS": str(status_file)}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    with process.stdout:
        said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, said
    assert usage.ru_utime < seconds, said
    told = dict(line.split(":", 1) for line in status_file.read_text().splitlines())
    return said, int(told["VmHWM"].split()[0]) / 1e3


def test_one_of_two_hundred_identical_columns_stands_for_all(tmp_path):
    column, noise = RNG.integers(0, 3, 300), RNG.integers(0, 2, (2, 300))
    path = write(tmp_path / "t.csv", [column] * 198 + [*noise])
    network, page = tmp_path / "n.json", tmp_path / "n.html"
    said, megabytes = cost_of("learn", path, "-o", network, "--report", page, seconds=20)
    assert "which stands for all" in " ".join(said.split()) and megabytes < 800
    content = json.loads(network.read_text(encoding="utf-8"))
    assert [each["name"] for each in content["variables"]] == ["v0", "v198", "v199"]
    assert content["provenance"]["copies"] == {f"v{k}": "v0" for k in range(1, 198)}
    assert '"v197"' in page.read_text(encoding="utf-8")


def test_other_learners_are_told_of_identical_columns(run, tmp_path):
    columns = RNG.integers(0, 2, (5, 60))
    path = write(tmp_path / "t.csv", [*columns, columns[0]])
    told = run("learn", path, "-a", "gsmn")
    assert told.code == 0 and "say the same as another: 'v5' as 'v0'" in told.err and "--drop v5" in told.err


def test_forty_columns_of_three_hundred_states_end_in_bounded_memory(tmp_path):
    path = write(tmp_path / "t.csv", [labels(300, 400) for _ in range(40)])
    said, megabytes = cost_of("learn", path, "--max-seconds", 3, seconds=3 + 2 * SLACK)
    assert "15 most frequent states are kept apart" in " ".join(said.split()) and megabytes < 800


@pytest.mark.parametrize("algorithm", ["gsmn", "hc"])
def test_eighty_states_end_at_their_limit_with_the_pairwise_test(tmp_path, algorithm):
    path = write(tmp_path / "t.csv", [labels(80, 500) for _ in range(3)])
    limits = ["--test", "pairwise", "--max-seconds", 5]
    said, megabytes = cost_of("learn", path, "-a", algorithm, *limits, seconds=30)
    assert "Edges" in said and megabytes < 800


def test_ctrl_c_ends_a_search_over_many_states(tmp_path):
    path = write(tmp_path / "t.csv", [labels(80, 20_000) for _ in range(40)])
    command = [*PROGRAM, "learn", str(path), "-a", "hc", "--test", "pairwise"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(6)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=10 * SLACK)
    assert process.returncode in (0, 130) and "Traceback" not in said


@pytest.mark.parametrize("options", [[], ["-a", "gsmn"], ["-a", "hc", "--test", "pairwise"]])
def test_an_identifier_of_twenty_thousand_rows_takes_no_gigabytes(tmp_path, options):
    who, b, c = [f"u{k}" for k in range(20_000)], labels(2, 20_000), labels(3, 20_000)
    path = write(tmp_path / "t.csv", [who, b, c], ["who", "b", "c"])
    said, megabytes = cost_of("learn", path, *options, seconds=30)
    assert "'who'" in said and megabytes < 800


@pytest.mark.parametrize("command", [["explain", "v1"], ["report", "page.html"]])
def test_a_network_of_twenty_thousand_variables_takes_no_gigabytes(tmp_path, command):
    network = json.loads(ibmap.GSMN().fit([[0, 0], [1, 1], [0, 1]]).result_.to_json())
    network["variables"] = [{"name": f"v{k}", "states": ["0", "1"]} for k in range(20_000)]
    network["edges"] = network["edge_names"] = network["relations"] = []
    (tmp_path / "n.json").write_text(json.dumps(network))
    what, *rest = command
    more = [tmp_path / each if each.endswith(".html") else each for each in rest]
    _, megabytes = cost_of(what, tmp_path / "n.json", *more, seconds=30)
    assert megabytes < 1000
