"""Single tests of binary variables, many at once: the same as one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibmap import BayesianTest
from ibmap.independence.binary_rows import MAX_MASKED_ONCE
from ibmap.independence.binary_triplets import find
from ibmap.independence.protocol import Triplet
from ibmap.table import EncodedTable


@st.composite
def questions(draw):
    """Draw a test of a binary table, and triplets with small and large sets."""
    n_variables, n_rows = draw(st.integers(2, 9)), draw(st.integers(2, 200))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    codes = rng.integers(0, 2, (n_rows, n_variables))
    codes[:2] = [[0] * n_variables, [1] * n_variables]
    weights = rng.integers(1, draw(st.sampled_from([2, 5])), n_rows)
    test = BayesianTest(EncodedTable.from_codes(codes, [2] * n_variables, weights=weights))
    triplets = []
    for _ in range(draw(st.integers(0, 8))):
        x, y, *rest = draw(st.permutations(range(n_variables)))
        n_given = draw(st.integers(0, len(rest)))
        triplets.append(Triplet(x, y, tuple(rest[:n_given])).canonical())
    return test, triplets


@given(questions())
def test_many_tests_at_once_find_what_each_finds_alone(question):
    test, triplets = question
    found = find(test.columns, triplets)
    assert find(test.columns, triplets, 3) == found
    assert len(found) == len(triplets)
    for (x, y, members), finding in zip(triplets, found, strict=True):
        row = test.row(x, members)
        independent, dependent = row.log_posteriors((y,))
        assert finding[:2] == pytest.approx((independent[0], dependent[0]), rel=1e-12, abs=1e-12)
        assert finding[2:] == (pytest.approx(row.expected(y), rel=1e-12), row.n_live, row.n_single)


def test_sets_too_large_for_masks_are_tested_among_others():
    codes = np.random.default_rng(1).integers(0, 2, (500, MAX_MASKED_ONCE + 4))
    test = BayesianTest(EncodedTable.from_codes(codes, [2] * codes.shape[1]))
    assert not test.columns.is_weighted
    triplets = [Triplet(0, 1, tuple(range(2, 2 + n))) for n in range(MAX_MASKED_ONCE + 3)]
    for triplet, finding in zip(triplets, find(test.columns, triplets), strict=True):
        assert finding[:2] == pytest.approx(test.log_posteriors(triplet), rel=1e-12)
