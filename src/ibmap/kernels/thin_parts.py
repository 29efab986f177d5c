"""All groups of few rows that dropping one member makes, and slices of few rows that stay as they are.

Of two rows only which states are equal counts, so that these are only counted.
"""

import numpy as np

from ibmap.kernels.compiling import bare, inlined, inner
from ibmap.kernels.group_numbers import numbers_of_member, numbers_of_others
from ibmap.kernels.group_totals import is_thin, take_in, take_logs
from ibmap.kernels.lanes import LANES, add_equal
from ibmap.kernels.thin_groups import link_rows, load_slice, new_thin_group, weigh_thin, weigh_x


@bare
def count_two(p, blocks, group, totals):
    """Count a group of two rows, and where their states are equal. totals: IN and OUT, `pairs`, `n_pairs`."""
    same_x, same_slice = np.int64(group.x[0] == group.x[1]), np.int64(group.slices[0] == group.slices[1])
    kind = 2 * same_x + same_slice
    totals.n_pairs[p, kind] += 1
    for b in range(blocks.shape[0]):
        add_equal(blocks[b], group.places[0], group.places[1], totals.pairs[p, b], kind)


@inlined
def weigh_rows(n_rows, blocks, others, member, group):
    """Weigh a thin group of three rows or more that is loaded. group: IN and OUT."""
    link_rows(n_rows, group)
    weigh_x(n_rows, others, group)
    for b in range(blocks.shape[0]):
        weigh_thin(b, n_rows, blocks[b], others, member, group)


@inner
def add_thin_slices(
    p, every, slices, x_codes, is_grouped, kinds, most, blocks, others, member, group, totals
):
    """Multiply in the thin slices that stay as they are, for all members of the kind of p.

    every: IN, all slices. most: IN, rows of a thin slice at most. totals: IN and OUT.
    """
    for s in range(slices.n_live):
        is_needed = False
        for q in range(kinds.shape[0]):
            is_needed |= kinds[q] == p and not is_grouped[q, s]
        if is_needed and is_thin(slices, every[s : s + 1], most):
            n_rows = load_slice(slices, s, 0, x_codes, 0, group)
            if n_rows > 2:
                weigh_rows(n_rows, blocks, others, member, group)
            for q in range(kinds.shape[0]):
                if kinds[q] == p and not is_grouped[q, s]:
                    if n_rows == 2:
                        count_two(q, blocks, group, totals)
                    else:
                        take_in(group, q, member.log_most[n_rows], totals)


@inner
def add_thin_groups(p, slices, x_codes, groups, most, blocks, others, member, group, totals):
    """Multiply in the thin groups without a member. totals: IN and OUT."""
    for g in range(groups.part_starts.shape[0] - 1):
        parts = groups.parts[groups.part_starts[g] : groups.part_starts[g + 1]]
        if is_thin(slices, parts, most):
            n_rows = 0
            for s in parts:
                n_rows = load_slice(slices, s, s, x_codes, n_rows, group)
            if n_rows == 2:
                count_two(p, blocks, group, totals)
            else:
                weigh_rows(n_rows, blocks, others, member, group)
                take_in(group, p, member.log_most[n_rows], totals)


@bare
def close_pairs(p, others, member, totals):
    """Add what groups of two rows give to the logs of a member. totals: IN and OUT."""
    for w in range(totals.own.shape[1]):
        b, lane = w // LANES, w % LANES
        if others.is_real[b, lane] > 0.0:
            d = others.kinds[b, lane]
            own_logs, split_logs = member.own_logs[d], member.split_logs[d]
            for kind in range(4):
                same_x, same_slice = kind // 2, kind % 2
                n_same = totals.pairs[p, b, kind, lane]
                n_other = totals.n_pairs[p, kind] - n_same
                totals.own_logs[p, w] += n_same * own_logs[same_x, 1] + n_other * own_logs[same_x, 0]
                totals.split_logs[p, w] += n_same * split_logs[same_x, same_slice]
                totals.n_live[p, w] += n_same


@inner
def add_all_thin(known, slices, is_grouped, most, blanket, data, prior, question, totals):
    """Multiply in all that is thin. totals: IN and OUT."""
    x, members, outside = question
    sides, lives, kinds = known
    n_x, blocks, x_codes = data.cardinalities[x], data.blocks, data.codes[:, x]
    others = numbers_of_others(n_x, outside, blocks.shape[0], data.cardinalities[outside], prior.has_sums)
    group = new_thin_group(blocks.shape[0], others.cardinalities.shape[0], n_x)
    tables = [numbers_of_member(n_x, sides[0].n_states, 0.0, others, prior) for _ in range(0)]
    for p in range(members.shape[0]):
        if kinds[p] == p:
            log_size = blanket.log_size - data.log_cardinalities[members[p]]
            tables.append(numbers_of_member(n_x, sides[p].n_states, log_size, others, prior))
            every = lives[p].groups.parts
            add_thin_slices(
                p, every, slices, x_codes, is_grouped, kinds, most, blocks, others, tables[p], group, totals
            )
        else:
            tables.append(tables[kinds[p]])
        add_thin_groups(p, slices, x_codes, sides[p].groups, most, blocks, others, tables[p], group, totals)
        take_logs(p, totals)
        close_pairs(p, others, tables[p], totals)
