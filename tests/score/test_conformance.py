"""What every local score, every test and every search promises, on all of them, over generated tables."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import examples
from ibmap.data.table import EncodedTable
from ibmap.graph import MarkovGraph
from ibmap.independence.averaged import AveragedTest
from ibmap.independence.bayesian import BayesianTest
from ibmap.independence.pairwise import PairwiseTest
from ibmap.independence.rows import BinaryRow, SlicedRow
from ibmap.score import TestScore, local_score
from ibmap.score.row_score import RowScore
from ibmap.search.hill_climbing import hill_climb
from oracles import naive_terms
from strategies import linked_tables, plain, queries, tables

PRIORS = [
    {},
    {"hyperparameters": "ones", "prior": 0.9},
    {"prior": 1e-90},
    {"prior": 0.999999},
    {"slices": "seen"},
    {"hyperparameters": "bdeu", "equivalent_sample_size": 3.0},
]


def scores(table, **options):
    """Every implementation of the score of the Bayesian test that takes a table."""
    test = BayesianTest(table, **options)
    return [local_score(test), RowScore(test)]


@st.composite
def wide_tables(draw):
    """Up to twenty states a column, few rows for most configurations."""
    return draw(tables(max_variables=5, max_rows=120, max_states=20))


@st.composite
def copied_tables(draw):
    """Many binary columns that follow a few, so that blankets are large and slices of all sizes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_rows = draw(st.integers(6, 14)), draw(st.sampled_from([3, 40, 400, 2500]))
    base = rng.integers(0, 2, (n_rows, draw(st.integers(1, 3))))
    noise = rng.random((n_rows, n)) < draw(st.sampled_from([0.02, 0.2, 0.5]))
    codes = base[:, rng.integers(0, base.shape[1], n)] ^ noise
    return EncodedTable.from_codes(codes.astype(int), [2] * n)


@st.composite
def blankets(draw, table):
    """A variable, and any others as its blanket."""
    x, *others = draw(st.permutations(range(table.n_variables)))
    return x, tuple(sorted(others[: draw(st.integers(0, len(others)))]))


@examples(150)
@given(st.data(), st.sampled_from(PRIORS))
def test_all_changes_of_a_blanket_are_those_of_the_definition(data, options):
    table = data.draw(st.one_of(tables(), linked_tables(max_rows=60), wide_tables()))
    x, blanket = data.draw(blankets(table))
    expected = naive_terms.change_terms(*plain(table), x, blanket, **options)
    for score in scores(table, **options):
        np.testing.assert_allclose(score.changes(x, blanket), expected, rtol=1e-9, atol=1e-9)


@examples(120)
@given(st.data(), st.sampled_from(PRIORS[:4]))
def test_one_pass_over_bits_gives_what_single_tests_give(data, options):
    table = data.draw(st.one_of(copied_tables(), linked_tables(max_rows=2500)))
    x, blanket = data.draw(blankets(table))
    test = BayesianTest(table, **options)
    expected = TestScore(test).changes(x, blanket)
    np.testing.assert_allclose(local_score(test).changes(x, blanket), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n_members", [13, 25, 62, 63, 64, 66])
@pytest.mark.parametrize("n_states", [2, 3])
def test_blankets_of_any_size_are_scored(n_members, n_states):
    rng = np.random.default_rng(n_members)
    base = rng.integers(0, n_states, (60, 3))
    codes = np.where(
        rng.random((60, 70)) < 0.9, base[:, rng.integers(0, 3, 70)], rng.integers(0, n_states, (60, 70))
    )
    test = BayesianTest(EncodedTable.from_codes(codes, [n_states] * 70))
    score, plain_score = local_score(test), TestScore(test)
    blanket = tuple(range(1, n_members + 1))
    assert score.term(0, blanket) == pytest.approx(plain_score.term(0, blanket), abs=1e-9)
    upper, is_exact = score.bounds(0, blanket)
    for y in (0, 1, n_members, n_members + 1, 69):
        changed = tuple(sorted(set(blanket) ^ ({y} - {0})))
        exact = plain_score.term(0, changed)
        assert upper[y] >= exact - 1e-9
        assert not is_exact[y] or upper[y] == pytest.approx(exact, abs=1e-9)


@examples(80)
@given(st.data(), st.sampled_from(["table", "pairwise", "averaged"]))
def test_terms_changes_and_bounds_agree(data, kind):
    table = data.draw(tables(max_rows=60))
    x, blanket = data.draw(blankets(table))
    made = {"table": BayesianTest, "pairwise": PairwiseTest, "averaged": AveragedTest}[kind](table)
    score = local_score(made)
    changes, (upper, is_exact) = score.changes(x, blanket), score.bounds(x, blanket)
    for y in range(table.n_variables):
        changed = tuple(sorted(set(blanket) ^ ({y} - {x})))
        assert score.term(x, changed) == pytest.approx(changes[y], rel=1e-9, abs=1e-9)
    assert is_exact[x]
    assert (upper >= changes - 1e-9).all()
    np.testing.assert_allclose(upper[is_exact], changes[is_exact], rtol=1e-9, atol=1e-9)


@examples(80)
@given(st.data(), st.floats(-60, 0), st.sampled_from(PRIORS))
def test_a_term_below_what_is_asked_for_is_only_bounded(data, least, options):
    table = data.draw(st.one_of(tables(), wide_tables()))
    x, blanket = data.draw(blankets(table))
    for score in scores(table, **options):
        exact, found = score.term(x, blanket), score.term(x, blanket, least)
        if exact >= least + 1e-9:
            assert found == pytest.approx(exact, rel=1e-9, abs=1e-9)
        assert found >= exact - 1e-9
        assert found <= max(exact, least) + 1e-9


@examples(60)
@given(st.data(), st.sampled_from(PRIORS))
def test_repetition_order_of_rows_and_names_of_states_change_no_term(data, options):
    table = data.draw(st.one_of(tables(max_rows=40, weighted=True), linked_tables(max_rows=60)))
    x, blanket = data.draw(blankets(table))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    expanded = rng.permutation(np.repeat(table.codes, table.weights, axis=0))
    renamed = np.stack(
        [rng.permutation(c)[codes] for c, codes in zip(table.cardinalities, expanded.T, strict=True)], 1
    )
    other = EncodedTable.from_codes(renamed.astype(int), table.cardinalities)
    found = [local_score(BayesianTest(each, **options)).changes(x, blanket) for each in (table, other)]
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-9)


