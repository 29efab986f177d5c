"""The slices of a blanket as units, for what dropping members from it merges.

Without a member b, slices that differ in b alone become one: a *group*. Most
slices meet no other, and their Bayes factors stay. Partitions of the slices forget
those that are alone, so that without two of many members only a few are left.
"""

from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inner
from ibmap.kernels.context import Context

# Rows by slice (those of one data point last), and the runs of equal X in each slice: their states and
# numbers of rows and data points.
BlanketSlices = namedtuple("BlanketSlices", "rows starts n_live run_starts run_states run_rows run_counts")
# The members' states by slice and member, their cardinalities and logarithms of these; what a slice counts
# for, or none if each is 1, and the least that a group counts for that matters.
SliceTable = namedtuple("SliceTable", "codes cardinalities log_cardinalities weights least")
# Groups of slices one after the other: their cells, joint states of X and the member dropped, with numbers of
# data points; the slices they are made of.
Groups = namedtuple("Groups", "cell_starts cell_x cell_y cell_counts part_starts parts")


@inner
def all_rows(context, n_rows):
    """Give a partition with the slices of one data point put back, behind the others."""
    n_kept, n_slices = context.rows.shape[0], context.starts.shape[0] - 1
    is_kept = np.zeros(n_rows, np.bool_)
    rows, starts = np.empty(n_rows, np.int32), np.empty(n_slices + n_rows - n_kept + 1, np.int32)
    for k in range(n_kept):
        rows[k] = context.rows[k]
        is_kept[rows[k]] = True
    for s in range(n_slices):
        starts[s] = context.starts[s]
    n = n_kept
    for row in range(n_rows):
        if not is_kept[row]:
            rows[n] = row
            starts[n_slices + n - n_kept] = n
            n += 1
    starts[starts.shape[0] - 1] = n_rows
    return rows, starts


@inner
def list_slices(context, x_codes, weights):
    """List the slices of a set, and the runs of X in each. weights: IN, none at all if each is 1."""
    n_rows = x_codes.shape[0]
    rows, starts = all_rows(context, n_rows)
    n_slices = starts.shape[0] - 1
    run_starts = np.empty(n_slices + 1, np.int32)
    run_states, run_rows = np.empty(n_rows, np.int32), np.empty(n_rows, np.int32)
    run_counts = np.empty(n_rows, np.int32)
    n_runs = 0
    for s in range(n_slices):
        run_starts[s] = n_runs
        for k in range(starts[s], starts[s + 1]):
            state = x_codes[rows[k]]
            if k == starts[s] or run_states[n_runs - 1] != state:
                run_states[n_runs], run_rows[n_runs], run_counts[n_runs] = state, 0, 0
                n_runs += 1
            run_rows[n_runs - 1] += 1
            run_counts[n_runs - 1] += weights[rows[k]] if weights.shape[0] > 0 else 1
    run_starts[n_slices] = n_runs
    n_live = context.starts.shape[0] - 1
    return BlanketSlices(rows, starts, n_live, run_starts, run_states, run_rows, run_counts)


@inner
def slice_table(slices, data, members, least):
    """Give the members' states in each slice as a table of its own.

    least: IN, data points of a group that matters. With 2 it is enough to count slices.
    """
    n_slices = slices.starts.shape[0] - 1
    codes = np.empty((members.shape[0], n_slices), data.codes.dtype).T
    for p in range(members.shape[0]):
        for s in range(n_slices):
            codes[s, p] = data.codes[slices.rows[slices.starts[s]], members[p]]
    weights = np.zeros(n_slices if least > 2 else 0, np.int64)
    for s in range(weights.shape[0]):
        for r in range(slices.run_starts[s], slices.run_starts[s + 1]):
            weights[s] += slices.run_counts[r]
    return SliceTable(codes, data.cardinalities[members], data.log_cardinalities[members], weights, least)


@inner
def new_groups(n_groups, n_cells, n_parts):
    """Make room for groups."""
    return Groups(
        np.zeros(n_groups + 1, np.int32),
        np.empty(n_cells, np.int32), np.empty(n_cells, np.int32), np.empty(n_cells, np.int32),
        np.zeros(n_groups + 1, np.int32), np.empty(n_parts, np.int32),
    )  # fmt: skip


@inner
def fill_group(slices, members, codes, groups, g):
    """Put group g behind those before it.

    members: IN, its slices, which differ in one variable alone, so that each run of X is a cell.
    codes: IN, of that variable, by slice. groups: IN and OUT.
    """
    cell, part = groups.cell_starts[g], groups.part_starts[g]
    for s in members:
        groups.parts[part] = s
        part += 1
        for r in range(slices.run_starts[s], slices.run_starts[s + 1]):
            groups.cell_x[cell], groups.cell_y[cell] = slices.run_states[r], codes[s]
            groups.cell_counts[cell] = slices.run_counts[r]
            cell += 1
    groups.cell_starts[g + 1], groups.part_starts[g + 1] = cell, part


@inner
def merged_groups(slices, partition, codes):
    """List the groups of a partition of slices. codes: IN, by slice, of the member they differ in."""
    n_cells = 0
    for s in partition.rows:
        n_cells += slices.run_starts[s + 1] - slices.run_starts[s]
    n_groups = partition.starts.shape[0] - 1
    groups = new_groups(n_groups, n_cells, partition.rows.shape[0])
    for g in range(n_groups):
        fill_group(slices, partition.rows[partition.starts[g] : partition.starts[g + 1]], codes, groups, g)
    return groups


@inner
def live_groups(slices, table):
    """Take each slice of two data points or more as a group of its own; a member is constant there."""
    n_live = slices.n_live
    every = Context(np.arange(n_live).astype(np.int32), np.arange(n_live + 1).astype(np.int32), 0, 0.0, 1.0)
    groups = merged_groups(slices, every, table.codes[:, 0])
    groups.cell_y[:] = 0
    return groups
