"""The score of tables of many states: the terms of the definition, whatever the slices are like."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_terms
from effort import scaled
from ibmap import IBMAPHC, BayesianTest
from ibmap.row_score import RowScore
from ibmap.score import TestScore
from ibmap.table import EncodedTable
from strategies import plain, tables


@st.composite
def wide_tables(draw):
    """More states than occur, so that most configurations of a few columns have no data."""
    table = draw(tables(min_variables=5, max_variables=7, max_rows=30, max_states=3))
    extra = draw(st.lists(st.integers(0, 9), min_size=table.n_variables, max_size=table.n_variables))
    return EncodedTable.from_codes(table.codes, table.cardinalities + extra, weights=table.weights)


@st.composite
def questions(draw, table):
    """A variable and a blanket."""
    order = draw(st.permutations(range(table.n_variables)))
    size = draw(st.integers(2, table.n_variables - 1))
    return order[0], tuple(sorted(order[1 : 1 + size]))


@given(st.data())
def test_terms_where_most_configurations_have_no_data_match_the_definition(data):
    table = data.draw(wide_tables())
    x, blanket = data.draw(questions(table))
    options = {
        "hyperparameters": data.draw(st.sampled_from(["sums", "ones"])),
        "prior": data.draw(st.sampled_from([0.5, 1e-9, 0.999])),
    }
    score = RowScore(BayesianTest(table, **options))
    rows, cards, weights = plain(table)
    expected = naive_terms.change_terms(rows, cards, weights, x, blanket, **options)
    assert score.changes(x, blanket) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@st.composite
def long_tables(draw):
    """A few rows over and over, with others in between: groups of many rows and of few."""
    n_variables = draw(st.integers(4, 10))
    common = draw(st.integers(1, 4))
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    kinds = generator.integers(0, 3, (common, n_variables))
    codes = kinds[generator.integers(0, common, draw(st.sampled_from([1, 60, 150])))]
    is_other = generator.random(codes.shape) < draw(st.sampled_from([0.02, 0.2, 0.6]))
    codes = np.where(is_other, generator.integers(0, 4, codes.shape), codes)
    codes[:, 0] = 0
    cards = draw(st.lists(st.sampled_from([4, 5, 9, 30, 200]), min_size=n_variables, max_size=n_variables))
    weights = np.ones(len(codes), np.int64)
    weights[:3] = draw(st.sampled_from([1, 5]))
    return EncodedTable.from_codes(codes, cards, weights=weights)


@settings(max_examples=8)
@given(st.data())
def test_groups_of_many_rows_and_of_few_match_the_definition(data):
    table = data.draw(long_tables())
    x, blanket = data.draw(questions(table))
    options = {
        "hyperparameters": data.draw(st.sampled_from(["sums", "ones"])),
        "prior": data.draw(st.sampled_from([0.5, 1e-9])),
    }
    score = RowScore(BayesianTest(table, **options))
    rows, cards, weights = plain(table)
    expected = naive_terms.change_terms(rows, cards, weights, x, blanket, **options)
    assert score.changes(x, blanket) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@settings(max_examples=15)
@given(st.data())
def test_terms_of_large_slices_with_rare_states_match_the_definition(data):
    table = data.draw(long_tables())
    order = data.draw(st.permutations(range(table.n_variables)))
    x, blanket = order[0], tuple(sorted(order[1 : 1 + data.draw(st.integers(0, 2))]))
    score = RowScore(BayesianTest(table))
    rows, cards, weights = plain(table)
    expected = naive_terms.change_terms(rows, cards, weights, x, blanket)
    assert score.changes(x, blanket) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_climb_over_many_states_is_the_same_on_any_number_of_threads():
    rng = np.random.default_rng(5)
    n_rows, n_variables = scaled((400, 9), (100, 6))
    codes = rng.integers(0, 8, (n_rows, n_variables))
    for k in range(1, n_variables):
        codes[:, k] = np.where(rng.random(n_rows) < 0.7, codes[:, k - 1], codes[:, k])
    table = EncodedTable.from_codes(codes)
    one, two = (IBMAPHC(start="empty", n_jobs=n).fit(table) for n in (1, 2))
    assert one.score_ == two.score_
    assert one.result_.trace == two.result_.trace


def test_states_may_outnumber_the_rows():
    rng = np.random.default_rng(0)
    codes = np.hstack([rng.integers(297, 300, (60, 4)), rng.integers(0, 2, (60, 3))])
    test = BayesianTest(EncodedTable.from_codes(codes, [300] * 4 + [2] * 3))
    blanket = (1, 2, 3, 4)
    found, slow = RowScore(test).changes(0, blanket), TestScore(test).changes(0, blanket)
    assert found == pytest.approx(slow, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("weight", [1, 3])
def test_two_columns_may_have_too_many_states_for_counters(weight):
    rng = np.random.default_rng(1)
    names = rng.integers(0, 250, 400)
    others = np.where(rng.random(400) < 0.5, names, rng.integers(0, 250, 400))
    codes = np.column_stack([rng.integers(0, 3, (400, 3)), names, others])
    codes[:, 1] = np.where(rng.random(400) < 0.6, codes[:, 0], codes[:, 1])
    weights = rng.integers(1, weight + 1, 400)
    test = BayesianTest(EncodedTable.from_codes(codes, [3, 3, 3, 250, 300], weights=weights))
    for x, blanket in ((0, ()), (0, (1,)), (3, (1,)), (0, (3,))):
        found, slow = RowScore(test).changes(x, blanket), TestScore(test).changes(x, blanket)
        assert found == pytest.approx(slow, rel=1e-9, abs=1e-9)


@given(st.data())
def test_slices_of_any_length_give_the_terms_of_the_definition(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n_rows, n_states = data.draw(st.sampled_from([3, 20, 63, 64, 65, 66, 150])), data.draw(st.integers(1, 9))
    table = copied_columns(rng, n_rows, n_states, data.draw(st.booleans()))
    x, blanket = data.draw(questions(table))
    options = {
        "hyperparameters": data.draw(st.sampled_from(["sums", "ones"])),
        "prior": data.draw(st.sampled_from([0.5, 1e-99, 0.999])),
        "slices": data.draw(st.sampled_from(["all", "seen"])),
    }
    rows, cards, weights = plain(table)
    few = blanket[: data.draw(st.integers(0, 2))]
    found = RowScore(BayesianTest(table, **options)).changes(x, few)
    expected = naive_terms.change_terms(rows, cards, weights, x, few, **options)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("prior", [1e-99, 1 - 1e-15])
def test_hundreds_of_states_stay_finite_with_any_prior(prior):
    n_states = scaled(200, 100)
    states = np.random.default_rng(1).integers(0, n_states, 16)
    codes = np.stack([states, states, states[::-1], 0 * states], axis=1)
    table = EncodedTable.from_codes(codes, np.array([n_states] * 3 + [3]))
    found = RowScore(BayesianTest(table, prior=prior)).changes(0, (1,))
    expected = naive_terms.change_terms(*plain(table), 0, (1,), prior=prior)
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-9)


def copied_columns(rng, n_rows, n_states, is_weighted):
    """Columns of different numbers of states, each in part a copy of the one before, one of them constant."""
    cards = np.array([n_states, 2, n_states + 3, 1, n_states + 1, 40])
    codes = rng.integers(0, cards, (n_rows, 6))
    for k in range(1, 6):
        copied = np.minimum(codes[:, k - 1], cards[k] - 1)
        codes[:, k] = np.where(rng.random(n_rows) < rng.random(), copied, codes[:, k])
    weights = rng.integers(1, 4, n_rows) if is_weighted else None
    return EncodedTable.from_codes(codes, cards, weights=weights)
