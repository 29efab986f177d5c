"""A graph made of edges and one made of a matrix are the same."""

import tracemalloc

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ibmap.graph import MarkovGraph


@st.composite
def matrices(draw):
    n = draw(st.integers(1, 7))
    upper = draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))
    matrix = np.triu(np.array(upper).reshape(n, n), 1)
    return matrix | matrix.T


@given(matrices(), st.randoms())
def test_a_graph_is_the_same_made_of_edges_or_of_a_matrix(matrix, random):
    of_matrix = MarkovGraph(matrix)
    edges = [(j, i) if random.random() < 0.5 else (i, j) for i, j in of_matrix.edges]
    random.shuffle(edges)
    of_edges = MarkovGraph.from_edges(len(matrix), [*edges, *edges[:1]])
    assert of_edges == of_matrix
    assert hash(of_edges) == hash(of_matrix)
    assert of_edges.adjacency.tolist() == matrix.tolist()
    for x in range(len(matrix)):
        assert list(of_edges.blanket(x)) == np.flatnonzero(matrix[x]).tolist()
        assert [of_matrix.has_edge(x, y) for y in range(len(matrix))] == matrix[x].tolist()


@given(matrices())
def test_separation_is_that_of_paths_in_the_matrix(matrix):
    graph, n = MarkovGraph(matrix), len(matrix)
    for closed in range(n):
        kept = [v for v in range(n) if v != closed]
        reach = matrix[np.ix_(kept, kept)] | np.eye(n - 1, dtype=bool)
        for _ in range(n):
            reach = reach @ reach
        for a, x in enumerate(kept):
            for b, y in enumerate(kept):
                if x != y:
                    assert graph.separated(x, y, given=(closed,)) == (not reach[a, b])


def test_a_graph_of_very_many_variables_takes_the_memory_of_its_edges():
    n, names = 20_000, [f"x{k}" for k in range(20_000)]
    tracemalloc.start()
    graph = MarkovGraph.from_edges(n, ((k, k + 1) for k in range(n - 1)), names)
    assert graph.blanket(5) == (4, 6)
    assert not graph.flip(5, 6).has_edge(5, 6)
    assert not graph.separated(0, n - 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # a matrix takes 400 MB
