import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap import GTest, SeparationTest
from ibmap.blankets.grow_shrink import association_order, grow_shrink
from ibmap.blankets.gsmn import blankets, gs_blanket, gsmn
from ibmap.blankets.hiton import hiton
from ibmap.blankets.iamb import iamb
from ibmap.blankets.operator import run
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidOptionError, StopSearch
from ibmap.independence.bayesian import BayesianTest
from ibmap.progress import Monitor
from oracles import naive
from strategies import edge_set, graphs, plain, tables


def oracle(table):
    rows, cards, weights = plain(table)
    return naive.CountingTest(rows, cards, weights=weights)


@given(
    tables(),
    st.sampled_from(["or", "and"]),
    st.sampled_from(["once", "repeat"]),
    st.sampled_from(["association", "columns"]),
)
def test_gsmn_matches_the_definition_and_asks_the_same_tests(table, rule, grow, order):
    expected = oracle(table)
    edges = naive.gsmn(
        expected.ask, expected.log_support, table.n_variables, rule=rule, grow=grow, order=order
    )
    test = BayesianTest(table)
    assert edge_set(gsmn(test, rule=rule, grow=grow, order=order)) == edges
    assert test.asked == expected.asked
    assert test.n_tests == len(expected.asked)


@given(tables(), st.sampled_from(["once", "repeat"]))
def test_questions_asked_at_once_are_those_asked_one_by_one(table, grow):
    at_once, one_by_one = BayesianTest(table), BayesianTest(table)
    for x in range(table.n_variables):
        assert gs_blanket(at_once, x, grow) == run(grow_shrink(one_by_one, x, grow), one_by_one)
        assert at_once.asked == one_by_one.asked


@given(tables(max_variables=6), st.sampled_from([gsmn, iamb, hiton]))
def test_threads_change_neither_the_graph_nor_what_is_asked_and_told(table, learn):
    outcomes = []
    for n_threads in (1, 2, 3, 4):
        test, told = BayesianTest(table), []
        graph = learn(test, monitor=Monitor(told.append), n_threads=n_threads)
        answers = {triplet: test.ask_triplet(triplet) for triplet in test.asked}
        outcomes.append((graph, answers, [(each.done, each.n_tests) for each in told]))
    assert all(outcome == outcomes[0] for outcome in outcomes)


def test_a_search_stopped_on_many_threads_ends_where_it_ends_on_one():
    rows = [[0, 0, 0, 0, 0], [1, 1, 1, 1, 1]] * 10

    def stop(progress):
        if progress.done == 2:
            raise StopSearch

    ended = []
    for n_threads in (1, 3):
        test = BayesianTest(rows)
        ended.append((blankets(test, monitor=Monitor(stop), n_threads=n_threads), test.asked))
    assert ended[0] == ended[1]
    assert ended[0][0][2:] == ((), (), ())


def test_tests_that_threads_cannot_share_are_asked_by_one():
    asked_by = set()

    class Noting(BayesianTest):
        def row(self, x, given):
            asked_by.add(threading.get_ident())
            return super().row(x, given)

    rows = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10
    assert gsmn(Noting(rows), n_threads=3) == gsmn(BayesianTest(rows), n_threads=3)
    assert asked_by == {threading.get_ident()}


@given(st.data())
def test_gsmn_recovers_any_graph_from_the_perfect_test(data):
    true = data.draw(graphs(data.draw(st.integers(2, 7))))
    for rule in ("or", "and"):
        for order in ("association", "columns"):
            assert gsmn(SeparationTest(true), rule=rule, order=order) == true


@given(tables())
def test_the_graph_does_not_depend_on_the_order_of_rows(table):
    backwards = EncodedTable.from_codes(table.codes[::-1], table.cardinalities, weights=table.weights[::-1])
    assert gsmn(BayesianTest(table)) == gsmn(BayesianTest(backwards))


def test_equal_associations_are_tried_in_column_order():
    rows = [[0, 0, 0, 0], [1, 1, 1, 1]] * 10
    assert association_order(BayesianTest(rows), 2) == [0, 1, 3]


def test_the_or_rule_has_at_least_the_edges_of_the_and_rule():
    import numpy as np

    table = EncodedTable.from_codes(np.random.default_rng(4).integers(0, 2, (30, 6)))
    test = BayesianTest(table, prior=0.2)
    assert set(gsmn(test, rule="and").edges) <= set(gsmn(test, rule="or").edges)


def test_a_classical_test_serves_as_well():
    rows = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]] * 10
    assert gsmn(GTest(rows)).edges == ((0, 1),)


@pytest.mark.parametrize("options", [{"rule": "xor"}, {"grow": "twice"}, {"order": "random"}])
def test_bad_options_are_refused_by_name(options):
    with pytest.raises(InvalidOptionError, match=next(iter(options))):
        gsmn(SeparationTest([[0, 1], [1, 0]]), **options)


def test_variables_not_reached_in_time_get_an_empty_blanket():
    full = SeparationTest([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert gsmn(full, deadline=0.0).n_edges == 0
    assert gsmn(full, deadline=float("inf")).n_edges == 3


def test_blankets_are_listed_in_order_of_inclusion():
    star = SeparationTest([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    assert blankets(star, order="columns") == ((1, 2), (0,), (0,))


def test_ties_are_told_by_both_posteriors_in_large_blankets_too():
    rng = np.random.default_rng(0)  # a common cause and 30 members: log p is within 1e-9 of log 1/2
    codes = (rng.integers(0, 2, (100, 1)) ^ (rng.random((100, 60)) < 0.2)).astype(int)
    table = EncodedTable.from_codes(codes, [2] * 60)
    expected = oracle(table)
    order = naive.order_by_association({y: expected.log_support(3, y, ()) for y in range(60) if y != 3})
    wanted = naive.grow_shrink(expected.ask, 3, order)
    assert len(wanted) > 17
    assert sorted(gs_blanket(BayesianTest(table), 3)) == sorted(wanted)
