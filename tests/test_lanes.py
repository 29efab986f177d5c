"""Columns side by side: the operations, and tests of X against many variables at once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

import naive
from effort import scaled
from ibmap import BayesianTest
from ibmap.independence.posterior import Prior
from ibmap.independence.table_numbers import TableNumbers
from ibmap.kernels import lanes
from ibmap.kernels.context import all_given, narrowed, narrowed_by_all, nothing_given
from ibmap.kernels.one_against_many import test_all as against_many
from ibmap.kernels.partition import is_dense
from ibmap.score import TestScore as SlowScore
from ibmap.table import EncodedTable
from ibmap.table_score import TableScore
from strategies import plain, queries, tables


@pytest.fixture(autouse=True, scope="module")
def _few_columns_too():
    """Let tables of few columns have blocks."""
    usual, lanes.LEAST = lanes.LEAST, 0
    yield
    lanes.LEAST = usual


@njit
def all_operations(rows, first, last, products, scales, above, below, totals):
    """Call what Python cannot; give the counts and what each operation tells."""
    counts = np.zeros(lanes.LANES, np.uint8)
    lanes.count_equal(rows, 0, rows, first, last, counts)
    is_large = lanes.times_counts(products, 2.5, counts)
    odds = np.zeros((3, lanes.LANES))
    odds[0] = 1.0
    is_clear = lanes.add_factors(odds, scales, above, below)
    lanes.add_counts(totals, 1, counts)
    lanes.add_equal(rows, first, last - 1, totals, 0)
    return counts, is_large, odds, is_clear


@given(st.data())
def test_operations_do_the_same_in_every_lane(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n_rows = data.draw(st.integers(1, lanes.MOST))
    rows = rng.integers(0, data.draw(st.sampled_from([2, 20, 256])), (n_rows, lanes.LANES)).astype(np.uint8)
    first = data.draw(st.integers(0, n_rows - 1))
    products, scales, above, below = rng.random((4, lanes.LANES)) + 0.5
    products[rng.integers(lanes.LANES)] *= data.draw(st.sampled_from([1.0, 1e151]))
    scales[rng.integers(lanes.LANES)] *= data.draw(st.sampled_from([1.0, 1e102]))
    before, totals = products.copy(), rng.integers(0, 10**9, (2, lanes.LANES)).astype(np.int32)
    expected = totals.copy()
    counts, is_large, odds, is_clear = all_operations(
        rows, first, n_rows, products, scales, above, below, totals
    )
    assert counts.tolist() == (rows[first:] == rows[0]).sum(axis=0).tolist()
    assert products == pytest.approx(before * (2.5 + counts), rel=1e-15)
    assert is_large == (products > 1e150).any()
    assert odds[0] == pytest.approx(1.0 + 2.0 * scales * above / below, rel=1e-14)
    assert is_clear == (odds[0] > 1e100).any()
    expected[1] += counts
    expected[0] += rows[first] == rows[n_rows - 1]
    assert totals.tolist() == expected.tolist()


@given(st.data())
def test_many_variables_at_once_are_tested_as_the_definition_says(data):
    table = data.draw(tables(min_variables=5, max_variables=7, max_rows=80, weighted=False))
    order = data.draw(st.permutations(range(table.n_variables)))
    x, given_set = order[0], tuple(sorted(order[1 : data.draw(st.integers(1, 2))]))
    options = {
        "hyperparameters": data.draw(st.sampled_from(["sums", "ones"])),
        "slices": data.draw(st.sampled_from(["all", "seen"])),
        "prior": data.draw(st.sampled_from([0.5, 1e-9, 0.999])),
    }
    others = [y for y in order[1:] if y not in given_set]
    test = BayesianTest(table, **options)
    independent, dependent = answers(TableNumbers(test.table, test.prior), x, given_set, others)
    rows, cards, weights = plain(table)
    for k, y in enumerate(others):
        expected = naive.log_probabilities(rows, cards, x, y, given_set, weights=weights, **options)
        assert (independent[k], dependent[k]) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def answers(numbers, x, given_set, others, *, is_in_turn=False):
    """Ask for the tests of X against some variables, side by side or one after the other."""
    data = numbers.data._replace(blocks=numbers.data.blocks[:0]) if is_in_turn else numbers.data
    assert is_in_turn or len(data.blocks) > 0
    found = np.empty(len(others)), np.empty(len(others))
    context = all_given(data, x, np.array(given_set, np.int64))
    against_many(context, data, numbers.prior, x, np.array(others), *found)
    return found


@given(st.data())
def test_slices_and_runs_of_any_length_are_tested_as_one_by_one(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n_rows, n_variables = data.draw(st.sampled_from(scaled([70, 300, 1500], [70, 300]))), 9
    n_states = data.draw(st.sampled_from([1, 2, 5, 30, 256]))
    codes = rng.integers(0, n_states, (n_rows, n_variables))
    codes[:, 0] = rng.integers(0, data.draw(st.sampled_from([1, 2, 8, 60])), n_rows)
    for k in range(1, n_variables):
        follows = rng.random(n_rows) < data.draw(st.sampled_from([0.0, 0.8, 1.0]))
        codes[follows, k] = codes[follows, k - 1] % n_states
    codes[:, 1] %= 2
    cards = codes.max(axis=0) + 1 + rng.integers(0, 2, n_variables) * (codes.max(axis=0) < 255)
    numbers = TableNumbers(EncodedTable.from_codes(codes, cards), Prior())
    for given_set in ((), (1,), (1, 2)):
        others = [y for y in range(1, n_variables) if y not in given_set]
        for one, other in zip(
            answers(numbers, 0, given_set, others),
            answers(numbers, 0, given_set, others, is_in_turn=True),
            strict=True,
        ):
            assert one == pytest.approx(other, rel=1e-11, abs=1e-11)


def test_variables_of_several_blocks_are_told_apart():
    rng = np.random.default_rng(4)
    cards = rng.integers(1, 9, 2 * lanes.LANES + 5)
    codes = rng.integers(0, cards, (200, len(cards)))
    numbers = TableNumbers(EncodedTable.from_codes(codes, cards), Prior())
    others = [y for y in rng.permutation(len(cards)).tolist() if y not in (3, 40)]
    found, slow = (answers(numbers, 3, (40,), others, is_in_turn=each) for each in (False, True))
    assert found[0] == pytest.approx(slow[0], rel=1e-12)
    assert found[1] == pytest.approx(slow[1], rel=1e-12)


@pytest.mark.parametrize(("n_states", "weight"), [(257, 1), (3, 2)])
def test_there_are_no_blocks_of_wide_columns_or_weighted_rows(n_states, weight):
    codes = np.arange(40).reshape(4, 10) % 3
    table = EncodedTable.from_codes(codes, [n_states] * 10, weights=[weight] * 4)
    assert len(TableNumbers(table, Prior()).data.blocks) == 0


@njit
def both_partitions(data, x, members):
    """Call kernels that Python cannot: a set's slices at once, and by one variable after the other."""
    context = nothing_given(data, x)
    at_once = narrowed_by_all(context, data, members)
    for z in members:
        context = narrowed(context, data, z)
    return is_dense(data.codes.shape[0], data.cardinalities, members, 0), at_once, context


