"""Run the program as a user would, in this process or in one of its own."""

import os
import subprocess
import sys

import pytest

from ibmap.cli import main

ROWS = ["sun,play,1", "rain,stay,1", "sun,play,2", "rain,stay,2"] * 10
TABLE = "\n".join(["sky,game,die", *ROWS]) + "\n"


class Outcome:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


@pytest.fixture(name="run")
def run_fixture(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")

    def run_command(*arguments):
        with pytest.raises(SystemExit) as caught:
            main([str(each) for each in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Outcome(caught.value.code, captured.out, captured.err)

    return run_command


@pytest.fixture(name="table")
def table_fixture(tmp_path):
    path = tmp_path / "weather.csv"
    path.write_text(TABLE)
    return path


def process(*arguments, stdin=b"", **environment):
    command = [sys.executable, "-c", "from ibmap.cli import main; main()", *map(str, arguments)]
    env = {**os.environ, "COLUMNS": "120", **environment}
    return subprocess.run(command, input=stdin, capture_output=True, check=False, env=env, timeout=120)
