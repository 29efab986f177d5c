"""Somebody's learner beside ours, by one command."""

import polars as pl
import pytest

from cli_runner import run_fixture  # noqa: F401
from ibmap.errors import InvalidOptionError
from ibmap.reproduce.benchmark import load_learner

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")

LEARNER = """
import numpy as np

def nothing(codes):
    return np.zeros((codes.shape[1], codes.shape[1]), bool)

def nonsense(codes):
    return "edges"

number = 3
"""


@pytest.fixture(name="own")
def own_fixture(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(LEARNER)
    return path


def test_an_empty_learner_misses_every_edge(run, own, tmp_path):
    folder = tmp_path / "study"
    flags = ("--quick", "--jobs", "1", "--output", str(folder))
    done = run("reproduce", "benchmark", "--learner", f"{own}:nothing", *flags)
    assert done.code == 0, done.err
    runs = pl.read_parquet(folder / "benchmark.parquet")
    theirs = runs.filter(pl.col("learner").str.ends_with(":nothing"))
    ours = runs.filter(learner="ibmap")
    assert len(theirs) == len(ours) > 0
    assert theirs["edge_errors"].sum() > ours["edge_errors"].sum()


def test_what_is_no_learner_is_refused_before_anything_runs(run, own):
    for source, word in (
        ("own.py", "file.py:function"),
        (f"{own}:missing", "cannot be loaded"),
        (f"{own}:number", "not a function"),
        ("nowhere.py:learn", "cannot be loaded"),
    ):
        with pytest.raises(InvalidOptionError, match=word):
            load_learner(source)
        refused = run("reproduce", "benchmark", "--learner", source, "--quick")
        assert refused.code == 2
        assert "Traceback" not in refused.err


def test_what_is_no_structure_is_told(run, own, tmp_path):
    flags = ("--quick", "--jobs", "1", "--output", str(tmp_path))
    done = run("reproduce", "benchmark", "--learner", f"{own}:nonsense", *flags)
    assert done.code == 2
    assert "adjacency matrix" in done.err
