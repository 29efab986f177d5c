"""Products over groups of slices, for every member dropped and every variable W outside."""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.group_weights import times_factor

SHORT = 16  # rows up to which a group is thin in any case
RUN = 4  # rows of a run of X on average from which on its cells are counted
FULL = 200.0  # logs of products from which on a logarithm is taken

# Products of factors 1 + e by member and W, and logs of what was taken out of them: of X against W, and
# against the member; slices of the latter; by member what the logs of the products are at most.
Totals = namedtuple("Totals", "own own_logs split split_logs n_live log_most")


@inner
def new_totals(n_members, n_columns):
    """Make room for the products of all tests."""
    shape = (n_members, n_columns)
    return Totals(
        np.ones(shape), np.zeros(shape), np.ones(shape), np.zeros(shape), np.zeros(shape, np.int64),
        np.zeros(n_members),
    )  # fmt: skip


@bare
def take_logs(p, totals):
    """Put the products of a member into their logarithms."""
    for k in range(totals.own.shape[1]):
        totals.own_logs[p, k] += math.log(totals.own[p, k])
        totals.split_logs[p, k] += math.log(totals.split[p, k])
        totals.own[p, k] = totals.split[p, k] = 1.0
    totals.log_most[p] = 0.0


@inlined
def take_in(group, p, log_most, totals):
    """Multiply in what a thin group gives, for a member. log_most: IN, log of its largest factor at most."""
    if totals.log_most[p] + log_most > FULL:
        take_logs(p, totals)
    totals.log_most[p] += log_most
    for k in range(totals.own.shape[1]):
        totals.own[p, k] *= group.own[k]
        totals.split[p, k] *= group.split[k]
        totals.n_live[p, k] += group.n_live[k]


@inlined
def is_thin(slices, parts, most):
    """Tell whether a group is weighed as a thin one: it has few rows, and not many in each run of X.

    parts: IN, its slices. most: IN, rows at most.
    """
    n_rows, n_runs = 0, 0
    for s in parts:
        n_rows += slices.starts[s + 1] - slices.starts[s]
        n_runs += slices.run_starts[s + 1] - slices.run_starts[s]
    return n_rows <= most and (n_rows < SHORT or RUN * n_runs > n_rows)


@inlined
def add_long(p, k, own, split, totals):
    """Multiply in what a large group gives, for a member and a variable outside.

    own: IN, log of e of X against W. split: IN, product and log of the factors of X against the member, and
    their number.
    """
    totals.own[p, k], totals.own_logs[p, k] = times_factor(totals.own[p, k], totals.own_logs[p, k], own)
    totals.split_logs[p, k] += split[1] + math.log(split[0])
    totals.n_live[p, k] += split[2]
