"""The compiled search finds what the plain one does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import scaled
from ibmap import BayesianTest, closure_score
from ibmap.blankets.grow_shrink import grow_shrink, gsmn_operator
from ibmap.data.table import EncodedTable
from ibmap.independence.protocol import Triplet
from ibmap.kernels import run_rows
from ibmap.search.best_first import Allowance
from ibmap.search.blanket_inputs import data_of, prior_of
from ibmap.search.blanket_search import GUESSED_NODES, BlanketSearch, can_search
from ibmap.search.budget import Budget, make_budget
from ibmap.search.operator_tree import RunSearch
from ibmap.search.tree_search import tree_search
from ibmap.search.triplet_set import TripletSet
from oracles import naive, naive_tree
from strategies import plain, tables


@st.composite
def binary_tables(draw, max_variables=6, max_rows=60):
    """Two states for every column, used or not; noise and copies; rows repeated or not."""
    n = draw(st.integers(2, max_variables))
    n_rows = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = rng.integers(0, 2, (n_rows, n))
    for _ in range(draw(st.integers(0, 3))):
        source, target = rng.integers(0, n, 2)
        follows = rng.random(n_rows) < 0.8
        codes[follows, target] = codes[follows, source]
    if draw(st.booleans()):
        codes[:, rng.integers(0, n)] = 0
    if draw(st.booleans()):
        codes = np.repeat(codes, rng.integers(1, 5, n_rows), axis=0)
    return EncodedTable.from_codes(codes, [2] * n)


def both(test, x, order="association"):
    operator = grow_shrink(test, x, order=order)
    assert can_search(operator, test)
    searches = BlanketSearch(operator, test), RunSearch(operator, test)
    for search in searches:
        search.advance()
    return searches


@given(binary_tables(), st.sampled_from(["association", "columns"]))
def test_the_compiled_search_finds_what_the_plain_one_does(table, order):
    test = BayesianTest(table)
    for x in range(table.n_variables):
        fast, slow = both(test, x, order)
        assert fast.cost == pytest.approx(slow.cost, abs=1e-8)
        assert fast.found == slow.found
        assert fast.lowest == pytest.approx(slow.lowest, abs=1e-8)
        assert (fast.is_done, fast.stopped) == (True, "optimum")
        assert -fast.cost == pytest.approx(closure_score(test, fast.closure), abs=1e-8)
        assert {Triplet(*a[:3]).canonical() for a in fast.closure} <= fast.tests.triplets()


@settings(max_examples=30)
@given(binary_tables(max_variables=5, max_rows=30))
def test_the_compiled_search_finds_the_cheapest_of_all_runs(table):
    rows, cards, weights = plain(table)
    expected = naive.CountingTest(rows, cards, weights=weights)
    orders = naive_tree.orders_of(expected, table.n_variables, "association")
    test = BayesianTest(table)
    for x, order in orders.items():
        runs = naive_tree.every_run(naive_tree.grow_shrink(x, order, "once"), expected.log_probabilities)
        cost, _, blanket = naive_tree.cheapest(runs, naive_tree.blanket_rank)
        search = BlanketSearch(grow_shrink(test, x), test)
        search.advance()
        assert search.cost == pytest.approx(cost, abs=1e-8)
        assert sorted(search.found) == sorted(blanket)


@given(binary_tables(max_variables=7, max_rows=150), st.data())
def test_costs_of_any_candidates_given_any_set_are_those_of_the_test(table, data):
    test = BayesianTest(table)
    n = table.n_variables
    x = data.draw(st.integers(0, n - 1))
    order = np.array([y for y in range(n) if y != x])
    given_set = data.draw(st.integers(0, 2 ** (n - 1) - 1))
    wanted = data.draw(st.integers(0, 2 ** (n - 1) - 1)) & ~given_set
    found = np.full(n - 1, np.nan)
    inputs = data_of(test.columns, x, order), prior_of(test.columns, n - 1)
    run_rows.row_costs(*inputs, np.uint64(given_set), np.uint64(wanted), found, np.empty_like(found))
    given_columns = tuple(int(order[k]) for k in range(n - 1) if given_set >> k & 1)
    for k in range(n - 1):
        if wanted >> k & 1:
            expected = -test.log_posteriors(Triplet(x, int(order[k]), given_columns)).independent
            assert found[k] == pytest.approx(expected, rel=1e-10, abs=1e-12)
        else:
            assert np.isnan(found[k])


def test_many_rows_and_large_sets_are_counted_like_few():
    rng = np.random.default_rng(3)
    table = EncodedTable.from_codes(rng.integers(0, 2, (3000, 20)), [2] * 20)
    test = BayesianTest(table)
    order = np.arange(1, 20)
    inputs = data_of(test.columns, 0, order), prior_of(test.columns, 19)
    for given_set in (0, 0b111, 0b1111111, (1 << 16) - 1):
        found = np.empty(19)
        wanted = ((1 << 19) - 1) & ~given_set
        run_rows.row_costs(*inputs, np.uint64(given_set), np.uint64(wanted), found, np.empty_like(found))
        given_columns = tuple(k + 1 for k in range(19) if given_set >> k & 1)
        for k in range(16, 19):
            expected = -test.log_posteriors(Triplet(0, k + 1, given_columns)).independent
            assert found[k] == pytest.approx(expected, rel=1e-10)


def hard(n=14, n_rows=40, seed=0):
    """A table whose tests say little, so that the search is long."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 2, (n_rows, 1))
    return EncodedTable.from_codes(np.where(rng.random((n_rows, n)) < 0.35, 1 - base, base), [2] * n)


