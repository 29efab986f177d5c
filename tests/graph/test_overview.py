"""Many variables: placed by groups, without a matrix of numbers for all pairs."""

import tracemalloc

import numpy as np
import pytest

from ibmap.graph import MarkovGraph
from ibmap.graph.layout import MANY, block_order, find_groups, place
from ibmap.graph.layout.arranging import place_circles
from ibmap.graph.layout.groups import split_groups, weights_of
from ibmap.graph.layout.overview import overview
from report_samples import crowd


def random_graph(n, n_edges, seed=0):
    pairs = np.random.default_rng(seed).integers(0, n, (n_edges, 2)).tolist()
    return MarkovGraph.from_edges(n, [(i, j) for i, j in pairs if i != j])


GRAPHS = {
    "rings": crowd(600),
    "random": random_graph(700, 900),
    "star": MarkovGraph.from_edges(900, [(0, k) for k in range(1, 900)]),
    "pairs": MarkovGraph.from_edges(900, [(k, k + 1) for k in range(0, 899, 2)]),
    "empty": MarkovGraph.empty(500),
}
graphs = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


def overlap(points, radii):
    """The largest share of their radii by which two circles overlap."""
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    upper = np.triu_indices(len(points), 1)
    return (1 - distances / (radii[:, None] + radii[None]))[upper].max(initial=0.0)


@graphs
def test_circles_hold_every_variable_once_and_do_not_overlap(graph):
    found = overview(graph.adjacency)
    assert sorted(np.concatenate(found.circles)) == list(range(graph.n_variables))
    assert overlap(found.centres, found.radii) <= 0
    assert np.allclose(found.radii**2, [len(circle) for circle in found.circles])
    assert np.triu(found.between).sum() == graph.n_edges
    for circle, kind in zip(found.circles, found.kinds, strict=True):
        assert len(circle) <= MANY or kind == "alone"
        assert (kind == "alone") == (not graph.adjacency[circle].any())
        assert graph.adjacency[circle[0]].sum() == graph.adjacency[circle].sum(axis=1).max()


@graphs
def test_the_same_many_variables_have_the_same_circles_and_places(graph):
    once, again = overview(graph.adjacency), overview(graph.adjacency.copy(order="F"))
    assert np.array_equal(once.centres, again.centres)
    assert np.array_equal(once.inside, again.inside)
    assert np.array_equal(place(graph.adjacency), place(graph.adjacency))


@graphs
def test_places_by_groups_are_apart_and_the_order_keeps_groups_together(graph):
    points = place(graph.adjacency)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2) + np.eye(len(points))
    assert np.isfinite(points).all()
    assert distances.min() > 0.3
    order, groups = block_order(graph.adjacency), find_groups(graph.adjacency)
    assert sorted(order) == list(range(graph.n_variables))
    assert np.count_nonzero(np.diff(groups[order])) == max(len(np.unique(groups)) - 1, 0)


def test_groups_that_are_too_large_are_split():
    complete = ~np.eye(1000, dtype=bool)
    pieces = split_groups(complete)
    assert sorted(np.concatenate(pieces)) == list(range(1000))
    assert max(map(len, pieces)) <= MANY


def test_a_group_is_placed_as_it_would_be_alone():
    graph = GRAPHS["random"]
    found = overview(graph.adjacency)
    circle = found.circles[0]
    assert np.array_equal(found.inside[circle], place(graph.adjacency[np.ix_(circle, circle)]))


def test_weights_of_edges_alone_say_the_same_as_a_matrix():
    graph = GRAPHS["random"]
    rng = np.random.default_rng(1)
    shares = {edge: float(rng.uniform(0.1, 1)) for edge in graph.edges}
    matrix = np.zeros(graph.adjacency.shape)
    for (x, y), share in shares.items():
        matrix[x, y] = matrix[y, x] = share
    assert np.array_equal(find_groups(graph.adjacency, shares), find_groups(graph.adjacency, matrix))
    assert np.array_equal(place(graph.adjacency, weights=shares), place(graph.adjacency, weights=matrix))
    some = np.arange(100, 300)
    known = weights_of(graph.adjacency, shares, some)
    assert np.array_equal(known, weights_of(graph.adjacency, matrix, some))


def test_circles_with_nothing_between_them_stand_in_rows():
    radii = np.array([3.0, 1.0, 2.0, 1.0])
    assert overlap(place_circles(np.zeros((4, 4), np.int64), radii), radii) <= 0


def test_three_thousand_variables_take_no_matrix_of_numbers():
    adjacency = random_graph(3000, 3000).adjacency
    overview(adjacency)  # what is imported is no cost of the layout
    for draw in (overview, place, block_order):
        tracemalloc.start()
        draw(adjacency)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 3000 * 3000 * 8 / 2, draw
