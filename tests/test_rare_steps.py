"""Steps of kernels that only long searches and large tables come to, taken one at a time."""

import math

import numpy as np
import pytest

from ibmap.kernels import run_rows, run_search
from ibmap.kernels.compiling import kernel
from ibmap.kernels.two_by_two import SPILL, multiply


@kernel
def log_product(terms):
    excess, log_big, n_spilt = 0.0, 0.0, 0
    for t in terms:
        before = log_big
        excess, log_big = multiply(excess, log_big, t)
        n_spilt += log_big != before
    return log_big + math.log1p(excess), n_spilt


@pytest.mark.parametrize(("term", "n_spilt"), [(5.0, 4), (-3.0, 0), (150.0, 400)])
def test_products_beyond_what_a_number_holds_go_on_as_logarithms(term, n_spilt):
    terms = np.full(400, term)
    found, times = log_product(terms)
    assert found == pytest.approx(np.logaddexp(0.0, terms).sum(), rel=1e-12)
    assert times == n_spilt
    assert n_spilt == 0 or found > math.log(SPILL)


def test_a_node_reached_again_at_less_cost_is_updated_and_waits_once_more():
    nodes = np.zeros(8), np.zeros(8, np.uint64), np.zeros(8, np.int64), np.zeros(8, np.int64)
    heap, slots = (np.zeros(8), np.zeros(8, np.int64)), np.full(16, -1)
    counts = np.zeros(5, np.int64)
    for cost, parent in ((3.0, 5), (2.0, 6), (4.0, 7)):
        run_search.add_node(nodes, heap, slots, counts, cost, 0.0, np.uint64(9), 1, parent)
    assert (counts[run_search.N_NODES], counts[run_search.N_HEAP]) == (1, 2)
    assert (nodes[0][0], nodes[3][0]) == (2.0, 6)
    assert heap[0][:2].tolist() == [2.0, 3.0]


def test_rows_alone_in_their_slice_are_left_out_of_sorted_columns():
    keys = np.random.default_rng(0).integers(0, 2**63, 7).astype(np.uint64)
    labels = np.array([1, -1, 0, 1, 0, -1, 0], np.int32)
    x_column = np.array([1, 0, 1, 0, 0, 1, 0], np.uint8)
    sizes = np.array([[2, 1], [1, 1]])
    words = np.zeros((64, 1), np.uint64)
    run_rows.sort_columns(keys, labels, x_column, 2, sizes, words)
    order = [4, 6, 2, 3, 0]  # by slice, then by X
    for bit in range(64):
        expected = sum(int(keys[row]) >> bit & 1 and 1 << place for place, row in enumerate(order))
        assert int(words[bit, 0]) == expected
