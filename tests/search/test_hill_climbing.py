import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibmap import BayesianTest, MarkovGraph, SeparationTest
from ibmap.blankets.gsmn import gsmn
from ibmap.data.table import EncodedTable
from ibmap.score import TestScore, flip_gain, local_score, total_score
from ibmap.search.cost import DistinctTests
from ibmap.search.hill_climbing import Limits, best_flip, gains_of, hill_climb
from ibmap.ties import TOLERANCE
from oracles import naive
from strategies import edge_set, graphs, plain, tables


def oracle(table):
    rows, cards, weights = plain(table)
    return naive.CountingTest(rows, cards, weights=weights)


@given(st.data())
def test_the_climb_matches_the_definition_step_by_step(data):
    table = data.draw(tables(max_variables=4))
    start = data.draw(graphs(table.n_variables))
    expected = naive.hill_climb(oracle(table), table.n_variables, edge_set(start))
    found = hill_climb(local_score(BayesianTest(table)), start)
    assert edge_set(found.graph) == set(expected["edges"])
    assert found.score == pytest.approx(expected["score"], abs=1e-8)
    assert len(found.trace) == expected["ascents"]
    assert found.n_iterations == expected["iterations"]
    assert [flip[:2] for flip in found.trace] == [step[:2] for step in expected["trace"]]
    assert [flip.gain for flip in found.trace] == pytest.approx(
        [step[2] for step in expected["trace"]], abs=1e-8
    )
    assert found.tests.n_tests == len(expected["asked"])


@given(tables(max_variables=4))
def test_the_climb_from_gsmn_counts_the_tests_of_both(table):
    expected = oracle(table)
    edges = naive.gsmn(expected.ask, expected.log_support, table.n_variables)
    naive.hill_climb(expected, table.n_variables, edges)
    test = BayesianTest(table)
    climb = hill_climb(local_score(test), gsmn(test))
    asked = test.asked
    assert climb.tests.n_tests + climb.tests.count_other(asked) == len(expected.asked)


@given(st.data())
def test_the_score_rises_along_the_trace_to_a_graph_without_a_better_flip(data):
    table = data.draw(tables(max_variables=5))
    start = data.draw(graphs(table.n_variables))
    score = local_score(BayesianTest(table))
    found = hill_climb(score, start)
    values = [total_score(score, start), *(flip.score for flip in found.trace)]
    assert all(later > earlier for earlier, later in pairwise(values))
    assert found.score == pytest.approx(total_score(score, found.graph), abs=1e-8)
    n = table.n_variables
    assert all(flip_gain(score, found.graph, i, j) <= 2e-9 for i in range(n) for j in range(i + 1, n))
    assert found.stopped == "optimum"


@settings(max_examples=20)
@given(tables(min_variables=4, max_variables=4))
def test_the_search_never_exceeds_the_best_of_all_64_graphs(table):
    best, _ = naive.best_of_all_graphs(oracle(table), 4)
    for start in (MarkovGraph.empty(4), gsmn(BayesianTest(table))):
        assert hill_climb(local_score(BayesianTest(table)), start).score <= best + 1e-8


@given(st.data())
def test_the_number_of_threads_changes_nothing(data):
    table = data.draw(tables(max_variables=6))
    start = data.draw(graphs(table.n_variables))
    one, *more = (hill_climb(local_score(BayesianTest(table)), start, n_threads=k) for k in (1, 2, 3, 4))
    for many in more:
        assert one.graph == many.graph
        assert one.score == many.score
        assert one.trace == many.trace
        assert one.tests.n_tests == many.tests.n_tests
        assert np.array_equal(one.gains, many.gains)


@given(st.data())
def test_distinct_tests_are_counted_as_if_they_were_listed(data):
    n = data.draw(st.integers(2, 6))
    blankets = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, 2**n - 1)), max_size=12))
    counter, listed = DistinctTests(n), set()
    for x, bits in blankets:
        blanket = {b for b in range(n) if bits >> b & 1 and b != x}
        counter.count(x, blanket)
        for w in range(n):
            changed = blanket ^ {w} if w != x else blanket
            for y in set(range(n)) - {x}:
                listed.add(naive.triplet(x, y, changed - {y}))
        assert counter.n_tests == len(listed)