@examples(80)
@given(st.data(), st.sampled_from(PRIORS))
def test_a_row_of_tests_is_the_tests_it_is_made_of(data, options):
    table = data.draw(st.one_of(tables(min_variables=3), linked_tables(max_rows=300), wide_tables()))
    test = BayesianTest(table, **options)
    x, _, chosen = data.draw(queries(table))
    row = test.row(x, chosen)
    assert isinstance(row, BinaryRow if test.columns is not None else SlicedRow)
    others = [v for v in range(table.n_variables) if v != x and v not in chosen]
    independent, dependent = row.log_posteriors(others)
    for v, *found in zip(others, independent, dependent, strict=True):
        assert found == pytest.approx(test.log_probabilities(x, v, chosen), rel=1e-9, abs=1e-12)
    least = math.log(0.5)
    in_turn = row.log_independent(others, least)
    np.testing.assert_allclose(in_turn, independent[: len(in_turn)])
    assert (in_turn[:-1] >= least).all()
    assert row.sum_independent(others) == pytest.approx(independent.sum(), rel=1e-9, abs=1e-12)


@examples(40)
@given(st.data(), st.sampled_from(PRIORS), st.booleans())
def test_every_climb_takes_the_flips_of_a_climb_by_single_tests(data, options, is_full):
    table = data.draw(st.one_of(tables(max_rows=80), linked_tables(max_rows=200), wide_tables()))
    n = table.n_variables
    pairs = [(i, j) for i in range(n) for j in range(i)]
    start = MarkovGraph.from_edges(n, pairs if is_full else [])
    expected = hill_climb(TestScore(BayesianTest(table, **options)), start)
    for score in scores(table, **options):
        for n_threads in (1, 2):
            found = hill_climb(score, start, n_threads=n_threads)
            assert [each[:3] for each in found.trace] == [each[:3] for each in expected.trace]
            assert found.score == pytest.approx(expected.score, rel=1e-9, abs=1e-9)


def test_strong_links_in_slices_of_any_size_stay_finite():
    rng = np.random.default_rng(3)
    for n_rows in (50, 64, 65, 999, 1000, 1001, 3000):
        x = rng.integers(0, 2, n_rows)
        codes = np.stack([x, x, 1 - x, x ^ (rng.random(n_rows) < 0.01), rng.integers(0, 2, n_rows)], 1)
        for prior in (0.5, 1e-90, 1 - 1e-9):
            test = BayesianTest(EncodedTable.from_codes(codes, [2] * 5), prior=prior)
            for blanket in ((), (4,), (1,), (1, 2), (1, 3, 4)):
                found, expected = local_score(test).changes(0, blanket), TestScore(test).changes(0, blanket)
                np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weight", [1, 3])
def test_columns_may_have_too_many_states_for_counters(weight):
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, 1200, 300), rng.integers(0, 1100, 300), rng.integers(0, 2, 300)], 1)
    table = EncodedTable.from_codes(codes, [1200, 1100, 2], weights=np.full(300, weight))
    expected = naive_terms.term(*plain(table), 0, {2})
    assert local_score(BayesianTest(table)).term(0, (2,)) == pytest.approx(expected, rel=1e-9)
