"""Compile at first use in several processes: Numba compiles in one thread at a time.

The numbers of groups of kernels wait in a pipe that all processes read from, a byte each, so that
each group is taken by one of them. Numba's files take what was compiled from one process to
another; what a process fails to compile is compiled where it is called.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

CODE = """
import gc, os, sys
gc.disable()  # it ends soon
sys.path[:] = sys.argv[1:]
from ibmap.kernels import ahead
ahead.work_off(0)
os._exit(0)  # all is written; to free what was compiled would take a second
"""
HEARING = 0.1  # seconds of waiting after which interrupts are heard
MOST = 4  # processes, of a quarter of a gigabyte each


def compile_ahead(groups: Sequence[int], n_processes: int) -> None:
    """Compile groups of kernels, and return when all are done.

    Parameters
    ----------
    groups : sequence of int
        Places in `ibmap.kernels.first_use.GROUPS`, the longest first.
    n_processes : int
        How many may compile at once, this one included.
    """
    source, target = os.pipe()
    helpers: list[subprocess.Popen[bytes]] = []
    try:
        os.write(target, bytes(groups))
        os.close(target)
        with suppress(
            OSError, TypeError, ValueError
        ):  # no interpreter to start: without helpers it takes longer
            helpers.extend(start_helper(source) for _ in range(min(n_processes, MOST, len(groups)) - 1))
        work_off(source)
        for helper in helpers:
            wait_for(helper)
    finally:
        os.close(source)
        for helper in helpers:
            helper.kill()
            helper.wait()


def start_helper(source: int) -> subprocess.Popen[bytes]:
    """Start a process that compiles; it imports what this one would, and nothing of the user's.

    Parameters
    ----------
    source : int
        File descriptor of the pipe.

    Returns
    -------
    subprocess.Popen
        The process.
    """
    command = [sys.executable, "-c", CODE, *sys.path]
    return subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for(helper: subprocess.Popen[bytes]) -> None:
    """Wait until a process has ended, open to interrupts.

    Parameters
    ----------
    helper : subprocess.Popen
        The process.
    """
    while helper.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            helper.wait(HEARING)


def work_off(source: int) -> None:
    """Compile groups until none is left.

    Parameters
    ----------
    source : int
        File descriptor their places are read from.
    """
    from ibmap.kernels.first_use import compile_group

    while place := os.read(source, 1):
        compile_group(place[0])
