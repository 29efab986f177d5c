import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ibmap
from ibmap import BayesianTest, MarkovGraph, SeparationTest, blanket_closure, closure_score, pairwise_closure
from ibmap.data.table import EncodedTable
from ibmap.errors import InvalidGraphError, TooLargeError
from ibmap.score import TestScore, flip_gain, local_score, total_score
from oracles import naive
from strategies import edge_set, graphs, plain, tables


@given(st.data())
def test_closures_match_the_definition(data):
    graph = data.draw(graphs(data.draw(st.integers(2, 5))))
    n, edges = graph.n_variables, edge_set(graph)
    assert [tuple(a) for a in blanket_closure(graph)] == naive.blanket_closure(edges, n)
    assert {tuple(a) for a in pairwise_closure(graph)} == set(naive.pairwise_closure(edges, n))
    assert len(blanket_closure(graph)) == n * (n - 1)


@given(st.data())
def test_the_score_matches_the_definition_by_closure_and_by_terms(data):
    table = data.draw(tables())
    graph = data.draw(graphs(table.n_variables))
    rows, cards, weights = plain(table)
    expected = naive.ib_score(rows, cards, edge_set(graph), weights=weights)
    test = BayesianTest(table)
    assert closure_score(test, blanket_closure(graph)) == pytest.approx(expected, abs=1e-8)
    assert total_score(TestScore(test), graph) == pytest.approx(expected, abs=1e-8)
    assert total_score(local_score(test), graph) == pytest.approx(expected, abs=1e-8)
    assert ibmap.ib_score(table, graph) == pytest.approx(expected, abs=1e-8)


@given(st.data())
def test_the_order_of_columns_changes_neither_score_nor_posteriors(data):
    table = data.draw(tables())
    graph = data.draw(graphs(table.n_variables))
    order = data.draw(st.permutations(range(table.n_variables)))
    moved = EncodedTable.from_codes(
        table.codes[:, order], table.cardinalities[order], [table.names[k] for k in order], table.weights
    )
    assert ibmap.ib_score(moved, graph) == pytest.approx(ibmap.ib_score(table, graph), abs=1e-8)
    x, y, *rest = table.names
    found = BayesianTest(moved).log_probabilities(x, y, rest)
    assert found == pytest.approx(BayesianTest(table).log_probabilities(x, y, rest), abs=1e-9)


@given(st.data())
def test_the_pairwise_closure_can_be_scored_too(data):
    table = data.draw(tables(max_variables=4))
    graph = data.draw(graphs(table.n_variables))
    test = BayesianTest(table)
    rows, cards, weights = plain(table)
    oracle = naive.CountingTest(rows, cards, weights=weights)
    closure = naive.pairwise_closure(edge_set(graph), graph.n_variables)
    expected = naive.closure_score(closure, oracle.log_probabilities)
    assert closure_score(test, pairwise_closure(graph)) == pytest.approx(expected, abs=1e-8)


@given(st.data())
def test_the_change_by_a_flip_is_the_difference_of_totals(data):
    table = data.draw(tables())
    graph = data.draw(graphs(table.n_variables))
    score = local_score(BayesianTest(table))
    i, j = data.draw(st.permutations(range(table.n_variables)))[:2]
    difference = total_score(score, graph.flip(i, j)) - total_score(score, graph)
    assert flip_gain(score, graph, i, j) == pytest.approx(difference, abs=1e-8)


@given(st.data())
def test_all_changes_of_a_blanket_are_the_terms_of_the_changed_blankets(data):
    table = data.draw(tables())
    graph = data.draw(graphs(table.n_variables))
    score = local_score(BayesianTest(table))
    slow = TestScore(BayesianTest(table))
    for x in range(table.n_variables):
        blanket = graph.blanket(x)
        changes = score.changes(x, blanket)
        assert changes[x] == pytest.approx(slow.term(x, blanket), abs=1e-8)
        for y in set(range(table.n_variables)) - {x}:
            assert changes[y] == pytest.approx(slow.term(x, graph.flip(x, y).blanket(x)), abs=1e-8)


@given(st.data())
def test_the_true_graph_under_the_perfect_test_scores_exactly_zero(data):
    graph = data.draw(graphs(data.draw(st.integers(2, 6))))
    test = SeparationTest(graph)
    assert closure_score(test, blanket_closure(graph)) == 0.0
    assert total_score(TestScore(test), graph) == 0.0
    assert closure_score(test, pairwise_closure(graph)) == 0.0
    wrong = graph.flip(0, 1)
    assert total_score(TestScore(test), wrong) == -math.inf


def test_a_graph_argument_may_be_a_matrix_a_networkx_graph_or_our_own():
    rows = np.random.default_rng(0).integers(0, 2, (50, 3))
    own = MarkovGraph.from_edges(3, [(0, 2)])
    named, numbered = nx.Graph([("x0", "x2")]), nx.Graph([(0, 2)])
    values = {
        ibmap.ib_score(rows, g) for g in (own, own.adjacency, own.adjacency.astype(int), named, numbered)
    }
    assert len(values) == 1


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (np.zeros((2, 2)), "2 variables, the table has 3"),
        (np.zeros((3, 2)), "square"),
        ([[0, 1, 0], [0, 0, 0], [0, 0, 0]], "not symmetric at"),
        ([[1, 0, 0], [0, 0, 0], [0, 0, 0]], "joined to itself"),
        ([[0, 2, 0], [2, 0, 0], [0, 0, 0]], "0 and 1"),
        (nx.DiGraph([("x0", "x1")]), "undirected"),
        (nx.Graph([("x0", "nonsense")]), "nonsense"),
    ],
)
def test_bad_graphs_are_refused(graph, message):
    with pytest.raises((InvalidGraphError, ibmap.errors.UnknownVariableError), match=message):
        ibmap.ib_score([[0, 1, 0], [1, 0, 1]], graph)


def test_the_pairwise_closure_is_refused_where_it_explodes():
    with pytest.raises(TooLargeError, match="blanket_closure"):
        pairwise_closure(MarkovGraph.from_edges(30, [(0, 1)]))