@given(st.data())
def test_a_set_that_is_counted_out_has_the_slices_of_one_that_is_not(data):
    table = data.draw(tables(max_rows=120))
    x, _, given_set = data.draw(queries(table))
    numbers = TableNumbers(table, Prior())
    dense, at_once, one_by_one = both_partitions(numbers.data, x, np.array(given_set, np.int64))
    assert at_once.n_single == one_by_one.n_single
    assert at_once.size == one_by_one.size
    assert at_once.log_size == pytest.approx(one_by_one.log_size)
    if dense:
        assert at_once.rows.tolist() == one_by_one.rows.tolist()
        assert at_once.starts.tolist() == one_by_one.starts.tolist()


@pytest.mark.parametrize(("n_rows", "n_slices"), [(scaled(1200, 300), 20), (200, 1), (150, 40), (90, 9)])
def test_products_over_strong_dependence_are_put_into_logarithms(n_rows, n_slices):
    rng = np.random.default_rng(n_rows)
    x = rng.integers(0, 12, n_rows)
    copies = [np.where(rng.random(n_rows) < 0.98, x, 0) for _ in range(7)]
    codes = np.column_stack([x, rng.integers(0, n_slices, n_rows), *copies])
    test = BayesianTest(EncodedTable.from_codes(codes))
    for blanket in ((), (1,), (1, 2)):
        found, slow = TableScore(test).changes(0, blanket), SlowScore(test).changes(0, blanket)
        assert found == pytest.approx(slow, rel=1e-10, abs=1e-9)
