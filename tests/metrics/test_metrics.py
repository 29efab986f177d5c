"""The distances equal their definitions, and refuse what cannot be compared."""

import os
import time
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap import metrics
from ibmap.errors import InvalidGraphError, InvalidOptionError
from ibmap.graph import MarkovGraph
from ibmap.metrics import distances
from ibmap.simulate import random_network
from oracles import naive
from strategies import edge_set, graphs, plain, tables

seeds = st.integers(0, 2**32 - 1)


@st.composite
def pairs_of_graphs(draw):
    n = draw(st.integers(2, 7))
    return draw(graphs(n)), draw(graphs(n))


@given(pairs_of_graphs())
def test_edge_hamming_matches_the_definition(pair):
    a, b = pair
    assert metrics.edge_hamming(a, b) == naive.edge_hamming(edge_set(a), edge_set(b))
    assert metrics.edge_hamming(a, b) == metrics.edge_hamming(b, a) == metrics.compare_edges(a, b).hamming


@given(pairs_of_graphs(), seeds)
def test_independence_hamming_matches_the_definition(pair, seed):
    a, b = pair
    triplets = metrics.draw_triplets(a.n_variables, 37, seed)
    slow = naive.independence_hamming_graphs(edge_set(a), edge_set(b), a.n_variables, triplets)
    assert metrics.independence_hamming(a, b, 37, seed) == slow


@given(tables(), seeds, st.data())
def test_independence_hamming_of_a_table_asks_the_bayesian_test(table, seed, data):
    graph = data.draw(graphs(table.n_variables))
    rows, cards, weights = plain(table)
    mismatches = 0
    for x, y, z in metrics.draw_triplets(table.n_variables, 9, seed):
        log_p = naive.log_probabilities(rows, cards, x, y, z, weights=weights)[0]
        mismatches += naive.is_independent(log_p) != naive.separated(
            edge_set(graph), table.n_variables, x, y, z
        )
    assert metrics.independence_hamming(graph, table, 9, seed) == mismatches / 9


@given(st.integers(2, 12), st.integers(0, 60), seeds)
def test_triplets_have_every_size_alike_and_the_remainder_is_small_sets(n, n_triplets, seed):
    triplets = metrics.draw_triplets(n, n_triplets, seed)
    sizes = Counter(len(z) for _, _, z in triplets)
    share, rest = divmod(n_triplets, n - 1)
    assert [sizes[m] for m in range(n - 1)] == [share + (m < rest) for m in range(n - 1)]
    for x, y, z in triplets:
        assert len({x, y, *z}) == len(z) + 2
        assert list(z) == sorted(z)
        assert {x, y, *z} <= set(range(n))


def test_every_pair_is_asked_about_alike():
    counts = Counter(frozenset(t[:2]) for t in metrics.draw_triplets(5, 10_000, 3))
    assert len(counts) == 10
    assert min(counts.values()) > 850


def test_separation_crosses_the_border_of_a_word():
    chain = MarkovGraph.from_edges(200, [(k, k + 1) for k in range(199)])
    orders = np.array([[199, 0, 64], [199, 0, 63], [0, 199, 128], [70, 72, 71], [70, 71, 0]])
    answers = [distances._separations(chain, orders, np.full(5, size)) for size in (0, 1)]
    assert answers[0].tolist() == [False] * 5
    assert answers[1].tolist() == [True, True, True, True, False]


@pytest.mark.parametrize("n", [64, 65, 130])
def test_separations_agree_with_the_graph_itself(n):
    graph = random_network(n, 2, random_state=n).graph
    triplets = metrics.draw_triplets(n, 200, 1)
    orders, sizes = distances._draw_questions(n, 200, 1)
    expected = [graph.separated(*triplet) for triplet in triplets]
    assert distances._separations(graph, orders, sizes).tolist() == expected


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="compilation is off")
def test_separations_are_fast():
    a, b = (random_network(50, 4, random_state=seed).graph for seed in (1, 2))
    metrics.independence_hamming(a, b, 10, 1)
    begun = time.perf_counter()
    metrics.independence_hamming(a, b, 20_000, 1)
    assert time.perf_counter() - begun < 2


def test_sixty_conditions_need_no_table_of_configurations():
    rng = np.random.default_rng(1)
    table = [[str(v) for v in row] for row in rng.integers(0, 3, (60, 62)).tolist()]
    assert 0 <= metrics.independence_hamming(MarkovGraph.empty(62), table, 100, 1) <= 1


def test_names_are_aligned():
    a = MarkovGraph.from_edges(3, [(0, 1)], ["a", "b", "c"])
    b = MarkovGraph.from_edges(3, [(1, 2)], ["c", "b", "a"])
    assert metrics.edge_hamming(a, b) == 0
    assert metrics.compare_edges(a, b).shared == (("b", "a"),)
    assert metrics.edge_hamming(a, a.to_networkx()) == 0


def test_a_matrix_or_numbered_graph_is_matched_by_position():
    named = MarkovGraph.from_edges(3, [(0, 1)], ["a", "b", "c"])
    matrix = named.adjacency.astype(int)
    numbered = nx.Graph()
    numbered.add_nodes_from([2, 1, 0])
    numbered.add_edge(1, 0)
    for other in (matrix, matrix.tolist(), MarkovGraph(matrix), numbered):
        assert metrics.edge_hamming(named, other) == metrics.edge_hamming(other, named) == 0


@pytest.mark.parametrize(
    "other",
    [
        MarkovGraph.empty(3, ["a", "b", "z"]),
        nx.Graph([("a", "b")]),
        MarkovGraph.empty(2, ["a", "b"]),
        MarkovGraph.empty(4),
    ],
)
def test_structures_over_different_variables_are_refused(other):
    named = MarkovGraph.empty(3, ["a", "b", "c"])
    for a, b in ((named, other), (other, named)):
        with pytest.raises(InvalidGraphError, match="same variables"):
            metrics.edge_hamming(a, b)


def test_the_message_names_the_odd_variables():
    with pytest.raises(InvalidGraphError, match=r"only the structure has 'z'; only the other one has 'c'"):
        metrics.edge_hamming(MarkovGraph.empty(2, ["a", "z"]), MarkovGraph.empty(2, ["a", "c"]))


def test_nothing_of_nothing_counts_as_all():
    empty, full = MarkovGraph.empty(3), MarkovGraph.from_edges(3, [(0, 1)])
    both_empty = metrics.compare_edges(empty, empty)
    assert (both_empty.precision, both_empty.recall, both_empty.f1) == (1, 1, 1)
    learned_none = metrics.compare_edges(empty, full)
    assert (learned_none.precision, learned_none.recall, learned_none.f1) == (1, 0, 0)
    learned_false = metrics.compare_edges(full, empty)
    assert (learned_false.precision, learned_false.recall, learned_false.f1) == (0, 1, 0)


def test_bad_numbers_are_refused():
    with pytest.raises(InvalidOptionError, match="n_triplets"):
        metrics.independence_hamming(MarkovGraph.empty(3), MarkovGraph.empty(3), 0)
    with pytest.raises(InvalidOptionError, match="at least 2 variables"):
        metrics.draw_triplets(1, 5)


def test_a_seed_repeats_the_answer():
    network = random_network(8, 2, random_state=1)
    rows = network.sample(300, random_state=2)
    graph = MarkovGraph.empty(8)
    assert metrics.independence_hamming(graph, rows, 300, 5) == metrics.independence_hamming(
        graph, rows, 300, 5
    )
    assert 0 < metrics.independence_hamming(graph, rows, 300, 5) < 1
