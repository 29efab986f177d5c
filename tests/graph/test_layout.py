"""Places, groups and orders of variables: laws that hold for any graph."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap.errors import InvalidOptionError
from ibmap.graph.layout import LAYOUTS, block_order, find_groups, place


@st.composite
def adjacencies(draw):
    n = draw(st.integers(0, 14))
    share = draw(st.floats(0, 1))
    upper = np.triu(np.random.default_rng(draw(st.integers(0, 2**32))).random((n, n)) < share, 1)
    return upper | upper.T


def nearest(points):
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    return distances[np.triu_indices(len(points), 1)].min(initial=np.inf)


@given(adjacencies(), st.sampled_from(list(LAYOUTS)))
def test_every_variable_has_a_place_of_its_own(adjacency, layout):
    points = place(adjacency, layout)
    assert points.shape == (len(adjacency), 2)
    assert np.isfinite(points).all()
    assert nearest(points) > 0.3


@given(adjacencies(), st.sampled_from(list(LAYOUTS)))
def test_the_same_graph_has_the_same_places(adjacency, layout):
    assert np.array_equal(place(adjacency, layout), place(adjacency.copy(order="F"), layout))


@given(adjacencies())
def test_parts_of_the_network_do_not_overlap(adjacency):
    points = place(adjacency)
    reach = np.linalg.matrix_power(adjacency + np.eye(len(adjacency)), max(len(adjacency), 1)) > 0
    boxes = {tuple(np.flatnonzero(row)) for row in reach}
    boxes = [(points[list(part)].min(axis=0), points[list(part)].max(axis=0)) for part in sorted(boxes)]
    for k, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:k]:
            assert (low > other_high).any() or (other_low > high).any()


def test_distances_on_paper_follow_those_in_the_graph():
    path = np.eye(6, k=1, dtype=bool) | np.eye(6, k=-1, dtype=bool)
    across = np.diff(place(path)[:, 0])
    assert (across > 0.8).all()
    assert (across < 1.3).all()


def test_a_drawing_is_wider_than_high():
    points = place(np.kron(np.eye(6), np.ones((4, 4)) - np.eye(4)) > 0)
    width, height = np.ptp(points, axis=0)
    assert width > height


@given(adjacencies())
def test_a_group_is_connected_and_single_variables_have_none(adjacency):
    groups = find_groups(adjacency)
    assert np.array_equal(groups < 0, ~adjacency.any(axis=1))
    sizes = [int((groups == g).sum()) for g in range(groups.max(initial=-1) + 1)]
    assert sizes == sorted(sizes, reverse=True)
    for g in range(len(sizes)):
        inside = adjacency[np.ix_(groups == g, groups == g)]
        assert (np.linalg.matrix_power(inside + np.eye(len(inside)), len(inside)) > 0).all()


@given(adjacencies())
def test_the_order_holds_every_variable_once_and_keeps_groups_together(adjacency):
    order, groups = block_order(adjacency), find_groups(adjacency)
    assert sorted(order) == list(range(len(adjacency)))
    changes = np.count_nonzero(np.diff(groups[order]))
    assert changes == max(len(np.unique(groups)) - 1, 0)


def test_blocks_come_out_as_groups():
    blocks = np.kron(np.eye(3), np.ones((4, 4))) - np.eye(12) > 0
    shuffled = np.random.default_rng(0).permutation(12)
    groups = find_groups(blocks[np.ix_(shuffled, shuffled)])
    assert len({(int(g), k // 4) for g, k in zip(groups, shuffled, strict=True)}) == 3


def test_an_unknown_layout_is_refused():
    with pytest.raises(InvalidOptionError, match="'stress', 'circle', 'spring'"):
        place(np.zeros((2, 2)), "cloud")
