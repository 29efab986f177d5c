"""An exponential that inlines: a table of powers of two and a short polynomial.

exp(t) = 2^k 2^(j / 64) exp(r) with |r| <= log(2) / 128, relative error about 1e-16.
"""

import numpy as np

from ibmap.kernels.compiling import inlined

STEPS = 64
PER_UNIT = STEPS / np.log(2.0)
STEP_HIGH = float.fromhex("0x1.62e42fefa0000p-7")  # log(2) / 64, the digits that multiply exactly
STEP_LOW = float.fromhex("0x1.cf79abc9e3b3ap-46")  # the rest of it
LOWEST = -700.0  # exp of this is still normal
FRACTIONS = np.exp2(np.arange(STEPS) / STEPS)
POWERS = np.exp2(np.arange(-1022.0, 1024.0))


@inlined
def fast_exp(t):
    """Give exp(t) for t up to 700; below -700 it stays at exp(-700)."""
    t = max(t, LOWEST)
    n = np.int64(np.floor(t * PER_UNIT + 0.5))
    r = (t - n * STEP_HIGH) - n * STEP_LOW
    tail = r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0)))))
    scale = FRACTIONS[np.uint64(n & (STEPS - 1))] * POWERS[np.uint64((n >> 6) + 1022)]
    return scale + scale * tail
