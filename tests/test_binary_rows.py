"""Tests of one binary variable against many: how rows are sliced and cells counted."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from ibmap import BayesianTest
from ibmap.independence.binary_bulk import BitRows
from ibmap.independence.binary_rows import MAX_MASKED, BinaryColumns, BitRow, GroupRow
from ibmap.independence.member_row import MemberRow
from ibmap.independence.posterior import Prior
from ibmap.independence.protocol import Triplet
from ibmap.kernels import binary_rows
from ibmap.sharing import Team
from ibmap.table import EncodedTable
from strategies import plain


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


@given(st.integers(0, 2**32), st.integers(1, 200), st.integers(2, 9))
def test_all_rows_at_once_are_those_of_the_definition(seed, n_rows, n_variables):
    rng = np.random.default_rng(seed)
    codes = (rng.random((n_rows, n_variables)) < rng.random(n_variables)).astype(np.int64)
    table = EncodedTable.from_codes(codes, [2] * n_variables)
    columns = BinaryColumns(table, Prior())
    questions = []
    for n_given in range(min(n_variables - 1, MAX_MASKED) + 1):
        x, *members = rng.permutation(n_variables)[: n_given + 1].tolist()
        questions.append((x, tuple(members)))
    with Team(2) as team:
        rows = BitRows(columns, {v for x, members in questions for v in (x, *members)}, team)
        found = rows.log_independent(questions)
    for (x, members), row in zip(questions, found, strict=True):
        for y in range(n_variables):
            if y == x or y in members:
                assert math.isnan(row[y])
            else:
                expected = naive.log_probabilities(*plain(table)[:2], x, y, members)
                assert row[y] == pytest.approx(expected[0], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("hyperparameters", ["sums", "ones"])
@settings(max_examples=40)
@given(data=st.data())
def test_members_are_tested_at_once_as_one_by_one(data, hyperparameters):
    n_members = data.draw(st.integers(8, 24))
    n_rows, noise = data.draw(st.integers(1, 400)), data.draw(st.sampled_from([0.02, 0.2, 0.5]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    base = rng.integers(0, 2, (n_rows, 1))
    codes = np.where(rng.random((n_rows, 26)) < noise, 1 - base, base)
    test = BayesianTest(EncodedTable.from_codes(codes, [2] * 26), hyperparameters=hyperparameters)
    members = tuple(sorted(rng.permutation(25)[:n_members].tolist()))
    row = MemberRow(test.columns, 25, members)
    for y in members:
        triplet = Triplet(25, y, tuple(z for z in members if z != y))
        expected = test.log_posteriors(triplet).independent
        assert row.log_independent(y) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_second_question_about_members_is_answered_like_the_first():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (500, 12))
    codes[:, 1] = codes[:, 0] ^ (rng.random(500) < 0.2)
    test, again = (BayesianTest(EncodedTable.from_codes(codes, [2] * 12)) for _ in range(2))
    members = tuple(range(1, 11))
    for y in members:
        others = tuple(z for z in members if z != y)
        (answer,) = test.ask_each(0, (y,), others)
        alone = again.apart().ask_each(0, (y,), others)[0]
        assert answer.independent == alone.independent
        assert answer.log_support == pytest.approx(alone.log_support, rel=1e-9)
    assert test.n_tests == 10
    assert test._member_row is not None


def test_a_subclass_that_slices_in_its_own_way_is_asked_for_every_member():
    class Certain(BayesianTest):
        def row(self, x, given):
            row = super().row(x, given)
            row.log_independent = lambda candidates, least=-math.inf: np.zeros(len(candidates))
            return row

    codes = np.random.default_rng(1).integers(0, 2, (200, 10))
    test = Certain(EncodedTable.from_codes(codes, [2] * 10))
    supports = [test.ask(0, y, [z for z in range(1, 10) if z != y]).log_support for y in range(1, 10)]
    assert supports == [0.0] * 9
