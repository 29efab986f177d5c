"""All groups of few rows that dropping one member makes, and slices of few rows that stay as they are."""

import numpy as np

from ibmap.kernels.compiling import inlined, inner
from ibmap.kernels.group_numbers import numbers_of_member, numbers_of_others
from ibmap.kernels.group_totals import is_thin, take_in, take_logs
from ibmap.kernels.thin_groups import byte_rows, load_slice, new_thin_group, weigh_thin, weigh_two


@inner
def rows_in_use(slices, is_grouped):
    """List the rows of slices that are in a group, or have two data points or more."""
    found, n = np.empty(slices.rows.shape[0], np.int32), 0
    for s in range(is_grouped.shape[1]):
        is_used = s < slices.n_live
        for p in range(is_grouped.shape[0]):
            is_used |= is_grouped[p, s]
        if is_used:
            for k in range(slices.starts[s], slices.starts[s + 1]):
                found[n] = slices.rows[k]
                n += 1
    return found[:n]


@inlined
def weigh_rows(n_rows, outside, others, member, group):
    """Weigh a thin group that is loaded. group: IN and OUT."""
    if n_rows == 2:
        weigh_two(outside, member, group)
    else:
        weigh_thin(n_rows, outside, others, member, group)


@inner
def add_thin_slices(
    p, every, slices, x_codes, is_grouped, kinds, most, outside, others, member, group, totals
):
    """Multiply in the thin slices that stay as they are, for all members of the kind of p.

    every: IN, all slices. most: IN, rows of a thin slice at most. totals: IN and OUT.
    """
    for s in range(slices.n_live):
        is_needed = False
        for q in range(kinds.shape[0]):
            is_needed |= kinds[q] == p and not is_grouped[q, s]
        if is_needed and is_thin(slices, every[s : s + 1], most):
            n_rows = load_slice(slices, s, 0, x_codes, outside, 0, group)
            weigh_rows(n_rows, outside, others, member, group)
            for q in range(kinds.shape[0]):
                if kinds[q] == p and not is_grouped[q, s]:
                    take_in(group, q, member.log_most[n_rows], totals)


@inner
def add_thin_groups(p, slices, x_codes, groups, most, outside, others, member, group, totals):
    """Multiply in the thin groups without a member. totals: IN and OUT."""
    for g in range(groups.part_starts.shape[0] - 1):
        parts = groups.parts[groups.part_starts[g] : groups.part_starts[g + 1]]
        if is_thin(slices, parts, most):
            n_rows = 0
            for s in parts:
                n_rows = load_slice(slices, s, s, x_codes, outside, n_rows, group)
            weigh_rows(n_rows, outside, others, member, group)
            take_in(group, p, member.log_most[n_rows], totals)


@inner
def add_all_thin(known, slices, is_grouped, most, blanket, data, prior, question, totals):
    """Multiply in all that is thin. totals: IN and OUT."""
    x, members, columns = question
    sides, lives, kinds = known
    n_x, cardinalities = data.cardinalities[x], data.cardinalities[columns]
    outside = byte_rows(data, columns, rows_in_use(slices, is_grouped))
    others = numbers_of_others(n_x, cardinalities, prior.has_sums)
    group = new_thin_group(
        outside.words.shape[1], others.cardinalities.shape[0], data.cardinalities[columns].max()
    )
    x_codes = data.codes[:, x]
    tables = [numbers_of_member(n_x, sides[0].n_states, 0.0, others, cardinalities, prior) for _ in range(0)]
    for p in range(members.shape[0]):
        if kinds[p] == p:
            log_size = blanket.log_size - data.log_cardinalities[members[p]]
            tables.append(numbers_of_member(n_x, sides[p].n_states, log_size, others, cardinalities, prior))
            add_thin_slices(
                p,
                lives[p].groups.parts,
                slices,
                x_codes,
                is_grouped,
                kinds,
                most,
                outside,
                others,
                tables[-1],
                group,
                totals,
            )
        else:
            tables.append(tables[kinds[p]])
        add_thin_groups(p, slices, x_codes, sides[p].groups, most, outside, others, tables[p], group, totals)
        take_logs(p, totals)
