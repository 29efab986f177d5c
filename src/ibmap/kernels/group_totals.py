"""Products over groups of slices, for every member dropped and every variable W outside."""

import math
from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.group_weights import times_factor
from ibmap.kernels.lanes import LANES

SHORT = 16  # rows under which a group is thin in any case
RUN = 4  # rows of a run of X on average from which on its cells are counted
FULL = 200.0  # logs of products from which on a logarithm is taken

# Products of factors 1 + e by member and variable W, and logs of what was taken out of them: of X against W,
# and against the member; slices of the latter; by member what the logs of the products are at most. Groups of
# two rows by whether X and the member are the same: by member how many there are, and by block and lane in
# how many W is the same.
Totals = namedtuple("Totals", "own own_logs split split_logs n_live log_most n_pairs pairs")


@inner
def new_totals(n_members, n_variables):
    """Make room for the products of all tests."""
    n_blocks = (n_variables + LANES - 1) // LANES
    shape = (n_members, n_blocks * LANES)
    return Totals(
        np.ones(shape), np.zeros(shape), np.ones(shape), np.zeros(shape), np.zeros(shape, np.int64),
        np.zeros(n_members), np.zeros((n_members, 4), np.int64),
        np.zeros((n_members, n_blocks, 4, LANES), np.int32),
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
def add_long(p, w, own, split, totals):
    """Multiply in what a large group gives, for a member and a variable outside.

    own: IN, log of e of X against W. split: IN, product and log of the factors of X against the member, and
    their number.
    """
    totals.own[p, w], totals.own_logs[p, w] = times_factor(totals.own[p, w], totals.own_logs[p, w], own)
    totals.split_logs[p, w] += split[1] + math.log(split[0])
    totals.n_live[p, w] += split[2]
