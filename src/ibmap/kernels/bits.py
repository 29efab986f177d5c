"""Count the bits of machine words."""

import numpy as np

from ibmap.kernels.compiling import inlined

ONE = np.uint64(1)
M1 = np.uint64(0x5555555555555555)
M2 = np.uint64(0x3333333333333333)
M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
M8 = np.uint64(0x0101010101010101)


@inlined
def popcount(v):
    """Count the bits of a word; LLVM knows the pattern and uses its own instruction."""
    v = v - ((v >> ONE) & M1)
    v = (v & M2) + ((v >> np.uint64(2)) & M2)
    v = (v + (v >> np.uint64(4))) & M4
    return np.int64((v * M8) >> np.uint64(56))
