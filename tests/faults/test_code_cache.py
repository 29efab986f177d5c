"""Compiled code that cannot be kept, was cut off, or is somebody else's: it starts all the same."""

import os
import shutil
import subprocess
import sys

import pytest

from ibmap.code_cache import is_whole

pytestmark = pytest.mark.compiled_only("nothing is kept without compilation")

CALL = "from ibmap.kernels.two_by_two import fast_exp; print(fast_exp(1.0))"
NOWHERE = "import tempfile; tempfile.tempdir = '/dev/null/none'; "  # no temporary folder at all


def call(code=CALL, **environment):
    """Call a kernel in a process of its own; give what it says."""
    env = {
        key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env={**env, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2.718281828")
    return done.stderr


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with compiled code in it."""
    folder = tmp_path_factory.mktemp("kept")
    assert call(NUMBA_CACHE_DIR=str(folder)) == ""
    return folder


def copy_of(kept, tmp_path):
    return shutil.copytree(kept, tmp_path / "cache")


def code_files(folder):
    return sorted(folder.rglob("*.nb[ic]"))


DAMAGE = {
    "empty": lambda data: b"",
    "cut in half": lambda data: data[: len(data) // 2],
    "cut by a byte": lambda data: data[:-1],
    "zeros": lambda data: bytes(len(data)),
    "too long": lambda data: data + b".",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_file_that_is_not_whole_is_known(kept, tmp_path, damage):
    for path in code_files(kept):
        copy = tmp_path / path.name
        copy.write_bytes(path.read_bytes())
        assert is_whole(copy)
        copy.write_bytes(damage(path.read_bytes()))
        assert not is_whole(copy)


@pytest.mark.parametrize(("ending", "damage"), [(".nbi", "empty"), (".nbc", "cut in half")])
def test_damaged_files_are_told_of_and_compiled_anew(kept, tmp_path, ending, damage):
    folder = copy_of(kept, tmp_path)
    for path in code_files(folder):
        if path.suffix == ending:
            path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert call(NUMBA_CACHE_DIR=str(folder)).count("damaged files") == 1
    assert all(map(is_whole, code_files(folder)))


def test_where_home_may_not_be_written_a_temporary_folder_serves(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    told = call(HOME="/dev/null", TMPDIR=str(temporary))
    assert told.count("no other place may be written") == 1
    assert code_files(temporary)


def test_where_nothing_may_be_written_it_compiles_anew_each_time():
    assert call(NOWHERE + CALL, HOME="/dev/null").count("cannot be kept") == 1


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no such permissions")
def test_a_folder_that_others_may_write_is_not_trusted(kept, tmp_path):
    folder = copy_of(kept, tmp_path)
    (own,) = folder.iterdir()
    own.chmod(0o777)
    before = {path: path.read_bytes() for path in code_files(folder)}
    assert "no other place" in call(NUMBA_CACHE_DIR=str(folder), TMPDIR=str(tmp_path))
    assert {path: path.read_bytes() for path in code_files(folder)} == before
