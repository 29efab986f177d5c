import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from cli_runner import process, run_fixture, table_fixture  # noqa: F401 - fixtures
from ibmap.cli.loading import load_numba, unavailable
from ibmap.containers import take_apart
from ibmap.kernels.compiling import IS_COMPILED

pytestmark = pytest.mark.compiled_only("a program as a whole says nothing new about kernels")

UNUSED = ("scipy.linalg", "narwhals", "sklearn", "networkx", "pandas", "pyarrow", "matplotlib")


def loaded(stderr):
    return {line.rpartition("|")[2].strip() for line in stderr.decode().splitlines() if "|" in line}


def test_learning_from_a_file_loads_no_library_it_does_not_use(table):
    done = process("learn", table, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    names = loaded(done.stderr)
    assert {"numba", "polars", "ibmap.search.lazy_climb"} <= names
    assert not names & {*UNUSED, "ibmap.search.tree_search", "ibmap.export"}


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