@pytest.mark.parametrize(("n", "n_rows"), [(9, 12), (9, 40), (8, 250), (7, 900)])
def test_bounds_cut_no_best_run_off(n, n_rows):
    test = BayesianTest(hard(n, n_rows, seed=n_rows))
    for x in range(0, n, 3):
        fast, slow = both(test, x)
        assert fast.cost == pytest.approx(slow.cost, abs=1e-8)
        assert fast.found == slow.found


def test_a_run_found_by_guessing_is_proven_or_replaced():
    test = BayesianTest(hard(30, 120))
    search = BlanketSearch(grow_shrink(test, 0), test)
    greedy = search.cost
    search.advance(Allowance(n_nodes=5))
    assert (search.lowest, search.is_done) == (0.0, False)
    search.advance(Allowance(n_nodes=GUESSED_NODES))
    guessed = search.cost
    assert 0.0 < search.lowest < guessed < greedy
    search.advance()
    assert search.cost <= guessed
    assert search.lowest == search.cost


def test_a_search_in_pieces_is_the_search_in_one():
    test = BayesianTest(hard(10))
    operator = grow_shrink(test, 0)
    whole, pieces = BlanketSearch(operator, test), BlanketSearch(operator, test)
    whole.advance()
    bounds = []
    while not pieces.is_done:
        pieces.advance(Allowance(n_nodes=7))
        bounds.append(pieces.lowest)
        assert pieces.lowest <= whole.cost + 1e-9 <= pieces.cost + 2e-9
    assert bounds == sorted(bounds)
    assert (pieces.cost, pieces.found, pieces.closure) == (whole.cost, whole.found, whole.closure)
    assert (pieces.n_expanded, pieces.tests.triplets()) == (whole.n_expanded, whole.tests.triplets())


def test_the_number_of_threads_changes_nothing():
    test = BayesianTest(hard(11))
    operator = gsmn_operator(test)
    for budget in (Budget(), Budget(max_nodes=3000)):
        one, three = (tree_search(operator, test, budget=budget, n_threads=k) for k in (1, 3))
        assert (one.found, one.score, one.bound, one.closure) == (
            three.found,
            three.score,
            three.bound,
            three.closure,
        )
        assert (one.n_nodes, one.stopped, len(one.tests)) == (three.n_nodes, three.stopped, len(three.tests))


@pytest.mark.parametrize("memory", scaled(["100 kB", "1 MB"], ["100 kB", "400 kB"]))
def test_memory_is_kept_below_its_limit(memory):
    test = BayesianTest(hard(40, 300))
    search = BlanketSearch(grow_shrink(test, 0), test)
    limit = make_budget(max_memory=memory).max_memory
    search.advance(Allowance(n_bytes=limit))
    assert search.stopped == "max_memory"
    assert limit / 4 < search.n_bytes <= limit
    before = search.cost
    search.complete()
    assert search.lowest < search.cost <= before


@pytest.mark.compiled_only("the search of one variable is stopped by the same kernels")
def test_a_limit_on_memory_ends_a_search_of_all_variables():
    test = BayesianTest(hard(40, 300))
    found = tree_search(gsmn_operator(test), test, budget=make_budget(max_memory="3 MB"))
    assert found.stopped == "max_memory"
    assert found.score < found.bound
    assert found.score == pytest.approx(closure_score(test, found.closure), abs=1e-8)


def test_only_what_it_can_do_goes_to_the_compiled_search():
    binary, other = BayesianTest(hard(4)), BayesianTest([[0, 1, 2], [1, 0, 1], [2, 1, 0]] * 3)
    assert can_search(grow_shrink(binary, 0), binary)
    assert not can_search(grow_shrink(binary, 0, "repeat"), binary)
    assert not can_search(grow_shrink(other, 0), other)
    wide = BayesianTest(EncodedTable.from_codes(np.zeros((3, 65), int), [2] * 65))
    assert not can_search(grow_shrink(wide, 0, order="columns"), wide)


@given(st.lists(st.tuples(st.integers(0, 69), st.integers(0, 69), st.sets(st.integers(0, 69), max_size=4))))
def test_tests_as_words_are_counted_and_listed_as_triplets(drawn):
    triplets = [Triplet(x, y, tuple(sorted(given))) for x, y, given in drawn if x != y]
    asked = TripletSet.from_triplets(triplets, 70)
    expected = {triplet.canonical() for triplet in triplets}
    assert asked.triplets() == expected
    assert len(asked) == len(expected)
    assert len(TripletSet.join([asked, asked])) == len(expected)


@settings(max_examples=20)
@given(tables(max_variables=4))
def test_tables_of_any_states_are_searched_too(table):
    test = BayesianTest(table)
    found = tree_search(gsmn_operator(test), test)
    assert found.stopped == "optimum"
    assert found.found.n_variables == table.n_variables
