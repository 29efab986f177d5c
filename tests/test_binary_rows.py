"""Tests of one binary variable against many: how rows are sliced and cells counted."""

import math

import numpy as np
import pytest

from ibmap.independence.binary_rows import BinaryColumns, BitRow, GroupRow
from ibmap.independence.posterior import Prior
from ibmap.kernels import binary_rows
from ibmap.table import EncodedTable


@pytest.mark.parametrize("given_set", [(), (1, 5, 63), (2, 64, 129), tuple(range(1, 120)), (70, 90)])
def test_rows_are_numbered_by_slice_where_the_slice_has_two_data_points(given_set):
    rng = np.random.default_rng(8)
    codes = np.repeat(rng.integers(0, 2, (150, 130)), rng.integers(1, 3, 150), axis=0)
    weights = rng.integers(1, 3, len(codes)) if given_set else np.ones(len(codes), np.int64)
    columns = BinaryColumns(EncodedTable.from_codes(codes, [2] * 130, weights=weights), Prior())
    rows, groups = np.empty(len(codes), np.int32), np.empty(len(codes), np.int32)
    n, n_seen, sizes = binary_rows.number_slices(
        columns.states, columns.row_bits, np.array(given_set, np.int64), 0, weights, rows, groups
    )
    states = [tuple(row[list(given_set)]) for row in codes]
    totals = {state: sum(w for s, w in zip(states, weights, strict=True) if s == state) for state in states}
    assert n_seen == len(totals)
    assert rows[:n].tolist() == [i for i, state in enumerate(states) if totals[state] >= 2]
    number = {
        state: group // 2 for state, group in zip([states[i] for i in rows[:n]], groups[:n], strict=True)
    }
    assert sorted(number.values()) == list(range(len(sizes)))
    for i, group in zip(rows[:n], groups[:n], strict=True):
        assert group == 2 * number[states[i]] + codes[i, 0]
    for state, z in number.items():
        rows_of = [i for i in range(len(codes)) if states[i] == state]
        right = [sum(weights[i] for i in rows_of if codes[i, 0] == v) for v in (0, 1)]
        assert sizes[z].tolist() == right


def test_candidates_are_tested_up_to_the_first_below_the_least():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, 200)
    codes = np.column_stack([x, rng.integers(0, 2, (200, 2)), x, rng.integers(0, 2, (200, 2))])
    columns = BinaryColumns(EncodedTable.from_codes(codes), Prior())
    for kind in (GroupRow, BitRow):
        row = kind(columns, 0, ())
        values = row.log_independent([1, 2, 3, 4, 5])
        assert values[2] < math.log(0.5) < min(values[:2])
        assert row.log_independent([1, 2, 3, 4, 5], math.log(0.5)).tolist() == values[:3].tolist()
