import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from cli_runner import process, run_fixture, table_fixture  # noqa: F401 - fixtures
from ibmap.cli.loading import load_numba, unavailable
from ibmap.data.containers import take_apart
from ibmap.kernels.compiling import IS_COMPILED

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")

UNUSED = ("scipy.linalg", "narwhals", "sklearn", "networkx", "pandas", "pyarrow", "matplotlib")


COMPILING = ("numba", "llvmlite", "ibmap.kernels.compiling")


def loaded(stderr):
    return {line.rpartition("|")[2].strip() for line in stderr.decode().splitlines() if "|" in line}


def test_learning_from_a_file_loads_no_library_it_does_not_use(table):
    done = process("learn", table, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    names = loaded(done.stderr)
    assert {"polars", "ibmap.search.lazy_climb"} <= names
    assert not names & {*UNUSED, *COMPILING, "ibmap.search.tree_search", "ibmap.result.formats"}


@pytest.mark.parametrize("n_states", [2, 3])
def test_learning_from_a_small_table_compiles_nothing_and_takes_no_time(tmp_path, n_states):
    table = write_table(tmp_path / "t.csv", 1000, 20, n_states)
    asked = ("learn", table, "--output", tmp_path / "network.json", "--report", tmp_path / "page.html")
    assert_quick(tmp_path, *asked)
    assert json.loads((tmp_path / "network.json").read_text())["edges"]
    assert (tmp_path / "page.html").exists()


def test_the_demonstration_compiles_nothing_and_takes_no_time(tmp_path):
    assert_quick(tmp_path, "demo", "--output", tmp_path / "demo")
    assert (tmp_path / "demo" / "page.html").exists()


def test_a_large_table_is_answered_by_kernels(tmp_path):
    done = process(
        "learn", write_table(tmp_path / "t.csv", 2600, 20, 2), "--quiet", PYTHONPROFILEIMPORTTIME="1"
    )
    assert done.returncode == 0
    assert "numba" in loaded(done.stderr)


def write_table(path, n_rows, n_columns, n_states):
    """Columns that follow an earlier one in half of the rows."""
    rng = np.random.default_rng(n_states)
    codes = rng.integers(0, n_states, (n_rows, n_columns))
    for k in range(1, n_columns):
        follows = rng.random(n_rows) < 0.5
        codes[follows, k] = codes[follows, rng.integers(k)]
    header = ",".join(f"v{k}" for k in range(n_columns))
    np.savetxt(path, codes, "%d", ",", header=header, comments="")
    return path


def assert_quick(folder, *arguments):
    """A process with nothing compiled before ends within five seconds, probabilities included, no Numba."""
    cache, before = folder / "cache", os.times()
    done = process(*arguments, PYTHONPROFILEIMPORTTIME="1", NUMBA_CACHE_DIR=str(cache))
    after = os.times()
    assert done.returncode == 0
    assert b"compiling" not in done.stderr.replace(b"ibmap.cli.compiling", b"")
    assert not loaded(done.stderr) & {*COMPILING}
    assert not cache.exists()
    assert after.children_user + after.children_system - before.children_user - before.children_system < 5


def test_a_library_that_was_kept_from_numba_can_be_used_afterwards():
    load_numba()
    from scipy.linalg import det

    assert det(np.eye(2)) == 1


@pytest.mark.skipif(not IS_COMPILED, reason="needs compiled code")
def test_compiled_code_can_still_multiply_matrices():
    code = """
from ibmap.cli.loading import load_numba
load_numba()
import numba, numpy
product = numba.njit(lambda a, b: numpy.dot(a, b))(numpy.eye(2), numpy.ones((2, 2)))
assert (product == 1).all()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_modules_are_unavailable_for_a_while_only(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    with unavailable(("colorsys",)), pytest.raises(ImportError):
        import colorsys
    import colorsys

    with unavailable(("colorsys",)):
        import colorsys as again
    assert sys.modules["colorsys"] is colorsys is again


def test_a_polars_frame_is_taken_apart_as_narwhals_would():
    import narwhals as nw

    frame = pl.DataFrame({"a": [1, 2, 2], "b": ["x", None, "y"]})
    for table in (frame, nw.from_native(frame)):
        names, columns, n_rows = take_apart(table)
        assert (names, n_rows) == (["a", "b"], 3)
        assert [column.series.to_list() for column in columns] == [[1, 2, 2], ["x", None, "y"]]
