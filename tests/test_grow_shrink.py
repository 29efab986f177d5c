import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from ibmap import GTest, SeparationTest
from ibmap.blankets.grow_shrink import association_order, blankets, gsmn
from ibmap.errors import InvalidOptionError
from ibmap.independence.bayesian import BayesianTest
from ibmap.table import EncodedTable
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
