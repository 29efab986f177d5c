"""Killed, interrupted, without disk or rights: files are whole or absent, and searches go on."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from cli_runner import table_fixture  # noqa: F401
from ibmap.data.atomic import write_atomically

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.compiled_only("searches that last long enough to be cut")
PROGRAM = [sys.executable, "-c", "from ibmap.cli import main; main()"]
N_KILLS = int(os.environ.get("IBMAP_KILLS", "4"))  # 100 and more by hand


@pytest.fixture(scope="module", name="data")
def data_fixture(tmp_path_factory):
    """A table whose search takes a second or two, and what it gives uninterrupted."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (4000, 60))
    for k in range(1, 60):
        codes[:, k] = np.where(rng.random(4000) < 0.3, codes[:, k - 1], codes[:, k])
    header = ",".join(f"v{k}" for k in range(60))
    np.savetxt(folder / "t.csv", codes, "%d", ",", header=header, comments="")
    begun = time.monotonic()
    learn(folder / "t.csv", "-o", folder / "whole.json", "--checkpoint", folder / "whole.kept")
    begun = time.monotonic() - begun
    return folder / "t.csv", facts(folder / "whole.json"), begun


def started(*arguments, **how):
    command = [*PROGRAM, "learn", *map(str, arguments), "-a", "hc", "--start", "empty", "-q"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)


def learn(*arguments, code=0, **how):
    process = started(*arguments, **how)
    out, err = process.communicate(timeout=200)
    assert process.returncode == code, err
    assert "Traceback" not in err
    return out, err


def facts(path):
    """What a network file holds but the time it took and the limits it had."""
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["provenance"]["seconds"]
    return content


def resumed(table, tmp_path):
    """Finish a search that was cut, from its checkpoint if it had come so far as to write one."""
    kept, again = tmp_path / "kept", tmp_path / "again.json"
    how = ["--resume", kept] if kept.exists() else ["--checkpoint", kept]
    learn(table, "-o", again, *how)
    return facts(again)


@pytest.mark.parametrize("seed", range(N_KILLS))
@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGINT])
def test_cut_at_any_moment_files_are_whole_or_absent_and_it_goes_on(data, tmp_path, way, seed):
    table, whole, seconds = data
    process = started(table, "-o", tmp_path / "out.json", "--checkpoint", tmp_path / "kept")
    time.sleep(random.Random(seed).uniform(0.2, 1.0) * seconds)
    process.send_signal(way)
    _, err = process.communicate(timeout=200)
    assert "Traceback" not in err
    assert process.returncode in (0, 130, -way)  # before Python hears signals, the system ends it
    if (tmp_path / "out.json").exists():
        content = facts(tmp_path / "out.json")
        assert content == whole or content["stopped"] == "interrupted"
    assert resumed(table, tmp_path) == whole


def small_files(limit):
    """Let no file grow beyond a limit, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def test_a_full_disk_leaves_no_half_file(table, tmp_path):
    command = [
        *PROGRAM,
        "learn",
        table,
        "-q",
        "-o",
        tmp_path / "out.json",
        "--report",
        tmp_path / "page.html",
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=200, preexec_fn=small_files(2000)
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert (
        done.stderr.count("cannot write") == 2 and "Edges" in done.stdout
    )  # what was found is told all the same
    assert list(tmp_path.iterdir()) == [table]


@pytest.mark.skipif(shutil.which("setpriv") is None or os.getuid() != 0, reason="rights cannot be given up")
def test_a_folder_that_may_not_be_written_is_told(table, tmp_path):
    tmp_path.chmod(0o555)
    plain = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *PROGRAM]
    command = [*plain, "learn", table, "-o", tmp_path / "out.json", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    tmp_path.chmod(0o755)
    assert done.returncode == 2 and "may not be written" in done.stderr and "Traceback" not in done.stderr


def test_what_a_killed_process_left_is_cleared_away_by_the_next(tmp_path):
    code = "import os, signal; from ibmap.data import atomic\n"
    code += "os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)\n"
    code += f"atomic.write_atomically({str(tmp_path / 'a.txt')!r}, 'half')"
    subprocess.run([sys.executable, "-c", code], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".ibmap-")
    os.utime(left, (time.time() - 60,) * 2)
    write_atomically(tmp_path / "b.txt", "whole")
    assert [path.name for path in tmp_path.iterdir()] == ["b.txt"]
