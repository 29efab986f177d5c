"""Kernels stand on supported ground, and compiled code is kept where it can do no harm."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap import kernels
from ibmap.data.table import EncodedTable
from ibmap.independence import binary_rows
from ibmap.independence.posterior import Prior
from ibmap.kernels.compiling import cache_folder
from ibmap.kernels.slices import n_bits, transpose
from ibmap.kernels.two_by_two import fast_exp

FOLDER = Path(kernels.__file__).parent
SOURCES = sorted(FOLDER.glob("*.py"))
MOST_FILES, MOST_LINES = 25, 4500
LEARN = """
import numpy as np
from ibmap.independence.bayesian import BayesianTest
rows = np.random.default_rng(0).integers(0, 2, (200, 4))
print(BayesianTest(rows).log_probabilities(0, 1, (2,)))
"""
COUNT = """
import numpy as np
from ibmap.kernels.slices import n_bits, pack_rows, transpose
rows = np.zeros((1, 200), np.uint64)
pack_rows(np.random.default_rng(0).integers(0, 2, (4, 200)).astype(np.uint8), rows)
transpose(rows[0, :64])
print(n_bits(rows[0, 0]), rows.tolist())
"""  # a few kernels that call each other: eight processes compile them at once


def imported(source):
    """List the modules that a source imports anywhere."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_kernels_stay_few_and_short():
    assert len(SOURCES) <= MOST_FILES
    assert sum(len(source.read_text(encoding="utf-8").splitlines()) for source in SOURCES) <= MOST_LINES


def test_nothing_stands_on_private_parts_of_numba():
    for source in FOLDER.parent.rglob("*.py"):
        for module in imported(source):
            assert not module.startswith(("llvmlite", "numba.")), f"{source} imports {module}"
            assert module != "numba" or source.name in ("compiling.py", "loading.py"), source


def test_all_kernels_have_the_one_decorator():
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and source.name != "compiling.py":
                assert [ast.unparse(each) for each in node.decorator_list] == ["kernel"], (source, node.name)


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted(word):
    assert n_bits(np.uint64(word)) == word.bit_count()


@given(st.integers(0, 2**32 - 1))
def test_transposing_swaps_rows_and_columns_of_bits(seed):
    words = np.random.default_rng(seed).integers(0, 2**64, 64, np.uint64)
    turned = words.copy()
    transpose(turned)
    bits = np.unpackbits(words.view(np.uint8).reshape(64, 8), axis=1, bitorder="little")
    found = np.unpackbits(turned.view(np.uint8).reshape(64, 8), axis=1, bitorder="little")
    assert (found == bits.T).all()


@given(st.integers(1, 200), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_masks_count_what_is_counted_row_by_row(n_rows, n_given, seed):
    rows = np.random.default_rng(seed).integers(0, 2, (n_rows, 6))
    rows[:2] = [[0] * 6, [1] * 6][: min(n_rows, 2)]
    columns = binary_rows.BinaryColumns(EncodedTable.from_codes(rows, [2] * 6), Prior(0.5))
    given, asked = tuple(range(1, 1 + n_given)), np.array([5], np.int64)
    masked = binary_rows.BinaryRow(columns, 0, given)
    keys = [tuple(row) for row in rows[:, list(given)].tolist()]
    sizes = sorted(keys.count(key) for key in set(keys))
    assert sorted(masked.slice_sizes().tolist()) == sizes
    assert (masked.n_live, masked.n_single) == (sum(n > 1 for n in sizes), sizes.count(1))
    in_live = [k for k, key in enumerate(keys) if keys.count(key) > 1]
    assert masked._count(asked).sum() == rows[in_live, 5].sum()


@given(st.floats(-690, 690))
def test_the_exponential_is_exact_but_for_the_last_digit(t):
    assert fast_exp(t) == pytest.approx(np.exp(t), rel=4e-16)


@pytest.mark.compiled_only("nothing is kept without compilation")
def test_compiled_code_goes_where_the_user_says_or_can_write(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    clean = {
        key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    }
    environment = {**clean, "HOME": str(home)}
    subprocess.run([sys.executable, "-c", LEARN], env=environment, check=True, capture_output=True)
    (folder,) = (home / ".cache").iterdir()
    assert folder.name == cache_folder().name
    assert list(folder.rglob("*.nbi"))
    chosen = tmp_path / "chosen"
    environment = {**clean, "NUMBA_CACHE_DIR": str(chosen), "HOME": str(home)}
    code = "from ibmap.kernels.compiling import cache_folder; print(cache_folder())"
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    )
    assert Path(told.stdout.strip()).parent == chosen


@pytest.mark.compiled_only("nothing is compiled")
def test_eight_processes_share_an_empty_cache(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", COUNT], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(8)
    ]
    told = [process.communicate() for process in started]
    assert [process.returncode for process in started] == [0] * 8, told
    assert len({out for out, _ in told}) == 1
