"""How small and how large the Bayes factors of a slice can become when it is divided further.

A larger conditioning set divides every slice in two, again and again, one half possibly
empty, and each part of a slice counts half as much as the slice did. `refine` tabulates what no
such division can undercut or exceed, for slices of at most `SMALL` data points:

- `least`: the mean of min(h / g, 1) over the parts, at least;
- `most`: the mean of h / g over the parts, at most.

Both hold for any division, of real variables or not. A slice's cells (a0, a1, b0, b1) are
as in `two_by_two`; its entry is at ``starts[a0 + b0, a1 + b1] + b0 * (a1 + b1 + 1) + b1``.
"""

import math

from ibmap.kernels.compiling import kernel
from ibmap.kernels.two_by_two import log_ratio

SMALL = 16  # data points; four times the work for half as many more


@kernel
def lay_out(starts):
    """Number the entries, those of equal sums for X = 0 and 1 together; returns how many there are."""
    n_entries = 0
    for total in range(SMALL + 1):
        for m1 in range(total + 1):
            starts[total - m1, m1] = n_entries
            n_entries += (total - m1 + 1) * (m1 + 1)
    return n_entries


@kernel
def entry(starts, a0, a1, b0, b1):
    """Find the entry of a slice."""
    return starts[a0 + b0, a1 + b1] + b0 * (a1 + b1 + 1) + b1


@kernel
def divide(starts, a0, a1, b0, b1, bounds, low, high):
    """Lower and raise the bounds of a slice to what dividing it in two gives."""
    total = a0 + a1 + b0 + b1
    for u0 in range(a0 + 1):
        for u1 in range(a1 + 1):
            for v0 in range(b0 + 1):
                for v1 in range(b1 + 1):
                    if 0 < u0 + u1 + v0 + v1 < total:
                        part = entry(starts, u0, u1, v0, v1)
                        rest = entry(starts, a0 - u0, a1 - u1, b0 - v0, b1 - v1)
                        low = min(low, (bounds[part, 0] + bounds[rest, 0]) / 2)
                        high = max(high, (bounds[part, 1] + bounds[rest, 1]) / 2)
    return low, high


@kernel
def refine(starts, logs, factors, bounds):
    """Tabulate h / g, and what divisions make of it at least and at most.

    starts: IN, from `lay_out`. logs: IN, the tables of `two_by_two`. factors: OUT. bounds: OUT,
    (entries, 2). Leaving one part empty changes nothing: h / g of nothing is 1, `least` is
    not above that, and `most` not below, since single data points have 1 as well.
    """
    for total in range(SMALL + 1):
        for a0 in range(total + 1):
            for a1 in range(total + 1 - a0):
                for b0 in range(total + 1 - a0 - a1):
                    b1 = total - a0 - a1 - b0
                    ratio = math.exp(log_ratio(a0, a1, b0, b1, logs))
                    here = entry(starts, a0, a1, b0, b1)
                    factors[here] = ratio
                    low, high = divide(starts, a0, a1, b0, b1, bounds, min(ratio, 1.0), ratio)
                    bounds[here, 0], bounds[here, 1] = low, high


@kernel
def corner_ratios(logs, corners):
    """Tabulate D(u, v), h / g of slices with (u, v) data points in opposite cells and none elsewhere.

    logs: IN. corners: OUT. If the margins' parameters are sums of the cells' ("sums"), no division of a
    slice makes the mean of h / g exceed the larger of h / g itself and (D(a0, b1) + D(a1, b0)) / 2:

    1. No part has an h / g above D of its own a0, b1 or of its own a1, b0. Of all one can choose
       from its data points take those with the highest h / g. Leaving out one of X = 0 in a column
       (a0, a1) of a data points, of m in all, divides h / g by (a0 / (a + 1)) / ((m0 + 1) / (m + 3)),
       which cannot be below 1, and for X = 1 likewise. If both cells had data points, a0 (m + 3) >=
       (m0 + 1)(a + 1) and a1 (m + 3) >= (m1 + 1)(a + 1) would add up to a >= m + 2. So each
       column, and by symmetry each row, has one cell at most.
    2. D(u + 1, v) - D(u, v) = D(u, v) (u v + u + v) / (u + 2)^2 is at least 0 and falls neither in u
       nor in v. So D >= 1 grows, and D(u, v) + D(u', v') <= D(u + u', v + v') + 1.
    3. So two parts have at most D(a0, b1) + D(a1, b0) together: if both are bounded by the same
       corners, by 2; if not, since D grows.
    """
    for u in range(corners.shape[0]):
        for v in range(corners.shape[0] - u):
            corners[u, v] = math.exp(log_ratio(u, 0, 0, v, logs))
