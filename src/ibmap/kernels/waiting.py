"""Wait for another thread without going to sleep, and without the interpreter's lock."""

from ibmap.kernels.atomics import load, rest
from ibmap.kernels.compiling import bare_kernel


@bare_kernel
def wait_for_change(numbers, before, patience):
    """Wait until the first of some numbers is another one; tell whether it has become one.

    numbers: IN, written by other threads. before: IN, what it was. patience: IN, how many times to look.
    """
    for _ in range(patience):
        if load(numbers, 0) != before:
            return True
        rest()
    return False
