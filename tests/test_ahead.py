"""What is compiled at first use: the right kernels, by several processes, whatever becomes of them."""

import os
import subprocess
import sys

import numpy as np
import pytest

from ibmap import BayesianTest
from ibmap.cli.compiling import needed_groups, prepare_climb
from ibmap.cli.progress import Waiting
from ibmap.kernels import ahead, first_use
from ibmap.table import EncodedTable
from ibmap.table_score import TableScore

needs_compilation = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="compilation is off"
)

LEARN = """
import sys
from ibmap.cli import main
from ibmap.kernels import first_use
groups = getattr(first_use, sys.argv.pop())
try:
    main(["learn", sys.argv.pop(), "-a", "hc", "--threads", "2", "--quiet"])
except SystemExit as end:
    assert end.code == 0, end.code
listed = {first_use.name(kernel): [types] for group in groups for kernel, types in group}
called = {first_use.name(kernel): kernel.signatures for group in groups for kernel, _ in group}
assert called == listed, [(name, called[name]) for name in listed if called[name] != listed[name]]
"""

COMPILE = """
import os
os.close(0)  # as a program without a terminal may be
from ibmap.kernels import ahead, first_use
places = [first_use.GROUPS.index(group) for group in first_use.ANY_STATES[-2:]]
assert first_use.missing(first_use.ANY_STATES[-2:]) == places
ahead.work_off = lambda source: None  # leave all of it to the helper
ahead.compile_ahead(places, 2)
assert first_use.missing(first_use.ANY_STATES[-2:]) == []
"""


def chained_table(n_states):
    """Give the text of a table of eight variables, each like the one before it; of 20 if negative."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, abs(n_states), (1000, 8 if n_states > 0 else 20))
    for k in range(1, 8):
        codes[:, k] = np.where(rng.random(1000) < 0.6, codes[:, k - 1], codes[:, k])
    codes[:, 7] = np.where(rng.random(1000) < 0.5, codes[:, 0], codes[:, 7])
    return "\n".join(
        ",".join(map(str, row)) for row in [[f"x{k}" for k in range(codes.shape[1])], *codes.tolist()]
    )


@needs_compilation
@pytest.mark.parametrize(
    ("n_states", "groups"), [(2, "BINARY"), (-2, "BINARY_UNWEIGHTED"), (3, "ANY_STATES")]
)
def test_a_climb_calls_the_kernels_listed_and_as_they_are_listed(n_states, groups, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(chained_table(n_states))
    done = subprocess.run(
        [sys.executable, "-c", LEARN, str(path), groups], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@needs_compilation
def test_a_helper_compiles_for_this_process(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", COMPILE], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(name="compiled")
def compiled_fixture(monkeypatch):
    """The groups this process compiles, which it only takes note of."""
    found = []
    monkeypatch.setattr(first_use, "compile_group", found.append)
    return found


def test_without_helpers_all_is_compiled_here(compiled, monkeypatch):
    ahead.compile_ahead([2, 0, 1], 1)
    assert compiled == [2, 0, 1]
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    ahead.compile_ahead([3, 4], 2)
    assert compiled == [2, 0, 1, 3, 4]


def test_a_helper_that_fails_leaves_the_rest_to_this_process(compiled, monkeypatch):
    monkeypatch.setattr(ahead, "CODE", "raise SystemExit(3)")
    ahead.compile_ahead([0, 1], 2)
    assert compiled == [0, 1]


def test_each_group_is_taken_once(compiled, monkeypatch):
    monkeypatch.setattr(ahead, "CODE", "import os; print(os.read(0, 1))")
    monkeypatch.setattr(ahead, "start_helper", started_first)
    ahead.compile_ahead([5, 6], 2)
    assert compiled == [6]


def started_first(source):
    """Let a helper take what it takes before anyone else."""
    command = [sys.executable, "-c", ahead.CODE]
    helper = subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL)
    helper.wait()
    return helper


def test_an_interrupt_ends_the_helpers(monkeypatch):
    helpers = []

    def start(source):
        helpers.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], stdin=source))
        return helpers[-1]

    def interrupted(place):
        raise KeyboardInterrupt

    monkeypatch.setattr(ahead, "start_helper", start)
    monkeypatch.setattr(first_use, "compile_group", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ahead.compile_ahead([0, 1, 2], 3)
    assert len(helpers) == 2
    assert all(helper.returncode for helper in helpers)


@needs_compilation
def test_a_climb_is_prepared_only_where_that_helps(monkeypatch):
    asked, found = [], {first_use.BINARY: [7], first_use.ANY_STATES: [8], first_use.BINARY_UNWEIGHTED: [9]}
    monkeypatch.setattr(ahead, "compile_ahead", lambda groups, n: asked.append((groups, n)))
    table = EncodedTable.from_codes([[0, 1], [1, 0]])
    monkeypatch.setattr(first_use, "missing", lambda groups: [])
    with Waiting("learning", quiet=True) as waiting:
        waiting.compiling = False
        prepare_climb(table, 2, waiting)
        assert (asked, waiting.compiling) == ([], False)
        monkeypatch.setattr(first_use, "missing", found.get)
        prepare_climb(table, 1, waiting)
        assert (asked, waiting.compiling) == ([], False)
        prepare_climb(EncodedTable.from_codes([[0, 1], [1, 0]] * 5000), 2, waiting)
        assert (asked, waiting.compiling) == ([([7], 2)], True)
        prepare_climb(EncodedTable.from_codes([[0, 1], [2, 0]]), 3, waiting)
        prepare_climb(table, 3, waiting)  # too few rows to merge any
        assert asked[1:] == [([8], 3), ([9], 3)]


@pytest.mark.parametrize(
    ("n_rows", "n_variables", "n_states", "more"),
    [
        (50, 5, 3, ()),
        (50, 5, 9, (first_use.MANY_TERMS,)),
        (50, 41, 3, (first_use.MANY_TERMS,)),
        (1000, 5, 3, (first_use.MANY_ROWS,)),
        (1000, 5, 9, (first_use.MANY_ROWS, first_use.MANY_TERMS)),
    ],
)
def test_tables_of_many_rows_or_states_need_more_kernels(n_rows, n_variables, n_states, more):
    codes = np.arange(n_rows * n_variables).reshape(n_rows, n_variables) % n_states
    assert needed_groups(EncodedTable.from_codes(codes)) == (*more, *first_use.ANY_STATES)


@needs_compilation
def test_kernels_of_many_rows_and_terms_are_called_as_they_are_listed():
    listed = dict((*first_use.MANY_ROWS, *first_use.MANY_TERMS))
    before = {kernel: set(kernel.signatures) for kernel in listed}
    codes = np.random.default_rng(1).integers(0, 9, (1000, 16))
    score = TableScore(BayesianTest(EncodedTable.from_codes(codes)))
    score.changes(0, (1, 2, 3, 4, 5))
    score.bounds(0, (1,))
    score.term(0, (1,))
    for kernel, kinds in listed.items():
        assert set(kernel.signatures) == before[kernel] | {kinds}