def test_distinct_tests_are_counted_beyond_one_machine_word():
    counter = DistinctTests(130)
    counter.count(3, {70, 129})
    counter.count(3, {70, 129})
    assert counter.n_tests == 129 * 129
    counter.count(3, {70})
    assert counter.n_tests == 2 * 129 * 129 - 128 * 2 - 129


def test_limits_return_the_best_so_far():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, (200, 1))
    noisy = np.where(rng.random((200, 6)) < 0.1, 1 - base, base)
    score = local_score(BayesianTest(EncodedTable.from_codes(noisy)))
    start = MarkovGraph.empty(6)
    full = hill_climb(score, start)
    assert len(full.trace) > 1
    cut = hill_climb(score, start, limits=Limits(max_ascents=1))
    assert cut.stopped == "max_ascents"
    assert cut.trace == full.trace[:1]
    assert cut.score == pytest.approx(total_score(score, cut.graph), abs=1e-8)
    late = hill_climb(score, start, limits=Limits(max_seconds=1e-9))
    assert late.stopped == "max_seconds"
    assert late.graph == start
    assert late.score == pytest.approx(total_score(score, start), abs=1e-8)


def test_time_spent_on_the_start_counts():
    assert Limits(3, 2.0).after(0.5) == Limits(3, 1.5)
    assert Limits(3, 2.0).after(5.0) == Limits(3, 0.0)
    assert Limits(3).after(5.0) == Limits(3)


def test_a_callback_hears_of_every_ascent():
    rng = np.random.default_rng(1)
    column = rng.integers(0, 2, 100)
    table = EncodedTable.from_codes(np.stack([column, column, rng.integers(0, 2, 100)], axis=1))
    heard = []
    climb = hill_climb(local_score(BayesianTest(table)), MarkovGraph.empty(3), callback=heard.append)
    ascents = [p for p in heard if p.phase == "ascending"]
    assert [p.score for p in ascents] == [flip.score for flip in climb.trace]
    assert heard[0].phase == "scoring"


def test_the_perfect_test_is_content_with_the_true_graph():
    true = MarkovGraph.from_edges(4, [(0, 1), (1, 2)])
    climb = hill_climb(TestScore(SeparationTest(true)), true)
    assert (climb.score, climb.trace, climb.graph) == (0.0, (), true)
    wrong = hill_climb(TestScore(SeparationTest(true)), true.flip(2, 3))
    assert wrong.graph == true  # one flip turns the impossible into the certain


@given(data=st.data(), n=st.integers(1, 6))
def test_gains_and_the_best_flip_are_those_of_a_plain_search(data, n):
    terms = st.sampled_from([-np.inf, -3.0, -2.0, -2.0 + 4e-10, 0.5])  # impossible ones, and near ties
    drawn = [[data.draw(terms) for _ in range(n)] for _ in range(n)]
    gains = np.full((n, n), 99.0)
    for x in range(n):
        gains[x] = gains[:, x] = gains_of(x, np.array(drawn))
    expected = {}
    for x, y in combinations(range(n), 2):
        gain = (drawn[x][y] - drawn[x][x]) + (drawn[y][x] - drawn[y][y])
        expected[x, y] = -np.inf if math.isnan(gain) else gain
        assert gains[x, y] == gains[y, x] == expected[x, y]
    assert (gains.diagonal() == -np.inf).all()
    best = max(expected.values(), default=-np.inf)
    if best == -np.inf:
        assert best_flip(gains) == (0, 0, -np.inf)
    else:
        pair = min(pair for pair, gain in expected.items() if gain >= best - TOLERANCE)
        assert best_flip(gains) == (*pair, expected[pair])
