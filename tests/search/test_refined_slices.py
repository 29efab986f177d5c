"""What no larger conditioning set can undercut or exceed."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effort import examples, scaled
from ibmap import BayesianTest
from ibmap.data.table import EncodedTable
from ibmap.independence.posterior import Prior
from ibmap.independence.protocol import Triplet
from ibmap.kernels import refined_slices, run_rows
from ibmap.search.blanket_inputs import data_of, prior_of, refined_tables
from oracles import naive_refinements as naive
from search.test_blanket_search import binary_tables, hard

PRIORS = [("sums", 2), ("ones", 1)]


@pytest.mark.parametrize(("hyperparameters", "margin"), PRIORS)
def test_tables_of_divided_slices_are_those_of_all_divisions(hyperparameters, margin):
    starts, factors, bounds, _ = refined_tables(Prior(hyperparameters=hyperparameters))
    for cells in product(range(4), repeat=4):
        if sum(cells) <= 6:
            at = refined_slices.entry(starts, *cells)
            assert factors[at] == pytest.approx(float(naive.bayes_factor(cells, margin)), rel=1e-12)
            assert bounds[at, 0] == pytest.approx(float(naive.least(cells, margin)), rel=1e-12)
            assert bounds[at, 1] == pytest.approx(float(naive.most(cells, margin)), rel=1e-12)


def test_no_two_tables_share_an_entry():
    starts, factors, _, _ = refined_tables(Prior())
    cells = [c for c in product(range(refined_slices.SMALL + 1), repeat=4) if sum(c) <= refined_slices.SMALL]
    assert sorted(refined_slices.entry(starts, *c) for c in cells) == list(range(len(factors)))


def test_corners_give_the_most_that_divisions_can():
    starts, factors, bounds, corners = refined_tables(Prior())
    for cells in product(range(refined_slices.SMALL + 1), repeat=4):
        if sum(cells) <= refined_slices.SMALL:
            a0, a1, b0, b1 = cells
            at = refined_slices.entry(starts, *cells)
            halved = (corners[a0, b1] + corners[a1, b0]) / 2
            assert bounds[at, 1] == pytest.approx(max(factors[at], halved), rel=1e-12)


def test_corners_of_large_slices_are_the_bayes_factors_of_their_tables():
    corners = refined_tables(Prior())[3]
    for u, v in ((0, 0), (3, 4), (40, 7), (0, 255), (127, 128)):
        assert corners[u, v] == pytest.approx(float(naive.bayes_factor((u, 0, 0, v), 2)), rel=1e-9)
    assert np.isinf(refined_tables(Prior(hyperparameters="ones"))[3]).all()


def bounds_of(test, x, order, members):
    """Costs and bounds of all candidates outside some members, as the search works them out."""
    given = sum(1 << k for k in members)
    wanted = (1 << len(order)) - 1 & ~given
    costs, lows = np.full(len(order), np.nan), np.full(len(order), np.nan)
    inputs = data_of(test.columns, x, order), prior_of(test.columns, len(order))
    run_rows.row_costs(*inputs, np.uint64(given), np.uint64(wanted), costs, lows)
    return costs, lows


def assert_bounds_hold(test, x, members):
    """Compare bounds with both posteriors given every larger set."""
    order = np.array([y for y in range(test.n_variables) if y != x])
    _, lows = bounds_of(test, x, order, members)
    outside = [k for k in range(len(order)) if k not in members]
    for k in outside:
        others = [j for j in outside if j != k]
        for more in (more for size in range(len(others) + 1) for more in combinations(others, size)):
            larger = tuple(int(order[j]) for j in sorted({*members, *more}))
            independent, dependent = test.log_posteriors(Triplet(x, int(order[k]), larger))
            assert 0 <= lows[k] <= min(-independent, -dependent) + 1e-12


@examples(60)
@given(
    binary_tables(max_variables=6, max_rows=120),
    st.sampled_from(["sums", "ones"]),
    st.sampled_from([0.5, 0.05, 0.95]),
    st.data(),
)
def test_either_answer_costs_at_least_its_bound_given_any_larger_set(table, hyperparameters, prior, data):
    table = EncodedTable.from_codes(table.codes, [2] * table.n_variables)
    test = BayesianTest(table, hyperparameters=hyperparameters, prior=prior)
    n = table.n_variables
    members = data.draw(st.sets(st.integers(0, n - 2), max_size=n - 2))
    assert_bounds_hold(test, data.draw(st.integers(0, n - 1)), members)


@pytest.mark.parametrize("share", [0.5, 0.04])
def test_bounds_hold_for_slices_of_any_size(share):
    rng = np.random.default_rng(int(100 * share))
    n_rows = scaled(400, 300)
    codes = (rng.random((n_rows, 7)) < share).astype(int)
    codes[:, 6] = codes[:, 0] ^ codes[:, 1]
    codes[: n_rows // 2, 5] = codes[: n_rows // 2, 6]
    test = BayesianTest(EncodedTable.from_codes(codes, [2] * 7))
    for members in ((), (0,), (0, 1), (2, 3), (0, 1, 2), (1, 2, 3, 4)):
        assert_bounds_hold(test, 6, set(members))


def test_a_bound_never_falls_as_the_set_grows():
    test = BayesianTest(hard(9, n_rows=90))
    order = np.arange(1, 9)
    for members in combinations(range(8), 3):
        for k in set(range(8)) - set(members):
            _, low = bounds_of(test, 0, order, members)
            _, high = bounds_of(test, 0, order, (*members, k))
            assert all(low[j] <= high[j] + 1e-12 for j in range(8) if j not in {*members, k})


def test_bounds_say_something():
    test = BayesianTest(hard(9))
    _, lows = bounds_of(test, 0, np.arange(1, 9), (0, 1, 2))
    assert (lows[3:] > 0.2).all()
