"""Ctrl-C in a real process: the best so far is written, marked, and the exit code is 130."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from ibmap import SearchResult

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")

HC = ["-a", "hc", "--start", "empty"]
PROGRAM = """
import os, signal, sys, threading
from ibmap.cli import interrupts, main
phase, number, n_signals = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
heard, seen = threading.Event(), []
hear, call = interrupts.Interrupts._hear, interrupts.Interrupts.__call__

def told(self, progress):
    seen.append(progress.phase)
    if seen.count(phase) == number and progress.phase == phase:
        for _ in range(n_signals):
            heard.clear()
            print("READY", file=sys.stderr, flush=True)
            while not heard.wait(0.01):
                pass
    call(self, progress)

def listen(self, *arguments):
    heard.set()
    hear(self, *arguments)

interrupts.Interrupts.__call__, interrupts.Interrupts._hear = told, listen
main(sys.argv[4:])
"""


@pytest.fixture(name="table")
def table_fixture(tmp_path):
    rng = np.random.default_rng(1)
    codes = [rng.integers(0, 2, 400)]
    for _ in range(9):
        codes.append(np.where(rng.random(400) < 0.75, codes[-1], rng.integers(0, 2, 400)))
    path = tmp_path / "table.csv"
    names = ",".join(f"v{k}" for k in range(10))
    path.write_text("\n".join([names, *(",".join(map(str, row)) for row in np.stack(codes, axis=1))]) + "\n")
    return path


def interrupted(phase, number, *arguments, n_signals=1):
    """Run the program; send it SIGINT when it has told of a phase for the n-th time."""
    command = [sys.executable, "-c", PROGRAM, phase, number, n_signals, *arguments]
    process = subprocess.Popen(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "120"},
        text=True,
    )
    talk = ""
    for _ in range(n_signals):
        while "READY" not in (line := process.stderr.readline()):
            assert line, f"it ended before it could be interrupted: {talk}"
            talk += line
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, talk + err


def run(*arguments):
    """Run the program undisturbed; give what it learned."""
    command = [sys.executable, "-c", "from ibmap.cli import main; main()", *map(str, arguments), "--json"]
    found = subprocess.run(command, capture_output=True, check=True, timeout=120)
    content = json.loads(found.stdout)
    content["provenance"]["seconds"] = 0
    return content


def test_a_climb_is_interrupted_written_and_resumed(table, tmp_path):
    net, edges, kept = tmp_path / "net.json", tmp_path / "net.csv", tmp_path / "kept.json"
    code, out, err = interrupted(
        "ascending", 3, "learn", table, *HC, "-o", net, "-o", edges, "--checkpoint", kept
    )
    assert code == 130
    assert "Ctrl-C again ends at once" in err
    assert "warning: the search was interrupted after 3 ascents" in err
    assert f"written: {net}, {edges}" in err
    assert "Traceback" not in err
    assert "interrupted; this is the best so far" in out
    result = SearchResult.from_json(net)
    assert (result.stopped, result.n_ascents) == ("interrupted", 3)
    assert edges.read_text().startswith("source,target")
    whole = run("learn", table, *HC)
    assert run("learn", table, *HC, "--resume", kept) == whole
    assert whole["stopped"] == "optimum"


def test_the_recommended_learner_goes_on_from_what_it_had(table, tmp_path):
    net = tmp_path / "net.json"
    code, out, err = interrupted("ascending", 3, "learn", table, "-o", net)
    assert code == 130
    assert "warning: the search was interrupted after 3 ascents" in err
    assert "interrupted; this is the best so far" in out
    assert (SearchResult.from_json(net).stopped, SearchResult.from_json(net).n_ascents) == ("interrupted", 3)
    assert run("learn", table, "--start", net)["edges"] == run("learn", table)["edges"]


@pytest.mark.parametrize(
    ("phase", "options"),
    [
        ("blankets", ["-a", "gsmn"]),
        ("blankets", ["-a", "hc"]),
        ("scoring", HC),
        ("scoring", []),
        ("weighing", []),
        ("settling", []),
    ],
)
def test_the_start_and_gsmn_are_interrupted_as_well(table, tmp_path, phase, options):
    net = tmp_path / "net.json"
    code, out, err = interrupted(phase, 2, "learn", table, "--json", "-o", net, *options)
    assert code == 130
    assert "Traceback" not in err
    assert json.loads(out)["stopped"] == "interrupted"
    assert SearchResult.from_json(net).stopped == "interrupted"


@pytest.mark.parametrize("options", [HC, []])
def test_a_second_interrupt_ends_at_once_and_writes_nothing(table, tmp_path, options):
    net = tmp_path / "net.json"
    code, out, err = interrupted("ascending", 2, "learn", table, *options, "-o", net, n_signals=2)
    assert (code, out) == (130, "")
    assert "a file is written whole or not at all" in err
    assert "Traceback" not in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.csv"]
