"""Calls of kernels by their address: as they are listed, and with the errors they raise."""

import subprocess
import sys

import numpy as np
import pytest
from numba import float64, int64
from numba.core.errors import TypingError

from ibmap.kernels import first_use
from ibmap.kernels.by_address import address_of, call_at
from ibmap.kernels.compiling import IS_COMPILED, bare, bare_kernel

compiled = pytest.mark.skipif(not IS_COMPILED, reason="compilation is off")


@bare
def divide(numbers, place, results):
    """Divide a number by its place."""
    results[place] = numbers[place] // place


@bare_kernel
def divide_at(address, numbers, place, results):
    """Call it by its address."""
    call_at(address, divide, (numbers, place, results))


@pytest.fixture(autouse=True)
def _listed(monkeypatch):
    """List the kernel of this file."""
    group = ((divide, (int64[::1], int64, int64[::1])),)
    monkeypatch.setattr(first_use, "GROUPS", (*first_use.GROUPS, group))


def test_a_kernel_is_called_by_its_address():
    results = np.zeros(3, np.int64)
    divide_at(address_of(divide), np.array([4, 5, 6]), 2, results)
    assert results.tolist() == [0, 0, 3]


@compiled
def test_its_errors_are_raised_by_the_caller():
    with pytest.raises(ZeroDivisionError):
        divide_at(address_of(divide), np.array([4, 5, 6]), 0, np.zeros(3, np.int64))


@compiled
def test_other_types_than_listed_are_refused():
    with pytest.raises(TypingError, match="is listed with other arguments"):
        divide_at.compile((int64, float64[::1], int64, int64[::1]))


@compiled
def test_the_caller_is_compiled_without_what_it_calls():
    code = """
from ibmap.kernels import first_use, small_look
kinds = first_use.listed_types(small_look.look)
small_look.look.compile(kinds)
parts = [getattr(small_look, name) for name in small_look.Parts._fields]
assert [part.signatures for part in parts] == [[]] * len(parts)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
