"""What does not fit into memory lies in files that never outlive their run."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from ibmap.data.scratch import PREFIX, is_mapped, room, room_like, scratch_folder
from ibmap.errors import TooLargeError

HOLD = """
import time
from ibmap.data.scratch import room, scratch_folder
with scratch_folder() as folder:
    (folder / "rows.parquet").write_bytes(b"rows")
    array = room((1000, 3), "uint16", in_file=True)
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


@pytest.mark.parametrize("in_file", [False, True])
def test_room_is_an_array_of_zeros_that_can_be_written(own_folder, in_file):
    array = room((5, 3), np.uint16, in_file=in_file)
    assert type(array) is np.ndarray and array.flags.f_contiguous and array.flags.writeable
    assert not array.any() and is_mapped(array) == is_mapped(array[1:, 2]) == in_file
    array[:, 1] = np.arange(5)
    assert array.sum(axis=0).tolist() == [0, 10, 0]
    assert is_mapped(room_like(array.T, (2,), np.uint8)) == in_file
    assert not [*own_folder.iterdir()]  # a file without a name is gone with the process


def test_room_that_no_disk_has_is_refused_with_the_remedy(own_folder):
    with pytest.raises(TooLargeError, match=r"cannot be written to .*TMPDIR="):
        room((10**15,), np.uint16, in_file=True)
    assert room((0, 3), np.uint16, in_file=True).shape == (0, 3)


@pytest.mark.skipif(os.name == "nt", reason="processes are killed by a signal")
def test_folders_of_killed_processes_are_removed_by_the_next_and_others_stay(own_folder):
    processes = [
        subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    try:
        killed, alive = (Path(each.stdout.readline().strip()) for each in processes)
        processes[0].send_signal(signal.SIGKILL)
        processes[0].wait()
        time.sleep(2.1)  # before that a folder may be one that is being made
        with scratch_folder() as folder:
            assert sorted(own_folder.glob(PREFIX + "*")) == sorted([folder, alive])
        assert not folder.exists() and alive.exists() and killed.parent == own_folder
    finally:
        for each in processes:
            each.kill()
            each.wait()
            each.stdout.close()
