"""The slices of a blanket as units, for what dropping members from it merges.

Without a member b, slices that differ in b alone become one: a *group*. Most
slices meet no other, and their Bayes factors stay. Partitions of one
representative of each slice forget those that are alone, so that without two of
many members only a few are left.
"""

from collections import namedtuple

import numpy as np

from ibmap.kernels.compiling import inner
from ibmap.kernels.context import Context

# Rows by slice (those of one data point last), the slice of a representative row, and the runs of
# equal X in each slice: their states and numbers of rows and data points.
BlanketSlices = namedtuple(
    "BlanketSlices", "rows starts n_live representatives numbers run_starts run_states run_rows run_counts"
)
# Groups of slices one after the other: their rows with their cells, joint states of X and the member
# dropped; for each cell these states and its number of data points; the slices they are made of.
Groups = namedtuple("Groups", "starts rows cells cell_starts cell_x cell_y cell_counts part_starts parts")


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
    representatives, numbers = np.empty(n_slices, np.int32), np.empty(n_rows, np.int32)
    run_starts = np.empty(n_slices + 1, np.int32)
    run_states, run_rows = np.empty(n_rows, np.int32), np.empty(n_rows, np.int32)
    run_counts = np.empty(n_rows, np.int32)
    n_runs = 0
    for s in range(n_slices):
        representatives[s] = rows[starts[s]]
        numbers[representatives[s]] = s
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
    return BlanketSlices(
        rows, starts, n_live, representatives, numbers, run_starts, run_states, run_rows, run_counts
    )


@inner
def undivided(slices):
    """Give the partition of all slices into one group, or none if there is nothing to take together."""
    starts = np.zeros(2, np.int32)
    starts[1] = slices.representatives.shape[0]
    if starts[1] < 2:
        return Context(slices.representatives[:0], starts[:1], 0, 0.0, 1.0)
    return Context(slices.representatives, starts, 0, 0.0, 1.0)


@inner
def new_groups(n_groups, n_rows, n_cells, n_parts):
    """Make room for groups."""
    return Groups(
        np.zeros(n_groups + 1, np.int32), np.empty(n_rows, np.int32), np.empty(n_rows, np.int32),
        np.zeros(n_groups + 1, np.int32),
        np.empty(n_cells, np.int32), np.empty(n_cells, np.int32), np.empty(n_cells, np.int32),
        np.zeros(n_groups + 1, np.int32), np.empty(n_parts, np.int32),
    )  # fmt: skip


@inner
def fill_group(slices, members, codes, groups, g):
    """Put group g behind those before it.

    members: IN, representatives of its slices, which differ in one variable alone, so that each run
    of X is a cell. codes: IN, of that variable. groups: IN and OUT.
    """
    n, cell, part = groups.starts[g], groups.cell_starts[g], groups.part_starts[g]
    for row in members:
        s = slices.numbers[row]
        groups.parts[part] = s
        part += 1
        k = slices.starts[s]
        for r in range(slices.run_starts[s], slices.run_starts[s + 1]):
            groups.cell_x[cell], groups.cell_y[cell] = slices.run_states[r], codes[row]
            groups.cell_counts[cell] = slices.run_counts[r]
            for _ in range(slices.run_rows[r]):
                groups.rows[n], groups.cells[n] = slices.rows[k], cell - groups.cell_starts[g]
                k += 1
                n += 1
            cell += 1
    groups.starts[g + 1], groups.cell_starts[g + 1], groups.part_starts[g + 1] = n, cell, part


@inner
def live_groups(slices):
    """Take each slice of two data points or more as a group of its own; a member is constant there."""
    n_live = slices.n_live
    groups = new_groups(n_live, slices.starts[n_live], slices.run_starts[n_live], n_live)
    for s in range(n_live):
        fill_group(slices, slices.representatives[s : s + 1], slices.numbers, groups, s)
    groups.cell_y[:] = 0
    return groups


@inner
def merged_groups(slices, partition, codes):
    """List the groups of a partition of representatives. codes: IN, of the variable they differ in."""
    n_rows, n_cells = 0, 0
    for row in partition.rows:
        s = slices.numbers[row]
        n_rows += slices.starts[s + 1] - slices.starts[s]
        n_cells += slices.run_starts[s + 1] - slices.run_starts[s]
    n_groups = partition.starts.shape[0] - 1
    groups = new_groups(n_groups, n_rows, n_cells, partition.rows.shape[0])
    for g in range(n_groups):
        fill_group(slices, partition.rows[partition.starts[g] : partition.starts[g + 1]], codes, groups, g)
    return groups
